// Functions shared by the other scripts: the root of the repository, running programs, the build of the window. Plain
// Node without npm packages, because these scripts run before `npm ci`.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** The target folder of cargo. */
export const TARGET = process.env.CARGO_TARGET_DIR ?? join(ROOT, "target");

/** The packages that `npm test` builds: all but the benchmarks and evaluations, whose programs take long to link. */
export const TESTED = ["--workspace", "--exclude", "palimpsest-measure"];

/** The file name of a program. */
export const program = (name) => (process.platform === "win32" ? `${name}.exe` : name);

/** The desktop program. Always `--workspace`: with `-p` cargo selects other features and builds half of it again. */
export const WINDOW = join(TARGET, "debug", program("palimpsest"));
export const RELEASE_WINDOW = join(TARGET, "release", program("palimpsest"));
export const BUILD_WINDOW = ["cargo", "build", "--workspace", "--bin", "palimpsest"];

/** The command for `npm run NAME`, with the npm that runs this script. */
export function npm(...args) {
  const cli = process.env.npm_execpath;
  return cli?.endsWith(".js") ? [process.execPath, cli, ...args] : ["npm", ...args];
}

/** Whether a program is on the PATH. */
export function has(program) {
  const ends = process.platform === "win32" ? [".exe", ".cmd", ""] : [""];
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.some((folder) => ends.some((end) => existsSync(join(folder, program + end))));
}

/** Runs a program and returns its output; `null` if it failed or is missing. */
export function ask(program, ...args) {
  const { status, stdout } = spawnSync(program, args, { encoding: "utf8" });
  return status === 0 ? stdout.trim() : null;
}

/** Runs a program in the current terminal and returns its exit code. */
export function run([program, ...args], env = {}) {
  const { status, error } = spawnSync(program, args, {
    cwd: ROOT,
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  if (error) console.error(`${program}: ${error.message}`);
  return status ?? 1;
}

/**
 * Runs a program, prints its output line by line and without colour, passes each line to `onLine`, and resolves to the
 * exit code.
 */
export function follow([program, ...args], onLine, env = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...env },
    });
    for (const [from, to] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ]) {
      let rest = "";
      from.setEncoding("utf8");
      const show = (line) => {
        // Some programs write colours into a pipe despite NO_COLOR.
        const plain = line.replace(/\x1b\[[0-9;]*m/g, "");
        to.write(`${plain}\n`);
        onLine(plain);
      };
      from.on("data", (text) => {
        const lines = (rest + text).split("\n");
        rest = lines.pop();
        lines.forEach(show);
      });
      from.on("end", () => rest && show(rest));
    }
    child.on("error", (error) => {
      console.error(`${program}: ${error.message}`);
      resolve(1);
    });
    child.on("close", (code) => resolve(code ?? 1));
  });
}

/** Runs a program, and exits with its exit code if it fails. */
export function must(command, env) {
  const code = run(command, env);
  if (code !== 0) process.exit(code);
}

/** Folders of `ui` that are not part of the built front end. */
const NOT_SHIPPED = ["dist", "test", "testing"];

/** The modification time of a file, in milliseconds; 0 where there is none. */
export const modifiedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** The modification time of the newest file or folder below `path`, in milliseconds; a deletion changes its folder. */
function newest(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  const inside = readdirSync(path).filter((name) => !NOT_SHIPPED.includes(name) && name !== "node_modules");
  return Math.max(stat.mtimeMs, ...inside.map((name) => newest(join(path, name))));
}

/** Whether the built front end is up to date. A new build makes cargo embed it again, which takes a while. */
export function frontEndIsFresh() {
  const dist = join(ROOT, "ui", "dist");
  // Without assets it is only the placeholder that lets the shell compile.
  if (!existsSync(join(dist, "assets"))) return false;
  const sources = ["package-lock.json", "tsconfig.json"].map((name) => newest(join(ROOT, name)));
  const ui = join(ROOT, "ui");
  // The folder `ui` itself changes when `dist` is written.
  sources.push(
    ...readdirSync(ui)
      .filter((name) => !NOT_SHIPPED.includes(name))
      .map((name) => newest(join(ui, name))),
  );
  return statSync(join(dist, "index.html"), { throwIfNoEntry: false })?.mtimeMs >= Math.max(...sources);
}
