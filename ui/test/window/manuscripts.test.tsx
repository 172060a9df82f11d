import { page } from "vitest/browser";
import { afterEach, describe, expect, test } from "vitest";
import { faults } from "../../testing/axe";
import { openWindow, type Window } from "./openWindow";

let w: Window;
afterEach(() => w.close());

const titles = () =>
  w
    .id("chapter-item")
    .elements()
    .map((item) => item.querySelector("span:nth-child(2)")?.textContent);
const STORY = {
  encoding: "GB18030",
  chapters: [
    { title: "第一章 雨夜", text: "渡船靠岸时，灯已经亮了。" },
    { title: "第二章 簿子", text: "簿子摊在桌上。" },
  ],
};

/** Chooses these files in the system's dialog. */
async function pick(files: Record<string, Parameters<typeof w.backend.manuscripts.files.set>[1] | null>) {
  w.backend.manuscripts.picked = Object.keys(files);
  for (const [path, file] of Object.entries(files)) if (file) w.backend.manuscripts.files.set(path, file);
  await w.id("import-open").click();
}

describe("chapters change places", () => {
  test("with Alt and the arrows: the focus stays on the chapter, and its new position is announced", async () => {
    w = await openWindow();
    const [first, second, third, ...rest] = titles();
    (w.id("chapter-item").nth(0).element() as HTMLElement).focus();
    await w.press("{Alt>}{ArrowDown}{/Alt}");
    await expect.poll(titles).toEqual([second, first, third, ...rest]);
    await expect.element(w.id("order-told")).toHaveTextContent("《渡船》现在是第 2 章，共 4 章。");
    expect(document.activeElement?.textContent).toContain("渡船");
    await w.press("{Alt>}{ArrowDown}{ArrowDown}{/Alt}");
    await expect.poll(() => titles().at(-1)).toBe(first);
    expect(document.activeElement?.textContent).toContain("渡船");
    // The last chapter cannot move down.
    await w.press("{Alt>}{ArrowDown}{/Alt}");
    await w.press("{Alt>}{ArrowUp}{/Alt}");
    await expect.poll(titles).toEqual([second, third, first, ...rest]);
    await expect.poll(() => w.backend.callsOf("chapter:move")).toHaveLength(4);
    await w.backend.idle();
    await expect.poll(() => w.backend.books[0]!.files.map(({ info }) => info.title)).toEqual(titles());
    // Moving a chapter does not open it.
    await expect.poll(() => w.program.editor.state.getState().chapter?.title).toBe(first);
  });

  test("with the mouse, before the chapter on whose upper half it is dropped", async () => {
    w = await openWindow();
    const [first, second, third, ...rest] = titles();
    await w
      .id("chapter-item")
      .nth(2)
      .dropTo(w.id("chapter-item").nth(0), { targetPosition: { x: 40, y: 4 } });
    await expect.poll(titles).toEqual([third, first, second, ...rest]);
    await w
      .id("chapter-item")
      .nth(0)
      .dropTo(w.id("chapter-item").nth(1), { targetPosition: { x: 40, y: 26 } });
    await expect.poll(titles).toEqual([first, third, second, ...rest]);
    await expect.poll(() => w.backend.callsOf("chapter:move")).toHaveLength(2);
  });

  test("a move that cannot be stored is reverted and reported", async () => {
    w = await openWindow();
    const before = titles();
    w.backend.fail("chapter:move", { code: "MEMORY_WRITE_FAILED", message: "io", details: { reason: "io" } });
    (w.id("chapter-item").nth(0).element() as HTMLElement).focus();
    await w.press("{Alt>}{ArrowDown}{/Alt}");
    await expect.poll(() => document.body.textContent).toContain("没有成功");
    await expect.poll(titles).toEqual(before);
  });

  test("the keyboard is not taken back to the list when the page is saved later", async () => {
    w = await openWindow();
    (w.id("chapter-item").nth(0).element() as HTMLElement).focus();
    await w.press("{Alt>}{ArrowDown}{/Alt}");
    await expect.poll(() => titles()[1]).toBe("渡船");
    await w.toEnd();
    await w.press("雨停了。");
    await w.saved();
    await expect.poll(() => w.content().contains(document.activeElement)).toBe(true);
  });
});

describe("a manuscript comes in", () => {
  test("what is in it is shown first, with its encoding; only then it is put behind the last chapter and opened", async () => {
    w = await openWindow();
    await pick({ "/home/writer/旧稿.txt": STORY });
    await expect.element(w.id("import")).toHaveTextContent("找到 2 章");
    await expect.element(w.id("import-file")).toHaveTextContent("旧稿.txt");
    await expect.element(w.id("import-file")).toHaveTextContent("GB18030");
    expect(
      w
        .id("import-chapter")
        .elements()
        .map(({ textContent }) => textContent),
    ).toEqual(["第一章 雨夜10", "第二章 簿子6"]);
    await expect.poll(() => w.backend.books[0]!.files).toHaveLength(4);
    expect(await faults()).toEqual([]);
    await w.id("import-go").click();
    await expect.poll(() => titles().slice(4)).toEqual(["第一章 雨夜", "第二章 簿子"]);
    await expect.poll(() => w.program.editor.state.getState().chapter?.title).toBe("第一章 雨夜");
    // A book that was just imported is read from its start.
    await expect.poll(() => w.program.editor.passage().before).toBe("# 第一章 雨夜\n\n");
    await expect.poll(() => document.body.textContent).toContain("已导入 2 章");
    expect(w.id("import").elements()).toEqual([]);
  });

  test("a file that cannot be read says why, and does not stand in the way of the others", async () => {
    w = await openWindow();
    await pick({ "/b/二.txt": STORY, "/b/一.doc": null });
    await expect.poll(() => w.id("import-file").elements().length).toBe(2);
    await expect.element(w.id("import")).toHaveTextContent("读不了这种文件。可以导入 .txt、.md 和 .docx。");
    await w.id("import-go").click();
    await expect.poll(() => w.backend.books[0]!.files.length).toBe(6);
    expect(
      w.backend
        .callsOf("project:import")
        .filter(({ dryRun }) => !dryRun)
        .map(({ path }) => path),
    ).toEqual(["/b/二.txt"]);
  });

  test("what is left out is listed", async () => {
    w = await openWindow();
    await pick({ "/b/x.docx": { ...STORY, encoding: null, title: "验潮屋", notes: 3, pictures: 1, unreadable: 2 } });
    await expect
      .element(w.id("import-left"))
      .toHaveTextContent("总标题“验潮屋”不导入。 有 3 条脚注不导入。 有 1 张图不导入。 有 2 处读不出来");
  });

  test("one that fails while it is put in stays, to be tried again; the others are in", async () => {
    w = await openWindow();
    await pick({ "/b/1.txt": STORY, "/b/2.txt": STORY });
    await expect.poll(() => w.id("import-file").elements().length).toBe(2);
    w.backend.fail("project:import", { code: "MEMORY_WRITE_FAILED", message: "disk", details: { reason: "io" } });
    await w.id("import-go").click();
    await expect.element(w.id("import-go")).toHaveTextContent("再试一次");
    await expect.poll(() => titles().length).toBe(6);
    await expect.poll(() => w.id("import-file").elements()).toHaveLength(1);
    await w.id("import-go").click();
    await expect.poll(() => titles().length).toBe(8);
  });

  test("thinking better of it leaves the book alone, in the system's dialog and in ours", async () => {
    w = await openWindow();
    await pick({});
    expect(w.id("import").elements()).toEqual([]);
    await pick({ "/b/1.txt": STORY });
    await expect.element(w.id("import-chapter").first()).toBeVisible();
    await w.press("{Escape}");
    await expect.poll(() => w.id("import").elements().length).toBe(0);
    await expect.poll(() => w.backend.books[0]!.files).toHaveLength(4);
  });
});

const BODY = "渡船靠岸的时候，水已经退得很远了。";
const STORIES = {
  encoding: "UTF-8",
  wrappedLines: 12,
  chapters: [
    { title: "呐喊", text: BODY, kind: "start", use: "omit" },
    { title: "本书信息", text: BODY, kind: "shortLine", use: "omit" },
    { title: "第一章 序", text: BODY },
    { title: "一", text: BODY, kind: "numeral", use: "continue" },
    { title: "白光", text: BODY, kind: "shortLine", use: "continue" },
    { title: "二", text: BODY, kind: "numeral", use: "continue" },
    { title: "注释", text: BODY, kind: "shortLine", use: "continue" },
  ],
} satisfies Parameters<typeof w.backend.manuscripts.files.set>[1];

describe("the writer decides which lines begin chapters", () => {
  const rows = () =>
    [...document.querySelectorAll<HTMLElement>("[data-use]")].map(
      (row) => `${row.dataset["use"]} ${row.querySelector("span")?.textContent}`,
    );
  const within = (index: number, id: string) =>
    page
      .getByTestId(/^import-(?:chapter|section)$/)
      .nth(index)
      .getByTestId(id);
  const imports = () => w.backend.callsOf("project:import").filter(({ dryRun }) => !dryRun);

  test("ticks, renames and leaves out before anything is written", async () => {
    w = await openWindow();
    await pick({ "/b/呐喊.txt": STORIES });
    await expect.element(w.id("import")).toHaveTextContent("找到 1 章");
    await expect
      .poll(rows)
      .toEqual([
        "omit 呐喊",
        "omit 本书信息",
        "chapter 第一章 序",
        "continue 一",
        "continue 白光",
        "continue 二",
        "continue 注释",
      ]);
    expect(await faults()).toEqual([]);
    await within(4, "import-tick").click();
    await within(5, "import-omit").click();
    await within(6, "import-omit").click();
    // A line below one that was left out joins the chapter above.
    await within(5, "import-omit").click();
    await within(2, "import-rename").click();
    await w.press("阿Ｑ正传{Enter}");
    await expect.element(w.id("import")).toHaveTextContent("找到 2 章");
    expect(rows().slice(2)).toEqual(["chapter 阿Ｑ正传", "continue 一", "chapter 白光", "continue 二", "omit 注释"]);
    // The first chapter has none before it to continue.
    await expect.element(within(2, "import-tick")).toBeDisabled();
    await w.id("import-go").click();
    await expect.poll(() => titles().slice(4)).toEqual(["阿Ｑ正传", "白光"]);
    await expect.poll(imports).toMatchObject([
      {
        joinLines: true,
        sections: [
          { use: "omit" },
          { use: "omit" },
          { use: "chapter", title: "阿Ｑ正传" },
          { use: "continue" },
          { use: "chapter" },
          { use: "continue" },
          { use: "omit" },
        ],
      },
    ]);
    await expect.poll(() => w.file(5).text).toContain("白光");
    expect(w.file(5).text).not.toContain("注释");
  });

  test("ticks all lines of a kind at once, and takes it back", async () => {
    w = await openWindow();
    await pick({ "/b/呐喊.txt": STORIES });
    await w.id("import-kind-numeral").click();
    await expect.element(w.id("import-kind-numeral")).toHaveAttribute("aria-pressed", "true");
    expect(rows().filter((one) => one.startsWith("chapter"))).toEqual([
      "chapter 第一章 序",
      "chapter 一",
      "chapter 二",
    ]);
    await w.id("import-kind-numeral").click();
    await expect.element(w.id("import")).toHaveTextContent("找到 1 章");
    // A header that was left out can be taken in, and continues in what follows.
    await within(0, "import-omit").click();
    await within(1, "import-omit").click();
    expect(rows().slice(0, 3)).toEqual(["chapter 呐喊", "continue 本书信息", "chapter 第一章 序"]);
    // A chapter is left out with all that continues it.
    await within(0, "import-omit").click();
    expect(rows().slice(0, 3)).toEqual(["omit 呐喊", "omit 本书信息", "chapter 第一章 序"]);
  });

  test("begins a chapter at any paragraph: the writer chooses it, names the chapter, and may join it again", async () => {
    w = await openWindow();
    const body = "渡船靠岸。\n\n“谁？”\n\n第二天没有人来。\n\n灯亮着。";
    await pick({ "/b/旧稿.txt": { chapters: [{ title: "旧稿", text: body, kind: "start" }] } });
    await within(0, "import-split").click();
    await expect.poll(() => w.id("import-paragraph").elements().length).toBe(3);
    expect(await faults()).toEqual([]);
    await w.id("import-split-find").fill("没有的词");
    await expect.element(w.id("import-split-none")).toHaveTextContent("没有这样的段落。");
    await w.id("import-split-find").fill("没有人");
    await expect.poll(() => w.id("import-paragraph").elements().length).toBe(1);
    await w.id("import-paragraph").click();
    // The new chapter gets its name at once.
    await w.id("import-title").fill("第二天");
    await w.press("{Enter}");
    await expect.poll(rows).toEqual(["chapter 旧稿", "chapter 第二天"]);
    await expect.element(w.id("import")).toHaveTextContent("找到 2 章");
    await within(1, "import-tick").click();
    await expect.poll(rows).toEqual(["chapter 旧稿", "continue 第二天"]);
    await within(1, "import-tick").click();
    await w.id("import-go").click();
    await expect.poll(() => titles().slice(-2)).toEqual(["旧稿", "第二天"]);
    expect(imports()[0]).toMatchObject({
      splits: [expect.any(Number)],
      sections: [{ use: "chapter" }, { use: "chapter", title: "第二天" }],
    });
    await expect.poll(() => w.file(5).text).toContain("第二天没有人来。");
  });

  test("with everything left out there is nothing to import", async () => {
    w = await openWindow();
    await pick({ "/b/一.txt": { chapters: [{ title: "一", text: BODY, kind: "start" }] } });
    await within(0, "import-omit").click();
    await expect.element(w.id("import-go")).toBeDisabled();
    await within(0, "import-omit").click();
    await expect.element(w.id("import-go")).toBeEnabled();
  });

  test("the joining of wrapped lines is said, and can be switched off", async () => {
    w = await openWindow();
    await pick({ "/b/呐喊.txt": STORIES });
    await expect.element(w.id("import")).toHaveTextContent("有 12 处在段落中间换行");
    await w.id("import-join").click();
    await expect
      .poll(() => w.backend.callsOf("project:import").at(-1))
      .toMatchObject({ dryRun: true, joinLines: false });
    await w.id("import-go").click();
    await expect.poll(imports).toMatchObject([{ joinLines: false }]);
  });

  test("a file that was changed since is not imported, and the reason is shown", async () => {
    w = await openWindow();
    await pick({ "/b/1.txt": STORY });
    await expect.element(w.id("import-chapter").first()).toBeVisible();
    w.backend.fail("project:import", {
      code: "MEMORY_STALE_VERSION",
      message: "changed",
      details: { field: "path", reason: "importFileChanged" },
    });
    await w.id("import-go").click();
    await expect.element(w.id("import")).toHaveTextContent("这个文件在预览以后变了");
    await expect.poll(() => w.backend.books[0]!.files).toHaveLength(4);
  });
});

describe("an import is undone", () => {
  test("as a whole, with all its files, and the chapter before it opens", async () => {
    w = await openWindow();
    expect(w.id("import-undo").elements()).toEqual([]);
    await pick({ "/b/1.txt": STORY, "/b/2.txt": STORY });
    await expect.poll(() => w.id("import-file").elements().length).toBe(2);
    await w.id("import-go").click();
    await expect.element(w.id("import-undo-offer")).toHaveTextContent("上次导入了 4 章");
    expect(await faults()).toEqual([]);
    await w.id("import-undo").click();
    await expect.poll(() => titles().length).toBe(4);
    await expect.poll(() => document.body.textContent).toContain("已撤销导入，移走了 4 章");
    await expect.poll(() => w.program.editor.state.getState().chapter?.title).toBe("渡船");
    await expect.poll(() => w.id("import-undo").elements().length).toBe(0);
  });

  test("until a chapter of it is changed on the page", async () => {
    w = await openWindow();
    await pick({ "/b/1.txt": STORY });
    await w.id("import-go").click();
    await expect.element(w.id("import-undo")).toBeVisible();
    await expect.poll(() => w.program.editor.state.getState().chapter?.title).toBe("第一章 雨夜");
    await w.toEnd();
    await w.press("雨停了。");
    await w.saved();
    await expect.poll(() => w.id("import-undo-offer").elements()).toEqual([]);
    await expect.poll(() => w.file(4).text).toContain("雨停了。");
  });

  test("not after another program changed a chapter of it, which is said", async () => {
    w = await openWindow();
    await pick({ "/b/1.txt": STORY });
    await w.id("import-go").click();
    await expect.element(w.id("import-undo")).toBeVisible();
    // The file changes behind the offer.
    w.backend.fail("project:import:undo", {
      code: "MEMORY_STALE_VERSION",
      message: "changed",
      details: { reason: "importChanged" },
    });
    await w.id("import-undo").click();
    await expect.element(w.id("import-undo-offer")).toHaveTextContent("导入的章节已经改过，不能整个撤销。");
    await expect.poll(() => w.backend.books[0]!.files).toHaveLength(6);
  });
});

describe("the book goes out", () => {
  test("as Word, named after the book, with what was only on the page saved first", async () => {
    w = await openWindow();
    await w.toEnd();
    await w.press("最后一句。");
    w.backend.savePath = "/home/writer/book.docx";
    await w.id("export-open").click();
    expect(await faults()).toEqual([]);
    await w.id("export-go").click();
    await expect
      .poll(() => w.backend.callsOf("project:export"))
      .toEqual([{ projectId: w.projectId(), path: "/home/writer/book.docx", format: "docx" }]);
    await expect
      .poll(() => w.backend.saveDialogs)
      .toEqual([
        {
          title: "导出到哪里",
          name: `${w.backend.books[0]!.project.title}.docx`,
          kind: { name: "Word", extensions: ["docx"] },
        },
      ]);
    await expect.poll(() => w.file(0).text).toContain("最后一句。");
    await expect.poll(() => document.body.textContent).toContain("已导出");
    expect(w.id("export").elements()).toEqual([]);
  });

  test("or as Markdown; where it cannot be written the dialog says so and stays", async () => {
    w = await openWindow();
    w.backend.savePath = "/home/writer/book.md";
    await w.id("export-open").click();
    await page.getByRole("radio", { name: "Markdown" }).click();
    w.backend.fail("project:export", {
      code: "MEMORY_INVALID_ARGUMENT",
      message: "inside",
      details: { field: "path", reason: "insideTheBook" },
    });
    await w.id("export-go").click();
    await expect.element(w.id("export-problem")).toHaveTextContent("这里是书的文件夹");
    await w.id("export-go").click();
    await expect.poll(() => w.backend.callsOf("project:export").at(-1)?.format).toBe("markdown");
    await expect.poll(() => w.id("export").elements().length).toBe(0);
  });

  test("not with unsaved words, and not without a chosen location", async () => {
    w = await openWindow();
    w.backend.fail("chapter:write", { code: "MEMORY_WRITE_FAILED", message: "disk" }, 99);
    await w.toEnd();
    await w.press("最后一句。");
    await w.id("export-open").click();
    await w.id("export-go").click();
    await expect.element(w.id("export-problem")).toHaveTextContent("还有文字没保存");
    await w.press("{Escape}");
    expect(w.backend.callsOf("project:export")).toEqual([]);
  });
});
