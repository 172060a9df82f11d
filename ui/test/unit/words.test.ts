import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { transformAsync } from "@babel/core";
import { getConfig } from "@lingui/conf";
import { describe, expect, test } from "vitest";
import { messages as en } from "../../src/i18n/locales/en.po";
import { messages as zhCN } from "../../src/i18n/locales/zh-CN.po";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

function sources(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return sources(path);
    return /\.tsx?$/.test(name) ? [path] : [];
  });
}

/** Read once: reading it compiles it. */
const linguiConfig = getConfig({ configPath: here("../../lingui.config.ts") });

/** The ids of all messages in a file, as the macro generates them. */
async function idsIn(path: string): Promise<string[]> {
  const code = readFileSync(path, "utf8");
  if (!/@lingui\/(core|react)\/macro/.test(code)) return [];
  const result = await transformAsync(code, {
    filename: path,
    babelrc: false,
    configFile: false,
    parserOpts: { plugins: ["typescript", "jsx"] },
    plugins: [["@lingui/babel-plugin-lingui-macro", { linguiConfig }]],
  });
  return [...(result?.code ?? "").matchAll(/\/\*i18n\*\/\s*\{\s*id: "([^"]+)"/g)].map((found) => found[1]!);
}

interface Entry {
  id: string;
  context: string;
  text: string;
}

function read(locale: string): Entry[] {
  const field = (block: string, name: string) =>
    JSON.parse(`"${new RegExp(`^${name} "(.*)"$`, "m").exec(block)?.[1] ?? ""}"`) as string;
  return readFileSync(here(`../../src/i18n/locales/${locale}.po`), "utf8")
    .split("\n\n")
    .map((block) => ({ id: field(block, "msgid"), context: field(block, "msgctxt"), text: field(block, "msgstr") }))
    .filter(({ id }) => id !== "");
}

describe("every word in both languages", () => {
  const [source, english] = [read("zh-CN"), read("en")];
  const key = ({ id, context }: Entry) => `${context}|${id}`;

  test("both catalogs have the same messages", () => {
    expect(english.map(key).toSorted()).toEqual(source.map(key).toSorted());
    expect(source.length).toBeGreaterThan(150);
  });

  test("every message has its English", () => {
    expect(english.filter(({ text }) => text.trim() === "").map(({ id }) => id)).toEqual([]);
  });

  test("no Chinese is left in the English", () => {
    expect(english.filter(({ text }) => /\p{Script=Han}/u.test(text)).map(({ text }) => text)).toEqual([]);
  });

  test("what stands in braces is the same in both", () => {
    const names = (text: string) =>
      [...new Set([...text.matchAll(/\{(\w+)/g)].map((found) => found[1]!))]
        .filter((name) => !["one", "other"].includes(name))
        .toSorted();
    const wrong = english.filter(
      ({ id, text }) => names(id).join() !== names(text.replace(/(one|other) \{/g, "")).join(),
    );
    expect(wrong.map(({ id, text }) => `${id} / ${text}`)).toEqual([]);
  });

  test("the voice: no exclamation, and in Chinese a dot takes no spaces", () => {
    expect([...source, ...english].filter(({ text }) => /[!！]/.test(text)).map(({ text }) => text)).toEqual([]);
    expect(source.filter(({ text }) => / · /.test(text)).map(({ text }) => text)).toEqual([]);
  });

  test("the catalogs are up to date with the code", async () => {
    const ids = new Set((await Promise.all(sources(here("../../src")).map(idsIn))).flat());
    expect(ids.size).toBeGreaterThan(150);
    expect([...ids].filter((id) => !(id in zhCN) || !(id in en))).toEqual([]);
    expect(Object.keys(zhCN).filter((id) => !ids.has(id))).toEqual([]);
    // Compiles every source file: seconds on an idle machine, more than a minute on a loaded one.
  }, 240_000);
});
