import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DiffSegment } from "../../src/lib/difference";
import { fromFirstMatch, markedSegments, matchesOf, stemOf } from "../../src/lib/matches";

const wordsOf = (text: string, query: string) => matchesOf(text, query).map(({ from, to }) => text.slice(from, to));

describe("the words of a query in a text", () => {
  test.each([
    // The longest shared runs, of at least two characters.
    ["他把旧水尺翻了个面，水很浅。", "旧水尺在哪里", ["旧水尺"]],
    ["水尺上有刻度，尺子也有。", "水尺的刻度", ["水尺", "刻度"]],
    ["潮水退了，水位很低。", "水尺", []],
    ["水尺，刻度。", "刻度 水尺", ["水尺", "刻度"]],
    // A single character.
    ["潮水退了，水位很低。", "水", ["水", "水"]],
    ["潮水退了。", "水 船", ["水"]],
    // Common characters alone match only a query of nothing else.
    ["这是他的，那是水尺。", "他的水尺", ["水尺"]],
    ["这是他的。", "他的", ["他的"]],
    ["𠮷野家的招牌。", "𠮷野", ["𠮷野"]],
    // Words of other scripts, in any case, with simple endings.
    ["The Gauges were gauged.", "gauge", ["Gauges", "gauged"]],
    ["He stopped; stops; stopping. Nonstop.", "stop", ["stopped", "stops", "stopping"]],
    ["She carried the ferry’s bells.", "carries ferries bell", ["carried", "ferry’s", "bells"]],
    ["the house of the sea", "the sea", ["sea"]],
    ["the house", "the", ["the"]],
    ["art, cart, part", "art", ["art"]],
    ["Ещё один паром", "паром", ["паром"]],
    // Both in one query.
    ["阿满带着 Zippo 打火机。", "zippo打火机", ["Zippo", "打火机"]],
    ["没有", "…！？", []],
    ["", "水尺", []],
    ["水尺", "", []],
  ] as const)("%j, searched for %j: %j", (text, query, expected) => {
    expect(wordsOf(text, query)).toEqual(expected);
  });

  test("are ranges of the text, in order and without overlaps, and never half a character", () => {
    const text = fc.string({ unit: fc.constantFrom(..."水尺刻度的𠮷 a'sEd\n*。") });
    fc.assert(
      fc.property(text, text, (where, query) => {
        let end = 0;
        for (const { from, to } of matchesOf(where, query)) {
          expect(from).toBeGreaterThanOrEqual(end);
          expect(to).toBeGreaterThan(from);
          expect(where.slice(from, to)).not.toMatch(/\p{Surrogate}/u);
          end = to;
        }
        expect(end).toBeLessThanOrEqual(where.length);
      }),
    );
  });

  test.each([
    ["stopped", "stop"],
    ["dresses", "dress"],
    ["hoping", "hope"],
    ["families", "family"],
    ["lies", "lie"],
    ["quietly", "quiet"],
    ["boy’s", "boys"],
  ])("%s and %s have one stem", (one, other) => expect(stemOf(one)).toBe(stemOf(other)));

  test.each(["bring", "thing", "this", "bus", "sing"])("%s keeps its end", (word) => expect(stemOf(word)).toBe(word));
});

describe("the marks in a diff", () => {
  const marked = (segments: DiffSegment[], query: string) =>
    markedSegments(segments, query).map(({ kind, text, marks }) => [
      kind,
      ...marks.map(({ from, to }) => text.slice(from, to)),
    ]);

  test("are in its segments, the deleted ones too", () => {
    const segments: DiffSegment[] = [
      { kind: "same", text: "他翻开簿子，" },
      { kind: "del", text: "看那根旧水尺" },
      { kind: "ins", text: "看水尺" },
      { kind: "same", text: "。" },
    ];
    expect(marked(segments, "簿子 水尺")).toEqual([["same", "簿子"], ["del", "水尺"], ["ins", "水尺"], ["same"]]);
  });

  test("have a word that is partly inserted in two parts, and no word of deleted and inserted text", () => {
    const segments: DiffSegment[] = [
      { kind: "same", text: "旧水" },
      { kind: "del", text: "位刻" },
      { kind: "ins", text: "尺度" },
    ];
    expect(marked(segments, "水尺")).toEqual([["same", "水"], ["del"], ["ins", "尺"]]);
    expect(marked(segments, "刻尺")).toEqual([["same"], ["del"], ["ins"]]);
  });
});

describe("a text that is shown from its first match on", () => {
  const shown = (text: string, query: string) =>
    fromFirstMatch(markedSegments([{ kind: "same", text }], query), 20, 6)
      .map((one) => one.text)
      .join("");

  test("is whole while the match is near its beginning, or is none", () => {
    expect(shown("他翻开簿子，看那根旧水尺。", "水尺")).toBe("他翻开簿子，看那根旧水尺。");
    expect(shown("很长".repeat(40), "水尺")).toBe("很长".repeat(40));
  });

  test("begins shortly before it, at a word and within its line", () => {
    expect(shown(`${"很长".repeat(20)}那根旧水尺。`, "水尺")).toBe("…长很长那根旧水尺。");
    expect(shown(`${"很长".repeat(20)}\n\n旧水尺。`, "水尺")).toBe("…旧水尺。");
    expect(shown("A very long beginning, and then the gauge.", "gauge")).toBe("…the gauge.");
  });

  test("keeps its marks on the same words, and the end of the segment before", () => {
    const segments: DiffSegment[] = [
      { kind: "del", text: "很长".repeat(20) },
      { kind: "ins", text: "水尺和簿子" },
    ];
    const from = fromFirstMatch(markedSegments(segments, "水尺 簿子"), 20, 6);
    expect(from.map(({ kind, text }) => [kind, text])).toEqual([
      ["same", "…"],
      ["del", "很长很长很长"],
      ["ins", "水尺和簿子"],
    ]);
    expect(from.at(-1)!.marks).toEqual([
      { from: 0, to: 2 },
      { from: 3, to: 5 },
    ]);
  });
});
