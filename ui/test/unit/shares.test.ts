import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Influence, Reference } from "../../src/backend";
import { sharesOf, wholePercents } from "../../src/features/provenance/shares";

const total = (values: number[]) => values.reduce((sum, value) => sum + value, 0);
const reference = (referenceId: string): Reference => ({
  referenceId,
  kind: "rule",
  id: referenceId,
  version: 1,
  layer: "settings",
  text: "",
  score: null,
  matchedBy: [],
});
const influence = (effects: (number | null)[]): Influence => {
  const whole = 1 + total(effects.map((effect) => effect ?? 0));
  return {
    tier: "compliance",
    weights: effects.map((effect, index) => ({
      referenceId: `r${index}`,
      weight: (effect ?? 0) / whole,
      effect,
      followed: null,
    })),
    remainder: 1 / whole,
    measuredAt: "2026-10-20T14:32:00Z",
    candidate: 0,
    regenerations: null,
  };
};

describe("shares in whole percents", () => {
  test("add up to a hundred, none further than one from the truth, and what is nothing stays nothing", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constant(0), fc.double({ min: 1e-6, max: 1, noNaN: true })), {
          minLength: 1,
          maxLength: 60,
        }),
        (parts) => {
          fc.pre(total(parts) > 0);
          const percents = wholePercents(parts);
          expect(total(percents)).toBe(100);
          percents.forEach((percent, index) => {
            expect(Math.abs(percent - (parts[index]! / total(parts)) * 100)).toBeLessThanOrEqual(1 + 1e-9);
            if (parts[index] === 0) expect(percent).toBe(0);
          });
        },
      ),
    );
  });

  test("of memories and the rest together add up to a hundred, whatever was measured", () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(fc.oneof(fc.constant(0), fc.double({ min: 1e-9, max: 0.5, noNaN: true }))), {
          maxLength: 40,
        }),
        (effects) => {
          const { of, rest } = sharesOf(
            effects.map((_, index) => reference(`r${index}`)),
            influence(effects),
          );
          expect(total([...of.values()].map(({ percent }) => percent)) + rest.percent).toBe(100);
          effects.forEach((effect, index) =>
            expect(of.get(`r${index}`)!.grade).toBe(effect === null ? "unmeasured" : effect > 0 ? "weighs" : "inert"),
          );
        },
      ),
    );
  });

  test("what the measure does not name was not measured, and numbers that the wire lost are not made up", () => {
    const lost: Influence = { ...influence([0.5]), remainder: null };
    const { of, rest } = sharesOf([reference("r0"), reference("later")], lost);
    expect(of.get("later")).toEqual({ grade: "unmeasured", weight: 0, percent: 0, followed: null, change: null });
    expect(of.get("r0")!.percent).toBe(33);
    expect(rest.percent).toBe(67);
    expect(wholePercents([Number.NaN, 0])).toEqual([0, 0]);
  });
});
