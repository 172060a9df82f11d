import type { ChapterPresence } from "../../backend";

/** A ruler of chapters, whatever their number. */
export interface Scale {
  /** Pixels of all chapters together. */
  px: number;
  /** Pixels between the middles of two figures, at least. */
  gap: number;
  /** Number of figures, about. */
  figures: number;
}

/** Of the strips of people and places. */
export const STRIP_SCALE: Scale = { px: 168, gap: 28, figures: 4 };
/** Of threads and events. */
export const PLOT_SCALE: Scale = { px: 216, gap: 18, figures: 12 };
/** Pixels of a strip. */
export const STRIP_PX = STRIP_SCALE.px;
/** Columns of a strip, at most; more chapters share columns. */
const MAX_COLUMNS = 84;
const MAX_STROKE_PX = 4;
/** Height of a stroke of one mention among many, and of the densest column. */
const STROKE_PX = { least: 3, most: 16 };

export interface Columns {
  /** Chapters of a column. */
  size: number;
  count: number;
  /** Pixels from one column to the next. */
  pitch: number;
  /** Pixels. */
  stroke: number;
}

/** `px`: pixels of all columns together. */
export function columnsOf(chapters: number, px = STRIP_PX): Columns {
  const size = Math.max(1, Math.ceil(chapters / MAX_COLUMNS));
  const count = Math.max(1, Math.ceil(chapters / size));
  const pitch = px / count;
  return { size, count, pitch, stroke: Math.max(1, Math.min(MAX_STROKE_PX, Math.floor(pitch / 2))) };
}

/**
 * The height of each column up to the last known chapter, in pixels; 0: not mentioned. Heights compare the chapters of
 * one entity, not entities.
 */
export function heightsOf(presence: readonly ChapterPresence[], known: number, { size }: Columns): number[] {
  const sums = Array.from({ length: Math.ceil(known / size) }, () => 0);
  for (const { chapter, mentions } of presence) {
    const column = Math.floor(chapter / size);
    if (column < sums.length) sums[column]! += mentions;
  }
  const most = Math.max(...sums, 1);
  return sums.map((sum) =>
    sum === 0 ? 0 : Math.round(STROKE_PX.least + (STROKE_PX.most - STROKE_PX.least) * (sum / most)),
  );
}

/** Numbers of chapters from 1, with each run of three or more as a range: "1–4", "6", "7". */
export function rangesOf(presence: readonly ChapterPresence[]): string[] {
  const ranges: [number, number][] = [];
  for (const { chapter } of presence) {
    const last = ranges.at(-1);
    if (last && last[1] === chapter) last[1] = chapter + 1;
    else ranges.push([chapter + 1, chapter + 1]);
  }
  return ranges.flatMap(([from, to]) =>
    to - from < 2 ? (from === to ? [`${from}`] : [`${from}`, `${to}`]) : [`${from}–${to}`],
  );
}

/** Numbers of chapters under which the ruler has room for a figure: the first, the last, and some between. */
export function marksOf(chapters: number, now: number | null, { px, gap, figures } = STRIP_SCALE): number[] {
  if (chapters <= 0) return [];
  const step = [1, 2, 4, 5, 10, 20, 25, 50, 100, 200, 500, 1_000].find((one) => chapters / one <= figures) ?? chapters;
  const marks = new Set([1, chapters]);
  for (let at = 1 + step; at < chapters; at += step) marks.add(at);
  const pitch = px / chapters;
  const isApart = (one: number, other: number) => Math.abs(one - other) * pitch >= gap;
  // The present chapter comes first, then both ends.
  const kept: number[] = now === null ? [] : [now];
  for (const mark of [1, chapters, ...marks]) if (kept.every((other) => isApart(mark, other))) kept.push(mark);
  return kept.toSorted((a, b) => a - b);
}
