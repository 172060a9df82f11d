import type { EditorState } from "@codemirror/state";
import type { Language, MarkedPassage } from "../../backend";
import { firstOf, lastOf } from "../../lib/cut";
import { commonEnds } from "../../lib/diff";
import type { Passage } from "../../lib/passage";
import type { Mark } from "./marks";

const BEFORE = 6_000;
const AFTER = 2_000;

/** Where the writer goes on: behind the last word; in a chapter that has only its title, below it, and never before it. */
export function endOf(text: string): number {
  return /^#[^\n]*\s*$/.test(text) ? text.length : text.trimEnd().length;
}

/** The one change that turns a text into another, with what is the same at both ends left alone: the caret stays. */
export function smallest(from: string, to: string): { from: number; to: number; insert: string } {
  const { head, tail } = commonEnds(from, to);
  return { from: head, to: from.length - tail, insert: to.slice(head, to.length - tail) };
}

/** The first line's heading, when the text begins with one. */
export const titleOf = (text: string) => /^# +(.*\S)/.exec(text)?.[1]?.replace(/\s#+$/, "") ?? null;

/** A mark that does not lie in the text would break the page; the backend should never send one. */
export const marksOf = ({ origins: all, text: { length } }: { origins: MarkedPassage[]; text: string }): Mark[] =>
  all
    .filter(({ from, to }) => from >= 0 && from < to && to <= length)
    .map(({ generationId, skill, from, to }) => ({ generationId, skill, from, to }));

/** What the assistant reads of a page. */
export function around({ doc }: EditorState, from: number, to: number): Passage {
  return {
    before: lastOf(doc.sliceString(Math.max(0, from - BEFORE - 1), from), BEFORE),
    selection: from < to ? doc.sliceString(from, to) : null,
    after: firstOf(doc.sliceString(to, to + AFTER + 1), AFTER),
  };
}

/** English needs a space where a draft begins in the middle of a line; Chinese does not. */
export function gapBefore({ doc }: EditorState, language: Language, at: number, text: string): string {
  if (language !== "en") return "";
  const before = doc.sliceString(Math.max(0, at - 1), at);
  return /\S/.test(before) && !/[-—(“‘"'\n]/.test(before) && /^[\p{L}\p{N}“‘"'(]/u.test(text) ? " " : "";
}
