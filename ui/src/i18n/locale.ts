import { i18n } from "@lingui/core";
import { guardSentences } from "./foreign";
import { messages as en } from "./locales/en.po";
import { messages as zhCN } from "./locales/zh-CN.po";

export type Locale = "zh-CN" | "en";

guardSentences(i18n);
i18n.load({ "zh-CN": zhCN, en });

/** The language of the system, as far as we speak it. */
export function systemLocale(languages: readonly string[] = navigator.languages): Locale {
  return (languages[0] ?? "en").toLowerCase().startsWith("zh") ? "zh-CN" : "en";
}

/** Speaks it, and tells the page: the typefaces follow `lang`. */
export function speak(choice: "system" | Locale): void {
  const locale = localeOf(choice);
  i18n.activate(locale);
  document.documentElement.lang = locale;
}

export const localeOf = (choice: "system" | Locale): Locale => (choice === "system" ? systemLocale() : choice);

export { i18n };
