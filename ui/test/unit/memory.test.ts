import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { i18n } from "../../src/i18n/locale";
import { size, when } from "../../src/i18n/words";
import { nextNight } from "../../src/lib/nightly";
import { problemOf, standIn } from "../../src/features/memory/standIns";

describe("when a failed job is tried again", () => {
  test("in the next night, at two where the writer is", () => {
    expect(nextNight(new Date(2026, 9, 20, 14, 32))).toEqual(new Date(2026, 9, 21, 2));
    expect(nextNight(new Date(2026, 9, 20, 1, 59))).toEqual(new Date(2026, 9, 20, 2));
    expect(nextNight(new Date(2026, 9, 20, 2, 0))).toEqual(new Date(2026, 9, 21, 2));
    expect(nextNight(new Date(2026, 11, 31, 23))).toEqual(new Date(2027, 0, 1, 2));
  });

  test("never at once, and never more than a day away", () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(2020, 0, 1), max: new Date(2040, 0, 1), noInvalidDate: true }), (since) => {
        const hours = (nextNight(since).getTime() - since.getTime()) / 3_600_000;
        expect(hours).toBeGreaterThan(0);
        expect(hours).toBeLessThanOrEqual(25);
      }),
    );
  });
});

describe("words for times and sizes", () => {
  test("tomorrow, today, yesterday", () => {
    i18n.activate("zh-CN");
    const now = new Date(2026, 9, 20, 14, 32);
    const at = (day: number, hour: number) => when(new Date(2026, 9, day, hour).toISOString(), now);
    expect([at(21, 2), at(20, 0), at(19, 22), at(18, 22)]).toEqual([
      "明天 02:00",
      "今天 00:00",
      "昨天 22:00",
      "10月18日 22:00",
    ]);
  });

  test("sizes in words that fit a line", () => {
    i18n.activate("en");
    expect([size(0), size(98_304), size(14_320_640)]).toEqual(["1 KB", "98 KB", "14.3 MB"]);
  });
});

describe("what stands for a hidden name", () => {
  test("is offered, and never twice", () => {
    const taken = Array.from({ length: 4 }, (_, index) => index).reduce<{ name: string; alias: string }[]>(
      (all, index) => [...all, { name: `名${index}`, alias: standIn("zh", all) }],
      [],
    );
    expect(new Set(taken.map(({ alias }) => alias)).size).toBe(4);
    expect(standIn("en", [{ name: "Quinn", alias: "Avery" }])).toBe("Blair");
  });

  test.each([
    [{ name: "老周", alias: "闻人甲" }, null],
    [{ name: "  ", alias: "闻人甲" }, "letters"],
    [{ name: "——", alias: "闻人甲" }, "letters"],
    [{ name: "老周", alias: " " }, "letters"],
    [{ name: "很".repeat(101), alias: "闻人甲" }, "long"],
    [{ name: "父亲", alias: "闻人乙" }, "twice"],
    [{ name: "老周", alias: "阿丙" }, "shared"],
    [{ name: "老周", alias: "老周二" }, "says"],
    [{ name: "老周", alias: "父亲二" }, "says"],
    [{ name: "阿", alias: "闻人甲" }, "hides"],
    [{ name: "Al", alias: "Alder" }, null],
    [{ name: "Al", alias: "al Green" }, "says"],
  ] as const)("%j beside 父亲 → 阿丙: %s", (pair, problem) =>
    expect(problemOf(pair, [{ name: "父亲", alias: "阿丙" }])).toBe(problem),
  );
});
