// Checks and installs the prerequisites: Node, cargo, Python, system packages, node_modules, the encoder, the
// dictionary, the Chinese tagger; for tests PostgreSQL. Fast when all are present.
// Usage: node scripts/setup.mjs [start|test]

import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { dictionary, dictionaryIsThere } from "./dictionary.mjs";
import { embedder, embedderIsThere } from "./embedder.mjs";
import { postgres } from "./postgres.mjs";
import { ROOT, ask, has, modifiedAt, must, npm, run } from "./run.mjs";
import { tagger, taggerIsThere } from "./tagger.mjs";

/** Package names of Debian and Ubuntu. */
const TO_START = [
  "build-essential",
  "pkg-config",
  "libwebkit2gtk-4.1-dev",
  // Without this font Chinese characters show as boxes.
  "fonts-noto-cjk",
];
const TO_TEST = ["xvfb", "xauth", "dbus-x11", "webkit2gtk-driver", "imagemagick", "chromium"];
/** Exits with a problem and its remedy. */
function stop(problem, remedy) {
  console.error(`${problem}\n  ${remedy}`);
  process.exit(1);
}

const read = (file) => readFileSync(join(ROOT, file), "utf8");

/** Whether a version such as `1.92.0` is `least` or later. */
export function isAtLeast(version, least) {
  const numbers = (text) => text.split(".").map((part) => Number.parseInt(part, 10));
  const wanted = numbers(least);
  const given = numbers(version);
  const at = wanted.findIndex((number, index) => number !== (given[index] ?? 0));
  return at < 0 || (given[at] ?? 0) > wanted[at];
}

/** Whether a version is in a range of package.json: `^20.19.0` (within 20), `>=22.12.0`, or several with `||`. */
export function isInRange(version, range) {
  return range.split("||").some((part) => {
    const [, sign, least] =
      /^\s*(\^|>=)\s*([\d.]+)\s*$/.exec(part) ?? stop(`package.json: ${part} is no range.`, range);
    return isAtLeast(version, least) && (sign === ">=" || version.split(".")[0] === least.split(".")[0]);
  });
}

function checkPrograms() {
  const { node } = JSON.parse(read("package.json")).engines;
  if (!isInRange(process.versions.node, node)) {
    stop(`Node ${process.versions.node} does not fit; needed is ${node}.`, "See https://nodejs.org/");
  }
  if (!has("cargo")) {
    const installed = join(homedir(), ".cargo", "bin");
    stop(
      "cargo is not on the PATH.",
      existsSync(join(installed, "cargo"))
        ? `export PATH="${installed}:$PATH"`
        : "Install Rust (stable): https://rustup.rs/",
    );
  }
  const rust = /^rust-version = "([\d.]+)"$/m.exec(read("Cargo.toml"))[1];
  const installed = ask("rustc", "--version")?.split(" ")[1];
  if (!installed) stop("rustc does not run.", "rustup toolchain install stable");
  if (!isAtLeast(installed, rust)) {
    stop(`Rust ${installed} is too old: ${rust} or later is needed.`, "rustup update stable");
  }
}

function missingPackages(wanted) {
  const state = (name) => ask("dpkg-query", "-W", "-f", "${db:Status-Status} ", name);
  return wanted.filter((name) => !state(name)?.split(" ").includes("installed"));
}

function installPackages(purpose) {
  const wanted = purpose === "test" ? [...TO_START, ...TO_TEST] : [...TO_START];
  if (!has("python3") && purpose === "test") wanted.push("python3");
  // pip fetches the encoder, the dictionary and the tagger, once. Debian's Python comes without it.
  const areFetched = embedderIsThere() && dictionaryIsThere() && taggerIsThere();
  if (!areFetched && ask("python3", "-m", "pip", "--version") === null) wanted.push("python3-pip");
  if (process.platform !== "linux") return;
  if (!has("dpkg-query") || !has("apt-get")) {
    console.log(
      `Not Debian or Ubuntu: these packages are needed, under whatever names they have here: ${wanted.join(" ")}`,
    );
    return;
  }
  const missing = missingPackages(wanted);
  if (missing.length === 0) return;
  const root = process.getuid() === 0;
  const sudo = root ? [] : ["sudo", "-n"];
  const install = [
    "env",
    "DEBIAN_FRONTEND=noninteractive",
    "apt-get",
    "install",
    "-y",
    "--no-install-recommends",
    ...missing,
  ];
  const byHand = `${root ? "" : "sudo "}apt-get update && ${root ? "" : "sudo "}apt-get install -y ${missing.join(" ")}`;
  if (!root && (!has("sudo") || ask("sudo", "-n", "true") === null)) {
    stop(`Packages are missing: ${missing.join(" ")}`, byHand);
  }
  console.log(`Installing ${missing.join(" ")}`);
  // The package lists may be missing, or older than the packages on the mirror.
  if (run([...sudo, "apt-get", "update", "-qq"]) !== 0 || run([...sudo, ...install]) !== 0) {
    stop("The packages could not be installed.", byHand);
  }
}

function installModules() {
  const time = (path) => modifiedAt(join(ROOT, path));
  const installed = time("node_modules/.package-lock.json");
  if (installed > 0 && installed >= time("package-lock.json")) return;
  must(npm("ci", "--no-audit", "--no-fund"));
}

/** Prepares everything that `start` or `test` needs, or exits with instructions. */
export function setup(purpose) {
  checkPrograms();
  installPackages(purpose);
  installModules();
  embedder();
  dictionary();
  tagger();
  if (purpose === "test") postgres();
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  setup(process.argv[2] ?? "start");
}
