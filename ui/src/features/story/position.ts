import type { ChapterInfo, Position } from "../../backend";
import { CHAPTER_END } from "../../lib/chapterEnd";

/** A position up to which the book is known: the writer's caret, the end of a chapter, or none. */
export type AsOfMode = "caret" | "pinned" | "whole";

/** The writer's caret in a chapter, in UTF-16 code units. */
export interface Caret {
  chapterId: string;
  offset: number;
  /** End of its paragraph. */
  paragraphEnd: number;
}

export interface AsOf {
  mode: AsOfMode;
  /** `null`: no chapter is open. */
  caret: Caret | null;
  /** The chapter at whose end the panel is pinned. */
  pinned: string | null;
}

/** The position of a request; `null`: the whole book. */
export function positionOf({ mode, caret, pinned }: AsOf): Position | null {
  if (mode === "whole") return null;
  if (mode === "pinned" && pinned !== null) return { chapterId: pinned, offset: CHAPTER_END };
  return caret && { chapterId: caret.chapterId, offset: caret.paragraphEnd };
}

/** Index of the last chapter of which something is known; that of the book's last one as of the whole book. */
export function lastIndexOf(asOf: AsOf, chapters: readonly ChapterInfo[]): number {
  const chapterId = positionOf(asOf)?.chapterId;
  const index = chapters.findIndex((chapter) => chapter.chapterId === chapterId);
  return index < 0 ? chapters.length - 1 : index;
}

/** The chapter to pin after a step of `by` chapters; `null`: there is none, or it is pinned already. */
export function steppedTo(asOf: AsOf, chapters: readonly ChapterInfo[], by: number): string | null {
  const to = chapters[lastIndexOf(asOf, chapters) + by];
  return to?.chapterId ?? null;
}
