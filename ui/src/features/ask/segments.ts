import type { AskStatement } from "../../backend";

/** A stretch of an answer; `open`: not checked yet. */
export interface Segment {
  text: string;
  status: AskStatement["status"] | "open" | "between";
  /** Numbers of its passages. */
  citations: number[];
}

/** The text of an answer by its statements. The rest after the last one is open while the answer is written. */
export function segmentsOf(text: string, statements: readonly AskStatement[], isUnderWay: boolean): Segment[] {
  const segments: Segment[] = [];
  let at = 0;
  const add = (to: number, status: Segment["status"], citations: number[] = []) => {
    if (to > at) segments.push({ text: text.slice(at, to), status, citations });
    at = Math.max(at, to);
  };
  for (const { from, to, status, citations } of statements.toSorted((a, b) => a.from - b.from)) {
    add(from, "between");
    add(to, status, citations);
  }
  const isBlank = text.slice(at).trim() === "";
  add(text.length, isUnderWay && !isBlank ? "open" : "between");
  return segments;
}

/** Numbers in square brackets, ASCII or full-width, with the space before them: ` [1]`, `［2, 3］`. */
const NUMBERS = /[ \t]*[[［【]\s*(\d{1,2}(?:\s*[,，、]\s*\d{1,2})*)\s*[\]］】]/g;

const numbersIn = (list: string): number[] => list.split(/[,，、]/).map(Number);

/**
 * The text of a kept answer without a record of its statements: numbers in brackets in it are those of its passages. Of an answer
 * without them it is not known which words a passage carries, unless it is one sentence. `lost`: numbers of passages
 * that cannot be opened.
 */
export function segmentsOfKept(text: string, passages: readonly number[], lost: readonly number[] = []): Segment[] {
  const all = [...passages, ...lost];
  const segments: Segment[] = [];
  let at = 0;
  for (const { 0: mark, 1: list = "", index } of text.matchAll(NUMBERS)) {
    const numbers = numbersIn(list);
    const last = segments.at(-1);
    const isFirst = index === at && !last;
    if (isFirst || numbers.some((number) => !all.includes(number))) continue;
    const citations = numbers.filter((number) => passages.includes(number));
    if (index === at) last!.citations.push(...citations);
    else segments.push({ text: text.slice(at, index), status: "verified", citations });
    at = index + mark.length;
  }
  const isOneSentence = at === 0 && [...new Intl.Segmenter(undefined, SENTENCES).segment(text.trim())].length === 1;
  if (at < text.length) {
    const citations = isOneSentence ? [...passages] : [];
    segments.push({ text: text.slice(at), status: citations.length > 0 ? "verified" : "between", citations });
  }
  return segments;
}

const SENTENCES = { granularity: "sentence" } as const;

/** A kept answer without the numbers of its `count` passages. */
export const withoutNumbers = (text: string, count: number): string =>
  text.replaceAll(NUMBERS, (mark, list: string) =>
    numbersIn(list).every((number) => number >= 1 && number <= count) ? "" : mark,
  );

/** A paragraph of an answer, or a struck statement, which stands by itself. */
export type Block = { isStruck: false; segments: Segment[] } | { isStruck: true; text: string };

export function blocksOf(segments: readonly Segment[]): Block[] {
  const blocks: Block[] = [];
  for (const segment of segments) {
    const last = blocks.at(-1);
    if (segment.status === "unverified") blocks.push({ isStruck: true, text: segment.text.trim() });
    else if (last && !last.isStruck) last.segments.push(segment);
    else if (segment.text.trim() !== "") blocks.push({ isStruck: false, segments: [segment] });
  }
  return blocks;
}

/** The last word with its punctuation, which a number is kept on one line with. */
export function lastWord(text: string): { before: string; word: string; gap: string } {
  const [, body = text, gap = ""] = /^([^]*?)(\s*)$/.exec(text) ?? [];
  const word = /(?:\p{Script=Han}|(?:(?!\p{Script=Han})[\p{L}\p{N}’'-])+)[^\p{L}\p{N}]*$/u.exec(body)?.[0] ?? "";
  return { before: body.slice(0, body.length - word.length), word, gap };
}
