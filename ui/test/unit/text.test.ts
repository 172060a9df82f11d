import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { firstOf, lastOf } from "../../src/lib/cut";
import { isComposing } from "../../src/lib/ime";
import { survivingSpans } from "../../src/lib/survivingSpans";
import { hanNumber } from "../../src/lib/ordinal";
import { countWords } from "../../src/lib/words";

describe("what of a draft is still there", () => {
  const shown = (draft: string, final: string) => {
    let text = final;
    for (const { from, to } of survivingSpans(draft, final).toReversed())
      text = `${text.slice(0, from)}[${text.slice(from, to)}]${text.slice(to)}`;
    return text;
  };
  test.each([
    ["风停了。他没说话。", "风停了。他没说话。", "[风停了。他没说话。]"],
    ["风停了。他没说话。", "风停了。老周没说话。", "[风停了。]老周[没说话。]"],
    ["风停了。", "风停了。水也停了。", "[风停了。]水也停了。"],
    ["风停了。", "雨落下来", "雨落下来"],
    ["abc", "", ""],
    ["一二三四五六", "一二X三四Y五六", "[一二]X[三四]Y[五六]"],
    ["a𠮷b", "a𠮶b", "[a]𠮶[b]"],
  ])("%s → %s", (draft, final, expected) => expect(shown(draft, final)).toBe(expected));

  test("the ranges lie in the final text, apart, and are in the draft word for word", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), fc.string({ maxLength: 60 }), (draft, final) => {
        let end = 0;
        for (const { from, to } of survivingSpans(draft, final)) {
          expect(from).toBeGreaterThanOrEqual(end);
          expect(to).toBeGreaterThan(from);
          expect(draft).toContain(final.slice(from, to).slice(0, 1));
          end = to;
        }
        expect(end).toBeLessThanOrEqual(final.length);
      }),
    );
  });
});

describe("small things", () => {
  test.each([
    ["渡船靠岸时，灯亮了。", 8],
    ["The old gauge, don’t move it.", 6],
    ["他说 OK 就走", 5],
    ["", 0],
  ])("the length of %s", (text, length) => expect(countWords(text)).toBe(length));

  test("a cut never halves a character", () => {
    expect(lastOf("a𠮷", 1)).toBe("");
    expect(lastOf("a𠮷b", 3)).toBe("𠮷b");
    expect(firstOf("𠮷b", 1)).toBe("");
    expect(firstOf("𠮷b", 2)).toBe("𠮷");
  });

  test.each([
    [1, "一"],
    [10, "十"],
    [12, "十二"],
    [20, "二十"],
    [105, "一百零五"],
    [110, "一百一十"],
  ])("chapter %i", (value, text) => expect(hanNumber(value)).toBe(text));

  test("a key of an input method is known by either sign", () => {
    expect(isComposing({ isComposing: true, keyCode: 13 })).toBe(true);
    expect(isComposing({ isComposing: false, keyCode: 229 })).toBe(true);
    expect(isComposing({ isComposing: false, keyCode: 13 })).toBe(false);
  });
});
