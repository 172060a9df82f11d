import { afterEach, describe, expect, test } from "vitest";
import { hashOf } from "../../src/backend/fake/projects";
import { composition, fakeClock, openWindow, type Window } from "./openWindow";

let w: Window;
afterEach(() => w.close());

describe("the first start", () => {
  test("without a book the sample opens, in the language of the system", async () => {
    w = await openWindow();
    await expect.poll(() => w.backend.callsOf("project:sample")).toEqual([{ language: "zh" }]);
    await expect.element(w.id("chapter-item").first()).toHaveAttribute("aria-current", "page");
    await expect.poll(() => w.text).toContain("头班渡船六点开");
    await expect.poll(() => w.backend.callsOf("settings:set")).toContainEqual({ lastProjectId: w.projectId() });
  });
});

/** Wrapped as a plain editor does it, with the line ends as the engine reports them. */
const WRAPPED =
  "# The Ferry\n\nHe had read all of what stood in the book\nand knew that the ferry would be late.\n\n潮水退下去，留下一道白线，\n他等着。\n";
const breakAt = (before: string, isSpaced: boolean) => {
  const from = WRAPPED.indexOf(before) + before.length;
  return { from, to: from + 1, isSpaced };
};
const SOFT_BREAKS = [breakAt("in the book", true), breakAt("一道白线，", false)];

describe("a chapter whose lines are wrapped", () => {
  const wrapped = (backend: Window["backend"]) =>
    Object.assign(backend.books[0]!.files[0]!, { text: WRAPPED, hash: hashOf(WRAPPED), softBreaks: SOFT_BREAKS });
  const lines = () => [...document.querySelectorAll(".cm-line")].map((line) => line.textContent);

  test("shows each paragraph as one, and the file stays as it is", async () => {
    w = await openWindow({ before: wrapped });
    await expect
      .poll(lines)
      .toEqual([
        "The Ferry",
        "",
        "He had read all of what stood in the book and knew that the ferry would be late.",
        "",
        "潮水退下去，留下一道白线，他等着。",
        "",
      ]);
    await w.toEnd();
    await w.press("雨停了。");
    await w.saved();
    await expect.poll(() => w.file(0).text).toBe(WRAPPED.replace("他等着。\n", "他等着。雨停了。\n"));
  });

  test("is searched as it is shown: words that a line end separates are found, lit and selected", async () => {
    w = await openWindow({ before: wrapped });
    await expect.poll(() => lines().length).toBe(6);
    const selected = () => {
      const { state } = w.program.editor.surface.view!;
      return state.sliceDoc(state.selection.main.from, state.selection.main.to);
    };
    w.content().focus();
    await w.press("{Control>}f{/Control}");
    await w.press("the book and");
    await expect.element(w.id("find-count")).toHaveTextContent("1");
    await w.press("{Enter}");
    await expect
      .poll(() => [...document.querySelectorAll(".cm-found")].map((one) => one.textContent).join(""))
      .toMatch(/the book ?and/);
    await w.press("{Escape}");
    await w.press("{F9}");
    await w.press("白线，他等着");
    await expect.element(w.id("found-place")).toHaveTextContent("潮水退下去，留下一道白线，他等着。");
    await w.id("found-place").click();
    await expect.poll(selected).toBe("白线，\n他等着");
    // The selection is searched for as it is shown.
    await w.press("{Control>}f{/Control}");
    await expect.element(w.id("find-text")).toHaveValue("白线，他等着");
  });

  test("begins a new paragraph with a blank line, and the caret steps over a line end like over one character", async () => {
    w = await openWindow({ before: wrapped });
    await expect.poll(() => lines().length).toBe(6);
    const view = w.program.editor.surface.view!;
    const end = WRAPPED.indexOf("in the book") + "in the book".length;
    view.focus();
    view.dispatch({ selection: { anchor: end } });
    await w.press("{ArrowRight}");
    expect(view.state.selection.main.head).toBe(end + 1);
    await w.press("{ArrowLeft}");
    expect(view.state.selection.main.head).toBe(end);
    await w.press("{Enter}");
    await w.saved();
    await expect.poll(() => w.file(0).text).toContain("in the book\n\n\nand knew");
  });
});

describe("a chapter", () => {
  test("typing is saved after a moment of quiet, with the hash it was read under", async () => {
    w = await openWindow();
    const before = w.file(0).hash;
    fakeClock();
    await w.toEnd();
    await w.press("雨停了。");
    await expect.poll(() => w.state()).toBe("dirty");
    expect(w.backend.callsOf("chapter:write")).toEqual([]);
    await w.saved();
    const [write, ...more] = w.backend.callsOf("chapter:write");
    expect(more).toEqual([]);
    expect(write?.baseHash).toBe(before);
    await expect.poll(() => w.file(0).text).toContain("雨停了。");
    await expect.poll(() => w.file(0).text.startsWith("# 渡船\n\n")).toBe(true);
  });

  test("opens where the writer goes on: what is typed before anything was clicked stands at its end, and it keeps its title", async () => {
    w = await openWindow();
    w.focus();
    await w.press("雨停了。");
    await w.saved();
    await expect.poll(() => w.file(0).text.startsWith("# 渡船\n\n")).toBe(true);
    await expect.poll(() => w.file(0).text.trimEnd().endsWith("雨停了。")).toBe(true);
    await w.openChapter(2);
    w.focus();
    await w.press("天亮了。");
    await w.saved();
    await expect.poll(() => w.file(2).text.startsWith("# 旧水尺\n\n")).toBe(true);
    await expect.poll(() => w.file(2).text.trimEnd().endsWith("天亮了。")).toBe(true);
  });

  test("going to another chapter saves the first", async () => {
    w = await openWindow();
    await w.toEnd();
    await w.press("雨停了。");
    await w.openChapter(1);
    await expect.poll(() => w.file(0).text).toContain("雨停了。");
    await expect.poll(() => w.text).toContain("柜子缺一条腿");
  });

  test("closing the window saves", async () => {
    w = await openWindow();
    await w.toEnd();
    await w.press("最后一句。");
    expect(await w.backend.close()).toBe(true);
    await expect.poll(() => w.file(0).text).toContain("最后一句。");
  });

  test("what cannot be saved holds the window once, and says so", async () => {
    w = await openWindow();
    w.backend.fail("chapter:write", { code: "MEMORY_WRITE_FAILED", message: "disk" }, 99);
    await w.toEnd();
    await w.press("最后一句。");
    expect(await w.backend.close()).toBe(false);
    await expect.element(w.id("problem")).toHaveTextContent("还有文字没保存，窗口没有关闭。");
    expect(await w.backend.close()).toBe(true);
  });

  test("the marks of origin go with each save, parted where the writer wrote into them", async () => {
    w = await openWindow();
    await w.openChapter(2);
    const before = w.file(2).origins.filter(({ generationId }) => generationId === "gen-b");
    expect(before).toHaveLength(1);
    w.program.editor.focus();
    const view = w.program.editor.surface.view!;
    const inside = before[0]!.from + 4;
    view.dispatch({ changes: { from: inside, insert: "（我的）" }, userEvent: "input.type" });
    await w.saved();
    const after = w.file(2).origins.filter(({ generationId }) => generationId === "gen-b");
    expect(after.map(({ from, to }) => w.file(2).text.slice(from, to))).toEqual([
      "新漆底下",
      "，浅浅地透着一行旧刻度，比现在的高出两指。有几处被刀刮过，没刮净，墨渗在木头里，反倒更清楚。",
    ]);
  });

  test("a failed save is reported, retried, and loses nothing", async () => {
    w = await openWindow();
    w.backend.fail("chapter:write", { code: "MEMORY_WRITE_FAILED", message: "disk" });
    await w.toEnd();
    await w.press("雨停了。");
    await expect.element(w.id("save-state")).toHaveTextContent("还没有保存");
    await expect.poll(() => document.body.textContent).toContain("没能写进磁盘");
    await w.press("{Control>}s{/Control}");
    await w.saved();
    await expect.poll(() => w.file(0).text).toContain("雨停了。");
  });

  test("Enter makes a paragraph, Backspace takes it back", async () => {
    w = await openWindow();
    await w.toEnd();
    await w.press("一。{Enter}二。");
    await expect.poll(() => w.program.editor.passage().before.endsWith("一。\n\n二。")).toBe(true);
    await w.press("{Home}{Backspace}");
    await w.saved();
    await expect.poll(() => w.file(0).text).toContain("一。二。");
  });

  test("its title is the first line, and editing it renames the chapter in the list", async () => {
    w = await openWindow();
    w.content().focus();
    await w.press("{Control>}{Home}{/Control}{End}口");
    await w.saved();
    await expect.poll(() => w.file(0).text.startsWith("# 渡船口\n")).toBe(true);
    await expect.element(w.id("chapter-item").first()).toHaveTextContent("渡船口");
  });

  test("renaming the open chapter in the list does not quarrel with the page", async () => {
    w = await openWindow();
    await w.toEnd();
    await w.press("还没存。");
    await w.id("chapter-rename").first().click();
    await w.press("{Control>}a{/Control}头班船{Enter}");
    await expect.element(w.id("chapter-item").first()).toHaveTextContent("头班船");
    await w.toEnd();
    await w.press("后来。");
    await w.saved();
    await expect.poll(() => w.file(0).text).toMatch(/^# 头班船\n[\s\S]*还没存。[\s\S]*后来。/);
    await expect.poll(() => w.state()).toBe("saved");
  });
});

describe("a chapter that was opened while the past could not be read", () => {
  const marks = () =>
    w
      .id("origin-mark")
      .elements()
      .map((mark) => (mark as HTMLElement).dataset["generation"]);
  const passages = () =>
    w.file(2).origins.map(({ generationId, from, to }) => [generationId, w.file(2).text.slice(from, to)]);

  test("gets its marks as soon as it can, where the words are by then; none is lost by saving", async () => {
    w = await openWindow({ past: true, ill: ["episodes"] });
    const before = passages();
    expect(before.length).toBeGreaterThan(1);
    await w.openChapter(2);
    expect(marks()).toEqual([]);
    w.content().focus();
    // Above all marks, so that they move.
    await w.press("{Control>}{Home}{/Control}{ArrowDown}新来的一句。");
    w.backend.degrade();
    await expect.poll(() => marks().length).toBe(new Set(before.map(([generation]) => generation)).size);
    await w.saved();
    await w.press("还有一句。");
    await w.saved();
    await expect.poll(() => w.file(2).text).toContain("新来的一句。还有一句。");
    await expect.poll(passages).toEqual(before);
  });

  test("keeps those that were made meanwhile beside them", async () => {
    w = await openWindow({ past: true, ill: ["episodes"] });
    const before = passages();
    await w.openChapter(2);
    await w.toEnd();
    await w.id("run").click();
    await expect.poll(() => w.id("candidate").elements().length).toBe(3);
    w.backend.advance();
    await w.id("take").first().click();
    await w.saved();
    await expect.poll(marks).toHaveLength(1);
    const [mine] = marks();
    w.backend.degrade();
    await expect.poll(() => marks().length).toBeGreaterThan(2);
    await w.saved();
    expect(passages().filter(([generation]) => generation !== mine)).toEqual(before);
    expect(passages().some(([generation]) => generation === mine)).toBe(true);
  });
});

describe("somebody else changes the file", () => {
  test("with nothing unsaved the new text is shown, with a notice", async () => {
    w = await openWindow();
    w.backend.changeOutside(w.file(0).info.chapterId, "# 渡船\n\n外面写的。\n");
    await expect.element(w.id("outside-change")).toBeVisible();
    await expect.poll(() => w.text).toContain("外面写的。");
    await expect.poll(() => w.state()).toBe("saved");
  });

  test("with words unsaved, both wait for the writer; mine stays", async () => {
    w = await openWindow();
    const pass = fakeClock();
    await w.toEnd();
    await w.press("我的。");
    w.backend.changeOutside(w.file(0).info.chapterId, "# 渡船\n\n外面写的。\n");
    await expect.element(w.id("outside-keep-mine")).toBeVisible();
    await expect.poll(() => w.state()).toBe("conflict");
    await pass(1_100);
    await expect.poll(() => w.file(0).text).toBe("# 渡船\n\n外面写的。\n");
    await w.id("outside-keep-mine").click();
    await w.saved();
    await expect.poll(() => w.file(0).text).toContain("我的。");
  });

  test("or theirs is taken, and undo brings mine back", async () => {
    w = await openWindow();
    fakeClock();
    await w.toEnd();
    await w.press("我的。");
    w.backend.changeOutside(w.file(0).info.chapterId, "# 渡船\n\n外面写的。\n", false);
    await expect.poll(() => w.state()).toBe("conflict");
    await w.id("outside-take-theirs").click();
    await expect.poll(() => w.text).toContain("外面写的。");
    expect(w.text).not.toContain("我的。");
    await expect.poll(() => w.state()).toBe("saved");
    w.content().focus();
    await w.press("{Control>}z{/Control}");
    await expect.poll(() => w.text).toContain("我的。");
  });

  test("a shorter text from outside, after marks were undone and redone, comes in and can be undone", async () => {
    w = await openWindow();
    await w.openChapter(2);
    await w.toEnd();
    await w.press("我的。{Control>}{Backspace}{/Control}");
    const view = w.program.editor.surface.view!;
    const [mark] = w.file(2).origins;
    view.dispatch({ changes: { from: mark!.from, to: mark!.to }, userEvent: "delete" });
    await w.saved();
    w.backend.changeOutside(w.file(2).info.chapterId, "# 旧水尺\n\n短。\n");
    await expect.poll(() => w.text).toContain("短。");
    await expect.poll(() => w.state()).toBe("saved");
    w.backend.changeOutside(w.file(2).info.chapterId, "短\n");
    await expect.poll(() => w.text).toBe("短");
    w.content().focus();
    await w.press("{Control>}z{/Control}{Control>}z{/Control}{Control>}z{/Control}");
    await w.saved();
    await expect.poll(() => w.file(2).text.length).toBeGreaterThan(200);
    await expect.poll(() => w.id("origin-mark").elements()).toHaveLength(2);
  });

  test("an event about our own save is no outside change", async () => {
    w = await openWindow();
    await w.toEnd();
    await w.press("我的。");
    await w.saved();
    const { info, hash } = w.file(0);
    w.backend.emit("chapter:changed", { projectId: w.projectId(), chapterId: info.chapterId, contentHash: hash });
    await w.backend.idle();
    expect(w.id("outside-change").query()).toBeNull();
  });
});

describe("an input method", () => {
  test("nothing is saved while it composes, and all of it after", async () => {
    w = await openWindow();
    const pass = fakeClock();
    await w.toEnd();
    await w.press("先写的。");
    const ime = composition(w.content());
    ime.begin();
    ime.update("yu");
    await pass(1_200);
    expect(w.backend.callsOf("chapter:write")).toEqual([]);
    ime.end("雨");
    await w.saved();
    await expect.poll(() => w.backend.callsOf("chapter:write")).toHaveLength(1);
  });

  test("its keys are not ours: Enter, Escape and the shortcuts do nothing", async () => {
    w = await openWindow();
    await w.toEnd();
    const text = w.program.editor.passage().before;
    const ime = composition(w.content());
    ime.begin();
    ime.update("yu");
    for (const key of ["Enter", "Escape", "Backspace", "s"]) ime.key(key);
    ime.end("");
    ime.lateKey("Enter");
    await expect.poll(() => w.program.editor.passage().before).toBe(text);
    const wish = w.id("wish").element() as HTMLElement;
    wish.focus();
    const inWish = composition(wish);
    inWish.begin();
    inWish.key("Enter", 13);
    inWish.lateKey("Enter");
    inWish.end("短");
    expect(w.backend.callsOf("ai:skill:run")).toEqual([]);
  });
});
