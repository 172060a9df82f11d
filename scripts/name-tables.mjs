// Makes the tables of Chinese words and sounds that the reader of names is compiled with, from the dictionary that
// set-up fetches. Run by hand after a change of the dictionary's edition.
// Usage: node scripts/name-tables.mjs
//
// `ordinary.bin` is a Bloom filter of ordinary words, `sounds_zh.txt` the characters of each syllable. Both are derived
// from CC-CEDICT and published under its licence, CC BY-SA 4.0.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

import { ROOT } from "./run.mjs";

const DICTIONARY = join(ROOT, "src-tauri", "resources", "dictionary", "cedict_1_0_ts_utf-8_mdbg.txt.gz");
const READER = join(ROOT, "src-tauri", "crates", "reader", "src");
const ORDINARY = join(READER, "names", "zh", "ordinary.bin");
const SOUNDS = join(READER, "drift", "sounds_zh.txt");

/** Size of the filter, and bits of a word: those of `names/zh/ordinary.rs`. */
const FILTER_BITS = 8 * 65_536;
const HASHES = 5;
/** Glosses of names of places, which are ordinary words as often. */
const PLACE = /district|county|city|town|prefecture|river|province|region|island|mountain|surname|variant/i;
const HAN = /^[\u4e00-\u9fff]+$/u;
const MASK = (1n << 64n) - 1n;

/** The entries: word in simplified characters, reading, glosses. */
const entries = gunzipSync(readFileSync(DICTIONARY))
  .toString("utf8")
  .split(/\r?\n/)
  .filter((line) => !line.startsWith("#"))
  .map((line) => /^(\S+) (\S+) \[+([^\]]*)\]+ \/(.*)\//.exec(line))
  .filter((match) => match !== null)
  .map(([, , word, reading, glosses]) => ({ word, reading, glosses }));

/** By code point, as the tables were sorted first: characters outside the BMP are none of them. */
const ascending = (a, b) => (a < b ? -1 : Number(a > b));

function ordinaryWords() {
  const byWord = new Map();
  for (const entry of entries) byWord.set(entry.word, [...(byWord.get(entry.word) ?? []), entry]);
  const isOrdinary = (own) => {
    const isSmall = ({ reading, glosses }) => /^\p{Ll}/u.test(reading) && !/^(surname|old variant of)/.test(glosses);
    const isProper = ({ reading, glosses }) => /^\p{Lu}/u.test(reading) && !PLACE.test(glosses);
    return own.some(isSmall) && !own.some(isProper);
  };
  return [...byWord]
    .filter(([word, own]) => (word.length === 2 || word.length === 3) && HAN.test(word) && isOrdinary(own))
    .map(([word]) => word)
    .toSorted(ascending);
}

/** The bits of a word in the filter: FNV-1a over its characters, mixed, and stepped as in double hashing. */
function bitsOf(word) {
  let hash = 0xcbf29ce484222325n;
  for (const c of word) hash = ((hash ^ BigInt(c.codePointAt(0))) * 0x100000001b3n) & MASK;
  hash ^= hash >> 32n;
  hash = (hash * 0x9e3779b97f4a7c15n) & MASK;
  hash ^= hash >> 29n;
  const first = Number(hash & 0xffffffffn);
  const step = Number(((hash >> 32n) | 1n) & 0xffffffffn);
  return Array.from({ length: HASHES }, (_, n) => ((first + n * step) % 2 ** 32) % FILTER_BITS);
}

function filterOf(words) {
  const filter = new Uint8Array(FILTER_BITS / 8);
  for (const bit of words.flatMap(bitsOf)) filter[bit >> 3] |= 1 << (bit & 7);
  return filter;
}

/** Lines of a syllable and its characters: those of at least two entries, read so in at least a fifth of them. */
function sounds() {
  const counts = new Map();
  for (const { word, reading } of entries) {
    const syllables = reading.split(/\s+/).filter(Boolean);
    const characters = [...word];
    if (syllables.length !== characters.length) continue;
    for (const [n, c] of characters.entries()) {
      if (!HAN.test(c)) continue;
      const syllable = syllables[n].toLowerCase().replaceAll(/\d/g, "").replaceAll("u:", "v");
      const own = counts.get(c) ?? { all: 0, readings: new Map() };
      own.all += 1;
      own.readings.set(syllable, (own.readings.get(syllable) ?? 0) + 1);
      counts.set(c, own);
    }
  }
  const bySyllable = new Map();
  for (const [c, { all, readings }] of [...counts].toSorted(([a], [b]) => ascending(a, b))) {
    if (all < 2) continue;
    for (const [syllable, count] of readings)
      if (count * 5 >= all) bySyllable.set(syllable, (bySyllable.get(syllable) ?? "") + c);
  }
  return [...bySyllable]
    .toSorted(([a], [b]) => ascending(a, b))
    .map(([syllable, characters]) => `${syllable} ${characters}\n`);
}

const words = ordinaryWords();
writeFileSync(ORDINARY, filterOf(words));
const lines = sounds();
const header = readFileSync(SOUNDS, "utf8")
  .split("\n")
  .filter((line) => line.startsWith("#"))
  .map((line) => `${line}\n`);
writeFileSync(SOUNDS, [...header, ...lines].join(""));
console.log(`${words.length} ordinary words, ${lines.length} syllables`);
