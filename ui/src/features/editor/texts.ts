import type { EditorState } from "@codemirror/state";
import type { Language, MarkedPassage } from "../../backend";
import { firstOf, lastOf } from "../../lib/cut";
import { commonEnds } from "../../lib/diff";
import type { Passage } from "../../lib/passage";
import type { Mark } from "./marks";
import type { CaretTarget } from "./state";

const MAX_BEFORE = 6_000;
const MAX_AFTER = 2_000;

/** Caret position in a chapter just opened: after the last word, or below the title if there is nothing else. */
export function endOf(text: string): number {
  return /^#[^\n]*\s*$/.test(text) ? text.length : text.trimEnd().length;
}

/** Caret position in a chapter just opened, never outside of its text. */
export function caretIn(text: string, at?: CaretTarget): number {
  if (at === undefined) return endOf(text);
  // Below the title.
  return at === "start" ? (/^#[^\n]*\n\s*/.exec(text)?.[0].length ?? 0) : Math.min(at, text.length);
}

/** The smallest single change between two texts, so that the caret and other marks stay. */
export function smallest(from: string, to: string): { from: number; to: number; insert: string } {
  const { head, tail } = commonEnds(from, to);
  return { from: head, to: from.length - tail, insert: to.slice(head, to.length - tail) };
}

/** The heading in the first line, or `null`. */
export const titleOf = (text: string) => /^# +(.*\S)/.exec(text)?.[1]?.replace(/\s#+$/, "") ?? null;

/** Marks outside the text would break the editor; the backend should not send any. */
export const marksOf = ({ origins: all, text: { length } }: { origins: MarkedPassage[]; text: string }): Mark[] =>
  all
    .filter(({ from, to }) => from >= 0 && from < to && to <= length)
    .map(({ generationId, skill, from, to }) => ({ generationId, skill, from, to }));

/** The text around a range, as the assistant sends it. */
export function around({ doc }: EditorState, from: number, to: number): Passage {
  return {
    before: lastOf(doc.sliceString(Math.max(0, from - MAX_BEFORE - 1), from), MAX_BEFORE),
    selection: from < to ? doc.sliceString(from, to) : null,
    after: firstOf(doc.sliceString(to, to + MAX_AFTER + 1), MAX_AFTER),
    offset: from,
  };
}

/** The space needed before a draft in the middle of an English line; Chinese needs none. */
export function gapBefore({ doc }: EditorState, language: Language, at: number, text: string): string {
  if (language !== "en") return "";
  const before = doc.sliceString(Math.max(0, at - 1), at);
  return /\S/.test(before) && !/[-—(“‘"'\n]/.test(before) && /^[\p{L}\p{N}“‘"'(]/u.test(text) ? " " : "";
}
