import type { Language, Part, Settings } from "../bindings.gen";
import { FakeBackend } from "./backend";

export { FakeBackend, type FakeOptions } from "./backend";

/**
 * Reads a fake backend from the address, for development and screenshots:
 * `?host=fake&language=en&theme=dark&rules=none&past=none&learned=all&paused&ill=rules,episodes&how=full&backups=none`.
 * `ill`: unavailable parts of the memory; `how=full`: they can be read but not written.
 */
export function fakeFromAddress(search: string): FakeBackend | null {
  const query = new URLSearchParams(search);
  if (query.get("host") !== "fake") return null;
  const language: Language = query.get("language") === "en" ? "en" : "zh";
  const fake = new FakeBackend({
    language,
    rules: query.get("rules") !== "none",
    past: query.get("past") !== "none",
    learned: query.get("learned") === "all",
    pace: query.has("pace") ? Number(query.get("pace")) : 30,
    settings: {
      interfaceLanguage:
        (query.get("interface") as Settings["interfaceLanguage"] | null) ?? (language === "en" ? "en" : "zh-CN"),
      theme: (query.get("theme") as Settings["theme"] | null) ?? "light",
    },
  });
  if (query.get("backups") === "none") fake.life.backups = [];
  fake.learning.paused = query.has("paused");
  const ill = query.get("ill");
  if (ill) fake.life.degrade(ill.split(",") as Part[], null, query.get("how") === "full" ? "full" : "damaged");
  Object.assign(window, { fake });
  return fake;
}
