// The facts of the story on their cards: written down, cited from the text, replaced, questioned after an edit, and
// undone. Nothing of a later chapter shows.

import { afterEach, describe, expect, test } from "vitest";
import type { FakeBackend } from "../../src/backend/fake";
import { faults } from "../../testing/axe";
import { pointAt } from "../../testing/pointer";
import { fakeClock } from "./openWindow";
import { accept, at, chapterId, names, openStory, openedChapter, row, rows, selected, texts, w } from "./storyPanel";

afterEach(() => w.close());

/** Opens the card of a name. */
async function openCard(name: string): Promise<void> {
  await expect.poll(() => row(name)).toBeDefined();
  row(name).click();
  await expect.element(w.id("fact-card")).toBeVisible();
}

async function write(attribute: string, value: string): Promise<void> {
  await w.id("fact-attribute").fill(attribute);
  await w.id("fact-value").fill(value);
  await w.press("{Enter}");
}

/** Opens the only fact of the card. */
const openFact = () => w.id("fact-open").click();

/** The words of the facts, without the chapter from which one without a sentence is known. */
const facts = (...expected: string[]) =>
  expect
    .poll(() => texts("fact").map((text) => text.split("你写的")[0]!.replace(/第 \d+ 章起$/, "")))
    .toEqual(expected);

/** A fact about 阿满 that cites a sentence of the second chapter. */
const cited =
  (...more: ((backend: FakeBackend) => void)[]) =>
  (backend: FakeBackend) => {
    const { project, files } = backend.books[0]!;
    const quote = "阿满写的是铅笔字。";
    const [, { info, text }] = files as unknown as [unknown, (typeof files)[number]];
    backend.entities.commands["story:fact:save"]({
      projectId: project.projectId,
      entityId: backend.entities.idOf(project.projectId, "阿满"),
      attribute: "字迹",
      value: "用铅笔",
      citation: { chapterId: info.chapterId, from: text.indexOf(quote), quote },
    });
    for (const one of more) one(backend);
  };

describe("a fact", () => {
  test("is written in one line, shows in the row, and can be undone", async () => {
    await openStory({ before: accept("阿满") });
    await openCard("阿满");
    await w.id("fact-add").click();
    await expect.poll(() => at()).toBe(w.id("fact-attribute").element());
    await write("是谁", "纪伯的妻子");
    await facts("纪伯的妻子");
    await expect.element(w.id("story-first-fact")).toHaveTextContent("纪伯的妻子");
    await expect.poll(() => w.backend.callsOf("story:fact:save")).toMatchObject([{ at: { chapterId: chapterId(2) } }]);
    expect(await faults()).toEqual([]);
    await w.id("toast-action").click();
    await facts();
    await expect.poll(() => w.id("story-first-fact").elements()).toEqual([]);
  });

  test("of a name that is not decided takes the name in", async () => {
    await openStory();
    const proposal = w.id("story-proposal").first();
    await expect.element(proposal).toBeInTheDocument();
    proposal.element().dispatchEvent(new MouseEvent("click", { bubbles: true }));
    await expect.element(w.id("fact-card")).toBeVisible();
    await w.id("fact-add").click();
    await write("是谁", "纪伯的妻子");
    await rows("老周", "小满", "阿满");
  });

  test("is one line however it is pasted, and is seen whole while it is written", async () => {
    await openStory({ before: accept("阿满") });
    await openCard("阿满");
    await w.id("fact-add").click();
    await w.id("fact-attribute").fill("是谁");
    const field = w.id("fact-value");
    const height = field.element().clientHeight;
    await field.fill(`第一行\n${"很长的一句话。".repeat(20)}`);
    await expect.poll(() => field.element().clientHeight).toBeGreaterThan(2 * height);
    expect(field.element().scrollHeight).toBeLessThanOrEqual(field.element().clientHeight);
    await w.press("{Enter}");
    await expect.poll(() => texts("fact-open")[0]?.slice(0, 6)).toBe("第一行 很长");
    await expect.poll(() => w.backend.callsOf("story:fact:save")).toHaveLength(1);
  });

  test("is cancelled by Escape, and nothing is stored while a part is missing", async () => {
    await openStory({ before: accept("阿满") });
    await openCard("阿满");
    await w.id("fact-add").click();
    await w.id("fact-value").fill("只有一半");
    await w.press("{Enter}");
    expect(w.backend.callsOf("story:fact:save")).toEqual([]);
    await w.press("{Escape}");
    await expect.poll(() => w.id("fact-form").elements()).toEqual([]);
    await expect.element(w.id("story-panel")).toBeVisible();
  });

  test("opens its sentence in the text, and the focus stays on the card", async () => {
    await openStory({ before: cited() });
    await openCard("阿满");
    const quote = w.id("fact-quote").element() as HTMLElement;
    quote.focus();
    await w.press("{Enter}");
    await expect.poll(openedChapter).toBe(chapterId(1));
    await expect.poll(selected).toBe("阿满写的是铅笔字。");
    await expect.poll(at).toBe(quote);
  });

  test("is not on the card as of a chapter before its sentence", async () => {
    await openStory({
      before: cited((backend) => {
        backend.books[0]!.files[0]!.text += "阿满来了。\n";
      }),
    });
    await openCard("阿满");
    await facts("用铅笔");
    w.program.story.session.pin(chapterId(0));
    await facts();
  });

  test("is different from here on: the earlier one is folded under it", async () => {
    await openStory({ before: cited() });
    await openCard("阿满");
    await openFact();
    await w.id("fact-later").click();
    await w.id("fact-value").fill("用钢笔");
    await w.press("{Enter}");
    await expect.poll(() => texts("fact-earlier")).toEqual(["起先 用铅笔到第 3 章为止"]);
    expect(texts("fact")[0]).toContain("用钢笔");
    await expect
      .poll(() => w.backend.callsOf("story:fact:save").at(-1))
      .toMatchObject({ toldAt: { chapterId: chapterId(2) } });
  });

  test("is edited and forgotten, and each can be undone", async () => {
    await openStory({ before: cited() });
    await openCard("阿满");
    await openFact();
    await w.id("fact-edit").click();
    await w.id("fact-value").fill("用圆珠笔");
    await w.press("{Enter}");
    await facts("用圆珠笔");
    await w.id("toast-action").click();
    await facts("用铅笔");
    if (w.id("fact-remove").elements().length === 0) await openFact();
    await w.id("fact-remove").click();
    await facts();
    await w.id("toast-action").click();
    await facts("用铅笔");
  });

  test("shows its actions below it while it is open, and its words stay in sight", async () => {
    await openStory({ before: cited() });
    await openCard("阿满");
    expect(w.id("fact-edit").elements()).toEqual([]);
    await openFact();
    await expect.element(w.id("fact-edit")).toBeVisible();
    const [words, acts] = ["fact-open", "fact-edit"].map((id) => w.id(id).element().getBoundingClientRect());
    expect(acts!.top).toBeGreaterThanOrEqual(words!.bottom);
    expect(await faults()).toEqual([]);
    await openFact();
    await expect.poll(() => w.id("fact-edit").elements()).toEqual([]);
  });

  test("is reached by the arrow keys like every row, and opened by Enter", async () => {
    await openStory({ before: cited() });
    await openCard("阿满");
    row("阿满").focus();
    await w.press("{ArrowDown}");
    await expect.poll(at).toBe(w.id("fact-open").element());
    await w.press("{Enter}");
    await expect.element(w.id("fact-edit")).toBeVisible();
  });

  test("is known to those who are listed, from here on, until they are taken away", async () => {
    await openStory({ before: (backend) => (accept("小满", "老周")(backend), cited()(backend)) });
    await openCard("阿满");
    await openFact();
    await expect.element(w.id("fact-known")).toHaveTextContent("谁都可能知道");
    await w.id("knower-add").click();
    await w.id(`knower-add-${w.backend.entities.idOf(w.projectId(), "小满")}`).click();
    await expect.element(w.id("fact-knower")).toHaveTextContent("小满第 3 章起");
    await openFact();
    await expect.element(w.id("fact-unaware")).toHaveTextContent("老周：还不知道");
    await openFact();
    await w.id("knower-remove").click();
    await expect.poll(() => w.id("fact-knower").elements()).toEqual([]);
  });

  test("offers no name as a knower or as a relation that the writer has not taken in", async () => {
    await openStory({ before: (backend) => (accept("小满")(backend), cited()(backend)) });
    await openCard("阿满");
    await openFact();
    const keys = () =>
      [...document.querySelectorAll("[role=option]")].map((option) => option.textContent?.trim() ?? "");
    await w.id("knower-add").click();
    await expect.poll(keys).toEqual(["从这里起，谁知道了…", "小满", "阿满"]);
    await w.press("{Escape}");
    await w.id("fact-edit").click();
    await w.id("fact-object").click();
    await expect.poll(keys).toEqual(["无", "小满"]);
  });

  test("leads to another card if it is a relation", async () => {
    await openStory({ before: accept("阿满", "验潮屋") });
    await openCard("阿满");
    await w.id("fact-add").click();
    await w.id("fact-attribute").fill("住处");
    await w.id("fact-object").click();
    const place = w.backend.entities.idOf(w.projectId(), "验潮屋");
    await w.id(`fact-object-${place}`).click();
    await expect.element(w.id("fact-value")).toHaveValue("验潮屋");
    await w.id("fact-save").click();
    await expect.element(w.id("fact-related")).toBeVisible();
    await expect
      .poll(() => w.backend.callsOf("story:fact:save"))
      .toMatchObject([{ attribute: "住处", objectId: place }]);
    expect(await faults()).toEqual([]);
    await w.id("fact-related").click();
    await rows("验潮屋");
    await expect.poll(() => at()).toBe(row("验潮屋"));
    expect(row("验潮屋").getAttribute("aria-expanded")).toBe("true");
  });

  test("that was written without a sentence gets one from the selected words", async () => {
    await openStory({ before: accept("阿满") });
    await openCard("阿满");
    await w.id("fact-add").click();
    await write("身份", "老周的妻子");
    await openFact();
    expect(w.id("fact-cite").elements()).toEqual([]);
    w.program.editor.selectText("小满拿着鞋。", 0, false);
    await w.id("fact-cite").click();
    await expect.poll(() => texts("fact-quote")).toEqual(["小满拿着鞋。"]);
    await w.id("toast-action").click();
    await expect.poll(() => w.id("fact-quote").elements()).toEqual([]);
  });

  test("shows the latest of what held before, and the rest on request", async () => {
    await openStory({ before: cited() });
    await openCard("阿满");
    for (const value of ["用钢笔", "用毛笔"]) {
      if (w.id("fact-later").elements().length === 0) await openFact();
      await w.id("fact-later").click();
      await w.id("fact-value").fill(value);
      await w.press("{Enter}");
      await expect.poll(() => texts("fact-open")).toEqual([value]);
    }
    await expect.poll(() => texts("fact-earlier")).toEqual(["起先 用钢笔到第 3 章为止"]);
    await w.id("fact-earlier-more").click();
    await expect
      .poll(() => texts("fact-earlier").map((text) => text.slice(0, 6)))
      .toEqual(["起先 用钢笔", "起先 用铅笔"]);
  });

  test("is shown without actions while the rules cannot be changed", async () => {
    await openStory({ before: (backend) => (cited()(backend), backend.degrade("rules")) });
    await openCard("阿满");
    await expect.element(w.id("fact")).toHaveTextContent("用铅笔");
    expect(w.id("fact-open").elements()).toEqual([]);
    expect(w.id("fact-add").elements()).toEqual([]);
    expect(w.id("card-forget").elements()).toEqual([]);
  });
});

describe("a fact whose sentence was edited", () => {
  const edited = (backend: FakeBackend) => {
    const file = backend.books[0]!.files[1]!;
    file.text = file.text.replaceAll("阿满写的是铅笔字。", "阿满写的是粗铅笔字。");
  };

  test("asks on its card, and holds again once the writer says so", async () => {
    await openStory({ before: cited(edited) });
    await openCard("阿满");
    await expect.element(w.id("fact-stale")).toHaveTextContent("第 2 章这句你改过，原话找不到了。先不带给模型。");
    expect(w.id("fact-quote").elements()).toEqual([]);
    expect(await faults()).toEqual([]);
    await w.id("stale-confirm").click();
    await expect.poll(() => w.id("fact-stale").elements()).toEqual([]);
    await facts("用铅笔");
    await w.id("toast-action").click();
    await expect.element(w.id("fact-stale")).toBeVisible();
  });

  test("is cited from the words that are selected now", async () => {
    await openStory({ before: cited(edited) });
    await openCard("阿满");
    await w.id("stale-see").click();
    await expect.poll(openedChapter).toBe(chapterId(1));
    w.program.editor.selectText("阿满写的是粗铅笔字。", 0, false);
    await w.id("stale-cite").click();
    await expect.poll(() => texts("fact-quote")).toEqual(["阿满写的是粗铅笔字。"]);
  });

  test("can be cited as soon as words are selected, and not before", async () => {
    await openStory({ before: cited(edited) });
    await openCard("阿满");
    await expect.element(w.id("fact-stale")).toBeVisible();
    expect(w.id("stale-cite").elements()).toEqual([]);
    w.program.editor.selectText("小满拿着鞋。", 0, false);
    await expect.element(w.id("stale-cite")).toBeVisible();
    w.program.editor.moveCaret(0);
    await expect.poll(() => w.id("stale-cite").elements()).toEqual([]);
  });

  test("is on the card of the whole book if its chapter is gone, without a place to look at", async () => {
    await openStory({
      before: cited((backend) => {
        backend.books[0]!.files[0]!.text += "阿满来了。\n";
        backend.books[0]!.files.splice(1, 1);
      }),
      chapter: 1,
    });
    w.program.story.session.showWhole();
    await openCard("阿满");
    await expect.element(w.id("fact-stale")).toHaveTextContent("这句所在的那一章不在了");
    await expect.element(w.id("fact")).toHaveTextContent("那一章不在了");
    expect(w.id("stale-see").elements()).toEqual([]);
    await w.id("stale-confirm").click();
    await expect.poll(() => w.id("fact-stale").elements()).toEqual([]);
  });
});

describe("words selected in the text", () => {
  test("are written down by F2 under who is named nearest", async () => {
    await openStory({ chapter: 1, before: accept("阿满") });
    await w.press("{F4}");
    w.program.editor.selectText("阿满写的是铅笔字。", 0, true);
    await expect.element(w.id("remember-open")).toBeVisible();
    await w.press("{F2}");
    await expect.element(w.id("remember")).toHaveTextContent("阿满写的是铅笔字。");
    await expect.element(w.id("remember-entity")).toHaveTextContent("阿满");
    expect(await faults()).toEqual([]);
    await write("字迹", "用铅笔");
    await expect.poll(() => w.id("remember").elements()).toEqual([]);
    await expect.poll(() => texts("fact-quote")).toEqual(["阿满写的是铅笔字。"]);
  });

  test("can be written on the card of a thread that the text does not name", async () => {
    await openStory({
      chapter: 1,
      before: (backend) => {
        accept("阿满")(backend);
        const { projectId } = backend.books[0]!.project;
        void backend.invoke("story:entity:save", {
          projectId,
          kind: "thread",
          name: "铅笔字的来历",
          visibility: "always",
        });
      },
    });
    w.program.editor.selectText("阿满写的是铅笔字。", 0, true);
    await w.press("{F2}");
    await w.id("remember-entity").click();
    const thread = w.backend.entities.idOf(w.projectId(), "铅笔字的来历");
    await w.id(`remember-entity-${thread}`).click();
    await write("埋下", "簿子里有铅笔字");
    await expect.poll(() => at()?.dataset["entity"]).toBe(thread);
    await facts("簿子里有铅笔字");
  });

  test("that the saved text does not have are not cited, and it says so", async () => {
    await openStory({ before: accept("阿满") });
    w.program.story.session.remember({ chapterId: chapterId(1), from: 0, quote: "从来没有写过的一句话" });
    await expect.element(w.id("remember")).toBeVisible();
    await write("字迹", "用铅笔");
    await expect.element(w.id("story-problem")).toHaveTextContent("找不到这几个字");
    await expect.element(w.id("remember")).toBeVisible();
  });
});

describe("an entity", () => {
  test("is written down by hand before the text names it", async () => {
    await openStory();
    await w.id("story-page-places").click();
    await w.id("write-kind").click();
    await w.id("write-kind-worldRule").click();
    await w.id("write-down").click();
    await w.id("write-name").fill("一天看四次潮");
    await w.press("{Enter}");
    await expect.element(w.id("story-unnamed")).toHaveTextContent("世界的规矩");
    await w.id("story-unnamed").click();
    await w.id("fact-add").click();
    await write("怎么看", "早中晚夜各一次");
    await facts("早中晚夜各一次");
    await w.id("card-visibility").click();
    await w.id("card-visibility-hidden").click();
    await expect.element(w.id("story-unnamed")).toHaveTextContent("从不");
  });

  test("that was written down by hand is renamed, and changes its kind and its page", async () => {
    await openStory();
    await w.id("write-down").click();
    await w.id("write-name").fill("灯塔");
    await w.press("{Enter}");
    await expect.poll(() => texts("toast")[0]).toContain("灯塔");
    w.program.story.session.showWhole();
    await w.id("story-unnamed").click();
    await w.id("story-rename").click();
    await w.id("story-name").fill("老灯塔");
    await w.press("{Enter}");
    await expect.element(w.id("story-unnamed")).toHaveTextContent("老灯塔");
    await w.id("story-kind").click();
    await w.id("story-kind-place").click();
    await expect.poll(() => w.id("story-unnamed").elements()).toEqual([]);
    await w.id("story-page-places").click();
    await expect.element(w.id("story-unnamed")).toHaveTextContent("老灯塔");
    await w.id("toast-action").click();
    await expect.poll(() => w.id("story-unnamed").elements()).toEqual([]);
  });

  test("is listed and can be changed while the text cannot be read", async () => {
    await openStory({
      before: (backend) => {
        accept("老周", "小满")(backend);
        cited()(backend);
        backend.degrade("episodes");
      },
    });
    await expect.element(w.id("story-unnamed-group")).toHaveTextContent("你的卡片");
    await expect.element(w.id("story-past-down")).toBeVisible();
    await expect.poll(() => names("story-unnamed")).toEqual(["老周", "阿满", "小满"]);
    const left = () =>
      w
        .id("story-unnamed")
        .elements()
        .map((one) => one.getBoundingClientRect().left);
    expect(new Set(left()).size).toBe(1);
    await w.id("story-unnamed").nth(1).click();
    await facts("用铅笔");
    await w.id("fact-add").click();
    await write("是谁", "纪伯的妻子");
    await facts("用铅笔", "纪伯的妻子");
    expect(await faults()).toEqual([]);
  });

  test("is forgotten with its facts after a question, and comes back by undo", async () => {
    await openStory({ before: cited() });
    await openCard("阿满");
    await w.id("card-forget").click();
    await expect.element(w.id("card-forget-cancel")).toHaveFocus();
    await w.id("card-forget-confirm").click();
    await rows("老周", "小满");
    await w.id("toast-action").click();
    await rows("老周", "小满", "阿满");
    await facts("用铅笔");
  });

  test("has a history of what was changed, each with its undo", async () => {
    await openStory({ before: cited() });
    await openCard("阿满");
    await openFact();
    await w.id("fact-edit").click();
    await w.id("fact-value").fill("用圆珠笔");
    await w.press("{Enter}");
    await facts("用圆珠笔");
    await w.id("card-history").click();
    await expect.poll(() => texts("card-history-line").length).toBe(2);
    expect(texts("card-history-line")[0]).toContain("用铅笔 字迹 用圆珠笔");
    await w.id("card-history-undo").first().click();
    await facts("用铅笔");
  });

  test("has a history that says what changed beside the words", async () => {
    await openStory({ before: (backend) => (accept("小满")(backend), cited()(backend)) });
    await openCard("阿满");
    await openFact();
    await w.id("knower-add").click();
    await w.id(`knower-add-${w.backend.entities.idOf(w.projectId(), "小满")}`).click();
    await expect.element(w.id("fact-knower")).toBeVisible();
    await w.id("card-pin").click();
    await w.id("card-visibility").click();
    await w.id("card-visibility-always").click();
    await w.id("card-history").click();
    await expect
      .poll(() => texts("card-history-line").map((line) => line.replace(/^.*?\d\d:\d\d/, "").trim()))
      .toEqual(["阿满带给模型：总是撤销", "阿满每次都带上撤销", "字迹 用铅笔“小满”知道了撤销", "字迹 用铅笔撤销"]);
    await w.id("card-history-undo").first().click();
    await expect.element(w.id("card-history-line").first()).toHaveTextContent("撤销了");
    await expect.element(w.id("card-visibility")).toHaveTextContent("到光标为止");
  });
});

describe("the pointer resting on a name", () => {
  test("shows who it is and what holds there; Escape closes that first, and the text stays as it is", async () => {
    await openStory({ chapter: 1, before: cited() });
    w.content().focus();
    const before = w.text;
    pointAt(w.content(), "阿满");
    await expect.element(w.id("name-hover")).toHaveTextContent("阿满");
    await expect.element(w.id("name-hover")).toHaveTextContent("字迹用铅笔");
    await expect.poll(() => w.text).toBe(before);
    await w.press("{Escape}");
    await expect.poll(() => w.id("name-hover").elements()).toEqual([]);
    await expect.element(w.id("story-panel")).toBeVisible();
  });

  test("is opened as a card by F2, wherever the caret is", async () => {
    await openStory({ chapter: 1, before: cited() });
    w.content().focus();
    pointAt(w.content(), "阿满");
    await expect.element(w.id("name-hover")).toBeVisible();
    await w.press("{F2}");
    await expect.poll(() => at()).toBe(row("阿满"));
    await facts("用铅笔");
    expect(w.id("name-hover").elements()).toEqual([]);
  });

  test("has no card as of a caret before its first mention, and F2 says so", async () => {
    await openStory({ chapter: 1, before: cited() });
    w.program.editor.moveCaret(0);
    pointAt(w.content(), "阿满");
    await expect.element(w.id("name-hover")).toBeVisible();
    await w.press("{F2}");
    await expect.element(w.id("toast")).toHaveTextContent("到光标这里，书里还没有写到这个名字");
  });

  test("is not explained while an input method composes", async () => {
    await openStory({ chapter: 1, before: cited() });
    const advance = fakeClock();
    const asked = () => w.backend.callsOf("story:at").length;
    w.content().focus();
    const before = asked();
    const compose = (step: string) =>
      w.content().dispatchEvent(new CompositionEvent(`composition${step}`, { bubbles: true, data: "" }));
    compose("start");
    pointAt(w.content(), "阿满");
    await advance(1_000);
    await expect.poll(asked).toBe(before);
    expect(w.id("name-hover").elements()).toEqual([]);
    compose("end");
    await advance(1_000);
    pointAt(w.content(), "阿满");
    await advance(1_000);
    await expect.element(w.id("name-hover")).toBeVisible();
  });
});
