import { commonEnds, run, runsOf, type Run } from "./diff";

/** A segment of a diff: common, deleted or inserted. */
export interface DiffSegment {
  kind: "same" | "del" | "ins";
  text: string;
}

/** A segment of one of several texts: its own, or shared with another text. */
export interface OwnSegment {
  own: boolean;
  text: string;
}

/** Maximum number of edits of an exact comparison; beyond it, the whole range counts as changed. */
const MAX_EDITS = 1_000;
/** UTF-16 units of both texts: longer texts are compared by paragraphs first, then by words where those differ. */
const MAX_EXACT_LENGTH = 8_000;
/**
 * Minimum words of a common segment between two changes. A shorter one is a coincidence and makes both hard to read.
 */
const MIN_COMMON_WORDS = 2;
/** Minimum words of a segment shared by several texts: short words in about the same place are a coincidence. */
const MIN_SHARED_WORDS = 3;
/** A Han character, or a word of another script. */
const WORD = /\p{Script=Han}|[\p{L}\p{N}]+/gu;
const HAN = /^\p{Script=Han}+$/u;

const words = new Intl.Segmenter("zh", { granularity: "word" });

/**
 * Words, Chinese ones included; spaces and punctuation marks are units of their own. Joined, the units are the text.
 */
const unitsOf = (text: string): string[] => Array.from(words.segment(text), ({ segment }) => segment);
/** The same with single Han characters. */
const fineUnitsOf = (units: readonly string[]): string[] =>
  units.flatMap((unit) => (HAN.test(unit) ? Array.from(unit) : [unit]));
/** Paragraphs, each with the line breaks after it. */
const paragraphsOf = (text: string): string[] => text.match(/[^\n]*\n+|[^\n]+$/g) ?? [];

/**
 * The changes between two texts in reading order: common and deleted segments are `before`, common and inserted ones
 * are `after`. Compares words, and the characters at both ends of a changed Chinese range.
 */
export function changesOf(before: string, after: string): DiffSegment[] {
  const exact =
    before.length + after.length > MAX_EXACT_LENGTH ? null : runsOf(unitsOf(before), unitsOf(after), MAX_EDITS);
  return mergeChanges(exact ?? byParagraph(before, after));
}

/** The segments of each text that no other text has in the same place. Joined, the segments of a text are the text. */
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
    // The ends of a text are always the same place; but a shared full stop alone is a coincidence.
    const own = group.own || (found.length > 1 && wordCount(group.text) < (isBetween ? MIN_SHARED_WORDS : 1));
    const last = ownSegments.at(-1);
    if (last?.own === own) last.text += group.text;
    else ownSegments.push({ own, text: group.text });
  });
  return ownSegments;
}

const wordCount = (text: string) => text.match(WORD)?.length ?? 0;

/** Compares paragraphs, then words within changed ones. */
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

/** Groups adjacent deletions and insertions between common runs. */
function groupChanges(
  runs: readonly Run[],
  isCommon: (same: Run, index: number) => boolean = () => true,
): ChangeGroup[] {
  const out: ChangeGroup[] = [];
  let change: { same: null; del: string[]; ins: string[] } | null = null;
  runs.forEach((one, index) => {
    const { kind, units } = one;
    const isCommonRun = kind === "same" && isCommon(one, index);
    if (isCommonRun) {
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

/** Merges adjacent changes, with coincidental matches between them, and limits them to the changed characters. */
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
