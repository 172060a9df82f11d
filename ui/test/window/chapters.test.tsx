import { afterEach, describe, expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { faults } from "../../testing/axe";
import { openWindow, type Window } from "./openWindow";

let w: Window;
afterEach(() => w.close());

const titles = () => w.backend.books[0]!.files.map(({ info }) => info.title);
const open = () => w.program.editor.state.getState().chapter?.title;
const doc = () => w.program.editor.text;

/** Chooses an action of the menu of a chapter. */
async function act(index: number, action: string) {
  await w.id("chapter-menu").nth(index).click();
  await w.id(`chapter-menu-${action}`).click();
}
const undo = () => w.id("toast-action").click();

describe("a chapter", () => {
  test("that is deleted makes way for the next one, and comes back by undo or from the list of deleted ones", async () => {
    w = await openWindow();
    const before = titles();
    const text = w.file(0).text;
    await act(0, "delete");
    await expect.poll(titles).toEqual(before.slice(1));
    await expect.poll(open).toBe(before[1]);
    await undo();
    await expect.poll(titles).toEqual(before);
    await expect.poll(open).toBe(before[0]);
    await expect.poll(doc).toBe(text);

    await act(2, "delete");
    await expect.element(w.id("deleted-open")).toHaveTextContent("删除的章节：1");
    await w.id("deleted-open").click();
    await expect.element(w.id("deleted-chapter")).toHaveTextContent(before[2]!);
    expect(await faults()).toEqual([]);
    await w.id("deleted-restore").click();
    await expect.poll(titles).toEqual(before);
    await expect.poll(() => w.id("deleted-open").elements().length).toBe(0);
  });

  test("that is deleted is not offered for undo once another book is open", async () => {
    w = await openWindow();
    await act(0, "delete");
    await expect.element(w.id("toast-action")).toBeVisible();
    await w.program.openPath("/books/灯塔");
    await expect.poll(() => w.id("toast-action").elements().length).toBe(0);
  });

  test("that is deleted has its last words in it", async () => {
    w = await openWindow();
    await w.toEnd();
    await w.press("最后一句。");
    await act(0, "delete");
    await expect.poll(() => w.backend.chapterChanges.deleted[0]?.file.text).toContain("最后一句。");
  });

  test("is not deleted while its last words cannot be saved", async () => {
    w = await openWindow();
    const before = titles();
    w.backend.fail("chapter:write", { code: "MEMORY_WRITE_FAILED", message: "full" }, Infinity);
    await w.toEnd();
    await w.press("没存上的。");
    await act(0, "delete");
    await w.backend.idle();
    await expect.poll(titles).toEqual(before);
    expect(w.backend.callsOf("chapter:delete")).toEqual([]);
    w.backend.heal("chapter:write");
  });

  test("is split at the caret, under a title that the writer gives; undo makes it one again", async () => {
    w = await openWindow();
    const before = titles();
    const text = w.file(0).text;
    const second = text.split("\n\n")[2]!;
    w.focus();
    w.program.editor.surface.view!.dispatch({ selection: { anchor: text.indexOf(second) } });
    await act(0, "split");
    await expect.element(w.id("split")).toHaveTextContent(second.slice(0, 10));
    await expect.element(w.id("split-title")).toHaveValue(`${before[0]}（二）`);
    expect(await faults()).toEqual([]);
    await w.id("split-title").fill("椅子");
    await w.press("{Enter}");
    await expect.poll(titles).toEqual([before[0], "椅子", ...before.slice(1)]);
    await expect.poll(open).toBe("椅子");
    expect(doc().startsWith(`# 椅子\n\n${second}`)).toBe(true);
    await expect
      .poll(() => w.program.editor.passage().before, { message: "the caret is at the start of the new chapter" })
      .toBe("# 椅子\n\n");
    await undo();
    await expect.poll(titles).toEqual(before);
    await expect.poll(doc).toBe(text);
  });

  test("is not split where a part would be empty, and the window says so", async () => {
    w = await openWindow();
    w.focus();
    await w.press("{Control>}{End}{/Control}");
    await act(0, "split");
    await expect.element(w.id("split-impossible")).toBeVisible();
    await expect.element(w.id("split-go")).toBeDisabled();
    await w.id("split-cancel").click();
    expect(w.backend.callsOf("chapter:split")).toEqual([]);
  });

  test("takes in the next one; Ctrl+Z in it brings back nothing twice, and undo parts them again", async () => {
    w = await openWindow();
    const before = titles();
    const texts = [w.file(0).text, w.file(1).text];
    await act(0, "merge");
    await expect.poll(titles).toEqual([before[0], ...before.slice(2)]);
    await expect.poll(doc).toContain(`\n\n## ${before[1]}\n\n`);
    w.focus();
    await w.press("{Control>}z{/Control}");
    await expect.poll(doc).toBe(w.file(0).text);
    await undo();
    await expect.poll(titles).toEqual(before);
    expect([w.file(0).text, w.file(1).text]).toEqual(texts);
  });

  test("that was merged and written on is not undone, and the window says why", async () => {
    w = await openWindow();
    await act(0, "merge");
    await expect.element(w.id("toast-action")).toBeVisible();
    await w.toEnd();
    await w.press("又写了一句。");
    await undo();
    await expect.element(w.id("problem")).toHaveTextContent("这些章节后来又改过，不能撤销了。什么也没有改动。");
  });
});

describe("the list", () => {
  test("shows no second number beside a title that has its own", async () => {
    w = await openWindow({
      before: (backend) => {
        const named = ["渡船", "Chapter 2", "灯塔", "尾声"];
        backend.books[0]!.files.forEach((file, index) => (file.info = { ...file.info, title: named[index]! }));
      },
    });
    const numbers = () =>
      w
        .id("chapter-item")
        .elements()
        .map((item) => item.querySelector("span")?.textContent);
    await expect.poll(numbers).toEqual(["1", "", "3", ""]);
  });

  test("of books forgets another book only after what is cleared was said, and stays in this one", async () => {
    w = await openWindow({
      before: (backend) =>
        void backend.invoke("project:create", { title: "灯塔", language: "zh", path: "/books/lighthouse" }),
    });
    const present = w.program.window.getState().project?.title;
    await w.id("book-select").click();
    await w.id("book-select- books").click();
    await expect.poll(() => w.id("known-book").elements().length).toBe(2);
    expect(await faults()).toEqual([]);
    const row = w.id("known-book").filter({ hasText: "灯塔" });
    await row.getByTestId("book-forget").click();
    await expect.element(w.id("clear-gone")).toHaveTextContent("文件夹的位置");
    await expect.poll(() => w.backend.books).toHaveLength(2);
    await w.id("clear-title").fill("灯塔");
    await w.id("clear-confirm").click();
    await expect.poll(() => w.backend.books.map(({ project }) => project.title)).toEqual([present]);
    await expect.element(w.id("toast")).toHaveTextContent("已忘掉《灯塔》");
    await expect.poll(() => w.program.window.getState().project?.title).toBe(present);
  });
});

describe("the scene of a passage", () => {
  test("is shown although the chapter was opened again before the answer", async () => {
    let release = () => {};
    w = await openWindow({
      before: (backend) => {
        release = backend.waits.hold("memory:scene:guess");
      },
    });
    await expect.poll(() => w.backend.callsOf("memory:scene:guess").length).toBe(1);
    await w.program.openChapter(w.file(0).info.chapterId);
    release();
    await expect.poll(() => w.id("scene-select").element().textContent).toContain("推测");
  });

  test("is guessed before a run, follows the caret, and the writer's word goes before it", async () => {
    w = await openWindow();
    w.file(0);
    w.focus();
    await w.press("{Control>}{End}{/Control}{Enter}“你去哪儿？”她问。“去看水尺。”");
    const shown = () => w.id("scene-select").element().textContent;
    await expect.poll(shown).toContain("对话（推测）");
    await w.press("{Control>}{Home}{/Control}{ArrowDown}{ArrowDown}{End}");
    await expect.poll(shown).toContain("叙述（推测）");
    expect(w.backend.callsOf("ai:skill:run")).toEqual([]);
    await w.id("scene-select").click();
    await w.id("scene-select-action").click();
    await expect.poll(shown).not.toContain("推测");
    await w.toEnd();
    await w.id("run").click();
    await expect.poll(() => w.backend.callsOf("ai:skill:run").at(-1)).toMatchObject({ sceneType: "action" });
  });
});

describe("a tooltip", () => {
  test("is the window's own: under a resting pointer or the keyboard, and gone with the next key", async () => {
    w = await openWindow();
    expect([...document.querySelectorAll("[title]:not([title=''])")].map(({ outerHTML }) => outerHTML)).toEqual([]);
    await userEvent.hover(w.id("chapter-item").nth(1).element());
    await expect.element(w.id("tooltip")).toHaveTextContent("拖动，或按 Alt+↑、Alt+↓ 换位置");
    const face = (element: Element) => getComputedStyle(element).fontFamily;
    expect(face(w.id("tooltip").element())).toBe(face(document.body));
    await w.press("{Escape}");
    await expect.poll(() => w.id("tooltip").elements().length).toBe(0);
    await w.openChapter(2);
    await userEvent.hover(w.id("origin-mark").first().element());
    await expect.element(w.id("tooltip")).toHaveTextContent("为什么这样写？");
  });
});
