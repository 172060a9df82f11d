import { describe, expect, test } from "vitest";
import { exportSummary, groupsTaken, importProblem, importSummary } from "../../src/i18n/exchange";
import { i18n } from "../../src/i18n/locale";
import { REASONS } from "../../src/i18n/reasons";
import { fileOf, safeName } from "../../src/lib/files";

const taken = (kind: string, counts: object) => ({
  kind,
  new: 0,
  newer: 0,
  same: 0,
  conflicting: 0,
  leftOut: 0,
  ...counts,
});
const refused = (reason: string, line: number | null = null, code = "MEMORY_INVALID_ARGUMENT") => ({
  code,
  message: "",
  details: { reason, line },
});

describe("what is in a file", () => {
  test("is grouped by kinds a writer knows, counts every record once, and names unknown kinds by their own word", () => {
    i18n.activate("zh-CN");
    const kinds = [
      taken("episode", { new: 3, same: 2 }),
      taken("trace", { new: 1 }),
      taken("origin", { new: 2 }),
      taken("dream", { new: 1, leftOut: 4 }),
    ];
    const groups = groupsTaken(kinds);
    expect(groups.map(({ name, new: of }) => [name, of])).toEqual([
      ["互动", 3],
      ["来历", 3],
      ["dream", 1],
    ]);
    expect(importSummary(kinds)).toBe("互动 3、来历 3、dream 1");
    i18n.activate("en");
    expect(
      exportSummary([
        { kind: "project", count: 2 },
        { kind: "rule", count: 1_312 },
      ]),
    ).toBe("Books 2, Rules 1,312");
  });
});

test("the records of a study and of doubts have groups that a writer knows", () => {
  i18n.activate("en");
  const kinds = ["question", "knowledgeSettings", "practice", "continuityResolution", "comparedPair"];
  expect(groupsTaken(kinds.map((kind) => taken(kind, { new: 1 }))).map(({ name, new: of }) => [name, of])).toEqual([
    ["People and facts of the story", 2],
    ["Study: questions and settings", 2],
    ["Craft notes", 1],
  ]);
});

describe("why a file did not come in", () => {
  test.each(["zh-CN", "en"])(
    "is given in the writer's language, with the line number if there is one, %s",
    (locale) => {
      i18n.activate(locale);
      const sentences = Object.keys(REASONS).map((reason) => importProblem(refused(reason, 1_234), "jsonLines"));
      expect(
        sentences.every((sentence) => sentence.startsWith(locale === "en" ? "Line 1,234: " : "第 1,234 行：")),
      ).toBe(true);
      expect(sentences.filter((sentence) => /\p{Script=Han}/u.test(sentence)).length).toBe(
        locale === "en" ? 0 : sentences.length,
      );
      expect(importProblem(refused("noFile"), "jsonLines")).not.toMatch(/\d/);
      expect(importProblem(refused("badValue", 5), "markdown")).not.toBe(
        importProblem(refused("badValue", 5), "jsonLines"),
      );
    },
  );

  test("what is wrong with no line has the sentence of its code", () => {
    i18n.activate("zh-CN");
    expect(importProblem({ code: "MEMORY_CAPACITY_EXCEEDED", message: "" }, "jsonLines")).toContain("记忆满了");
    expect(importProblem(refused("otherBook", 9, "MEMORY_SCOPE_DENIED"), "jsonLines")).toContain("另一本书");
  });
});

describe("names of files", () => {
  test("are read from a path of any system, and never have in them what one of those refuses", () => {
    expect([fileOf("/home/a/写作风格.md"), fileOf("C:\\Users\\a\\all.jsonl"), fileOf("plain.md")]).toEqual([
      "写作风格.md",
      "all.jsonl",
      "plain.md",
    ]);
    expect(safeName('夜航: "上/下"?\n.jsonl')).toBe("夜航 上 下 .jsonl");
  });
});
