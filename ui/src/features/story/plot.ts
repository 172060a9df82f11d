import type { ChapterInfo, StepKind, StoryEvent, StoryThread } from "../../backend";
import { numberOf } from "../../lib/ordinal";
import { columnsOf, PLOT_SCALE } from "./presence";

/** A mark on the chapters of a thread. */
export interface Mark {
  kind: Exclude<StepKind, "leftOpen">;
  /** Numbers of the chapters of its column, from 1. */
  chapters: number[];
  /** Pixels of its middle. */
  x: number;
  /** Whether the text has lost the sentences of all its steps. */
  isStale: boolean;
}

/** Of several steps in a column, the one that is shown. */
const RANKS: Record<Mark["kind"], number> = { touched: 0, planted: 1, paid: 2 };

/** The marks of a thread in a book of `all` chapters, from left to right. */
export function threadMarks({ steps }: StoryThread, chapters: readonly ChapterInfo[], all: number): Mark[] {
  const { size, pitch } = columnsOf(all, PLOT_SCALE.px);
  const byColumn = new Map<number, Mark>();
  for (const { kind, position, isStale } of steps) {
    const number = position ? numberOf(position.chapterId, chapters) : 0;
    if (kind === "leftOpen" || number === 0) continue;
    const column = Math.floor((number - 1) / size);
    const before = byColumn.get(column);
    const mark: Mark = { kind, chapters: [number], x: (column + 0.5) * pitch, isStale };
    if (!before) byColumn.set(column, mark);
    else {
      const isHigher = RANKS[kind] > RANKS[before.kind];
      const numbers = before.chapters.includes(number) ? before.chapters : [...before.chapters, number];
      const both = { chapters: numbers, isStale: before.isStale && isStale };
      byColumn.set(column, { ...(isHigher ? mark : before), ...both });
    }
  }
  return [...byColumn.values()].toSorted((a, b) => a.x - b.x);
}

/** The numbers of the chapters that tell of an event, from 1. */
export const toldIn = ({ positions }: StoryEvent, chapters: readonly ChapterInfo[]): number[] => [
  ...new Set(positions.map(({ chapterId }) => numberOf(chapterId, chapters)).filter((number) => number > 0)),
];

/** Events in the order in which the book tells them; those without a place, known from the beginning, first. */
export function asTold(events: readonly StoryEvent[], chapters: readonly ChapterInfo[]): StoryEvent[] {
  const placeOf = ({ positions: [first] }: StoryEvent): [number, number] =>
    first ? [numberOf(first.chapterId, chapters), first.offset] : [0, 0];
  return events.toSorted((one, other) => {
    const [[chapter, offset], [otherChapter, otherOffset]] = [placeOf(one), placeOf(other)];
    return chapter - otherChapter || offset - otherOffset;
  });
}
