import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { errorSentence, isForSettings } from "../../src/i18n/errors";
import { i18n } from "../../src/i18n/locale";
import { REASONS as CAUSES, troubleReason } from "../../src/i18n/troubles";

const REASONS = [
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
    const sentences = REASONS.map((reason) => errorSentence(error(reason)));
    expect(new Set(sentences).size).toBe(REASONS.length);
    expect(sentences).not.toContain(errorSentence({ code: "MEMORY_MODEL_UNAVAILABLE" }));
    expect(sentences.filter((sentence) => /\p{Script=Han}/u.test(sentence)).length).toBe(
      locale === "en" ? 0 : REASONS.length,
    );
  });

  test("how long to wait is said where the provider says it", () => {
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

describe("why a part of the memory does not serve", () => {
  test.each(["zh-CN", "en"])("is said in the writer's language where the memory says it, %s", (locale) => {
    i18n.activate(locale);
    const sentences = Object.keys(CAUSES).map((cause) => troubleReason(cause)!);
    expect(new Set(sentences).size).toBe(sentences.length);
    expect(sentences.filter((sentence) => /\p{Script=Han}/u.test(sentence)).length).toBe(
      locale === "en" ? 0 : sentences.length,
    );
    expect(troubleReason("unable to open database file")).toBeNull();
  });

  test("each of those causes is one that the memory gives", () => {
    const crates = fileURLToPath(new URL("../../../src-tauri/crates/", import.meta.url));
    const sources = readdirSync(crates, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".rs"));
    const said = sources.map((path) => readFileSync(crates + path, "utf8")).join("\n");
    for (const cause of Object.keys(CAUSES)) expect(said).toContain(`"${cause}"`);
  });
});
