import type { Followed, Influence, MeasuredChange, Reference } from "../../backend";

/** The state of a weight: some, none, or unknown. */
export type Grade = "weighs" | "inert" | "unmeasured";

export interface Share {
  grade: Grade;
  /** 0..1, width of the bar. */
  weight: number;
  /** 0..100, whole; the sum with all others and the remainder is 100. */
  percent: number;
  followed: Followed | null;
  /** Result of a measurement, if there is one. */
  change: Measured | null;
}

/** In standard deviations of the candidates without it, with the 90 % interval. */
export interface Measured {
  by: number;
  low: number;
  high: number;
}

export interface Shares {
  of: ReadonlyMap<string, Share>;
  /** The share of the passage itself and the model. */
  rest: { weight: number; percent: number };
}

/** JSON has no NaN, so a number may be missing. */
const sane = (value: number | null | undefined) => (typeof value === "number" && value > 0 ? value : 0);
const measured = (change: MeasuredChange | null | undefined): Measured | null => {
  const { by, low, high } = change ?? {};
  return typeof by === "number" && typeof low === "number" && typeof high === "number" ? { by, low, high } : null;
};
const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

/** Whole percents that add up to 100, by the largest remainders. */
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

/** Weight of each reference, and the remainder. An unknown weight is 0 and graded as unknown. */
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
