import { afterEach, describe, expect, test } from "vitest";
import type { FakeBackend } from "../../src/backend/fake";
import type { FakeIssue } from "../../src/backend/fake/continuity";
import { faults } from "../../testing/axe";
import { composition } from "./openWindow";
import { at, chapterId, openedChapter, openStory, selected, texts, w } from "./storyPanel";

afterEach(() => w.close());

const WATER: FakeIssue = {
  kind: "attribute",
  foundBy: "model",
  entityName: "老周",
  values: ["看潮", "起来"],
  places: [
    { chapter: 0, quote: "老周在看潮。", differs: "看潮" },
    { chapter: 2, quote: "老周起来了。", differs: "起来" },
  ],
};
const KNOWS: FakeIssue = {
  kind: "knowsTooEarly",
  foundBy: "facts",
  entityName: "老纪",
  places: [
    { chapter: 1, quote: "是我女人看的。" },
    { chapter: 2, quote: "老纪在门口。", differs: "门口" },
  ],
};
const LATER: FakeIssue = {
  kind: "age",
  entityName: "阿满",
  places: [
    { chapter: 1, quote: "阿满写的是铅笔字。" },
    { chapter: 3, quote: "孟书记下了船。", differs: "下了船" },
  ],
};

/** Opens the page of doubts with the caret in the third chapter of four. */
async function openDoubts(issues: FakeIssue[], before?: (backend: FakeBackend) => void) {
  await openStory({
    before: (backend) => {
      const { projectId } = backend.books[0]!.project;
      for (const issue of issues) backend.continuity.add(projectId, issue);
      before?.(backend);
    },
  });
  await w.id("story-page-continuity").click();
}

const titles = () =>
  w
    .id("continuity-issue")
    .elements()
    .map((one) => one.querySelector("h3")?.textContent);
const open = (...expected: string[]) => expect.poll(titles).toEqual(expected);
const tab = () => w.id("story-page-continuity").element().textContent;
const passage = (index: number) => w.id("continuity-passage").elements()[index] as HTMLElement;
const WATER_TITLE = "老周：看潮，还是起来";
const KNOWS_TITLE = "老纪怎么已经知道";

describe("doubts", () => {
  test("are listed as far as the caret, each with its kind and how it was found, and counted in the tab", async () => {
    await openDoubts([WATER, KNOWS, LATER]);
    await open(WATER_TITLE, KNOWS_TITLE);
    expect(texts("continuity-found")).toEqual(["细节·模型比出来的", "谁先知道·对出来的"]);
    expect(tab()).toBe("疑点2");
    expect(await faults()).toEqual([]);

    w.program.story.session.showWhole();
    await open(WATER_TITLE, "阿满几岁", KNOWS_TITLE);
    expect(tab()).toBe("疑点3");
    w.program.story.session.pin(chapterId(1));
    await open();
    await expect.element(w.id("continuity-none")).toHaveTextContent("到第 2 章为止，没有对不上的地方。");
    expect(tab()).toBe("疑点");
  });

  test("mark the words that differ, and offer sides only where one may be right", async () => {
    await openDoubts([WATER, KNOWS]);
    await open(WATER_TITLE, KNOWS_TITLE);
    const marks = [...document.querySelectorAll("[data-testid=continuity-passage] mark")];
    expect(marks.map(({ textContent }) => textContent)).toEqual(["看潮", "起来", "门口"]);
    expect(w.id("continuity-first").elements()).toHaveLength(1);
    expect(w.id("continuity-intended").elements()).toHaveLength(2);
  });

  test("are walked and opened by the keyboard alone: the passage is lit, and the focus stays", async () => {
    await openDoubts([WATER, KNOWS]);
    await open(WATER_TITLE, KNOWS_TITLE);
    w.id("story-panel").element().focus();
    await w.press("{ArrowDown}");
    expect(at()).toBe(passage(0));
    await w.press("{Enter}");
    await expect.poll(openedChapter).toBe(chapterId(0));
    expect(selected()).toBe("老周在看潮。");
    await expect.element(w.id("continuity-passage").nth(0)).toHaveAttribute("aria-pressed", "true");
    expect(at()).toBe(passage(0));
    await open(WATER_TITLE, KNOWS_TITLE);

    await w.press("{ArrowRight}{Enter}");
    await expect.poll(openedChapter).toBe(chapterId(2));
    expect(selected()).toBe("老周起来了。");
    await expect.element(w.id("continuity-passage").nth(1)).toHaveAttribute("aria-pressed", "true");
    expect(passage(0).getAttribute("aria-pressed")).toBe("false");
    await w.press("{ArrowLeft}");
    expect(at()).toBe(passage(0));
    await w.press("{ArrowDown}");
    expect(at()).toBe(passage(2));
    await w.press("{ArrowUp}");
    expect(at()).toBe(passage(0));
    await w.press("{Escape}");
    await expect.poll(() => passage(1).getAttribute("aria-pressed")).toBe("false");
    expect(w.id("story-panel").elements()).toHaveLength(1);
  });

  test("do nothing while an input method composes", async () => {
    await openDoubts([WATER, KNOWS]);
    await open(WATER_TITLE, KNOWS_TITLE);
    passage(0).focus();
    const composed = composition(passage(0));
    composed.begin();
    for (const key of ["ArrowRight", "ArrowDown", "Escape"]) composed.key(key);
    composed.end("");
    composed.lateKey("ArrowRight");
    expect(at()).toBe(passage(0));
    expect(w.id("story-panel").elements()).toHaveLength(1);
  });

  test("are resolved in their place and opened again there, with the focus", async () => {
    await openDoubts([WATER, KNOWS]);
    await open(WATER_TITLE, KNOWS_TITLE);
    (w.id("continuity-second").element() as HTMLElement).focus();
    await w.press("{Enter}");
    await open(KNOWS_TITLE);
    await expect.element(w.id("continuity-settled")).toHaveTextContent("你说右边对");
    expect(w.id("story-body").element().querySelector("li")?.textContent).toContain(WATER_TITLE);
    expect(tab()).toBe("疑点1");
    expect(w.backend.callsOf("story:continuity:resolve").map(({ verdict }) => verdict)).toEqual(["second"]);
    await expect.poll(at).toBe(w.id("continuity-undo").element());

    await w.press("{Enter}");
    await open(WATER_TITLE, KNOWS_TITLE);
    await expect.poll(at).toBe(passage(0));
    expect(tab()).toBe("疑点2");
  });

  test("of knowing too early are noted as known all along, on the card of the character, and taken back whole", async () => {
    let entityId = "";
    await openDoubts([WATER], (backend) => {
      const { projectId } = backend.books[0]!.project;
      entityId = backend.entities.idOf(projectId, "小满");
      backend.continuity.add(projectId, { ...KNOWS, entityName: "小满", entityId });
    });
    const title = "小满怎么已经知道";
    await open(WATER_TITLE, title);
    expect(w.id("continuity-known").elements()).toHaveLength(1);
    await w.id("continuity-known").click();
    await open(WATER_TITLE);
    await expect.element(w.id("continuity-settled")).toHaveTextContent("早就知道，记在卡上了");
    const [written] = w.backend.callsOf("story:fact:save");
    expect(written).toMatchObject({ entityId, attribute: "知道", value: "老纪在门口。" });
    expect(written?.citation).toMatchObject({ chapterId: chapterId(1), quote: "是我女人看的。" });
    expect(w.backend.callsOf("story:continuity:resolve").map(({ verdict }) => verdict)).toEqual(["intended"]);
    expect(await faults()).toEqual([]);

    await w.id("continuity-undo").click();
    await open(WATER_TITLE, title);
    expect(w.backend.callsOf("story:undo")).toHaveLength(1);
  });

  test("leave no fact where the verdict on them was not stored", async () => {
    await openDoubts([], (backend) => {
      const { projectId } = backend.books[0]!.project;
      backend.continuity.add(projectId, { ...KNOWS, entityId: backend.entities.idOf(projectId, "小满") });
      backend.fail("story:continuity:resolve", { code: "MEMORY_NOT_FOUND", message: "no such issue" });
    });
    await w.id("continuity-known").click();
    await expect.element(w.id("continuity-problem")).toHaveTextContent("找不到了");
    expect(w.backend.callsOf("story:fact:save")).toHaveLength(1);
    expect(w.backend.callsOf("story:undo")).toHaveLength(1);
  });

  test("are listed fifty at a time once there are many", async () => {
    const many = Array.from({ length: 70 }, (_, number): FakeIssue => ({ ...WATER, values: [`${number}`, "起来"] }));
    await openDoubts(many);
    await expect.poll(() => titles().length).toBe(8);
    await w.id("continuity-rest").click();
    await expect.poll(() => titles().length).toBe(58);
    await expect.element(w.id("continuity-later-list-more")).toHaveTextContent("后面还有 12 条");
    await w.id("continuity-later-list-more").click();
    await expect.poll(() => titles().length).toBe(70);
    expect(w.id("continuity-later-list-more").elements()).toEqual([]);
  });

  test("are folded once they are settled, and can still be opened again", async () => {
    const resolved = { verdict: "intended" as const, resolvedAt: "2026-10-12T09:30:00.000Z" };
    await openDoubts([KNOWS, { ...WATER, resolved }]);
    await open(KNOWS_TITLE);
    await expect.element(w.id("continuity-settled-fold")).toHaveTextContent("了结了 1 处引的那句不改，就不再提");
    expect(w.id("continuity-settled").elements()).toEqual([]);
    await w.id("continuity-settled-fold").click();
    await expect.element(w.id("continuity-settled")).toHaveTextContent("你说是有意的");
    expect(await faults()).toEqual([]);
    await w.id("continuity-undo").click();
    await open(WATER_TITLE, KNOWS_TITLE);
    expect(w.id("continuity-settled-fold").elements()).toEqual([]);
  });

  test("take the writer to a slip, to the passage that was looked at last, with the focus on its words", async () => {
    await openDoubts([WATER]);
    await open(WATER_TITLE);
    await w.id("continuity-passage").nth(0).click();
    await expect.poll(openedChapter).toBe(chapterId(0));
    await w.id("continuity-mistake").click();
    await expect.element(w.id("continuity-settled")).toHaveTextContent("你说是笔误");
    await expect.poll(() => at().closest(".cm-content")).toBe(w.content());
    expect(selected()).toBe("老周在看潮。");
    // The caret is the writer's own now, and the panel follows it; the verdict and its undo stay.
    await expect.poll(() => w.program.story.session.state.getState().caret?.chapterId).toBe(chapterId(0));
    expect(w.program.story.session.state.getState().isAway).toBe(false);
    await expect.element(w.id("continuity-settled")).toHaveTextContent(WATER_TITLE);
  });

  test("take the writer to the later passage where none was looked at", async () => {
    await openDoubts([KNOWS]);
    await open(KNOWS_TITLE);
    await w.id("continuity-mistake").click();
    await expect.poll(selected).toBe("老纪在门口。");
    expect(openedChapter()).toBe(chapterId(2));
  });

  test("can wait, folded with their titles", async () => {
    await openDoubts([WATER, KNOWS]);
    await open(WATER_TITLE, KNOWS_TITLE);
    await w.id("continuity-later").nth(0).click();
    await open(KNOWS_TITLE);
    await expect.element(w.id("continuity-rest")).toHaveTextContent(`还有 1 处${WATER_TITLE}`);
    expect(tab()).toBe("疑点2");
    expect(w.backend.callsOf("story:continuity:resolve")).toEqual([]);
    await w.id("continuity-rest").click();
    await open(KNOWS_TITLE, WATER_TITLE);
  });

  test("that a save changed are listed again, and a verdict on one that is gone says why", async () => {
    await openDoubts([WATER, KNOWS]);
    await open(WATER_TITLE, KNOWS_TITLE);
    w.backend.fail("story:continuity:resolve", { code: "MEMORY_NOT_FOUND", message: "no such issue" });
    await w.id("continuity-intended").nth(0).click();
    await expect.element(w.id("continuity-problem")).toHaveTextContent("找不到了");
    expect(w.id("continuity-problem").element().closest("li")?.textContent).toContain(WATER_TITLE);
    expect(w.backend.callsOf("story:continuity:list").length).toBeGreaterThan(1);
    await open(WATER_TITLE, KNOWS_TITLE);
  });
});

describe("doubts that cannot all be listed", () => {
  test("say that some may be missing, and do not claim that the book agrees", async () => {
    await openDoubts([], (backend) => {
      backend.continuity.isIncomplete = true;
      backend.story.isTaggerMissing = true;
    });
    await expect.element(w.id("continuity-incomplete")).toHaveTextContent("中文的名字认不全");
    await expect.element(w.id("continuity-none")).toHaveTextContent("眼下没有列得出来的疑点");
  });

  test("are not listed without the file of past passages, which is said", async () => {
    await openDoubts([WATER], (backend) => backend.degrade("episodes"));
    await expect.element(w.id("story-past-down")).toHaveTextContent("疑点暂时列不了写作照常。");
    await expect.element(w.id("continuity-none")).toHaveTextContent("眼下没有列得出来的疑点");
    expect(tab()).toBe("疑点");
  });

  test("are listed again by a press once they failed", async () => {
    await openDoubts([WATER], (backend) =>
      backend.fail("story:continuity:list", { code: "MEMORY_CLEANUP_FAILED", message: "busy" }, 99),
    );
    await expect.element(w.id("story-failed")).toHaveTextContent("疑点暂时列不了");
    w.backend.heal("story:continuity:list");
    await w.id("story-retry").click();
    await open(WATER_TITLE);
  });

  test("are not listed while the memory is being cleared", async () => {
    const clearing = {
      code: "MEMORY_STORE_UNAVAILABLE" as const,
      message: "clearing",
      details: { reason: "clearing" as const },
    };
    await openDoubts([WATER], (backend) => backend.fail("story:continuity:list", clearing, 9));
    await expect.element(w.id("continuity-clearing")).toHaveTextContent("正在清除这本书的记忆");
    expect(titles()).toEqual([]);
  });

  test("are read and not judged while the writer's file can only be read", async () => {
    await openDoubts([WATER], (backend) => backend.degrade("rules"));
    await open(WATER_TITLE);
    await expect.element(w.id("story-rules-down")).toBeVisible();
    for (const id of ["continuity-intended", "continuity-mistake", "continuity-later"])
      expect(w.id(id).elements()).toEqual([]);
    await w.id("continuity-passage").nth(1).click();
    await expect.poll(selected).toBe("老周起来了。");
  });
});
