import { msg } from "@lingui/core/macro";
import { describe, expect, test } from "vitest";
import { foreign } from "../../src/i18n/foreign";
import { i18n } from "../../src/i18n/locale";

const OVERRIDE = "\u202e";

describe("a value in a sentence of the interface", () => {
  test.each(["夜航", "The Tide-Gauge House", "a\u0301 é", "👩‍👩‍👧", "陈默（二）", "12", ""])(
    "stays as it is: %s",
    (value) => {
      expect(foreign(value)).toBe(value);
    },
  );

  test("turns nothing around it", () => {
    expect(foreign(`a${OVERRIDE}b\u2066c\u2069\u200f`)).toBe("abc");
    expect(foreign("שלום")).toBe("\u2068שלום\u2069");
    expect(foreign("\u2069שלום\u2068")).toBe("\u2068שלום\u2069");
  });

  test("is on one line, and of bearable length", () => {
    expect(foreign("a\nb\u2028c\u2029d\u0000e\r\n f")).toBe("a b c d e  f");
    expect([...foreign("雨".repeat(10_000))]).toHaveLength(601);
    expect([...foreign("😀".repeat(10_000))]).toHaveLength(601);
    expect(foreign("雨".repeat(500))).toHaveLength(500);
  });

  test("draws nothing over the lines above", () => {
    expect(foreign(`a${"\u0300".repeat(2_000)}b`)).toBe(`a${"\u0300".repeat(4)}b`);
  });

  test.each(["zh-CN", "en"])("passes that way into every sentence, %s", (locale) => {
    i18n.activate(locale);
    const title = `夜航${OVERRIDE}\n》。已删除全部记忆。《`;
    const said = i18n._(msg`导出《${title}》`);
    expect(said).not.toContain(OVERRIDE);
    expect(said).not.toContain("\n");
    expect(said).toContain("夜航");
    expect(i18n.t(msg`导出《${title}》`)).toBe(said);
  });
});
