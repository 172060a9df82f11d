import { i18n } from "@lingui/core";
import { guardSentences } from "./foreign";
import { messages as en } from "./locales/en.po";
import { messages as zhCN } from "./locales/zh-CN.po";

export type Locale = "zh-CN" | "en";

guardSentences(i18n);
i18n.load({ "zh-CN": zhCN, en });

/** The system's language, if it is supported. */
export function systemLocale(languages: readonly string[] = navigator.languages): Locale {
  return (languages[0] ?? "en").toLowerCase().startsWith("zh") ? "zh-CN" : "en";
}

/** Activates the locale and sets the document's `lang`, which selects the typefaces. */
export function speak(choice: "system" | Locale): void {
  const locale = localeOf(choice);
  i18n.activate(locale);
  document.documentElement.lang = locale;
}

export const localeOf = (choice: "system" | Locale): Locale => (choice === "system" ? systemLocale() : choice);

export { i18n };
