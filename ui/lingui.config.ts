import { fileURLToPath } from "node:url";
import type { LinguiConfig } from "@lingui/conf";
import { formatter } from "@lingui/format-po";

/** Chinese is the source language; English is complete, which a test checks. */
const config: LinguiConfig = {
  rootDir: fileURLToPath(new URL(".", import.meta.url)),
  sourceLocale: "zh-CN",
  locales: ["zh-CN", "en"],
  catalogs: [{ path: "<rootDir>/src/i18n/locales/{locale}", include: ["<rootDir>/src"] }],
  format: formatter({ lineNumbers: false, origins: true }),
  orderBy: "origin",
};

export default config;
