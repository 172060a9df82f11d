import { commonEnds, run, runsOf, type Run } from "./diff";

/** A piece of a text that was changed: kept, taken out, or put in. */
export interface DiffSegment {
  kind: "same" | "del" | "ins";
  text: string;
}

/** A group of one of several texts: its own, or found in another of them as well. */
export interface OwnSegment {
  own: boolean;
  text: string;
}

/** More changes than this are not looked for one by one: what they are in has changed as a whole. */
const MAX_EDITS = 1_000;
/** UTF-16 units of both texts: longer ones are compared by paragraphs first, and by words only where those differ. */
const MAX_EXACT_LENGTH = 8_000;
/** A kept group that says less than this between two changes is chance, and only makes both hard to read. */
const MIN_COMMON_WORDS = 2;
/** The same of what several texts share: two of them use a short word in about the same place, and it means nothing. */
const MIN_SHARED_WORDS = 3;
/** What says something: a Han character, or a word of another script. */
const WORD = /\p{Script=Han}|[\p{L}\p{N}]+/gu;
const HAN = /^\p{Script=Han}+$/u;

const words = new Intl.Segmenter("zh", { granularity: "word" });

/** What a reader sees as one thing: words, in Chinese too; spaces and marks each by itself. Together they are the text. */
const unitsOf = (text: string): string[] => Array.from(words.segment(text), ({ segment }) => segment);
/** The same, but Han characters one by one. */
const fineUnitsOf = (units: readonly string[]): string[] =>
  units.flatMap((unit) => (HAN.test(unit) ? Array.from(unit) : [unit]));
/** Paragraphs, each with the break after it. */
const paragraphsOf = (text: string): string[] => text.match(/[^\n]*\n+|[^\n]+$/g) ?? [];

/**
 * What became of a text, as segments in reading order. Together, kept and taken out give the one before; kept and put in,
 * the one after. Words are compared, and in a changed group of Chinese the characters at its two ends.
 */
export function changesOf(before: string, after: string): DiffSegment[] {
  const exact =
    before.length + after.length > MAX_EXACT_LENGTH ? null : runsOf(unitsOf(before), unitsOf(after), MAX_EDITS);
  return mergeChanges(exact ?? byParagraph(before, after));
}

/** What each of several texts has that none of the others has in the same place. Each text is given back whole. */
export function distinctSegments(texts: readonly string[]): OwnSegment[][] {
  const shared = texts.map((text) => new Uint8Array(text.length));
  texts.forEach((one, i) => {
    texts.slice(i + 1).forEach((other, offset) => {
      let [here, there] = [0, 0];
      for (const { kind, text } of changesOf(one, other)) {
        if (kind === "same") {
          shared[i]!.fill(1, here, here + text.length);
          shared[i + 1 + offset]!.fill(1, there, there + text.length);
        }
        if (kind !== "ins") here += text.length;
        if (kind !== "del") there += text.length;
      }
    });
  });
  return texts.map((text, index) => segmentsOf(text, shared[index]!));
}

function segmentsOf(text: string, shared: Uint8Array): OwnSegment[] {
  const found: OwnSegment[] = [];
  for (let from = 0; from < text.length;) {
    let to = from + 1;
    while (to < text.length && shared[to] === shared[from]) to += 1;
    found.push({ own: shared[from] === 0, text: text.slice(from, to) });
    from = to;
  }
  const ownSegments: OwnSegment[] = [];
  found.forEach((group, index) => {
    const isBetween = index > 0 && index < found.length - 1;
    // At either end of a text, what is shared is the same place; but a full stop alone is nothing.
    const own = group.own || (found.length > 1 && wordCount(group.text) < (isBetween ? MIN_SHARED_WORDS : 1));
    const last = ownSegments.at(-1);
    if (last?.own === own) last.text += group.text;
    else ownSegments.push({ own, text: group.text });
  });
  return ownSegments;
}

const wordCount = (text: string) => text.match(WORD)?.length ?? 0;

/** Paragraphs first, and within each group of changed ones what can be told there. */
function byParagraph(before: string, after: string): Run[] {
  const [a, b] = [paragraphsOf(before), paragraphsOf(after)];
  const runs = runsOf(a, b, MAX_EDITS) ?? [...run("del", a), ...run("ins", b)];
  return groupChanges(runs).flatMap((group) => {
    if (group.same) return run("same", group.same);
    const [del, ins] = [unitsOf(group.del.join("")), unitsOf(group.ins.join(""))];
    return runsOf(del, ins, MAX_EDITS) ?? [...run("del", del), ...run("ins", ins)];
  });
}

type ChangeGroup = { same: string[] } | { same: null; del: string[]; ins: string[] };

/** What was kept, and between that all that was taken out and put in. */
function groupChanges(runs: readonly Run[], isKept: (same: Run, index: number) => boolean = () => true): ChangeGroup[] {
  const out: ChangeGroup[] = [];
  let change: { same: null; del: string[]; ins: string[] } | null = null;
  runs.forEach((one, index) => {
    const { kind, units } = one;
    const kept = kind === "same" && isKept(one, index);
    if (kept) {
      change = null;
      out.push({ same: units });
      return;
    }
    if (!change) out.push((change = { same: null, del: [], ins: [] }));
    if (kind !== "ins") change.del.push(...units);
    if (kind !== "del") change.ins.push(...units);
  });
  return out;
}

/** Neighbouring changes as one, with what was kept by chance between them, and no more of Chinese than has changed. */
function mergeChanges(runs: readonly Run[]): DiffSegment[] {
  const segments: DiffSegment[] = [];
  const put = (kind: DiffSegment["kind"], units: readonly string[]) => {
    if (units.length === 0) return;
    const [text, last] = [units.join(""), segments.at(-1)];
    if (last?.kind === kind) last.text += text;
    else segments.push({ kind, text });
  };
  for (const group of groupChanges(
    runs,
    (same, index) => index === 0 || index === runs.length - 1 || wordCount(same.units.join("")) >= MIN_COMMON_WORDS,
  )) {
    if (group.same) {
      put("same", group.same);
      continue;
    }
    const [del, ins] = [fineUnitsOf(group.del), fineUnitsOf(group.ins)];
    const { head, tail } = commonEnds(del, ins);
    put("same", del.slice(0, head));
    put("del", del.slice(head, del.length - tail));
    put("ins", ins.slice(head, ins.length - tail));
    put("same", del.slice(del.length - tail));
  }
  return segments;
}
