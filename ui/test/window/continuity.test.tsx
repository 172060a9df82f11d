import { afterEach, describe, expect, test } from "vitest";
import type { EntityCard, PairCounts } from "../../src/backend";
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
async function openDoubts(issues: FakeIssue[], before?: (backend: FakeBackend) => unknown) {
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
    await expect.poll(tab).toBe("疑点2");
    expect(await faults()).toEqual([]);

    w.program.story.session.showWhole();
    await open(WATER_TITLE, "阿满几岁", KNOWS_TITLE);
    await expect.poll(tab).toBe("疑点3");
    w.program.story.session.pin(chapterId(1));
    await open();
    await expect.element(w.id("continuity-none")).toHaveTextContent("到第 2 章为止，没有对不上的地方。");
    await expect.poll(tab).toBe("疑点");
  });

  test("mark the words that differ, and offer sides only where one may be right", async () => {
    await openDoubts([WATER, KNOWS]);
    await open(WATER_TITLE, KNOWS_TITLE);
    const marks = [...document.querySelectorAll("[data-testid=continuity-passage] mark")];
    expect(marks.map(({ textContent }) => textContent)).toEqual(["看潮", "起来", "门口"]);
    await expect.poll(() => w.id("continuity-first").elements()).toHaveLength(1);
    await expect.poll(() => w.id("continuity-intended").elements()).toHaveLength(2);
  });

  test("are walked and opened by the keyboard alone: the passage is lit, and the focus stays", async () => {
    await openDoubts([WATER, KNOWS]);
    await open(WATER_TITLE, KNOWS_TITLE);
    w.id("story-panel").element().focus();
    await w.press("{ArrowDown}");
    await expect.poll(at).toBe(passage(0));
    await w.press("{Enter}");
    await expect.poll(openedChapter).toBe(chapterId(0));
    await expect.poll(selected).toBe("老周在看潮。");
    await expect.element(w.id("continuity-passage").nth(0)).toHaveAttribute("aria-pressed", "true");
    await expect.poll(at).toBe(passage(0));
    await open(WATER_TITLE, KNOWS_TITLE);

    await w.press("{ArrowRight}{Enter}");
    await expect.poll(openedChapter).toBe(chapterId(2));
    await expect.poll(selected).toBe("老周起来了。");
    await expect.element(w.id("continuity-passage").nth(1)).toHaveAttribute("aria-pressed", "true");
    expect(passage(0).getAttribute("aria-pressed")).toBe("false");
    await w.press("{ArrowLeft}");
    await expect.poll(at).toBe(passage(0));
    await w.press("{ArrowDown}");
    await expect.poll(at).toBe(passage(2));
    await w.press("{ArrowUp}");
    await expect.poll(at).toBe(passage(0));
    await w.press("{Escape}");
    await expect.poll(() => passage(1).getAttribute("aria-pressed")).toBe("false");
    await expect.poll(() => w.id("story-panel").elements()).toHaveLength(1);
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
    await expect.poll(at).toBe(passage(0));
    await expect.poll(() => w.id("story-panel").elements()).toHaveLength(1);
  });

  test("are resolved in their place and opened again there, with the focus", async () => {
    await openDoubts([WATER, KNOWS]);
    await open(WATER_TITLE, KNOWS_TITLE);
    (w.id("continuity-second").element() as HTMLElement).focus();
    await w.press("{Enter}");
    await open(KNOWS_TITLE);
    await expect.element(w.id("continuity-settled")).toHaveTextContent("你说右边对");
    await expect.poll(() => w.id("story-body").element().querySelector("li")?.textContent).toContain(WATER_TITLE);
    await expect.poll(tab).toBe("疑点1");
    await expect
      .poll(() => w.backend.callsOf("story:continuity:resolve").map(({ verdict }) => verdict))
      .toEqual(["second"]);
    await expect.poll(at).toBe(w.id("continuity-undo").element());

    await w.press("{Enter}");
    await open(WATER_TITLE, KNOWS_TITLE);
    await expect.poll(at).toBe(passage(0));
    await expect.poll(tab).toBe("疑点2");
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
    await expect.poll(() => w.id("continuity-known").elements()).toHaveLength(1);
    await w.id("continuity-known").click();
    await open(WATER_TITLE);
    await expect.element(w.id("continuity-settled")).toHaveTextContent("早就知道，记在卡上了");
    const [written] = w.backend.callsOf("story:fact:save");
    expect(written).toMatchObject({ entityId, attribute: "知道", value: "老纪在门口。" });
    expect(written?.citation).toMatchObject({ chapterId: chapterId(1), quote: "是我女人看的。" });
    await expect
      .poll(() => w.backend.callsOf("story:continuity:resolve").map(({ verdict }) => verdict))
      .toEqual(["intended"]);
    expect(await faults()).toEqual([]);

    await w.id("continuity-undo").click();
    await open(WATER_TITLE, title);
    await expect.poll(() => w.backend.callsOf("story:undo")).toHaveLength(1);
  });

  test("that were noted as known in an earlier session are taken back with the fact on the card", async () => {
    const title = "小满怎么已经知道";
    const resolved = { verdict: "intended" as const, resolvedAt: "2026-10-12T09:30:00.000Z" };
    const knows = { attribute: "知道", value: "老纪在门口。" };
    const citation = { chapterId: chapterId(1), from: 0, quote: "是我女人看的。" };
    let entityId = "";
    const values = async () => {
      const { projectId } = w.backend.books[0]!.project;
      const { facts } = (await w.backend.invoke("story:entity:get", { projectId, entityId })) as EntityCard;
      return facts.map(({ value }) => value);
    };
    await openDoubts([], (backend) => {
      const { projectId } = backend.books[0]!.project;
      entityId = backend.entities.idOf(projectId, "小满");
      void backend.invoke("story:fact:save", { projectId, entityId, ...knows, citation });
      void backend.invoke("story:fact:save", { projectId, entityId, attribute: "知道", value: "潮水几点满。" });
      backend.continuity.add(projectId, { ...KNOWS, entityName: "小满", entityId, resolved });
    });
    expect(await values()).toEqual([knows.value, "潮水几点满。"]);
    await w.id("continuity-settled-fold").click();
    await w.id("continuity-undo").click();
    await open(title);
    expect(await values()).toEqual(["潮水几点满。"]);
  });

  test("leave no fact where the verdict on them was not stored", async () => {
    await openDoubts([], (backend) => {
      const { projectId } = backend.books[0]!.project;
      backend.continuity.add(projectId, { ...KNOWS, entityId: backend.entities.idOf(projectId, "小满") });
      backend.fail("story:continuity:resolve", { code: "MEMORY_NOT_FOUND", message: "no such issue" });
    });
    await w.id("continuity-known").click();
    await expect.element(w.id("continuity-problem")).toHaveTextContent("找不到了");
    await expect.poll(() => w.backend.callsOf("story:fact:save")).toHaveLength(1);
    await expect.poll(() => w.backend.callsOf("story:undo")).toHaveLength(1);
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
    await expect.poll(selected).toBe("老周在看潮。");
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
    await expect.poll(openedChapter).toBe(chapterId(2));
  });

  test("can wait, folded with their titles", async () => {
    await openDoubts([WATER, KNOWS]);
    await open(WATER_TITLE, KNOWS_TITLE);
    await w.id("continuity-later").nth(0).click();
    await open(KNOWS_TITLE);
    await expect.element(w.id("continuity-rest")).toHaveTextContent(`还有 1 处${WATER_TITLE}`);
    await expect.poll(tab).toBe("疑点2");
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
    await expect.poll(() => w.id("continuity-problem").element().closest("li")?.textContent).toContain(WATER_TITLE);
    await expect.poll(() => w.backend.callsOf("story:continuity:list").length).toBeGreaterThan(1);
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
    await expect.poll(tab).toBe("疑点");
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

describe("pairs of sentences", () => {
  const project = (backend: FakeBackend) => backend.books[0]!.project.projectId;

  /** Agrees to the present model, and sets the counts of pairs. */
  const pairs = (counts: Partial<PairCounts>, isAgreed = true) =>
    async function prepare(backend: FakeBackend) {
      const projectId = project(backend);
      backend.continuity.pairs = { ...backend.continuity.pairs, ...counts };
      const agreedHost = backend.study.model!.host;
      if (isAgreed) await backend.invoke("knowledge:study:set", { projectId, isEnabled: true, agreedHost, version: 0 });
    };
  const note = () => w.id("continuity-pairs");
  const compare = () => w.id("continuity-compare");
  const started = () => w.backend.callsOf("story:continuity:compare").length;
  const focused = (testId: string) => expect.poll(() => at().dataset["testid"]).toBe(testId);
  const move = (part: Parameters<FakeBackend["study"]["move"]>[1]) => void w.backend.study.move(w.projectId(), part);

  test("wait for a press, are compared one after the other, and are counted by what the model said", async () => {
    await openDoubts([KNOWS], pairs({ waiting: 2, unclear: 7 }));
    await expect.element(note()).toHaveTextContent("全书还有 2 对句子要模型来比。");
    await expect
      .element(w.id("continuity-compare-sends"))
      .toHaveTextContent("每对问一次，问的是本机的 llama3.1:8b，什么也不发出去。藏着的名字照样换成化名。");
    expect(started()).toBe(0);
    await compare().click();
    await expect.element(note()).toHaveTextContent("正在比……全书还有 2 对");
    await expect.element(w.id("study-headline")).toHaveTextContent("开着·正在比两句话");
    await expect.element(w.id("study-status")).toHaveTextContent("自读：比两句话");
    expect(compare().elements()).toEqual([]);
    await expect.poll(started).toBe(1);
    expect(await faults()).toEqual([]);

    w.backend.continuity.count(w.projectId(), { waiting: 1, changes: 1 });
    await expect.element(note()).toHaveTextContent("正在比……全书还有 1 对");
    // While it looks for the next pair, it goes on comparing.
    move({ currentPhase: "checking" });
    await w.backend.idle();
    await expect.element(note()).toHaveTextContent("正在比……全书还有 1 对");
    await expect.element(w.id("study-status")).toHaveTextContent("自读：比两句话");

    w.backend.continuity.add(w.projectId(), { ...WATER, why: "看潮的人没有起来。" });
    w.backend.continuity.count(w.projectId(), { waiting: 0, conflicts: 1 });
    move({ currentPhase: "idle" });
    await expect.element(note()).toHaveTextContent("模型比过全书的 9 对句子：1 对对不上，1 对写的是变化，7 对说不准。");
    await open(WATER_TITLE, KNOWS_TITLE);
    await expect.element(w.id("continuity-why")).toHaveTextContent("模型说：看潮的人没有起来。");
    await expect.poll(() => w.id("continuity-why").element().querySelector("span")?.lang).toBe("zh-CN");
    await expect.poll(() => w.id("continuity-why").elements()).toHaveLength(1);
  });

  test("leave out a verdict that none has, and are not mentioned where the book has none", async () => {
    await openDoubts([KNOWS], pairs({ changes: 2 }));
    await expect.element(note()).toHaveTextContent("模型比过全书的 2 对句子：2 对写的是变化。");
    w.backend.continuity.count(w.projectId(), { changes: 0 });
    await expect.poll(() => note().elements()).toEqual([]);
    await open(KNOWS_TITLE);
  });

  test("say where two sentences go, with a model elsewhere", async () => {
    await openDoubts([], async (backend) => {
      backend.study.model = { name: "deepseek-chat", host: "api.deepseek.com", isLocal: false };
      backend.study.isHidingNames = false;
      await pairs({ waiting: 3 })(backend);
    });
    await expect
      .element(w.id("continuity-compare-sends"))
      .toHaveTextContent("每对问一次，只把这两句和说的是谁发往 api.deepseek.com。这本书没有藏着的名字，都照原样发。");
    // A model is named below, and not twice.
    await expect.element(w.id("continuity-none")).not.toHaveTextContent("要有模型才比得出来");
    expect(await faults()).toEqual([]);
  });

  test("are compared and stopped by the keyboard alone, and the focus stays in the panel", async () => {
    await openDoubts([], pairs({ waiting: 3 }));
    await expect.element(compare()).toBeVisible();
    w.id("story-panel").element().focus();
    for (let step = 0; step < 9 && at() !== compare().elements()[0]; step += 1) await w.press("{ArrowDown}");
    await w.press("{Enter}");
    await focused("continuity-compare-stop");
    await w.press("{Enter}");
    await focused("continuity-compare");
    await expect.poll(() => w.backend.callsOf("story:continuity:stop")).toHaveLength(1);
    await expect.element(note()).toHaveTextContent("全书还有 3 对句子要模型来比。");
    // The study goes on.
    await expect.element(w.id("study-headline")).toHaveTextContent("开着");
    expect(w.backend.callsOf("knowledge:study:stop")).toEqual([]);

    await w.press("{Enter}");
    await focused("continuity-compare-stop");
    w.backend.continuity.count(w.projectId(), { waiting: 0, unclear: 3 });
    move({ currentPhase: "idle" });
    await expect.element(note()).toHaveTextContent("3 对说不准");
    await focused("story-panel");
  });

  test("that were refused say why, lose nothing, and can be compared again", async () => {
    await openDoubts([KNOWS], pairs({ waiting: 3 }));
    w.backend.fail("story:continuity:compare", { code: "MEMORY_MODEL_UNAVAILABLE", message: "no model" });
    await compare().click();
    const problem = w.id("continuity-compare-problem");
    await expect.element(problem).toHaveTextContent("模型没有回应。写作和记忆不受影响。");
    expect(problem.element().getAttribute("role")).toBe("alert");
    await expect.element(note()).toHaveTextContent("全书还有 3 对句子要模型来比。");
    await open(KNOWS_TITLE);
    await compare().click();
    await expect.element(note()).toHaveTextContent("正在比……");
    expect(problem.elements()).toEqual([]);
  });

  test("are not sent to a model that was changed meanwhile, which is said, with the way to agree to it", async () => {
    await openDoubts([], pairs({ waiting: 3 }));
    await expect.element(compare()).toBeVisible();
    w.backend.study.model = { name: "deepseek-chat", host: "api.deepseek.com", isLocal: false };
    await compare().click();
    await expect.element(w.id("continuity-compare-problem")).toHaveTextContent("这个模型还没有说好");
    await expect.element(note()).toHaveTextContent("模型换过了，先要你说好。");
    expect(compare().elements()).toEqual([]);
    await expect.poll(() => w.backend.study.stateOf(w.projectId()).currentPhase).toBe("idle");
    await w.id("continuity-open-study").click();
    await w.id("study-agree").click();
    await expect.element(compare()).toBeVisible();
  });

  test("are not compared before the writer agreed, and lead to what the study would take", async () => {
    await openDoubts([], pairs({ waiting: 3 }, false));
    await expect.element(note()).toHaveTextContent("全书还有 3 对句子要模型来比。打开自读就会比。");
    expect(compare().elements()).toEqual([]);
    expect(w.id("study-tray").elements()).toEqual([]);
    expect(await faults()).toEqual([]);
    await w.id("continuity-open-study").click();
    await expect.element(w.id("study-pairs")).toHaveTextContent("要比的3 对每对一次请求");
    await focused("study-open");
    await w.id("study-on").click();
    await expect.element(compare()).toBeVisible();
    expect(started()).toBe(0);
  });

  test("wait for a model where none is chosen", async () => {
    await openDoubts([], async (backend) => {
      await pairs({ waiting: 3 }, false)(backend);
      backend.study.model = null;
    });
    await expect.element(note()).toHaveTextContent("还没有选模型。");
    expect(compare().elements()).toEqual([]);
    await w.id("continuity-open-study").click();
    await expect.element(w.id("study-no-model")).toBeVisible();
  });

  test("are compared while the study is off, which is said, and can be stopped there", async () => {
    await openDoubts([], async (backend) => {
      await pairs({ waiting: 3 })(backend);
      await backend.invoke("knowledge:study:set", { projectId: project(backend), isEnabled: false, version: 1 });
    });
    await expect.element(w.id("study-headline")).toHaveTextContent("关着");
    await compare().click();
    await expect.element(w.id("study-headline")).toHaveTextContent("正在比两句话");
    await w.id("study-open").click();
    await expect.element(w.id("study-on")).toBeVisible();
    await w.id("study-stop").click();
    await expect.element(w.id("study-headline")).toHaveTextContent("关着");
    await expect.element(compare()).toBeVisible();
  });

  test("follow the question at work, and wait out an error and the limit of the day", async () => {
    await openDoubts([], async (backend) => {
      await pairs({ waiting: 3 })(backend);
      backend.study.move(project(backend), { currentPhase: "exploring", questionId: "q", question: "谁？" });
    });
    await compare().click();
    await expect.element(note()).toHaveTextContent("手上这一问问完就比。");
    expect(compare().elements()).toEqual([]);
    move({ currentPhase: "comparing", questionId: null, question: null });
    await expect.element(note()).toHaveTextContent("正在比……");
    move({ currentPhase: "backingOff", consecutiveErrors: 1, stopReason: null });
    await expect.element(note()).toHaveTextContent("刚才没有成，过一会儿自己再试。");
    expect(compare().elements()).toEqual([]);
    move({ currentPhase: "idle", stopReason: "quota" });
    await expect.element(note()).toHaveTextContent("今天的次数用完了，零点接着。");
    await expect.element(w.id("study-headline")).toHaveTextContent("今天的次数用完了，零点接着");
    expect(compare().elements()).toEqual([]);
  });

  test("are not to be compared again on a day whose comparisons are used up", async () => {
    await openDoubts([], async (backend) => {
      await pairs({ waiting: 3 })(backend);
      backend.study.move(project(backend), { comparisonsToday: 50 });
    });
    await expect.element(note()).toHaveTextContent("今天的次数用完了，零点接着。");
    expect(compare().elements()).toEqual([]);
    move({ comparisonsToday: 49, stopReason: "quota", questionsToday: 50 });
    await expect.element(compare()).toBeVisible();
  });

  test("say that they wait for the study of another book", async () => {
    await openDoubts([], pairs({ waiting: 3 }));
    move({ isComparisonWaiting: true });
    await expect.element(note()).toHaveTextContent("另一本书正在自读，或正在更新偏好，完了就比。");
    expect(compare().elements()).toEqual([]);
  });

  test.each([true, false])(
    "are not compared while the writer's file can only be read, agreed: %s",
    async (isAgreed) => {
      await openDoubts([KNOWS], async (backend) => {
        await pairs({ waiting: 3 }, isAgreed)(backend);
        backend.degrade("rules");
      });
      await expect.element(note()).toHaveTextContent("全书还有 3 对句子要模型来比。");
      await w.backend.idle();
      expect([...compare().elements(), ...w.id("continuity-open-study").elements()]).toEqual([]);
    },
  );
});
