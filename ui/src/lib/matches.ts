import { contextOf } from "./cut";
import type { DiffSegment } from "./difference";
import type { Span } from "./survivingSpans";

/** A segment of a diff with the ranges of its own text that match a query. */
export interface MarkedSegment extends DiffSegment {
  marks: Span[];
}

/** A run of Han characters, or a word of another script. */
const RUN =
  /\p{Script=Han}+|(?:(?!\p{Script=Han})[\p{L}\p{M}\p{N}])+(?:['’](?:(?!\p{Script=Han})[\p{L}\p{M}\p{N}])+)*/gu;
const HAN = /^\p{Script=Han}/u;

/** Words that match in almost every text. They count only in a query that has no others. */
const COMMON_WORDS = new Set(
  "a an and are as at be but by for from had has have he her him his i in is it its me my not of on or our she so that the their them they this to us was we were with you your".split(
    " ",
  ),
);
const COMMON_HAN = new Set("的了着过地得是在有不没也就都还又和与跟把被给对从到这那个一我你您他她它们吗呢吧啊么");

/** The query's words, as `matchesOf` compares them. */
interface Terms {
  /** Two adjacent Han characters. */
  pairs: Set<string>;
  /** Han characters that stand alone in the query. */
  singles: Set<string>;
  /** Stems of the words of other scripts. */
  stems: Set<string>;
  /** Whether common words match too. */
  areCommon: boolean;
}

const isCommonRun = (run: string): boolean =>
  HAN.test(run) ? Array.from(run).every((character) => COMMON_HAN.has(character)) : COMMON_WORDS.has(run.toLowerCase());

function termsOf(query: string): Terms {
  const runs = query.match(RUN) ?? [];
  const terms: Terms = { pairs: new Set(), singles: new Set(), stems: new Set(), areCommon: runs.every(isCommonRun) };
  for (const run of runs) {
    const characters = Array.from(run);
    if (!HAN.test(run)) terms.stems.add(stemOf(run));
    else if (characters.length === 1) terms.singles.add(run);
    else characters.slice(1).forEach((character, index) => terms.pairs.add(characters[index]! + character));
  }
  return terms;
}

/** A word without case and the commonest English endings: "stopped" and "stops" have the stem of "stop". */
export function stemOf(word: string): string {
  const low = word.normalize("NFKC").toLowerCase().replace(/’/g, "'").replace(/'s?$/, "");
  if (!/^[a-z]{4,}$/.test(low)) return low;
  const one = low
    .replace(/^(.{2,})ie[sd]$/, "$1y")
    .replace(/(ss|sh|ch|x|z)es$/, "$1")
    .replace(/([^siu])s$/, "$1");
  const bare = /^(.*[aeiouy].*)(?:ing|ed)$/.exec(one)?.[1] ?? one;
  const verb = bare.length < 3 ? one : bare.replace(/([bdgmnprt])\1$/, "$1");
  return verb.replace(/^(.{3,})ly$/, "$1").replace(/^(.{3,})e$/, "$1");
}

/**
 * The ranges of `text` that share words with `query`, in order and without overlaps. Of Chinese, the longest shared
 * runs of at least two characters; a character that stands alone in the query matches alone. Of other scripts, words
 * with the same stem. Common words match only if the query has no others.
 */
export function matchesOf(text: string, query: string): Span[] {
  const terms = termsOf(query);
  const found: Span[] = [];
  for (const { 0: run, index } of text.matchAll(RUN)) {
    const spans = HAN.test(run)
      ? hanMatches(Array.from(run), terms)
      : terms.stems.has(stemOf(run))
        ? [{ from: 0, to: run.length }]
        : [];
    for (const { from, to } of spans)
      if (terms.areCommon || !isCommonRun(run.slice(from, to))) found.push({ from: index + from, to: index + to });
  }
  return found;
}

/** The matches in a run of Han characters, in UTF-16 units from its start. */
function hanMatches(characters: readonly string[], { pairs, singles }: Terms): Span[] {
  const found: Span[] = [];
  let from = 0;
  for (let first = 0; first < characters.length;) {
    let last = first;
    while (last + 1 < characters.length && pairs.has(characters[last]! + characters[last + 1]!)) last += 1;
    const to = from + characters.slice(first, last + 1).join("").length;
    if (last > first || singles.has(characters[first]!)) found.push({ from, to });
    from = to;
    first = last + 1;
  }
  return found;
}

/**
 * The segments of a diff with their matches. The text before and the text after the change are compared separately: no
 * match has deleted and inserted words together, and each range lies within one segment.
 */
export function markedSegments(segments: readonly DiffSegment[], query: string): MarkedSegment[] {
  const marked = segments.map(({ text }) => new Uint8Array(text.length));
  for (const other of ["ins", "del"] as const) {
    const own = segments.map(({ kind, text }) => (kind === other ? "" : text));
    const spans = matchesOf(own.join(""), query);
    let start = 0;
    own.forEach((text, index) => {
      for (const { from, to } of spans)
        if (from < start + text.length && to > start)
          marked[index]!.fill(1, Math.max(from - start, 0), Math.min(to - start, text.length));
      start += text.length;
    });
  }
  return segments.map((segment, index) => ({ ...segment, marks: spansOf(marked[index]!) }));
}

function spansOf(marked: Uint8Array): Span[] {
  const spans: Span[] = [];
  for (let from = marked.indexOf(1); from >= 0; from = marked.indexOf(1, from)) {
    const end = marked.indexOf(0, from);
    const to = end < 0 ? marked.length : end;
    spans.push({ from, to });
    from = to;
  }
  return spans;
}

/**
 * The segments from shortly before the first match on, for a view that shows only the beginning. They are the same
 * unless the first match is more than `room` UTF-16 units from the start; then they begin with an ellipsis and at most
 * `lead` units before the match.
 */
export function fromFirstMatch(segments: readonly MarkedSegment[], room: number, lead: number): MarkedSegment[] {
  let start = 0;
  const first = segments.findIndex(({ text, marks }) => {
    if (marks.length > 0) return true;
    start += text.length;
    return false;
  });
  const mark = segments[first]?.marks[0];
  if (!mark || start + mark.from <= room) return [...segments];
  const { kind, text, marks } = segments[first]!;
  const kept = contextOf(text.slice(0, mark.from), lead);
  const offset = mark.from - kept.length;
  const before = mark.from === 0 ? segments[first - 1] : undefined;
  return [
    { kind: "same", text: "…", marks: [] },
    ...(before ? [{ ...before, text: contextOf(before.text, lead), marks: [] }] : []),
    { kind, text: text.slice(offset), marks: marks.map(({ from, to }) => ({ from: from - offset, to: to - offset })) },
    ...segments.slice(first + 1),
  ];
}
