import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { changesOf, distinctSegments } from "../../src/lib/difference";

const shown = (before: string, after: string) =>
  changesOf(before, after)
    .map(({ kind, text }) => ({ same: text, del: `[-${text}-]`, ins: `[+${text}+]` })[kind])
    .join("");

const marked = (...texts: string[]) =>
  distinctSegments(texts).map((segments) => segments.map(({ own, text }) => (own ? `<${text}>` : text)).join(""));

const words = fc
  .array(
    fc.constantFrom(
      "天",
      "还没亮",
      "水",
      "。",
      "the ",
      "tide ",
      "went ",
      "out",
      ". ",
      "\n",
      "\n\n",
      "𠮷",
      "👩‍🚀",
      "e\u0301",
    ),
    { maxLength: 40 },
  )
  .map((all) => all.join(""));
const anything = fc.oneof(words, fc.string({ unit: "binary", maxLength: 30 }));

describe("what became of a text", () => {
  test.each([
    ["柜子缺了一条腿，垫着半块红砖。", "柜子缺一条腿，垫着半块砖。", "柜子缺[-了-]一条腿，垫着半块[-红-]砖。"],
    [
      "The locker was one leg short.",
      "The locker was two legs short.",
      "The locker was [-one leg-][+two legs+] short.",
    ],
    ["She didn’t look up.", "She never looked up.", "She [-didn’t look-][+never looked+] up."],
    ["风从南边来，带着修船厂的漆味。", "风从北边来，带着修船厂的漆味。", "风从[-南-][+北+]边来，带着修船厂的漆味。"],
    ["我们走。", "我走。", "我[-们-]走。"],
    ["一样的。", "一样的。", "一样的。"],
    ["全不要", "重新写过", "[-全不要-][+重新写过+]"],
    ["", "自己写的", "[+自己写的+]"],
    ["都没要", "", "[-都没要-]"],
    ["", "", ""],
  ])("%j → %j", (before, after, expected) => expect(shown(before, after)).toBe(expected));

  test("a character kept by chance between two changes joins neither text in two", () => {
    expect(shown("他猛地弹起来跑了", "我慢慢地站住")).toBe("[-他猛地弹起来跑了-][+我慢慢地站住+]");
  });

  test("a word that is kept between two changes stays", () => {
    expect(shown("早上老周来了", "夜里老周走了")).toContain("老周");
    expect(shown("早上老周来了", "夜里老周走了")).not.toMatch(/\[[^\]]*老周/);
  });

  test("kept and taken out give the one before, kept and put in the one after", () => {
    fc.assert(
      fc.property(anything, anything, (before, after) => {
        const segments = changesOf(before, after);
        const without = (gone: string) =>
          segments
            .filter(({ kind }) => kind !== gone)
            .map(({ text }) => text)
            .join("");
        expect(without("ins")).toBe(before);
        expect(without("del")).toBe(after);
        expect(segments.every(({ text }) => text !== "")).toBe(true);
        expect(segments.every(({ kind }, index) => kind !== segments[index - 1]?.kind)).toBe(true);
      }),
      { numRuns: 120 },
    );
  });

  test("a long one too, however much of it has changed", () => {
    const line = fc
      .tuple(
        fc.constantFrom("雨", "潮水", "the tide ", ""),
        fc.integer({ min: 0, max: 900 }),
        fc.constantFrom("", "\n", "\n\n"),
      )
      .map(([what, times, end]) => what.repeat(times) + end);
    fc.assert(
      fc.property(fc.array(line, { maxLength: 16 }), fc.array(line, { maxLength: 16 }), (one, other) => {
        const [before, after] = [one.join(""), other.join("")];
        const segments = changesOf(before, after);
        const without = (gone: string) =>
          segments
            .filter(({ kind }) => kind !== gone)
            .map(({ text }) => text)
            .join("");
        expect(without("ins")).toBe(before);
        expect(without("del")).toBe(after);
      }),
      { numRuns: 12 },
    );
  });

  test("a text has not changed from itself, and few changes are found as few", () => {
    fc.assert(
      fc.property(words, words, words, (head, put, tail) => {
        expect(changesOf(head + tail, head + tail).every(({ kind }) => kind === "same")).toBe(true);
        const changed = changesOf(head + tail, head + put + tail).filter(({ kind }) => kind !== "same");
        expect(changed.reduce((sum, { kind, text }) => sum + (kind === "ins" ? text.length : -text.length), 0)).toBe(
          put.length,
        );
      }),
    );
  });

  test("texts too different to compare by words are compared by paragraphs, and lose nothing", () => {
    const [head, kept, tail] = ["头".repeat(50), "这一段没有动过。\n", "尾".repeat(50)];
    const a = `${head}\n${"甲，".repeat(3_000)}\n${kept}${tail}`;
    const b = `${head}\n${"乙。".repeat(3_000)}\n${kept}${tail}`;
    expect(changesOf(a, b).map(({ kind, text }) => [kind, text.length])).toEqual([
      ["same", 51],
      ["del", 6_000],
      ["ins", 6_000],
      ["same", 1 + kept.length + 50],
    ]);
  });

  test("a few changes in a whole chapter are found where they are", () => {
    const lines = Array.from({ length: 1_200 }, (_, index) => `第${index}日，潮水涨到门槛，簿子上写着一切如常。\n`);
    const after = lines.with(300, "三百日，没有潮水。\n").with(900, "");
    const changed = changesOf(lines.join(""), after.join("")).filter(({ kind }) => kind !== "same");
    expect(changed.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(120);
  });
});

describe("what each of several drafts has alone", () => {
  test("what one other has too is not its own", () => {
    expect(
      marked(
        "老周没接话。他把水尺靠在门框上，正好齐到我的肩。",
        "老周没接话。他把水尺靠在门框上，退后看了看。",
        "老周没接话。他朝海那边偏了偏头。",
      ),
    ).toEqual([
      "老周没接话。他把水尺靠在门框上，<正好齐到我的肩。>",
      "老周没接话。他把水尺靠在门框上，<退后看了看。>",
      "老周没接话。他<朝海那边偏了偏头。>",
    ]);
  });

  test("a short word in about the same place is chance; a sentence in the middle is not", () => {
    expect(marked("那年的水不该到这儿。风把门推开一条缝。", "屋后的水拍着石阶。风把门推开一条缝。")).toEqual([
      "<那年的水不该到这儿>。风把门推开一条缝。",
      "<屋后的水拍着石阶>。风把门推开一条缝。",
    ]);
  });

  test("in English by whole words", () => {
    expect(marked("Zhou didn’t answer. He stepped back.", "Zhou didn’t answer. He stopped.")).toEqual([
      "Zhou didn’t answer. He <stepped back.>",
      "Zhou didn’t answer. He <stopped.>",
    ]);
  });

  test("one alone has nothing to differ from: all of it is its own", () => {
    expect(marked("一稿。")).toEqual(["<一稿。>"]);
    expect(distinctSegments([])).toEqual([]);
  });

  test("every draft is given back whole, and the same drafts have nothing of their own", () => {
    fc.assert(
      fc.property(fc.array(anything, { minLength: 2, maxLength: 4 }), (texts) => {
        expect(distinctSegments(texts).map((segments) => segments.map(({ text }) => text).join(""))).toEqual(texts);
        expect(
          distinctSegments([texts[0]!, texts[0]!])
            .flat()
            .some(({ own }) => own),
        ).toBe(false);
      }),
    );
  });
});
