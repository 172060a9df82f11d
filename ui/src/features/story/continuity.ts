import type { ChapterInfo, ContinuityIssue, ContinuityKind, ContinuityPlace, Position } from "../../backend";
import { numberOf } from "../../lib/ordinal";

export type Side = "first" | "second";

/** Kinds whose two places make claims of which one may be right. Of the others only the whole is intended or a slip. */
const HAS_SIDES: ReadonlySet<ContinuityKind> = new Set<ContinuityKind>([
  "nameDrift",
  "attribute",
  "age",
  "date",
  "season",
  "weekday",
  "deadActs",
  "where",
]);
export const hasSides = ({ kind }: ContinuityIssue): boolean => HAS_SIDES.has(kind);

/** The sides that an issue shows: one where both places are the same, as of a thread that was planted and never touched. */
export const sidesOf = ({ first, second }: ContinuityIssue): Side[] =>
  first.chapterId === second.chapterId && first.from === second.from && first.to === second.to
    ? ["first"]
    : ["first", "second"];

/** Whether an issue is about a character of the cards that knows something before it learns it. */
export const isKnownTooEarly = ({ kind, entityId }: ContinuityIssue): boolean =>
  kind === "knowsTooEarly" && entityId !== null;

/** Whether a place is known at a position; `null`: the whole book is. A place in no chapter is not. */
function isKnown(place: ContinuityPlace, at: Position | null, chapters: readonly ChapterInfo[]): boolean {
  const number = numberOf(place.chapterId, chapters);
  if (number === 0 || at === null) return number > 0;
  const last = numberOf(at.chapterId, chapters);
  return number < last || (number === last && place.from < at.offset);
}

/**
 * The issues of which both places are known at a position: a later chapter is not hinted at. That a thread is not touched
 * again is known in the last chapter alone.
 */
export const issuesUpTo = (
  issues: readonly ContinuityIssue[],
  at: Position | null,
  chapters: readonly ChapterInfo[],
): ContinuityIssue[] =>
  issues.filter(
    ({ kind, first, second }) =>
      isKnown(first, at, chapters) &&
      isKnown(second, at, chapters) &&
      (kind !== "openThread" || at === null || numberOf(at.chapterId, chapters) === chapters.length),
  );

/** The issues in the order of the book, by their first places. */
export function inBookOrder(issues: readonly ContinuityIssue[], chapters: readonly ChapterInfo[]): ContinuityIssue[] {
  const placeOf = ({ first }: ContinuityIssue) => numberOf(first.chapterId, chapters);
  return issues.toSorted((one, other) => placeOf(one) - placeOf(other) || one.first.from - other.first.from);
}

/** A quote before, in and after its words that differ; `differs` is empty where none do. */
export function partsOf({ quote, differs }: ContinuityPlace): { before: string; differs: string; after: string } {
  if (!differs) return { before: quote, differs: "", after: "" };
  const { from, to } = differs;
  return { before: quote.slice(0, from), differs: quote.slice(from, to), after: quote.slice(to) };
}
