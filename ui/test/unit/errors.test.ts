import { describe, expect, test } from "vitest";
import type { Reason } from "../../src/backend/bindings.gen";
import { errorSentence, isForSettings } from "../../src/i18n/errors";
import { i18n } from "../../src/i18n/locale";
import { REASONS } from "../../src/i18n/reasons";
import { problemReason } from "../../src/i18n/healthProblems";

const OF_MODELS = [
  "keyMissing",
  "keyRefused",
  "noCredit",
  "rateLimited",
  "contextTooLong",
  "modelUnknown",
  "contentRefused",
  "timeout",
  "unreachable",
  "redirectRefused",
  "malformed",
  "interrupted",
  "answerTooLong",
  "providerFailed",
  "requestRefused",
  "dailyLimit",
];
const error = (reason: string, retryAfterSeconds?: number) => ({
  code: "MEMORY_MODEL_UNAVAILABLE",
  message: "",
  details: { reason, retryAfterSeconds },
});

describe("why a model did not write", () => {
  test.each(["zh-CN", "en"])("every reason has a sentence of its own, %s", (locale) => {
    i18n.activate(locale);
    const sentences = OF_MODELS.map((reason) => errorSentence(error(reason)));
    expect(new Set(sentences).size).toBe(OF_MODELS.length);
    expect(sentences).not.toContain(errorSentence({ code: "MEMORY_MODEL_UNAVAILABLE" }));
    expect(sentences.filter((sentence) => /\p{Script=Han}/u.test(sentence)).length).toBe(
      locale === "en" ? 0 : OF_MODELS.length,
    );
  });

  test("the waiting time is given if the provider sends one", () => {
    i18n.activate("zh-CN");
    expect(errorSentence(error("rateLimited", 20))).toContain("20 秒");
    i18n.activate("en");
    expect(errorSentence(error("rateLimited", 1))).toContain("1 second.");
  });

  test("what is put right in the settings leads there; what passes by itself does not", () => {
    expect(
      ["keyMissing", "keyRefused", "modelUnknown", "dailyLimit", "unreachable"].every((reason) =>
        isForSettings(error(reason)),
      ),
    ).toBe(true);
    expect(
      ["rateLimited", "timeout", "interrupted", "contentRefused"].some((reason) => isForSettings(error(reason))),
    ).toBe(false);
    expect(isForSettings({ code: "MEMORY_NOT_FOUND" })).toBe(false);
  });
});

describe("the reason of an error or of a part", () => {
  test.each(["zh-CN", "en"])("is a sentence in the writer's language, %s", (locale) => {
    i18n.activate(locale);
    const sentences = (Object.keys(REASONS) as Reason[]).flatMap((reason) => [
      errorSentence({ code: "MEMORY_STORE_UNAVAILABLE", details: { reason } }),
      problemReason(reason)!,
    ]);
    expect(sentences.length).toBeGreaterThan(100);
    expect(sentences.filter((sentence) => sentence.length < 4)).toEqual([]);
    expect(sentences.filter((sentence) => /\p{Script=Han}/u.test(sentence)).length).toBe(
      locale === "en" ? 0 : sentences.length,
    );
  });

  test("of a later version has the sentence of its code", () => {
    i18n.activate("en");
    const later = { code: "MEMORY_NOT_FOUND", details: { reason: "somethingNew" } };
    expect(errorSentence(later)).toBe(errorSentence({ code: "MEMORY_NOT_FOUND" }));
    expect(problemReason(null)).toBeNull();
  });
});
