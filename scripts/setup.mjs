// Makes sure that everything needed is there: Node, cargo, Python, system packages, node_modules, the encoder.
// Quick when it is.
// Usage: node scripts/setup.mjs [start|test]

import { existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { embedder, embedderIsThere } from "./embedder.mjs";
import { ROOT, ask, has, must, npm, run } from "./run.mjs";

/** Debian's and Ubuntu's names. */
const TO_START = [
  "build-essential",
  "pkg-config",
  "libwebkit2gtk-4.1-dev",
  // Without it Chinese shows as boxes.
  "fonts-noto-cjk",
];
const TO_TEST = ["xvfb", "xauth", "dbus-x11", "webkit2gtk-driver", "imagemagick", "chromium"];
/** What the bundler asks for. */
const NODE = [20, 19];

/** Ends the program with what is wrong and what mends it. */
function stop(problem, remedy) {
  console.error(`${problem}\n  ${remedy}`);
  process.exit(1);
}

function checkPrograms() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < NODE[0] || (major === NODE[0] && minor < NODE[1])) {
    stop(`Node ${process.versions.node} is too old: ${NODE.join(".")} or later is needed.`, "See https://nodejs.org/");
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
}

function missingPackages(wanted) {
  const state = (name) => ask("dpkg-query", "-W", "-f", "${db:Status-Status} ", name);
  return wanted.filter((name) => !state(name)?.split(" ").includes("installed"));
}

function installPackages(purpose) {
  const wanted = purpose === "test" ? [...TO_START, ...TO_TEST] : [...TO_START];
  if (!has("python3") && purpose === "test") wanted.push("python3");
  // Fetches the encoder, once. Debian's Python comes without it.
  if (!embedderIsThere() && ask("python3", "-m", "pip", "--version") === null) wanted.push("python3-pip");
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
  // The lists may be missing, or older than what the mirror still has.
  if (run([...sudo, "apt-get", "update", "-qq"]) !== 0 || run([...sudo, ...install]) !== 0) {
    stop("The packages could not be installed.", byHand);
  }
}

function installModules() {
  const time = (path) => statSync(join(ROOT, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const installed = time("node_modules/.package-lock.json");
  if (installed > 0 && installed >= time("package-lock.json")) return;
  must(npm("ci", "--no-audit", "--no-fund"));
}

/** Makes sure of all that `start` or `test` needs, or ends the program and says what to do. */
export function setup(purpose) {
  checkPrograms();
  installPackages(purpose);
  installModules();
  embedder();
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  setup(process.argv[2] ?? "start");
}
