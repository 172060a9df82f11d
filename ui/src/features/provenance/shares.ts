import type { Followed, Influence, MeasuredChange, Reference } from "../../backend";

/** What is known of how much a memory weighed: something, nothing, or not even that. */
export type Grade = "weighs" | "inert" | "unmeasured";

export interface Share {
  grade: Grade;
  /** 0..1, for the bar. */
  weight: number;
  /** 0..100, whole; with all others and the rest, 100. */
  percent: number;
  followed: Followed | null;
  /** What was measured, where it was. */
  change: Measured | null;
}

/** In deviations of the drafts without it, and the interval that holds nine times of ten. */
export interface Measured {
  by: number;
  low: number;
  high: number;
}

export interface Shares {
  of: ReadonlyMap<string, Share>;
  /** The passage itself and the model. */
  rest: { weight: number; percent: number };
}

/** The wire has no NaN, so a number may be missing where one should be. */
const sane = (value: number | null | undefined) => (typeof value === "number" && value > 0 ? value : 0);
const measured = (change: MeasuredChange | null | undefined): Measured | null => {
  const { by, low, high } = change ?? {};
  return typeof by === "number" && typeof low === "number" && typeof high === "number" ? { by, low, high } : null;
};
const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

/** Parts in whole percents that add up to 100: each rounded down, and what is left goes to those that lost most by it. */
export function wholePercents(parts: readonly number[]): number[] {
  const whole = total(parts.map(sane));
  if (whole === 0) return parts.map(() => 0);
  const exact = parts.map((part) => (sane(part) / whole) * 100);
  const percents = exact.map(Math.floor);
  const lost = exact
    .map((value, index) => ({ index, by: value - percents[index]! }))
    .toSorted((a, b) => b.by - a.by || a.index - b.index);
  for (const { index } of lost.slice(0, 100 - total(percents))) percents[index]! += 1;
  return percents;
}

/** How much each memory weighed, and what none of them did. What could not be measured weighs 0, and is told apart. */
export function sharesOf(memoryReferences: readonly Reference[], influence: Influence): Shares {
  const known = new Map(influence.weights.map((one) => [one.referenceId, one]));
  const weights = memoryReferences.map(({ referenceId }) => sane(known.get(referenceId)?.weight));
  const rest = influence.remainder === null ? Math.max(0, 1 - total(weights)) : sane(influence.remainder);
  const percents = wholePercents([...weights, rest]);
  const of = new Map(
    memoryReferences.map(({ referenceId }, index): [string, Share] => {
      const one = known.get(referenceId);
      const weight = weights[index]!;
      const grade = typeof one?.effect !== "number" ? "unmeasured" : weight > 0 ? "weighs" : "inert";
      return [
        referenceId,
        { grade, weight, percent: percents[index]!, followed: one?.followed ?? null, change: measured(one?.change) },
      ];
    }),
  );
  return { of, rest: { weight: rest, percent: percents.at(-1)! } };
}
