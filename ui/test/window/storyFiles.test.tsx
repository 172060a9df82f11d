import { afterEach, describe, expect, test } from "vitest";
import type { FakeBackend } from "../../src/backend/fake";
import { faults } from "../../testing/axe";
import { accept, openStory, proposals, rows, w } from "./storyPanel";

afterEach(() => w.close());

const BOOK = "/elsewhere/island.json";

/** A file from another program: one name that the text has, and one that it does not have. */
function brought(backend: FakeBackend) {
  backend.chosenFile = BOOK;
  backend.entities.lorebooks.files.set(BOOK, {
    entries: [
      { kind: "character", name: "阿满", facts: [["年纪", "十二"]] },
      {
        kind: "worldRule",
        name: "潮",
        facts: [
          ["设定", "一天两次"],
          ["设定", "初三十八大"],
        ],
      },
    ],
    counts: { leftOut: 2, ignoredFields: 3, lostQuotes: 1 },
  });
}

const choose = async (action: string) => {
  await w.id("story-files").click();
  await w.id(`story-files-${action}`).click();
};
const counts = () =>
  [...document.querySelectorAll("[data-testid=story-file-counts] > div")].map((row) => row.textContent);
const gone = () => expect.poll(() => w.id("story-file-dialog").elements().length).toBe(0);

describe("story notes from a file", () => {
  test("are shown before anything is changed, then imported as one change that can be undone", async () => {
    await openStory({ before: brought });
    await rows("老周", "小满");
    await choose("in");
    await expect.element(w.id("story-file-verdict")).toHaveTextContent("还没有改动。导入后会是这样：");
    await expect.poll(counts).toEqual(["新的名字2", "新的事实3"]);
    await expect.poll(() => w.id("story-file-left").elements()).toHaveLength(3);
    await expect.element(w.id("story-file-cancel")).toHaveFocus();
    expect(await faults()).toEqual([]);
    await expect.poll(() => w.backend.callsOf("story:import").map(({ dryRun }) => dryRun)).toEqual([true]);

    await w.id("story-file-confirm").click();
    await gone();
    await expect.element(w.id("toast")).toHaveTextContent("“island.json”里的故事设定导入了");
    await rows("老周", "小满", "阿满");
    await proposals("老纪", "船老大");
    await w.id("toast-action").click();
    await rows("老周", "小满");
    await proposals("阿满", "老纪", "船老大");
  });

  test("are left where they are when the writer cancels, and when the book has them already", async () => {
    await openStory({ before: brought });
    await choose("in");
    await w.id("story-file-cancel").click();
    await gone();
    await expect.poll(() => w.backend.callsOf("story:import").map(({ dryRun }) => dryRun)).toEqual([true]);

    w.backend.savePath = BOOK;
    await choose("markdown");
    await expect.element(w.id("toast")).toHaveTextContent("已导出“island.json”，里面还没有内容。");
    accept("老周")(w.backend);
    await choose("sillyTavern");
    await expect.element(w.id("toast")).toHaveTextContent("已导出“island.json”：1 个名字，0 条事实。");
    await choose("in");
    await expect.element(w.id("story-file-verdict")).toHaveTextContent("这里都有了，不用导入。");
    expect(w.id("story-file-confirm").elements()).toEqual([]);
  });

  test("with a mistake are refused with its place, in words about stories", async () => {
    await openStory({ before: brought });
    const refused = async (details: object, path: string, words: string) => {
      w.backend.chosenFile = path;
      w.backend.entities.lorebooks.files.set(path, { code: "MEMORY_INVALID_ARGUMENT", message: "refused", details });
      await choose("in");
      await expect.element(w.id("story-file-problem")).toHaveTextContent(`${words}什么也没有导入。`);
      await w.id("story-file-cancel").click();
      await gone();
    };
    await refused({ reason: "missingField", line: 3 }, "/e/a.json", "第 3 个词条：没有名字。");
    await refused({ reason: "notJson", line: 7 }, "/e/b.json", "第 7 行：不是完整的 JSON。");
    await refused(
      { reason: "badValue", field: "chapter", line: 5 },
      "/e/c.md",
      "第 5 行：这里写到的章，这本书里没有。",
    );
    await refused({ reason: "otherFormat", line: 1 }, "/e/d.md", "这里面没有读得出来的人物或设定。");
  });

  test("cannot be imported while the writer's file can only be read, but exported", async () => {
    await openStory({ before: (backend) => backend.degrade("rules") });
    await w.id("story-files").click();
    await expect.element(w.id("story-files-in")).toHaveAttribute("aria-disabled", "true");
    await expect.element(w.id("story-files-in")).toHaveTextContent("现在只能读");
    await expect.element(w.id("story-files-markdown")).not.toHaveAttribute("aria-disabled");
  });
});

describe("story notes to a file", () => {
  test("go where the writer wants them, with a name and the ending of their format", async () => {
    await openStory({ before: accept("老周", "阿满") });
    w.backend.savePath = "/home/a/notes.md";
    for (const format of ["markdown", "sillyTavern", "novelcrafter"] as const) {
      await choose(format);
      await expect.poll(() => w.backend.callsOf("story:export").at(-1)?.format).toBe(format);
    }
    await expect
      .poll(() => w.backend.saveDialogs.map(({ name }) => name))
      .toEqual(["验潮所的故事设定.md", "验潮所的世界书.json", "验潮所的词条.json"]);
    await expect
      .poll(() => w.backend.saveDialogs.map(({ kind }) => kind.extensions[0]))
      .toEqual(["md", "json", "json"]);
    w.backend.savePath = null;
    await choose("markdown");
    await expect.poll(() => w.backend.dialogsOpened).toBe(4);
    await expect.poll(() => w.backend.callsOf("story:export")).toHaveLength(3);
  });

  test("that cannot be written are reported, and nothing is said to be exported", async () => {
    await openStory({ before: accept("老周") });
    w.backend.savePath = "/book/notes.md";
    w.backend.fail("story:export", {
      code: "MEMORY_INVALID_ARGUMENT",
      message: "path",
      details: { field: "path", reason: "insideTheBook" },
    });
    await choose("markdown");
    await expect.element(w.id("problem")).toHaveTextContent("这里是书的文件夹");
    expect(w.id("toast").elements()).toEqual([]);
  });
});
