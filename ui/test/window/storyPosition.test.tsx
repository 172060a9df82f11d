// The story panel: nothing after its position is listed; its keys; and what it says while something is missing.

import { afterEach, describe, expect, test } from "vitest";
import { faults } from "../../testing/axe";
import { ime, KEYS, lateKeys } from "./ime";
import { fakeClock } from "./openWindow";
import { accept, at, chapterId, novel, open, openStory, proposals, row, rows, texts, w } from "./storyPanel";

afterEach(() => w.close());

describe("as of", () => {
  test("a pinned chapter hides later names, the whole book lists them and says so", async () => {
    await openStory({ before: accept("小满", "阿满") });
    await rows("老周", "小满", "阿满");
    await w.id("as-of-pin").click();
    await w.id("as-of-chapter").click();
    await w.id(`as-of-chapter-${chapterId(1)}`).click();
    await rows("老周", "阿满");
    await expect.element(w.id("as-of-pinned")).toHaveTextContent("这里都停在第 2 章");
    await expect.element(w.id("as-of-announced")).toHaveTextContent("到第 2 章为止，2 个人");
    expect(document.body.querySelector('[data-testid="story-body"]')!.textContent).not.toContain("小满");
    await w.id("as-of-all").click();
    await rows("阿满", "小满");
    await proposals("老周", "孟书记", "老纪", "船老大");
    await expect.element(w.id("as-of-whole-note")).toHaveTextContent("后面的事也列出来了");
    expect(w.backend.callsOf("story:entity:list").at(-1)!.at).toBeNull();
    expect(await faults()).toEqual([]);
    await w.id("as-of-back").click();
    await rows("老周", "小满", "阿满");
  });

  test("is a group of radio buttons, and [ ] 0 pin one chapter earlier or later, and unpin", async () => {
    await openStory();
    await rows("老周", "小满");
    const group = w.id("as-of").element();
    expect(group.getAttribute("role")).toBe("radiogroup");
    expect([...group.querySelectorAll("[role=radio]")].map((one) => one.getAttribute("aria-checked"))).toEqual([
      "true",
      "false",
      "false",
    ]);
    await w.press("[[");
    await expect.element(w.id("as-of-pin")).toHaveTextContent("第 2 章");
    await w.press("[[");
    await expect.element(w.id("as-of-pin")).toHaveTextContent("第 1 章");
    await w.press("[[");
    await w.press("]");
    await expect.element(w.id("as-of-pin")).toHaveTextContent("第 2 章");
    await w.press("0");
    await expect.element(w.id("as-of-caret")).toHaveTextContent("跟着光标·到第 3 章");
  });

  test("is the caret again when the pinned chapter is deleted", async () => {
    await openStory();
    await rows("老周", "小满");
    await w.press("[[");
    await expect.element(w.id("as-of-pin")).toHaveTextContent("第 2 章");
    await w.program.chapterChanges.delete(chapterId(1));
    await expect.element(w.id("as-of-caret")).toHaveTextContent("跟着光标·到第 2 章");
    await rows("老周", "小满");
  });

  test("follows the caret once it rests, up to the end of its paragraph", async () => {
    await openStory();
    await rows("老周", "小满");
    const advance = fakeClock();
    w.content().focus();
    await w.press("{Control>}{Home}{/Control}{ArrowDown}{ArrowDown}{ArrowDown}");
    const calls = w.backend.callsOf("story:entity:list").length;
    await advance(500);
    await expect.poll(() => w.backend.callsOf("story:entity:list")).toHaveLength(calls);
    await advance(700);
    await expect.poll(() => w.backend.callsOf("story:entity:list").length).toBeGreaterThan(calls);
    const { text } = w.file(2);
    const { offset } = w.backend.callsOf("story:entity:list").at(-1)!.at!;
    expect(text.slice(0, offset).endsWith("。")).toBe(true);
    expect(text.slice(0, offset)).not.toContain("我去看");
    await rows("老周");
  });

  test("keys of an input method, and keys in a field, change nothing", async () => {
    await openStory();
    await rows("老周", "小满");
    await w.id("story-search").fill("");
    await w.press("[[0]");
    await expect.element(w.id("story-search")).toHaveValue("[0]");
    await w.id("story-search").fill("");
    await ime.compose("zhou");
    // The browser itself empties a search field at Escape.
    for (const [key, modifiers] of KEYS) if (key !== "Escape") await ime.key(key, modifiers);
    await ime.commit("周");
    await expect.element(w.id("story-search")).toHaveValue("周");
    lateKeys(w.id("story-search").element());
    await expect.element(w.id("as-of-caret")).toHaveAttribute("aria-checked", "true");
    await expect.element(w.id("story-panel")).toBeVisible();
    await rows("老周");
    await proposals();
  });
});

describe("by the keyboard", () => {
  test("the arrows walk rows and places, open and close the details, and nothing loses the focus", async () => {
    await openStory({ before: accept("小满") });
    await rows("老周", "小满");
    await w.press("{ArrowDown}");
    await expect.poll(at).toBe(row("老周"));
    await w.press("{ArrowDown}");
    await expect.poll(at).toBe(row("小满"));
    await w.press("{ArrowUp}{ArrowRight}");
    await expect.poll(() => texts("story-mention").length).toBe(13);
    await expect.poll(at).toBe(row("老周"));
    await w.press("{ArrowDown}{ArrowDown}");
    await expect.poll(at).toBe(w.id("story-mention").nth(1).element());
    await w.press("{ArrowLeft}");
    await expect.poll(() => w.id("story-detail").elements()).toEqual([]);
    await expect.poll(at).toBe(row("老周"));
    await w.press("{Enter}");
    await expect.element(w.id("story-detail")).toBeVisible();
    await w.press("{ArrowRight}");
    await expect.poll(at).toBe(w.id("story-accept").element());
    await w.press("{Escape}");
    await expect.poll(() => at()).toBe(row("老周"));
    await w.press("{ArrowDown}{ArrowDown}");
    await expect.poll(() => at()).toBe(w.id("story-proposal").first().element());
  });

  test("F2 on a name in the text opens its details", async () => {
    await open({ before: novel });
    await w.openChapter(2);
    w.content().focus();
    w.program.editor.moveCaret(w.file(2).text.indexOf("小满说") + 1);
    await w.press("{F2}");
    await expect.poll(() => at().dataset["entity"]).toBe(w.backend.entities.idOf(w.projectId(), "小满"));
    await expect.element(w.id("story-detail")).toBeVisible();
    expect(row("小满").getAttribute("aria-expanded")).toBe("true");
  });

  test("F2 on a place turns to its page; where there is no name, it says so", async () => {
    await open({ before: novel });
    w.content().focus();
    w.program.editor.moveCaret(w.file(0).text.indexOf("验潮屋的灯") + 1);
    await w.press("{F2}");
    await expect.element(w.id("story-detail")).toBeVisible();
    await expect.element(w.id("story-page-places")).toHaveAttribute("aria-selected", "true");
    await w.press("{Escape}{Escape}");
    await expect.poll(() => at()).toBe(w.content());
    w.program.editor.moveCaret(w.file(0).text.indexOf("没有收钱") + 2);
    await w.press("{F2}");
    await expect.element(w.id("toast")).toHaveTextContent("光标这里没有认出名字");
    expect(w.id("story-panel").elements()).toEqual([]);
  });
});

describe("with something missing", () => {
  test("without the tagger only some Chinese names are found, and it says which", async () => {
    await openStory({
      before: ({ story }) => {
        story.isTaggerMissing = true;
      },
    });
    await expect.element(w.id("story-tagger")).toHaveTextContent("中文只认得出带姓氏和称呼的名字");
    await expect.element(w.id("story-tagger")).toHaveTextContent("英文不受影响");
  });

  test("a book that is not read yet is read at a press, without a model", async () => {
    await openStory({
      before: (backend) => {
        backend.story.analyzed = 0;
        backend.entities.list = {
          entities: [],
          possibleMerges: [],
          unnamed: [],
          degraded: false,
          chapters: [],
          method: "tagger",
        };
      },
    });
    await expect.element(w.id("story-not-analyzed")).toHaveTextContent("4 章，");
    w.backend.entities.list = null;
    await w.id("story-analyze").click();
    await rows("老周", "小满");
    await expect.poll(() => w.backend.callsOf("story:analyze")).toEqual([{ projectId: w.projectId() }]);
  });

  test("while the book is read, the progress is shown and what is found is listed", async () => {
    await openStory();
    await rows("老周", "小满");
    const projectId = w.projectId();
    w.backend.emit("story:analyze:progress", { projectId, step: "chapters", done: 1, total: 4 });
    await expect.element(w.id("story-analyzing")).toHaveTextContent("第 2 章，共 4 章");
    await rows("老周", "小满");
    w.backend.emit("story:analyze:progress", { projectId: "another", step: "chapters", done: 1, total: 9 });
    w.backend.emit("story:analyze:progress", { projectId, step: "passages", done: 8, total: 40 });
    await expect.element(w.id("story-analyzing")).toHaveTextContent("第 9 段，共 40 段");
    w.backend.emit("story:analyze:progress", { projectId, step: "passages", done: 40, total: 40 });
    await expect.poll(() => w.id("story-analyzing").elements()).toEqual([]);
  });

  test("a book in which no names are found says how much was read", async () => {
    await openStory({ before: ({ entities, books }) => entities.casts.set(books[0]!.project.projectId, []) });
    await expect.element(w.id("story-nothing")).toHaveTextContent("读了 3 章，");
    await expect.element(w.id("story-nothing")).toHaveTextContent("还看不出谁是谁");
  });

  test("while the rules cannot be opened, names are listed and nothing can be changed", async () => {
    await openStory({ past: true, before: (backend) => backend.degrade("rules") });
    await expect.element(w.id("story-rules-down")).toBeVisible();
    await rows("老周", "小满");
    expect(w.id("proposal-accept").elements()).toEqual([]);
    row("老周").click();
    await expect.poll(() => texts("story-mention").length).toBe(13);
    expect(w.id("story-dismiss").elements()).toEqual([]);
  });

  test("while the past passages cannot be opened it says so, and lists the names once they can", async () => {
    await openStory({ before: (backend) => backend.degrade("episodes") });
    await expect.element(w.id("story-past-down")).toHaveTextContent("卡片照常看");
    await expect.element(w.id("story-mend")).toBeVisible();
    w.backend.degrade();
    await rows("老周", "小满");
    await expect.poll(() => w.id("story-past-down").elements()).toEqual([]);
  });

  test("when the list fails it says why, and a new try lists the names", async () => {
    await openStory({
      before: (backend) => backend.fail("story:entity:list", { code: "MEMORY_WRITE_FAILED", message: "no" }, 99),
    });
    await expect.element(w.id("story-failed")).toHaveTextContent("没能写进磁盘");
    w.backend.heal("story:entity:list");
    await w.id("story-retry").click();
    await rows("老周", "小满");
    expect(w.id("story-failed").elements()).toEqual([]);
  });
});
