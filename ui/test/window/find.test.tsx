// Search in the open chapter and in the whole book: it leaves the caret alone, ignores keys of an input method, and
// shows results of the newest query only.

import { afterEach, describe, expect, test } from "vitest";
import type { FoundPassage } from "../../src/backend";
import { faults } from "../../testing/axe";
import { fakeClock, openWindow, type Window } from "./openWindow";
import { ime, lateKeys } from "./ime";

let w: Window;
afterEach(() => w.close());

const at = () => document.activeElement as HTMLElement;
const lit = () => [...document.querySelectorAll(".cm-found")].map((one) => one.textContent);
const here = () => document.querySelector(".cm-found-here");
const before = () => w.program.editor.passage().before;
const count = (words: string | RegExp) => expect.element(w.id("find-count")).toHaveTextContent(words);
const places = () => w.id("found-place").elements();
const chapters = () =>
  w
    .id("found-chapter")
    .elements()
    .map((one) => one.querySelector("h3")!.textContent);

async function openFind(query: string) {
  await w.press("{Control>}f{/Control}");
  await expect.poll(() => at()).toBe(w.id("find-text").element());
  if (query !== "") await w.press(query);
}

async function openWhole(query: string) {
  await w.press("{F9}");
  await expect.poll(() => at()).toBe(w.id("book-find").element());
  await w.press(query);
}

/** Makes a chapter so long that most of it is out of view. */
async function lengthen(index: number, lines = 200) {
  const { info } = w.file(index);
  w.backend.changeOutside(
    info.chapterId,
    `# ${info.title}\n\n${Array.from({ length: lines }, (_, line) => (line % 50 === 25 ? `第 ${line} 行，灯塔在雾里。` : `第 ${line} 行，什么也没有。`)).join("\n\n")}\n`,
  );
  await w.backend.idle();
}

const inSight = (element: Element) => {
  const [rect, sheet] = [
    element.getBoundingClientRect(),
    w.id("editor").element().closest("main")!.getBoundingClientRect(),
  ];
  return rect.top >= sheet.top + 40 && rect.bottom <= sheet.bottom;
};

describe("in the chapter", () => {
  test("all places are counted and lit, Enter goes on and Shift and Enter back, round and round", async () => {
    w = await openWindow();
    await w.openChapter(2);
    w.content().focus();
    await w.press("{Control>}{Home}{/Control}");
    await openFind("老周");
    await count("1/3");
    await expect.poll(lit).toEqual(["老周", "老周", "老周"]);
    const lines = () => here()!.closest(".cm-line")!.textContent!;
    await expect.poll(lines).toContain("走近才看见老周");
    await w.press("{Enter}");
    await count("2/3");
    await expect.poll(lines).toContain("老周把水尺翻了个面");
    await w.press("{Shift>}{Enter}{Enter}{/Shift}");
    await count("3/3");
    await w.press("{Enter}");
    await count("1/3");
    await expect.poll(at).toBe(w.id("find-text").element());
  });

  test("Escape closes it, puts out the lights, and the writer writes on where the caret was", async () => {
    w = await openWindow();
    await w.toEnd();
    const text = before();
    await openFind("渡船{Enter}{Enter}");
    await w.press("{Escape}");
    await expect.poll(() => at()).toBe(w.content());
    expect(w.id("find-bar").elements()).toEqual([]);
    expect(lit()).toEqual([]);
    await w.press("雨。");
    await expect.poll(before).toBe(`${text}雨。`);
  });

  test("Escape on the page closes it too, before anything else", async () => {
    w = await openWindow();
    await w.press("{F8}");
    await openFind("渡船");
    w.content().focus();
    await w.press("{Escape}");
    expect(w.id("find-bar").elements()).toEqual([]);
    await expect.poll(() => w.program.window.getState().alone).toBe(true);
  });

  test("begins from the caret, and what is out of sight comes into it; the caret can be put there", async () => {
    w = await openWindow();
    await lengthen(0);
    w.content().focus();
    await w.press("{Control>}{Home}{/Control}");
    await openFind("灯塔");
    await count("1/4");
    await w.press("{Enter}{Enter}");
    await count("3/4");
    await expect.poll(() => here() !== null && inSight(here()!)).toBe(true);
    await w.id("find-there").click();
    await expect.poll(() => at()).toBe(w.content());
    await expect.poll(() => w.program.editor.passage()).toMatchObject({ selection: "灯塔" });
    expect(before().endsWith("第 125 行，")).toBe(true);
    await w.press("{ArrowRight}");
    await openFind("灯塔");
    await count("4/4");
  });

  test("what is in sight already is not moved", async () => {
    w = await openWindow();
    await lengthen(0);
    w.content().focus();
    await w.press("{Control>}{Home}{/Control}");
    const sheet = w.id("editor").element().parentElement!.parentElement!;
    await openFind("什么");
    await w.press("{Enter>12/}");
    await count(/^13\//);
    await w.backend.idle();
    expect(inSight(here()!)).toBe(true);
    expect(sheet.scrollTop).toBe(0);
    await w.press("{Enter>20/}");
    await count(/^33\//);
    await expect.poll(() => sheet.scrollTop).toBeGreaterThan(0);
  });

  test("what is selected is looked for; called again, the field is there to be typed over", async () => {
    w = await openWindow();
    w.content().focus();
    await w.press("{Control>}{Home}{/Control}{End}{Shift>}{ArrowLeft}{ArrowLeft}{/Shift}");
    await openFind("");
    await expect.element(w.id("find-text")).toHaveValue("渡船");
    await count("1/2");
    w.content().focus();
    await w.press("{ArrowRight}");
    await openFind("");
    expect((w.id("find-text").element() as HTMLInputElement).selectionEnd).toBe(2);
    await w.press("没有的东西");
    await count("没有找到");
    await expect.element(w.id("find-next")).toBeDisabled();
    expect(lit()).toEqual([]);
  });

  test("what is written meanwhile is counted", async () => {
    w = await openWindow();
    await w.toEnd();
    await openFind("渡船");
    await expect.poll(() => lit().length).toBe(2);
    w.content().focus();
    await w.press("渡船");
    await expect.poll(() => w.id("find-count").element().textContent).toMatch(/\/3$/);
    await expect.poll(lit).toHaveLength(3);
  });

  test("the next chapter is looked through for the same", async () => {
    w = await openWindow();
    await openFind("渡船");
    await w.openChapter(2);
    await count("0/1");
    await expect.poll(lit).toEqual(["渡船"]);
    await w.id("find-next").click();
    await count("1/1");
  });

  test("an input method composes in the field in peace, and is not looked for until it is done", async () => {
    w = await openWindow();
    await w.toEnd();
    await openFind("");
    await ime.compose("du");
    await ime.allKeys();
    await expect.poll(at).toBe(w.id("find-text").element());
    await expect.element(w.id("find-count")).toHaveTextContent("");
    await ime.commit("渡船");
    lateKeys(w.id("find-text").element());
    await expect.poll(() => w.id("find-bar").elements()).toHaveLength(1);
    await expect.poll(() => w.program.editor.finder.state.getState()).toMatchObject({ query: "渡船", total: 2 });
  });

  test("notices about the chapter cover no part of it", async () => {
    w = await openWindow();
    await openFind("渡船");
    await lengthen(0);
    await expect.element(w.id("outside-change")).toBeVisible();
    const [bar, said] = ["find-bar", "outside-change"].map((id) => w.id(id).element().getBoundingClientRect());
    expect(said!.top).toBeGreaterThanOrEqual(bar!.bottom);
  });

  test("while a dialog waits for an answer the key does nothing", async () => {
    w = await openWindow();
    w.backend.folder = "/books/copy";
    await w.id("open-folder").click();
    await expect.element(w.id("copied-new-book")).toBeVisible();
    await w.press("{Control>}f{/Control}{F9}");
    await w.backend.idle();
    expect(w.id("find-bar").elements()).toEqual([]);
    expect(w.id("find-panel").elements()).toEqual([]);
  });
});

describe("in the book", () => {
  test("a key opens it, every chapter says what it has, and Enter leads there", async () => {
    w = await openWindow();
    await openWhole("老周");
    await expect.element(w.id("book-find-state")).toHaveTextContent("4 处，在 2 章里");
    await expect.poll(chapters).toEqual(["2铁皮柜1 处", "3旧水尺3 处"]);
    expect(places().map((one) => one.textContent)).toContain("“你随便抽一本。”老周说。");
    await w.press("{ArrowDown}{ArrowDown}{ArrowDown}");
    await expect.poll(at).toBe(places()[2]);
    await w.press("{ArrowUp}");
    await expect.poll(at).toBe(places()[1]);
    await w.press("{ArrowDown}{Enter}");
    await expect.poll(() => w.program.editor.state.getState().chapter?.title).toBe("旧水尺");
    await expect.poll(() => at()).toBe(w.content());
    await expect.poll(() => w.program.editor.passage().selection).toBe("老周");
    expect(before().endsWith("“这上头的数，他改过。”")).toBe(true);
    await count("2/3");
    await expect.poll(places).toHaveLength(4);
  });

  test("by the icon, by a click, and what is far down its chapter comes into sight", async () => {
    w = await openWindow();
    await lengthen(3);
    await w.id("nav-find").click();
    await w.press("灯塔");
    await expect.element(w.id("book-find-state")).toHaveTextContent("4 处，在 1 章里");
    await w.id("found-place").nth(3).click();
    await expect.poll(() => here() !== null && inSight(here()!)).toBe(true);
    expect(before().endsWith("第 175 行，")).toBe(true);
    await w.press("{Escape}");
    await expect.poll(() => at()).toBe(w.content());
    await w.press("{F9}");
    await expect.poll(() => at()).toBe(w.id("book-find").element());
    await w.press("{Escape}{Escape}");
    await expect.poll(() => at()).toBe(w.content());
    expect(w.id("find-panel").elements()).toEqual([]);
  });

  test("what was looked for in the chapter is looked for in all of them", async () => {
    w = await openWindow();
    await openFind("渡船");
    await w.id("find-whole").click();
    await expect.element(w.id("book-find")).toHaveValue("渡船");
    await expect.element(w.id("book-find-state")).toHaveTextContent("3 处，在 2 章里");
  });

  test("what was just written is found, too", async () => {
    w = await openWindow();
    // Waits for the save, however long it takes.
    w.backend.waits.delay("chapter:write", 400);
    await w.toEnd();
    await w.press("雨停了。");
    await openWhole("雨停了");
    await expect.element(w.id("book-find-state")).toHaveTextContent("1 处，在 1 章里");
  });

  test("the newest is answered, and nothing of what was asked before", async () => {
    w = await openWindow();
    const answerOlder = w.backend.waits.hold("chapter:read");
    await openWhole("老周{Enter}");
    await expect.element(w.id("book-find-state")).toHaveTextContent("正在查找：0/4 章");
    // The older search is answered after the newer one.
    w.backend.waits.hold("chapter:read")();
    await w.press("{Control>}a{/Control}南风{Enter}");
    await expect.element(w.id("book-find-state")).toHaveTextContent("2 处，在 1 章里");
    answerOlder();
    await w.backend.idle();
    await expect.element(w.id("book-find-state")).toHaveTextContent("2 处，在 1 章里");
    expect(places().every((one) => one.querySelector("mark")!.textContent === "南风")).toBe(true);
  });

  test("its progress is shown, and it can be cancelled", async () => {
    w = await openWindow();
    const release = w.backend.waits.hold("chapter:read", 1);
    await openWhole("老周{Enter}");
    await expect.element(w.id("book-find-state")).toHaveTextContent("正在查找：1/4 章");
    await w.id("book-find-stop").click();
    await expect.element(w.id("book-find-state")).toHaveTextContent(/^已停止，查找了 [12]\/4 章/);
    const asked = w.backend.callsOf("chapter:read").length;
    release();
    await w.backend.idle();
    await expect.poll(() => w.backend.callsOf("chapter:read").length - asked).toBeLessThanOrEqual(1);
    await expect.element(w.id("book-find-state")).toHaveTextContent(/^已停止/);
  });

  test("no result, an unreadable chapter and a failed search have different messages", async () => {
    w = await openWindow();
    await openWhole("没有的东西");
    await expect.element(w.id("find-panel")).toHaveTextContent("全书里没有“没有的东西”。");
    w.backend.fail("chapter:read", { code: "BOOK_UNREADABLE", message: "no" } as never);
    await w.press("{Control>}a{/Control}老周{Enter}");
    await expect.element(w.id("find-panel")).toHaveTextContent("有 1 章读不出来");
    await expect.element(w.id("find-panel")).toHaveTextContent("没有查找：渡船");
    await expect.element(w.id("book-find-state")).toHaveTextContent("4 处，在 2 章里");
    w.backend.fail("chapter:list", { code: "BOOK_UNREADABLE", message: "no" } as never);
    await w.press("{Enter}");
    await expect.element(w.id("find-panel")).toHaveTextContent("查找失败");
    expect(places()).toEqual([]);
  });

  test("many places in one chapter are shown a few at a time, and none is left uncounted", async () => {
    w = await openWindow();
    const { info } = w.file(3);
    w.backend.changeOutside(info.chapterId, `# 南风天\n\n${"墙出汗。\n\n".repeat(130)}`, false);
    await openWhole("出汗");
    await expect.element(w.id("book-find-state")).toHaveTextContent("130 处，在 1 章里");
    await expect.poll(places).toHaveLength(20);
    await w.id("found-rest").click();
    await expect.poll(places).toHaveLength(100);
    await expect.element(w.id("find-panel")).toHaveTextContent("还有 30 处没有列出");
  });

  test("another book has nothing of this one", async () => {
    w = await openWindow();
    await openWhole("老周");
    await expect.poll(() => places().length).toBe(4);
    await w.program.openPath("/books/灯塔");
    await expect.poll(() => places().length).toBe(0);
    await expect.element(w.id("book-find")).toHaveValue("");
  });
});

describe("in the past of the book", () => {
  const past = () => w.id("found-past").elements();
  const groups = () => past().map((one) => one.getAttribute("data-group"));
  const opens = () => w.id("found-past-open").elements();
  const asked = () => w.backend.callsOf("memory:episode:query");

  test("below the chapters, what is found comes first, and under a line what may be related; each says what matches", async () => {
    w = await openWindow({ past: true });
    await openWhole("刻度");
    await expect.poll(groups).toEqual(["found", "perhaps", "perhaps", "perhaps", "perhaps", "perhaps"]);
    await expect.element(w.id("book-find-state")).toHaveTextContent("2 处，在 1 章里");
    await expect.element(w.id("found-past-passages")).toHaveTextContent("往事1 段");
    await expect.element(w.id("found-past").first()).toHaveTextContent("旧水尺对得上的：用词");
    expect([...past()[0]!.querySelectorAll("mark")].map(({ textContent }) => textContent)).toEqual(["刻度"]);
    await expect.element(w.id("found-past-perhaps")).toHaveTextContent("也许相关");
    const [chapter, section] = [w.id("found-chapter").element(), w.id("found-past-passages").element()];
    expect(chapter.compareDocumentPosition(section)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    await expect.poll(asked).toEqual([
      {
        projectId: w.projectId(),
        purpose: "search",
        queryText: "刻度",
        limit: 8,
        fields: ["chapterId", "createdAt", "candidates", "finalText", "explicit", "compressed", "summary"],
      },
    ]);
  });

  test("with nothing close it says so, also where no chapter has the words", async () => {
    w = await openWindow({ past: true });
    await openWhole("人忘了水");
    await expect.element(w.id("found-past-perhaps")).toHaveTextContent("没有很接近的。最接近的是：");
    await expect.element(w.id("find-panel")).toHaveTextContent("全书里没有“人忘了水”。");
    await expect.element(w.id("found-past").first()).toHaveTextContent("是人忘了");
    // The text in the book, or a rejected draft, which is struck out.
    expect(past().filter((one) => one.querySelector("del"))).toHaveLength(1);
  });

  test("arrow keys go on from the chapters, and Enter opens the card in the memory, among the same results", async () => {
    w = await openWindow({ past: true });
    await openWhole("刻度");
    await expect.poll(() => opens().length).toBe(6);
    await expect.poll(() => places().length).toBe(2);
    await w.press("{ArrowDown}{ArrowDown}");
    await expect.poll(at).toBe(places()[1]);
    await w.press("{ArrowDown}");
    await expect.poll(at).toBe(opens()[0]);
    await w.press("{ArrowDown}{ArrowDown}");
    await expect.poll(at).toBe(opens()[2]);
    await w.press("{ArrowUp}{ArrowUp}{ArrowUp}");
    await expect.poll(at).toBe(places()[1]);
    await w.press("{ArrowDown}{ArrowDown}{ArrowDown}{Enter}");
    await expect.element(w.id("past-search")).toHaveValue("刻度");
    const card = () =>
      w
        .id("past-card")
        .elements()
        .find((one) => one.getAttribute("data-episode-id") === "past-3")!;
    await expect.poll(() => at()?.getAttribute("data-episode-id")).toBe("past-3");
    expect(card().textContent).toContain("四十四本簿子");
    const panel = w.id("memory-panel").element().getBoundingClientRect();
    expect(card().getBoundingClientRect().bottom).toBeLessThanOrEqual(panel.bottom);
    // Another search is no longer about that card.
    await w.id("past-search").fill("水记得");
    await expect.poll(() => document.querySelector("[data-target]")).toBeNull();
    // The panel opened by its icon begins with the newest.
    await w.press("{F9}");
    await expect.element(w.id("book-find")).toHaveValue("刻度");
    await w.id("nav-memory").click();
    await expect.element(w.id("past-search")).toHaveValue("");
  });

  test("its chapter can be opened too, and the results stay", async () => {
    w = await openWindow({ past: true });
    await openWhole("簿子");
    await expect.poll(() => opens().length).toBe(6);
    await w.id("found-past-chapter").first().click();
    await expect.poll(() => w.program.editor.state.getState().chapter?.title).toBe("铁皮柜");
    await expect.poll(past).toHaveLength(6);
  });

  test("if it cannot be read, one line says so, and the chapters are searched; back again, it is searched by itself", async () => {
    w = await openWindow({ past: true });
    w.backend.degrade("episodes");
    await openWhole("刻度");
    await expect.element(w.id("found-past-unavailable")).toHaveTextContent("往事现在查不了，章节照常查找。");
    await expect.element(w.id("book-find-state")).toHaveTextContent("2 处，在 1 章里");
    expect(past()).toEqual([]);
    w.backend.degrade();
    await expect.poll(() => past().length).toBe(6);
    expect(w.id("found-past-unavailable").elements()).toEqual([]);
  });

  test("its failure leaves the chapters alone, and it can be searched again", async () => {
    w = await openWindow({ past: true });
    w.backend.fail("memory:episode:query", { code: "MEMORY_STORE_UNAVAILABLE", message: "locked" });
    await openWhole("刻度");
    await expect.element(w.id("found-past-failed")).toHaveTextContent("往事没有查成，章节照常查找。");
    await expect.element(w.id("book-find-state")).toHaveTextContent("2 处，在 1 章里");
    await w.id("found-past-again").click();
    await expect.poll(() => past().length).toBe(6);
  });

  test("a failure of the chapters, or slow ones, leave it alone", async () => {
    w = await openWindow({ past: true });
    w.backend.fail("chapter:list", { code: "BOOK_UNREADABLE", message: "no" } as never);
    await openWhole("刻度");
    await expect.element(w.id("find-panel")).toHaveTextContent("查找失败");
    await expect.poll(() => past().length).toBe(6);
    const release = w.backend.waits.hold("chapter:read");
    await w.press("{Control>}a{/Control}簿子{Enter}");
    await expect.element(w.id("found-past").first()).toHaveTextContent("四十四本簿子");
    await expect.element(w.id("book-find-state")).toHaveTextContent("正在查找：0/4 章");
    release();
    await expect.poll(() => places().length).toBeGreaterThan(0);
  });

  test("a slow past leaves the chapters alone", async () => {
    w = await openWindow({ past: true });
    const release = w.backend.waits.hold("memory:episode:query");
    await openWhole("刻度");
    await expect.element(w.id("book-find-state")).toHaveTextContent("2 处，在 1 章里");
    expect(w.id("found-past-passages").elements()).toEqual([]);
    release();
    await expect.poll(() => past().length).toBe(6);
  });

  test("is not searched for half of what an input method composes", async () => {
    w = await openWindow({ past: true });
    const pass = fakeClock();
    await w.press("{F9}");
    await expect.poll(() => at()).toBe(w.id("book-find").element());
    await ime.compose("ke");
    for (const key of ["Enter", "ArrowDown", "ArrowUp", "Tab", " "]) await ime.key(key);
    await pass(400);
    await w.backend.idle();
    await expect.poll(at).toBe(w.id("book-find").element());
    expect(asked()).toEqual([]);
    await ime.commit("刻度");
    lateKeys(w.id("book-find").element());
    await expect.poll(() => past().length).toBe(6);
    expect(asked().map(({ queryText }) => queryText)).toEqual(["刻度"]);
  });

  test("a book without past passages has no such section, and nor has an empty field", async () => {
    w = await openWindow();
    await openWhole("刻度");
    await expect.element(w.id("book-find-state")).toHaveTextContent("2 处，在 1 章里");
    expect(w.id("found-past-passages").elements()).toEqual([]);
    await w.press("{Escape}");
    await w.backend.idle();
    expect(asked().map(({ queryText }) => queryText)).toEqual(["刻度"]);
  });

  test("another book has nothing of this one", async () => {
    w = await openWindow({ past: true });
    await openWhole("刻度");
    await expect.poll(() => past().length).toBe(6);
    await w.program.openPath("/books/灯塔");
    await expect.poll(() => past().length).toBe(0);
    const release = w.backend.waits.hold("memory:episode:query");
    await w.id("book-find").fill("刻度");
    await expect.element(w.id("book-find-state")).toHaveTextContent("没有找到");
    expect(past()).toEqual([]);
    release();
    await w.backend.idle();
    expect(past()).toEqual([]);
  });
});

test.each([
  ["zh", "light"],
  ["zh", "dark"],
  ["en", "light"],
  ["en", "dark"],
] as const)("axe finds nothing: %s, %s", async (language, theme) => {
  w = await openWindow({
    past: true,
    language,
    settings: { interfaceLanguage: language === "en" ? "en" : "zh-CN", theme },
  });
  const word = { zh: "老周", en: "Zhou" }[w.program.window.getState().project!.language];
  await w.openChapter(2);
  await openFind(word);
  await expect.poll(() => here()).not.toBeNull();
  expect(await faults()).toEqual([]);
  await w.press("{F9}");
  await expect.poll(() => places().length).toBeGreaterThan(0);
  await expect.element(w.id("found-past-perhaps")).toBeVisible();
  expect(await faults()).toEqual([]);
});

describe("by meaning in the book", () => {
  const passages = () => w.id("alike-passage").elements();

  /** Passages of the second chapter, as the engine answers them. */
  async function openWith(groups: FoundPassage["group"][]) {
    w = await openWindow();
    const { info, text } = w.file(1);
    const paragraphs = text.split("\n\n").slice(1, groups.length + 1);
    w.backend.story.found = paragraphs.map((words, index) => ({
      passage: {
        passageId: `passage-${index}`,
        chapterId: info.chapterId,
        from: text.indexOf(words),
        to: text.indexOf(words) + words.length,
        text: words,
      },
      group: groups[index]!,
      score: 0.9 - index / 10,
      matchedBy: ["meaning"],
    }));
    return paragraphs;
  }

  test("passages without the words are listed below the chapters, and open with the passage selected", async () => {
    const [first] = await openWith(["found", "perhaps"]);
    await openWhole("mislaid papers");
    await expect.poll(() => passages().length).toBe(1);
    await expect.element(w.id("alike-passages")).toHaveTextContent("意思相近的段落");
    await expect.element(w.id("alike-passage")).toHaveTextContent(`${w.file(1).info.title}对得上的：意思`);
    expect(await faults()).toEqual([]);
    // The arrow keys reach it like every other result.
    await w.press("{ArrowDown}{Enter}");
    await expect.poll(() => w.program.editor.state.getState().chapter?.title).toBe(w.file(1).info.title);
    const selected = () => {
      const { state } = w.program.editor.surface.view!;
      return state.sliceDoc(state.selection.main.from, state.selection.main.to);
    };
    await expect.poll(selected).toBe(first);
  });

  test("a passage that has the words is listed by its chapter only", async () => {
    const [first] = await openWith(["found"]);
    await openWhole(first!.slice(0, 4));
    await expect.poll(() => places().length).toBeGreaterThan(0);
    await expect.poll(() => w.backend.callsOf("story:find").length).toBeGreaterThan(0);
    expect(passages()).toEqual([]);
  });

  test("with nothing close and no words the nearest are shown as such", async () => {
    await openWith(["perhaps", "perhaps"]);
    await openWhole("mislaid papers");
    await expect.element(w.id("alike-nearest")).toHaveTextContent("没有很接近的。最接近的是：");
    expect(passages().length).toBe(2);
  });

  test("its failure leaves the chapters alone, and it can be searched again", async () => {
    await openWith(["found"]);
    w.backend.fail("story:find", { code: "MEMORY_STORE_UNAVAILABLE", message: "down" });
    await openWhole("老周");
    await expect.element(w.id("alike-failed")).toHaveTextContent("意思没有查成，字词照常查找。");
    await w.id("alike-again").click();
    await expect.poll(() => passages().length).toBe(1);
  });
});
