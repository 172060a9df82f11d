import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { dimensionName, directionName, FEATURE_KEYS, featureName, measuredWords } from "../../src/i18n/features";
import { i18n } from "../../src/i18n/locale";

/** Every feature the engine can word, by its wire name. */
const sentences = readFileSync(
  fileURLToPath(new URL("../../../src-tauri/crates/memory/src/semantic/wording/all.txt", import.meta.url)),
  "utf8",
);
const engine = [...sentences.matchAll(/^(\w+) \(\w+\)$/gm)].map(([, name]) => name!);

afterEach(() => i18n.activate("zh-CN"));

describe("what is measured of a text", () => {
  test("every feature of the engine is offered, and no other", () => {
    expect(engine.length).toBeGreaterThan(40);
    expect(FEATURE_KEYS.toSorted()).toEqual(engine.toSorted());
  });

  test.each(["zh-CN", "en"] as const)("each has a name of its own, and its two directions differ: %s", (locale) => {
    i18n.activate(locale);
    const names = engine.map(featureName);
    expect(new Set(names).size).toBe(engine.length);
    for (const feature of engine) expect(directionName(feature, 1)).not.toBe(directionName(feature, -1));
  });

  test("a direction of a feature is worded", () => {
    i18n.activate("zh-CN");
    expect(dimensionName({ feature: "sentenceLength", direction: -1 })).toBe("句子长短·偏短");
    i18n.activate("en");
    expect(dimensionName({ feature: "similes", direction: -1 })).toBe("similes · fewer");
  });

  test("figures are shown for units that a reader knows, and the difference matches the shown figures", () => {
    i18n.activate("zh-CN");
    expect(measuredWords("sentenceLength", [22, 6], "zh")).toBe("每句 22 → 6 字");
    expect(measuredWords("sentenceLength", [22, 6], "en")).toBe("每句 22 → 6 词");
    expect(measuredWords("questions", [0.31, 0.05], "zh")).toBe("每百句 31 → 5");
    expect(measuredWords("dialogueShare", [0.1, 0.42], "zh")).toBe("10 → 42%");
    expect(measuredWords("paragraphLength", [4.6, 4.2], "zh")).toBe("每段 4.6 → 4.2 句");
    expect(measuredWords("similes", [1.2, 0.4], "zh")).toBeNull();
    expect(measuredWords("sentenceLength", [6.01, 6.02], "zh")).toBeNull();
    expect(measuredWords("sentenceLength", [null, 6], "zh")).toBeNull();
  });
});
