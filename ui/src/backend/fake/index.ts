import type { Language, Settings } from "../bindings.gen";
import { FakeBackend } from "./backend";

export { FakeBackend, type FakeOptions } from "./backend";

/** `?host=fake&language=en&theme=dark&rules=none`: for development, and for pictures. */
export function fakeFromAddress(search: string): FakeBackend | null {
  const query = new URLSearchParams(search);
  if (query.get("host") !== "fake") return null;
  const language: Language = query.get("language") === "en" ? "en" : "zh";
  const fake = new FakeBackend({
    language,
    rules: query.get("rules") !== "none",
    pace: query.has("pace") ? Number(query.get("pace")) : 30,
    settings: {
      interfaceLanguage: (query.get("interface") as Settings["interfaceLanguage"] | null) ?? (language === "en" ? "en" : "zh-CN"),
      theme: (query.get("theme") as Settings["theme"] | null) ?? "light",
    },
  });
  Object.assign(window, { fake });
  return fake;
}
