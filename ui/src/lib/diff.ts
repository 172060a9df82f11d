import { diffArrays } from "diff";

/** A run of units that both texts have, or that only the first (`del`) or the second (`ins`) has. */
export interface Run {
  kind: "same" | "del" | "ins";
  units: string[];
}

/** How many units two sequences have in common at their start (`head`) and, beyond that, at their end (`tail`). */
export function commonEnds<T>(a: ArrayLike<T>, b: ArrayLike<T>): { head: number; tail: number } {
  const short = Math.min(a.length, b.length);
  let head = 0;
  while (head < short && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < short - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  return { head, tail };
}

/** The shortest edit from `a` to `b` as runs in order, or `null` if it takes more than `maxEdits` deletions and insertions. */
export function runsOf(a: readonly string[], b: readonly string[], maxEdits: number): Run[] | null {
  const { head, tail } = commonEnds(a, b);
  // The library compares the ends too, but allocates a path for each of their units.
  const changes = diffArrays(a.slice(head, a.length - tail), b.slice(head, b.length - tail), {
    maxEditLength: maxEdits,
  });
  if (!changes) return null;
  const middle = changes.flatMap(({ added, removed, value }) => run(added ? "ins" : removed ? "del" : "same", value));
  return [...run("same", a.slice(0, head)), ...middle, ...run("same", a.slice(a.length - tail))];
}

/** One run, or none where there are no units. */
export const run = (kind: Run["kind"], units: string[]): Run[] => (units.length > 0 ? [{ kind, units }] : []);
