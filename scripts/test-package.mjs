// npm run test:package: installs the packages that `npm run package` made in an empty Debian root, each file of them, and
// uses them there as a writer without the repository does: the host answers with encoder and tagger, the window opens a
// book's folder on a bare display. It needs root, debootstrap and a mirror of Debian; it prints size and start time.

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { TARGET, ask, has } from "./run.mjs";

const DISPLAY = ":83";
const STARTS = 5;
/** A window that is not there after this time will not come. */
const MAX_START_MS = 60_000;
const PICTURE_EVERY_MS = 50;

const staged = join(TARGET, "package");
const root = join(staged, "root");
/** The user and group of `writer` in the root. */
const WRITER = "1000:1000";
const BOOK = "/home/writer/The Tide Book";
const PROGRAM_FILES = ["usr/bin/palimpsest", "usr/bin/palimpsest-host"];

let failed = 0;
function check(what, is, detail = "") {
  console.log(`${is ? "ok    " : "FAILED"} ${what}${is || !detail ? "" : `: ${detail}`}`);
  if (!is) failed += 1;
}

function stop(problem, remedy) {
  console.error(`${problem}\n  ${remedy}`);
  process.exit(1);
}

if (process.platform !== "linux" || process.getuid() !== 0)
  stop("This test needs Linux and root.", "sudo npm run test:package");
for (const tool of ["debootstrap", "Xvfb", "import", "rpm2cpio", "cpio"]) {
  if (!has(tool)) stop(`${tool} is missing.`, "apt-get install debootstrap xvfb imagemagick rpm2cpio cpio");
}
const packageOf = (format) => {
  const folder = join(TARGET, "release", "bundle", format);
  const name = existsSync(folder) && readdirSync(folder).find((one) => one.endsWith(`.${format}`));
  return name ? join(folder, name) : stop(`There is no .${format}.`, "npm run package");
};
const [deb, rpm] = ["deb", "rpm"].map(packageOf);

/** Runs a program in the root as its user `writer`, and returns its output. */
function inRoot(command, { input } = {}) {
  const enter = [
    "--userspec",
    WRITER,
    root,
    "/usr/bin/env",
    "-i",
    "HOME=/home/writer",
    "LANG=C.UTF-8",
    "PATH=/usr/bin:/bin",
  ];
  const { status, stdout, stderr } = spawnSync("chroot", [...enter, ...command], { input, encoding: "utf8" });
  return { status, stdout, stderr };
}

function makeRoot() {
  unmount();
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  const codename = /^VERSION_CODENAME=(.+)$/m.exec(readFileSync("/etc/os-release", "utf8"))[1];
  const quiet = { stdio: ["ignore", "ignore", "inherit"] };
  execFileSync("debootstrap", ["--variant=minbase", codename, root], quiet);
  cpSync("/etc/apt", join(root, "etc/apt"), { recursive: true });
  cpSync("/etc/resolv.conf", join(root, "etc/resolv.conf"));
  for (const name of ["proc", "dev", "sys"]) execFileSync("mount", ["--rbind", `/${name}`, join(root, name)]);
  execFileSync("chroot", [root, "useradd", "--create-home", "--uid", "1000", "writer"]);
  cpSync(deb, join(root, "palimpsest.deb"));
  const install = [
    "apt-get",
    "install",
    "-y",
    "-qq",
    "--no-install-recommends",
    "/palimpsest.deb",
    "desktop-file-utils",
  ];
  execFileSync("chroot", [root, "apt-get", "update", "-qq"], quiet);
  execFileSync("chroot", [root, "env", "DEBIAN_FRONTEND=noninteractive", ...install], quiet);
}

function unmount() {
  for (const name of ["sys", "dev", "proc"]) {
    if (existsSync(join(root, name))) spawnSync("umount", ["--recursive", "--lazy", join(root, name)]);
  }
}

function filesAreInstalled() {
  const listed = ask("dpkg-deb", "-c", deb) ?? "";
  for (const file of [...PROGRAM_FILES, "usr/share/man/man1/palimpsest-host.1.gz"]) {
    check(`${file} is in the package`, listed.includes(`./${file}\n`) || listed.includes(` ${file}\n`), listed);
  }
  for (const folder of ["embedder", "dictionary", "tagger"]) {
    check(`the ${folder} is in the package`, existsSync(join(root, "usr/lib/Palimpsest", folder)));
  }
  const entry = "/usr/share/applications/Palimpsest.desktop";
  const { status, stdout } = inRoot(["desktop-file-validate", entry]);
  check("the desktop entry is valid", status === 0, stdout);
  const text = existsSync(join(root, entry)) ? readFileSync(join(root, entry), "utf8") : "";
  check(
    "a folder can be opened with it",
    /^Exec=.* %f$/m.test(text) && text.includes("MimeType=inode/directory;"),
    text,
  );
  const icon = /^Icon=(.+)$/m.exec(text)?.[1];
  check("its icon is there", existsSync(join(root, `usr/share/icons/hicolor/128x128/apps/${icon}.png`)), icon);
}

/** The bundler writes the name of the format into the window's program, so that it knows how it was installed. */
const MAX_FORMAT_BYTES = 3;

/** Number of bytes in which two files of the same length differ; infinite for other files. */
function differingBytes(path, otherPath) {
  const [one, other] = [path, otherPath].map((at) => readFileSync(at));
  if (one.length !== other.length) return Infinity;
  return one.reduce((sum, byte, at) => sum + (byte === other[at] ? 0 : 1), 0);
}

/** The rpm holds the same files as the deb. There is no second system here to install it on. */
function rpmHoldsTheSame() {
  const content = join(staged, "rpm");
  rmSync(content, { recursive: true, force: true });
  mkdirSync(content);
  execFileSync("sh", ["-c", 'rpm2cpio "$1" | cpio -idm --quiet', "sh", rpm], { cwd: content });
  for (const file of PROGRAM_FILES) {
    const [one, other] = [join(content, file), join(root, file)];
    check(`${file} is the same in the rpm`, existsSync(one) && differingBytes(one, other) <= MAX_FORMAT_BYTES);
  }
  const count = (folder) => readdirSync(folder, { recursive: true }).length;
  const [one, other] = [content, root].map((at) => count(join(at, "usr/lib/Palimpsest")));
  check("the rpm has as many resources as the deb", one === other, `${one} and ${other}`);
  rmSync(content, { recursive: true });
}

const request = (id, method, params = {}) => `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;

/** The answers of the host to requests, by their number. */
function hostAnswers(requests) {
  const command = ["palimpsest-host", "--data-dir", "/home/writer/data"];
  const { stdout } = inRoot(command, { input: requests });
  const lines = stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return new Map(lines.filter(({ id }) => id !== undefined).map(({ id, result }) => [id, result]));
}

function hostAnswersWithItsModels() {
  // The host loads the encoder in the background, and ends only after its requests.
  const answers = hostAnswers(
    request(1, "project:open", { path: BOOK }) +
      Array.from({ length: 40 }, (_, at) => request(100 + at, "memory:backup:create")).join("") +
      request(2, "memory:status"),
  );
  check("the host opens a book", answers.get(1)?.status === "opened", JSON.stringify(answers.get(1)));
  const states = (answers.get(2)?.parts ?? []).map(({ part, state }) => `${part} ${state}`);
  check(
    "every part of its memory is there",
    // A part that is catching up works, and has not come to all of the new book yet.
    states.length > 0 && states.every((one) => one.endsWith(" ok") || one.endsWith(" catchingUp")),
    states.join(),
  );
}

const picture = (name) => execFileSync("import", ["-display", DISPLAY, "-window", "root", name]);

/** The share of the display that is not of its most frequent colour. */
function painted() {
  const { stdout } = spawnSync(
    "sh",
    ["-c", 'import -display "$1" -window root -resize 64x40! -colors 16 -format %c histogram:info:-', "sh", DISPLAY],
    { encoding: "utf8" },
  );
  const counts = [...stdout.matchAll(/^\s*(\d+):/gm)].map(([, count]) => Number(count));
  return counts.length === 0 ? 0 : 1 - Math.max(...counts) / counts.reduce((sum, one) => sum + one, 0);
}

const wait = (ms) => new Promise((done) => setTimeout(done, ms));

/** Starts the window on the book, and resolves to the time until it shows something, and a function that ends it. */
async function startWindow() {
  const begun = performance.now();
  const environment = ["HOME=/home/writer", "LANG=C.UTF-8", "PATH=/usr/bin:/bin", `DISPLAY=${DISPLAY}`];
  const command = ["--userspec", WRITER, root, "/usr/bin/env", "-i", ...environment, "palimpsest", BOOK];
  const window = spawn("chroot", command, { stdio: ["ignore", "ignore", "inherit"] });
  const ended = new Promise((done) => window.on("exit", done));
  while (painted() < 0.02) {
    if (window.exitCode !== null || performance.now() - begun > MAX_START_MS)
      return { ms: null, end: () => window.kill() };
    await wait(PICTURE_EVERY_MS);
  }
  const end = async () => {
    window.kill("SIGTERM");
    return ended;
  };
  return { ms: performance.now() - begun, end };
}

async function windowOpensTheBook() {
  const display = spawn("Xvfb", [DISPLAY, "-screen", "0", "1280x800x24"], { stdio: "ignore" });
  try {
    await wait(1_000);
    const times = [];
    for (let turn = 0; turn < STARTS; turn += 1) {
      const { ms, end } = await startWindow();
      if (ms !== null) times.push(ms);
      if (turn === 0) {
        check("the window opens on a bare display", ms !== null);
        await wait(3_000);
        picture(join(staged, "window.png"));
        console.log(`       see ${join(staged, "window.png")}`);
      }
      const code = await end();
      if (turn === 0) check("it ends by a signal", code === 0, String(code));
    }
    times.sort((one, other) => one - other);
    const text = times.map((ms) => Math.round(ms)).join(" ");
    console.log(`start to the first picture, ms, ${times.length} starts, sorted: ${text}`);
  } finally {
    display.kill();
  }
  const data = "/home/writer/.local/share/page.palimpsest.desktop";
  const { stdout } = inRoot(["palimpsest-host", "--data-dir", data], { input: request(1, "project:list") });
  check("the book of the argument was opened", stdout.includes(BOOK), stdout);
}

try {
  makeRoot();
  mkdirSync(join(root, BOOK), { recursive: true });
  writeFileSync(join(root, BOOK, "01.md"), "# One\n\nThe ferry waited for the tide.\n");
  execFileSync("chroot", [root, "chown", "-R", "writer:", "/home/writer"]);
  filesAreInstalled();
  rpmHoldsTheSame();
  hostAnswersWithItsModels();
  await windowOpensTheBook();
  for (const path of [deb, rpm]) console.log(`${path}  ${(statSync(path).size / 1e6).toFixed(1)} MB`);
  const installed = Number(ask("dpkg-deb", "-f", deb, "Installed-Size"));
  console.log(`installed: ${(installed / 1e3).toFixed(1)} MB`);
} finally {
  unmount();
}
if (failed > 0) process.exit(1);
console.log("All checks passed.");
