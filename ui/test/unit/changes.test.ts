import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { changesOf } from "../../src/lib/changes";

const shown = (draft: string, final: string) =>
  changesOf(draft, final)
    .map(({ kind, text }) => ({ same: text, del: `[-${text}-]`, ins: `[+${text}+]` })[kind])
    .join("");

const words = fc.array(fc.constantFrom("天", "还没亮", "水", "。", "the ", "tide ", "went ", "out", ". ", "\n", "𠮷"), { maxLength: 40 }).map((all) => all.join(""));

describe("what became of a draft", () => {
  test.each([
    ["柜子缺了一条腿，垫着半块红砖。", "柜子缺一条腿，垫着半块砖。", "柜子缺[-了-]一条腿，垫着半块[-红-]砖。"],
    ["The locker was one leg short.", "The locker was two legs short.", "The locker was [-one leg-][+two legs+] short."],
    ["一样的。", "一样的。", "一样的。"],
    ["全不要", "重新写过", "[-全不要-][+重新写过+]"],
    ["", "自己写的", "[+自己写的+]"],
    ["都没要", "", "[-都没要-]"],
  ])("%j → %j", (draft, final, expected) => expect(shown(draft, final)).toBe(expected));

  test("a character kept by chance between two changes joins neither text in two", () => {
    expect(shown("他猛地弹起来跑了", "我慢慢地站住")).toBe("[-他猛地弹起来跑了-][+我慢慢地站住+]");
  });

  test("kept and taken out give the draft, kept and put in give the final text", () => {
    fc.assert(
      fc.property(words, words, (draft, final) => {
        const pieces = changesOf(draft, final);
        const without = (gone: string) => pieces.filter(({ kind }) => kind !== gone).map(({ text }) => text).join("");
        expect(without("ins")).toBe(draft);
        expect(without("del")).toBe(final);
        expect(pieces.every(({ text }) => text !== "")).toBe(true);
      }),
    );
  });

  test("texts too long to compare exactly still keep head and tail, and lose nothing", () => {
    const [head, tail] = ["头".repeat(50), "尾".repeat(50)];
    const pieces = changesOf(`${head}${"甲".repeat(3_000)}${tail}`, `${head}${"乙".repeat(3_000)}${tail}`);
    expect(pieces.map(({ kind, text }) => [kind, text.length])).toEqual([["same", 50], ["del", 3_000], ["ins", 3_000], ["same", 50]]);
  });
});
