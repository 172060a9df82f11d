import { afterEach, describe, expect, test } from "vitest";
import { faults } from "../../testing/axe";
import { composition, openWindow, type Window } from "./openWindow";

let w: Window;
afterEach(() => w.close());

const DAY = 86_400_000;
const NOON = new Date("2026-03-15T12:00:00.000Z").getTime();
const at = (daysAgo: number) => new Date(NOON - daysAgo * DAY).toISOString();

const QUOTE = "到一米七断了一截";
const fail = (daysAgo: number) =>
  ({
    kind: "validated",
    result: "fail",
    source: "writer",
    signalStrength: "strong",
    wasUsed: true,
    at: at(daysAgo),
  }) as const;

/** A pass by a run that named the answer, and that a measurement undid. */
const withoutInfluence = (daysAgo: number) =>
  ({ ...fail(daysAgo), result: "pass", source: "run", signalStrength: "weak", undoneAt: at(daysAgo - 1) }) as const;
type Event = ReturnType<typeof fail> | ReturnType<typeof withoutInfluence>;

/** A window with a new answer, one about the book, and one that failed three times; the page of answers is open. */
async function open() {
  w = await openWindow({
    before: (backend) => {
      const book = backend.books[0]!;
      const { projectId } = book.project;
      const { info, text } = book.files[2]!;
      const from = text.indexOf(QUOTE);
      const citation = { chapterId: info.chapterId, from, to: from + QUOTE.length, quoteHash: "q", quote: QUOTE };
      const add = (question: string, answer: string, daysAgo: number, more = {}, events: Event[] = []) =>
        backend.answers.add(
          { projectId, question, answer, createdAt: at(90), updatedAt: at(daysAgo), ...more },
          events,
        );
      add("到岛上的船，一天几班？", "来回两班。", 9, {}, [fail(30), fail(20), fail(9)]);
      add("水尺断在哪里？", "一米七的地方。", 3, { citations: [{ ...citation, status: "holds" }] }, [
        withoutInfluence(9),
      ]);
      add("落水的人多久浮上来？", "水凉要两三个星期。", 1, { kind: "research" });
    },
  });
  await w.id("nav-memory").click();
  await w.id("memory-page-answers").click();
  await expect.poll(() => cards().length).toBe(3);
}

const cards = () => w.id("answer-card").elements() as HTMLElement[];
const questions = () => cards().map((card) => card.querySelector("h3")?.textContent);
const act = (testId: string, index = 0) => (w.id(testId).nth(index).element() as HTMLElement).click();
const answers = async () =>
  (await w.backend.invoke("answer:list", { projectId: w.projectId() })) as {
    answers: {
      projectId: string;
      answerId: string;
      version: number;
      question: string;
      trust: number;
      validationLevel: number;
      userConfirmed: boolean;
      status: string;
    }[];
  };
const answerOf = async (question: string) =>
  (await answers()).answers.find((answer) => answer.question.startsWith(question));

describe("the answers of a book", () => {
  test("are listed latest change first, in words first, with the numbers behind them", async () => {
    await open();
    await expect.poll(questions).toEqual(["落水的人多久浮上来？", "水尺断在哪里？", "到岛上的船，一天几班？"]);
    await expect.element(w.id("answer-standing").first()).toHaveTextContent("还没试过候选试用");
    await expect.element(w.id("answer-blocked")).toHaveTextContent("连错三次，不再用，也不带给模型。");
    await expect.poll(() => w.id("answer-failures").element().querySelectorAll("li").length).toBe(3);
    expect(w.id("answer-history").elements()).toEqual([]);
    act("answer-more", 2);
    await expect.element(w.id("answer-history")).toHaveTextContent("信任 0.20带上 0 次，用上 0 次");
    await expect.poll(() => w.id("answer-event").elements().length).toBe(3);
    expect(await faults()).toEqual([]);
  });

  test("show the use that a measurement found without influence, which does not count and cannot be undone", async () => {
    await open();
    act("answer-more", 1);
    await expect.element(w.id("answer-event")).toHaveTextContent("一次提问用了它，成了点了名，测下来没有影响，不算");
    expect(w.id("answer-event-undo").elements()).toEqual([]);
    expect((await answerOf("水尺"))?.validationLevel).toBe(0);
  });

  test("are judged by keyboard, and a verdict is taken back at once", async () => {
    await open();
    cards()[0]!.focus();
    await w.press("{ArrowDown}");
    await expect.poll(() => document.activeElement).toBe(cards()[1]);
    await w.press("y");
    await expect.element(w.id("toast")).toHaveTextContent("记下了：有用");
    await expect
      .poll(() => w.backend.callsOf("answer:validate").map(({ result, source }) => [result, source]))
      .toEqual([["pass", "writer"]]);
    await expect.poll(async () => (await answerOf("水尺"))?.trust).toBe(0.55);
    // The card keeps its place and the focus under the writer's hand.
    await expect.element(w.id("answer-standing").nth(1)).toHaveTextContent("验过");
    expect(questions()[1]).toBe("水尺断在哪里？");
    expect(document.activeElement).toBe(cards()[1]);
    await w.id("toast-action").click();
    await expect.element(w.id("toast")).toHaveTextContent("已撤销，和原来一样");
    expect((await answerOf("水尺"))?.trust).toBe(0.5);
    cards()[1]!.focus();
    await w.press("n");
    await expect.poll(async () => (await answerOf("水尺"))?.trust).toBe(0.4);
  });

  test("are not judged by keys of an input method, of a field, or with a modifier", async () => {
    await open();
    composition(cards()[1]!).key("y");
    composition(cards()[1]!).lateKey("y");
    cards()[1]!.focus();
    await w.press("{Control>}y{/Control}");
    act("answer-edit", 1);
    await expect.element(w.id("answer-question")).toHaveFocus();
    await w.press("y");
    await w.id("answers-search").click();
    await w.press("n");
    await w.backend.idle();
    expect(w.backend.callsOf("answer:validate")).toEqual([]);
  });

  test("are settled and taken back, blocked and used again, each with its undo", async () => {
    await open();
    act("answer-settle", 1);
    await expect.element(w.id("answer-settled")).toHaveTextContent("你定下来的");
    act("answer-settle", 1);
    await expect.poll(() => w.id("answer-settled").elements().length).toBe(0);
    await expect.element(w.id("toast")).toHaveTextContent("不再算定论");
    await w.id("toast-action").click();
    await expect.element(w.id("answer-settled")).toBeVisible();

    act("answer-block", 1);
    await expect.poll(async () => (await answerOf("水尺"))?.status).toBe("blocked");
    await expect.element(w.id("toast")).toHaveTextContent("停用了");
    await w.id("toast-action").click();
    await expect.poll(async () => (await answerOf("水尺"))?.status).not.toBe("blocked");

    act("answer-unblock");
    await expect.poll(async () => (await answerOf("到岛上"))?.status).toBe("active");
  });

  test("are edited in their place, and the writer's words stay if it was changed meanwhile", async () => {
    await open();
    act("answer-edit", 1);
    await w.id("answer-text-field").fill("一米七往上。");
    const { projectId, answerId, version } = (await answers()).answers[1]!;
    await w.backend.invoke("answer:update", { projectId, answerId, version, answer: "一米六的地方。" });
    w.backend.fail("answer:update", {
      code: "MEMORY_STALE_VERSION",
      message: "it was changed since it was read",
      details: { currentVersion: version + 1 },
    });
    await w.id("answer-save").click();
    await expect.element(w.id("answer-problem")).toHaveTextContent("现在那边写的是：一米六的地方。");
    await expect.element(w.id("answer-text-field")).toHaveValue("一米七往上。");
    await w.id("answer-save").click();
    await expect.element(w.id("answer-text").nth(1)).toHaveTextContent("一米七往上。");
    await w.id("toast-action").click();
    await expect.element(w.id("answer-text").nth(1)).toHaveTextContent("一米六的地方。");
  });

  test("are deleted for good, after a second answer that can be cancelled by keyboard", async () => {
    await open();
    act("answer-delete", 1);
    await expect.element(w.id("answer-delete-cancel")).toHaveFocus();
    await w.press("{Escape}");
    await expect.poll(() => w.id("answer-delete-confirm").elements().length).toBe(0);
    expect(w.backend.callsOf("answer:delete")).toEqual([]);
    act("answer-delete", 1);
    await w.id("answer-delete-confirm").click();
    await expect.poll(questions).toEqual(["落水的人多久浮上来？", "到岛上的船，一天几班？"]);
    await expect.element(w.id("toast")).toHaveTextContent("答案删掉了");
    expect(w.id("toast-action").elements()).toEqual([]);
  });

  test("lead to the passage that they rest on, and the keyboard stays in the panel", async () => {
    await open();
    const citation = w.id("answer-citation").element() as HTMLElement;
    citation.focus();
    await w.press("{Enter}");
    await expect.poll(() => w.program.editor.state.getState().chapter?.chapterId).toBe(w.file(2).info.chapterId);
    await expect.poll(() => w.program.editor.surface.view?.state.selection.main.empty).toBe(false);
    const { state } = w.program.editor.surface.view!;
    expect(state.sliceDoc(state.selection.main.from, state.selection.main.to)).toBe(QUOTE);
    expect(document.activeElement).toBe(citation);
  });

  test("are searched and filtered, with the number of each filter", async () => {
    await open();
    await w.id("answers-search").fill("两三个");
    await expect.poll(questions).toEqual(["落水的人多久浮上来？"]);
    await w.id("answers-search").fill("灯塔");
    await expect.element(w.id("answers-nothing")).toHaveTextContent("没有找到");
    await w.id("answers-search").fill("");
    await expect.poll(() => cards().length).toBe(3);
    await w.id("answers-filter").click();
    await expect.element(w.id("answers-filter-onTrial")).toHaveTextContent("试用的 2");
    await w.id("answers-filter-blocked").click();
    await expect.poll(questions).toEqual(["到岛上的船，一天几班？"]);
    await w.id("answers-filter").click();
    await expect.element(w.id("answers-filter-studied")).toHaveTextContent("自读的 0");
    w.backend.answers.add({
      projectId: w.projectId(),
      question: "谁看的潮？",
      answer: "阿满。",
      citations: [],
      origin: "studied",
    });
    await w.id("answers-filter-studied").click();
    await expect.poll(questions).toEqual(["谁看的潮？"]);
    await w.id("answers-filter").click();
    await w.id("answers-filter-blocked").click();
    await w.id("answers-filter").click();
    await w.id("answers-filter-all").click();
    await w.id("answers-kind").click();
    await w.id("answers-kind-canon").click();
    await expect.poll(questions).toEqual(["水尺断在哪里？"]);
  });

  test("that a verdict takes out of the filter are gone from it, and come back with the undo", async () => {
    await open();
    await w.id("answers-filter").click();
    await w.id("answers-filter-onTrial").click();
    await expect.poll(() => cards().length).toBe(2);
    cards()[0]!.focus();
    await w.press("y");
    await expect.poll(questions).toEqual(["水尺断在哪里？"]);
    await expect.element(w.id("toast")).toHaveTextContent("记下了：有用");
    await w.id("toast-action").click();
    await expect.poll(() => questions().toSorted()).toEqual(["水尺断在哪里？", "落水的人多久浮上来？"]);
  });

  test("keep what could not be written as it was, and say so in their place", async () => {
    await open();
    w.backend.fail("answer:validate", { code: "MEMORY_WRITE_FAILED", message: "disk full" });
    act("answer-wrong", 1);
    await expect.element(w.id("answer-problem")).toHaveTextContent("没能写进磁盘");
    expect((await answerOf("水尺"))?.trust).toBe(0.5);
    // The next verdict removes the message.
    act("answer-wrong", 1);
    await expect.poll(() => w.id("answer-problem").elements().length).toBe(0);
    await expect.poll(async () => (await answerOf("水尺"))?.trust).toBe(0.4);
  });

  test("are read again when another program adds one, and after a read that failed", async () => {
    await open();
    const { projectId } = w.backend.books[0]!.project;
    await w.backend.invoke("answer:record", { projectId, question: "柜子缺什么？", answer: "一条腿。" });
    await expect.poll(() => questions()[0]).toBe("柜子缺什么？");
    w.backend.fail("answer:list", { code: "MEMORY_STORE_UNAVAILABLE", message: "damaged" });
    await w.id("answers-search").fill("柜子");
    await expect.element(w.id("answers-unread")).toBeVisible();
    await w.id("answers-retry").click();
    await expect.poll(questions).toEqual(["柜子缺什么？"]);
  });

  test("of hundreds are shown page by page", async () => {
    await open();
    const { projectId } = w.backend.books[0]!.project;
    for (let n = 0; n < 100; n += 1)
      w.backend.answers.add({ projectId, question: `第 ${n} 问`, answer: "答。", updatedAt: at(60) });
    w.backend.emit("memory:changed", { projectId, what: ["answers"] });
    await expect.poll(() => cards().length).toBe(50);
    await w.id("answers-more").click();
    await expect.poll(() => cards().length).toBe(100);
    await w.id("answers-more").click();
    await expect.poll(() => cards().length).toBe(103);
    expect(w.id("answers-more").elements()).toEqual([]);
    expect(new Set(questions()).size).toBe(103);
  });

  test("whose undo is in their history is undone from there", async () => {
    await open();
    act("answer-useful", 0);
    await expect.element(w.id("answer-standing").first()).toHaveTextContent("验过");
    cards()[0]!.focus();
    await w.press("{Enter}");
    await expect.element(w.id("answer-event")).toHaveTextContent("你说有用");
    await w.id("answer-event-undo").click();
    await expect.element(w.id("answer-event")).toHaveTextContent("你说有用已撤销");
    await expect.element(w.id("answer-standing").first()).toHaveTextContent("候选");
    expect(w.id("answer-event-undo").elements()).toEqual([]);
  });

  test("of the team’s service are asked for at a press alone, and are kept on trial", async () => {
    await open();
    const ofService = (id: string, question: string) =>
      ({
        answerId: `service:${id}`,
        question,
        answer: "潮汛三天一变。",
        score: 0.7,
        questionMatch: "related",
        same: 0.4,
        validationLevel: 2,
        trust: 0.9,
        freshness: 1,
        consecutiveFail: 0,
      }) as const;
    const { answerService } = w.backend;
    answerService.matches = [ofService("1", "潮水几天一变？"), ofService("2", "水尺断在哪里？")];
    answerService.skipped = 1;
    await w.id("answers-search").fill("水");
    await expect.poll(() => cards().length).toBe(2);
    expect(w.id("answers-ask-service").elements()).toEqual([]);
    await w.backend.invoke("answer:service:set", {
      baseUrl: "https://team.example",
      enabled: true,
      sendCandidates: false,
    });
    await expect.element(w.id("answers-ask-service")).toBeVisible();
    expect(answerService.asked).toEqual([]);

    await w.id("answers-ask-service").click();
    await expect.element(w.id("service-answers")).toHaveTextContent("潮水几天一变？");
    // The one that is known here is not shown twice.
    await expect.poll(() => w.id("service-answer").elements().length).toBe(1);
    await expect.element(w.id("service-skipped")).toHaveTextContent("另有 1 条读不懂，略过了。");
    expect(await faults()).toEqual([]);

    await w.id("service-keep").click();
    await expect.element(w.id("toast")).toHaveTextContent("留下了，先试用");
    expect(w.id("service-answer").elements()).toEqual([]);
    await expect.poll(questions).toContain("潮水几天一变？");
    await expect.element(w.id("answer-on-trial").first()).toBeVisible();
    expect(cards()[questions().indexOf("潮水几天一变？")]?.textContent).toContain("团队那里留下的");
    expect(answerService.asked).toEqual(["水"]);
  });

  test("of a service that does not serve leave those here as they are, and it is asked again", async () => {
    await open();
    const { answerService } = w.backend;
    Object.assign(answerService, { enabled: true, baseUrl: "https://team.example", failure: "unreachable" });
    w.backend.emit("memory:changed", { projectId: null, what: ["settings"] });
    await w.id("answers-search").fill("水");
    await w.id("answers-ask-service").click();
    await expect.element(w.id("service-unreached")).toHaveTextContent("团队的答案暂时拿不到");
    expect(cards().length).toBe(2);
    answerService.failure = null;
    await w.id("service-retry").click();
    await expect.element(w.id("service-answers")).toHaveTextContent("那里没有找到。");
    expect(answerService.asked).toEqual(["水", "水"]);
  });
});
