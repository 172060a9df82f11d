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
