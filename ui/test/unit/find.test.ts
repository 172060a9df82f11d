import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Rule } from "../../src/backend";
import { ANYTHING, EVERY, inOrder, matches, steady, type Surroundings } from "../../src/features/memory/ruleSearch";
import { folded, joinedText, placesOf } from "../../src/lib/find";

describe("what is looked for in a text", () => {
  test.each([
    ["渡船靠岸时，渡船", "渡船", [0, 6]],
    ["The ferry. THE FERRY.", "the Ferry", [0, 11]],
    ["it wasn’t light", "wasn't", [3]],
    ["“你爸让我别扔。”", '"你爸', [0]],
    ["aaaa", "aa", [0, 2]],
    ["İstanbul, istanbul", "istanbul", [10]],
    ["text", "", []],
    ["", "text", []],
  ] as const)("%j: %j", (text, query, from) => {
    expect(placesOf(text, query)).toEqual(from.map((at) => ({ from: at, to: at + query.length })));
  });

  test("no more than are asked for", () => expect(placesOf("一一一一", "一", 2)).toHaveLength(2));

  test("is compared unit for unit, so that every place is one of the text itself", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.string({ unit: "binary", minLength: 1, maxLength: 3 }),
        (around, what) => {
          const text = around + what + around;
          expect(folded(text)).toHaveLength(text.length);
          for (const { from, to } of placesOf(text, what)) expect(folded(text.slice(from, to))).toBe(folded(what));
        },
      ),
    );
  });
});

describe("what is looked for in a wrapped text", () => {
  const found = (text: string, query: string, isSpaced = true) => {
    const breaks = [...text.matchAll(/ *\n */g)].map(({ 0: { length }, index }) => ({
      from: index,
      to: index + length,
      isSpaced,
    }));
    const joined = joinedText(text, breaks);
    return placesOf(joined.text, query)
      .map(joined.stored)
      .map(({ from, to }) => text.slice(from, to));
  };

  test.each([
    ["the old\nferry is late", "old ferry", true, ["old\nferry"]],
    ["the old  \n ferry\nis late", "ferry is", true, ["ferry\nis"]],
    ["the old  \n ferry", "ld f", true, ["ld  \n f"]],
    ["the old  \n ferry", "old ", true, ["old  \n "]],
    ["the old\nferry", " ferry", true, ["\nferry"]],
    ["潮水退\n下去", "退下", false, ["退\n下"]],
    ["潮水退\n下去", "下去", false, ["下去"]],
    ["潮水退\n下去", "水退", false, ["水退"]],
    ["old ferry", "old ferry", true, ["old ferry"]],
  ] as const)("%j: %j", (text, query, isSpaced, words) => expect(found(text, query, isSpaced)).toEqual(words));

  test("is found where it is in the text in one line", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), word, fc.boolean(), (words, query, isSpaced) => {
        const whole = words.join(isSpaced ? " " : "");
        const wrapped = found(words.join("\n"), query, isSpaced);
        expect(wrapped.map((one) => one.replaceAll("\n", isSpaced ? " " : ""))).toEqual(
          placesOf(whole, query).map(({ from, to }) => whole.slice(from, to)),
        );
      }),
    );
  });
});

const rule = (part: Partial<Rule>): Rule =>
  ({
    id: "a",
    rule: "对白要短",
    category: "style",
    sceneType: null,
    confidence: 0.8,
    evidenceCount: 20,
    userConfirmed: false,
    recentlyUpdated: false,
    origin: "distilled",
    updatedAt: "2026-10-01T00:00:00Z",
    ...part,
  }) as Rule;
const around: Surroundings = {
  opposed: new Set(["b"]),
  followed: new Map([["c", { ruleId: "c", yes: 0, partly: 0, no: 9, ignored: true }]]),
};
const ids = (rules: readonly Rule[]) => rules.map(({ id }) => id);

describe("which rules are wanted", () => {
  test.each([
    [{ text: "对白" }, {}, true],
    [{ text: "短白" }, {}, false],
    [{ text: "OBJECT" }, { rule: "Chapters end on an object." }, true],
    [{ category: "pacing" as const }, {}, false],
    [{ scene: EVERY }, {}, true],
    [{ scene: EVERY }, { sceneType: "action" }, false],
    [{ scene: "action" }, { sceneType: "action" }, true],
    [{ scene: "action" }, {}, false],
    [{ state: "confirmed" as const }, { userConfirmed: true }, true],
    [{ state: "confirmed" as const }, {}, false],
    [{ state: "learning" as const }, { evidenceCount: 9 }, true],
    [{ state: "learning" as const }, { evidenceCount: 9, userConfirmed: true }, false],
    [{ state: "opposed" as const }, { id: "b" }, true],
    [{ state: "opposed" as const }, {}, false],
    [{ state: "ignored" as const }, { id: "c" }, true],
    [{ state: "ignored" as const }, {}, false],
    [{ state: "recent" as const }, { recentlyUpdated: true }, true],
    [{ state: "recent" as const }, {}, false],
    [{ text: "短", category: "style" as const, state: "recent" as const }, {}, false],
  ])("%j of %j: %s", (wanted, part, isWanted) =>
    expect(matches(rule(part), { ...ANYTHING, ...wanted }, around)).toBe(isWanted),
  );
});

describe("in which order", () => {
  const rules = [
    rule({ id: "new", confidence: 0.99, evidenceCount: 3, updatedAt: "2026-10-03T00:00:00Z" }),
    rule({ id: "low", confidence: 0.6 }),
    rule({ id: "high", confidence: 0.9, updatedAt: "2026-10-02T00:00:00+08:00" }),
  ];

  test("by category they come as they are", () =>
    expect(ids(inOrder(rules, "category"))).toEqual(["new", "low", "high"]));
  test("by confidence the surest is first, and what is still learned is last", () =>
    expect(ids(inOrder(rules, "confidence"))).toEqual(["high", "low", "new"]));
  test("by the last change the latest is first", () =>
    expect(ids(inOrder(rules, "changed"))).toEqual(["new", "high", "low"]));
});

describe("what is listed keeps its place", () => {
  test("although it is changed; what is gone goes, what comes stands behind the one it follows", () => {
    const there = new Set(["a", "b", "d", "e"]);
    expect(steady(["a", "b", "c"], ["b", "d", "e"], there)).toEqual(["a", "b", "d", "e"]);
    expect(steady(["a", "b"], ["e", "b"], there)).toEqual(["e", "a", "b"]);
  });

  test("nothing is lost, nothing is there twice, and a second look changes nothing", () => {
    const some = fc.uniqueArray(fc.constantFrom(..."abcdefgh"));
    fc.assert(
      fc.property(some, some, some, (held, found, others) => {
        const there = new Set([...found, ...others]);
        const listed = steady(held, found, there);
        expect(new Set(listed).size).toBe(listed.length);
        expect(new Set(listed)).toEqual(new Set([...held.filter((id) => there.has(id)), ...found]));
        expect(listed.filter((id) => held.includes(id))).toEqual(held.filter((id) => there.has(id)));
        expect(steady(listed, found, there)).toEqual(listed);
      }),
    );
  });
});
