// Questions in the assistant's panel: asked as of the caret, answered with passages that open beside it, judged, put
// into the text. What the writer has typed outlives every failure.

import { afterEach, describe, expect, test } from "vitest";
import type { FakeBackend } from "../../src/backend/fake";
import { ASK_SCRIPTS, type AskScript } from "../../src/backend/fake/askScripts";
import { faults } from "../../testing/axe";
import { ask as askIn, openAsk, QUESTION, withModel } from "./askPanel";
import { ime } from "./ime";
import { composition, openWindow, type Window } from "./openWindow";

let w: Window;
afterEach(() => w.close());

const ANSWER = "是父亲改的，老周说的。";
const FERRY = "头班渡船六点开。";

/** About craft, with a passage of the first chapter. */
const CRAFT: AskScript = {
  kind: "craft",
  steps: ASK_SCRIPTS.zh.steps.slice(0, 2),
  statements: [
    { text: "先写手上的事。", status: "verified", quotes: [FERRY] },
    { text: "船夜里不开。", status: "unverified" },
  ],
};

async function open(...how: Parameters<typeof openAsk>) {
  w = await openAsk(...how);
}

const ask = (question?: string) => askIn(w, question);

/** Asks, and sends that many pieces of the answer. */
async function asked(pieces = Infinity) {
  await ask();
  await expect.element(w.id("ask-loop")).toBeVisible();
  w.backend.asking.advance(pieces);
}

async function answered() {
  await asked();
  await expect.element(w.id("ask-copy")).toBeVisible();
}

const at = () => document.activeElement as HTMLElement;
const gone = (testId: string) => expect.poll(() => w.id(testId).elements()).toEqual([]);
const runs = () => w.backend.callsOf("ask:run");
const chapterId = () => w.program.editor.state.getState().chapter?.chapterId;
const validations = () => w.backend.callsOf("answer:validate").map(({ result, source }) => [result, source]);
const selected = () => {
  const { state } = w.program.editor.surface.view!;
  return state.sliceDoc(state.selection.main.from, state.selection.main.to);
};
const keep = (backend: FakeBackend, question = QUESTION) => {
  const { projectId } = backend.books[0]!.project;
  backend.answers.add({ projectId, question, answer: "是父亲。", kind: "research", origin: "asked" }, [
    { kind: "validated", result: "pass", source: "writer", signalStrength: "strong" },
  ]);
};
const limit = { code: "MEMORY_MODEL_UNAVAILABLE", message: "limit", details: { reason: "dailyLimit" } } as const;

describe("a question", () => {
  test("by keyboard alone: asked, answered, its passage lit, put into the text in one step, undone", async () => {
    await open(({ asking }) => void (asking.script = CRAFT));
    const before = w.text;
    await expect.element(w.id("ask-leaves")).toHaveTextContent("发往 api.example.com：你的问题");
    await asked(1);
    await w.id("ask-loop").click();
    await expect.element(w.id("ask-step")).toHaveTextContent("要知道水尺上的数是谁改的");
    await expect.poll(runs).toMatchObject([{ question: QUESTION, at: { chapterId: w.file(2).info.chapterId } }]);
    w.backend.asking.advance();
    await expect.element(w.id("ask-loop")).toHaveTextContent("想了 1 轮，查了 2 步·11 秒");
    await expect.element(w.id("ask-struck")).toHaveTextContent("没有找到原文：船夜里不开。原文里没有这句");
    expect(await faults()).toEqual([]);

    (w.id("ask-field").element() as HTMLElement).focus();
    await w.press("{ArrowUp}");
    await expect.element(w.id("ask-card")).toHaveFocus();
    await w.press("1");
    await expect.poll(chapterId).toBe(w.file(0).info.chapterId);
    await expect.poll(selected).toBe(FERRY);
    await expect.poll(at).toBe(w.id("ask-card").element());
    await expect.element(w.id("ask-chip")).toHaveAttribute("aria-pressed", "true");
    await expect.element(w.id("cited-mark")).toHaveAttribute("aria-pressed", "true");
    // The writer's caret has not moved, and neither has what a question knows.
    await expect.element(w.id("story-back")).toHaveTextContent("回到第 3 章");
    await expect.element(w.id("ask-as-of")).toHaveTextContent("到第 3 章为止");
    await w.press("{Escape}");
    await expect.poll(chapterId).toBe(w.file(2).info.chapterId);
    await expect.poll(at).toBe(w.content());
    await expect.element(w.id("ask-chip")).toHaveAttribute("aria-pressed", "false");

    (w.id("ask-insert").element() as HTMLElement).focus();
    await w.press("{Enter}");
    await expect.poll(() => w.text).toContain("先写手上的事。");
    expect(w.text).not.toContain("船夜里不开");
    await expect.poll(at).toBe(w.content());
    await expect.poll(() => w.id("origin-mark").elements().length).toBe(2);
    await expect.poll(validations).toEqual([["pass", "inserted"]]);
    await w.press("{Control>}z{/Control}");
    await expect.poll(() => w.text).toBe(before);
  });

  test("about the book is not offered to the text; its passages are numbered in the margin and press back", async () => {
    await open();
    await answered();
    expect(w.id("ask-insert").elements()).toEqual([]);
    await expect
      .poll(() =>
        w
          .id("cited-mark")
          .elements()
          .map(({ textContent }) => textContent),
      )
      .toEqual(["3", "1", "2"]);
    await w.id("cited-mark").nth(1).click();
    await expect.poll(selected).toBe("“这上头的数，他改过。”");
    await expect.element(w.id("ask-passage").first()).toHaveAttribute("aria-pressed", "true");
    await w.id("ask-why").click();
    await expect.element(w.id("why-panel")).toHaveTextContent("为什么这样答？");
  });

  test("is inserted where the writer was, also while a passage of another chapter is open", async () => {
    await open(({ asking }) => void (asking.script = CRAFT));
    await answered();
    await w.id("ask-chip").click();
    await expect.poll(chapterId).toBe(w.file(0).info.chapterId);
    await w.id("ask-insert").click();
    await expect.poll(chapterId).toBe(w.file(2).info.chapterId);
    await expect.poll(() => w.text).toContain("“差了两指。”我说。先写手上的事。");
    await w.saved();
    expect(w.file(0).text).not.toContain("先写手上的事");
  });

  test("is one step of its own in the text, beside what is typed after it", async () => {
    await open();
    const before = w.text;
    w.program.editor.insertText("先写手上的事。");
    await w.press("x");
    await expect.poll(() => w.text).toBe(`${before}先写手上的事。x`);
    await w.press("{Control>}z{/Control}");
    await expect.poll(() => w.text).toBe(`${before}先写手上的事。`);
    await w.press("{Control>}z{/Control}");
    await expect.poll(() => w.text).toBe(before);
  });

  test("knows the book up to the writer's caret, also while a passage of another chapter is open", async () => {
    await open(({ asking }) => void (asking.script = CRAFT));
    await answered();
    await w.id("ask-chip").click();
    await expect.poll(chapterId).toBe(w.file(0).info.chapterId);
    await ask("船几点开？");
    await expect.poll(() => runs()[1]?.at?.chapterId).toBe(w.file(2).info.chapterId);
  });

  test("knows the book up to the caret, up to a chapter, or as a whole, and says so before it is sent", async () => {
    await open();
    await w.id("ask-as-of").click();
    await w.id(`ask-as-of-pin:${w.file(0).info.chapterId}`).click();
    await expect.element(w.id("ask-leaves")).toHaveTextContent("只到第 1 章。");
    await asked();
    expect(runs()[0]?.at).toMatchObject({ chapterId: w.file(0).info.chapterId });
    await expect.element(w.id("ask-copy")).toBeVisible();
    await w.id("ask-as-of").click();
    await w.id("ask-as-of-whole").click();
    await expect.element(w.id("ask-whole")).toHaveTextContent("后面的事也会带上。");
    await ask("船几点开？");
    await expect.poll(() => runs()[1]?.at).toBeNull();
  });

  test("about selected words takes them along, unless they are dropped", async () => {
    await open();
    const view = w.program.editor.surface.view!;
    const from = view.state.doc.toString().indexOf("一切如常");
    view.focus();
    view.dispatch({ selection: { anchor: from, head: from + 4 } });
    await w.press("{Control>}{Shift>}{Enter}{/Shift}{/Control}");
    await expect.element(w.id("ask-selection")).toHaveTextContent("一切如常");
    await expect.element(w.id("ask-leaves")).toHaveTextContent("选中的文字也一起发。");
    expect(runs()).toEqual([]);
    await ask("这是反话吗？");
    await expect.poll(() => runs()[0]?.selection).toBe("一切如常");
    await gone("ask-selection");
  });

  test("is not asked before the panel can say where it goes", async () => {
    w = await openWindow({
      before: (backend) => {
        withModel(backend);
        backend.fail("ai:provider:list", { code: "MEMORY_STORE_UNAVAILABLE", message: "damaged" }, 99);
      },
    });
    await w.press("{F1}");
    await expect.element(w.id("ask-models-unread")).toBeVisible();
    await ask();
    await w.press("{Control>}{Enter}{/Control}");
    await w.backend.idle();
    expect(runs()).toEqual([]);
    w.backend.heal("ai:provider:list");
    w.backend.emit("memory:changed", { projectId: null, what: ["models"] });
    await expect.element(w.id("ask-leaves")).toHaveTextContent("发往 api.example.com");
    await w.press("{Enter}");
    await expect.poll(() => runs().length).toBe(1);
  });

  test("without a model finds the passages alone, and the sample model is never asked", async () => {
    await open(undefined, () => {});
    await expect.element(w.id("ask-no-model")).toHaveTextContent("还没有能回答的模型");
    await expect.element(w.id("ask-leaves")).toHaveTextContent("不用模型，只把原文找出来。什么也不发出去。");
    await ask();
    await expect.element(w.id("ask-of-book")).toBeVisible();
    w.backend.asking.advance();
    await expect.element(w.id("ask-of-book")).toHaveTextContent("书里这样写到·3 处，像的在前");
    await w.id("ask-passage").first().click();
    await expect.poll(selected).toBe("“这上头的数，他改过。”");
    expect(w.backend.callsOf("ai:skill:run")).toEqual([]);
  });

  test("that the book probably does not answer says so, in one quiet line, and below that probability nothing", async () => {
    await open(
      ({ asking }) => void (asking.script = { ...ASK_SCRIPTS.zh, unanswerable: 0.6 }),
      () => {},
    );
    await ask();
    await expect.element(w.id("ask-of-book")).toBeVisible();
    w.backend.asking.advance();
    await expect.element(w.id("ask-unanswerable")).toHaveTextContent("书里可能没写到。");
    w.backend.asking.script = { ...ASK_SCRIPTS.zh, unanswerable: 0.59 };
    await ask();
    await gone("ask-unanswerable");
    await expect.element(w.id("ask-of-book")).toBeVisible();
    w.backend.asking.advance();
    await expect.element(w.id("ask-of-book")).toHaveTextContent("3 处");
    await gone("ask-unanswerable");
  });
});

describe("the preview of a question", () => {
  test("shows the first request before it is asked, and is gone when the question is changed", async () => {
    await open();
    await gone("ask-preview-toggle");
    await w.id("ask-field").fill(QUESTION);
    await w.id("ask-preview-toggle").click();
    await expect.element(w.id("ask-preview")).toHaveTextContent("第一次请求，一共 1,240 词元");
    await expect.element(w.id("ask-preview")).toHaveTextContent(QUESTION);
    expect(await faults()).toEqual([]);
    expect(runs()).toEqual([]);
    await w.id("ask-field").fill("别的？");
    await gone("ask-preview");
    await w.id("ask-preview-toggle").click();
    await expect.element(w.id("ask-preview")).toHaveTextContent("别的？");
    await w.id("ask-preview-toggle").click();
    await gone("ask-preview");
  });

  test("says that nothing is sent where a kept answer is served, and why it cannot be made", async () => {
    await open((backend) => keep(backend));
    await w.id("ask-field").fill(QUESTION);
    await w.id("ask-preview-toggle").click();
    await expect.element(w.id("ask-preview-none")).toHaveTextContent("什么也不发出去");
    w.backend.fail(
      "ask:preview",
      { code: "MEMORY_STORE_UNAVAILABLE", message: "names", details: { reason: "namesUnread" } },
      1,
    );
    await w.id("ask-field").fill("别的？");
    await w.id("ask-preview-toggle").click();
    await expect.element(w.id("ask-preview-problem")).toBeVisible();
  });
});

describe("a question that was asked before", () => {
  test("is answered at once and nothing is sent; Enter uses it, and the verdict is undone", async () => {
    await open((backend) => keep(backend));
    await ask();
    await expect.element(w.id("ask-before")).toHaveTextContent("一字不差");
    await expect.element(w.id("ask-leaves")).toHaveTextContent("再问一次，才发往 api.example.com");
    expect(w.id("ask-stop").elements()).toEqual([]);
    await w.press("{ArrowUp}");
    await expect.element(w.id("ask-card")).toHaveFocus();
    await w.press("{Enter}");
    await expect.element(w.id("ask-verdicts")).toBeVisible();
    await expect.poll(validations).toEqual([["pass", "writer"]]);
    await expect.element(w.id("toast")).toHaveTextContent("记下了：有用");
    await w.id("toast-action").click();
    await expect.element(w.id("toast")).toHaveTextContent("已撤销");
  });

  test("is asked again on demand; the earlier answer is listed, and shown without asking", async () => {
    await open((backend) => keep(backend));
    await ask();
    await w.id("ask-again").click();
    await expect.element(w.id("ask-loop")).toBeVisible();
    expect(runs()[1]).toMatchObject({ question: QUESTION, fresh: true });
    w.backend.asking.advance();
    await expect.element(w.id("ask-nearly")).toHaveTextContent("以前的回答");
    await w.id("ask-near").click();
    await expect.element(w.id("ask-text")).toHaveTextContent("是父亲。");
    await expect.poll(runs).toHaveLength(2);
  });

  test("in other words is only listed, with what differs marked", async () => {
    await open((backend) => keep(backend, "水尺上的字是谁改的？"));
    await answered();
    await expect.element(w.id("ask-text")).toHaveTextContent("是父亲改的");
    await expect.poll(() => w.id("ask-near").element().querySelector("ins")?.textContent).toBe("字");
  });
});

describe("a verdict", () => {
  test("is given by Y, N and O on the answer, and out of date lowers nothing", async () => {
    await open();
    await answered();
    (w.id("ask-card").element() as HTMLElement).focus();
    await w.press("y");
    await expect.poll(validations).toEqual([["pass", "writer"]]);
    await expect.element(w.id("toast")).toHaveTextContent("记下了：有用");
    await w.press("n");
    await expect.poll(validations).toEqual([
      ["pass", "writer"],
      ["fail", "writer"],
    ]);
    await expect.element(w.id("toast")).toHaveTextContent("记下了：不对");
    await w.press("o");
    await expect.poll(() => runs().length).toBe(2);
    expect(runs()[1]).toMatchObject({ question: QUESTION, fresh: true });
    await expect.poll(validations).toHaveLength(2);
  });

  test("that settles is taken back; one that cannot be written is said on the card", async () => {
    await open();
    await answered();
    await w.id("ask-settle").click();
    await expect.element(w.id("answer-settled")).toBeVisible();
    await w.id("toast-action").click();
    await gone("answer-settled");
    w.backend.fail("answer:validate", { code: "MEMORY_WRITE_FAILED", message: "disk full" });
    await w.id("ask-useful").click();
    await expect.element(w.id("ask-verdict-problem")).toHaveTextContent("没能写进磁盘");
    await w.id("ask-useful").click();
    await gone("ask-verdict-problem");
  });
});

describe("a run", () => {
  test("is stopped by Escape: what has come stays, the question is in the field again", async () => {
    await open();
    await asked(11);
    await expect.element(w.id("ask-text")).toHaveTextContent(ANSWER);
    await w.press("{Escape}");
    await expect.element(w.id("ask-stopped")).toHaveTextContent("答到这里的还看得见，不当答案记。");
    await expect.element(w.id("ask-field")).toHaveValue(QUESTION);
    await expect.element(w.id("ask-field")).toHaveFocus();
    expect(w.id("ask-verdicts").elements()).toEqual([]);
    await w.press("{Escape}");
    await expect.poll(at).toBe(w.content());
  });

  test("shows a sentence as open until its passage is found", async () => {
    await open();
    await asked(12);
    await expect.element(w.id("ask-open")).toHaveTextContent("原来的刻度还在");
    await expect.poll(() => w.id("ask-chip").elements().length).toBe(1);
    w.backend.asking.advance(1);
    await gone("ask-open");
    await expect.poll(() => w.id("ask-chip").elements().length).toBe(2);
  });

  test("that fails leaves the question in the field, through another mode, another panel, and a second failure", async () => {
    await open();
    w.backend.fail("ask:run", limit, 2);
    w.backend.models.usage = { ...w.backend.models.usage, tokens: 200_000, tokensPerDay: 200_000 };
    await ask();
    await expect.element(w.id("ask-limit")).toHaveTextContent("你设的是一天 200,000 词元");
    await w.id("mode-write").click();
    await expect.element(w.id("wish")).toBeVisible();
    await w.id("nav-memory").click();
    await w.id("nav-book").click();
    await w.id("mode-ask").click();
    await expect.element(w.id("ask-field")).toHaveValue(QUESTION);
    await w.press("{Enter}");
    await expect.poll(() => runs().length).toBe(2);
    await expect.element(w.id("ask-field")).toHaveValue(QUESTION);
    await w.id("ask-only-book").click();
    await expect.poll(() => runs()[2]?.onlyBook).toBe(true);
  });

  test("is not begun while the hidden names cannot be read", async () => {
    await open();
    const unread = "the names to be hidden cannot be read";
    w.backend.fail("ask:run", {
      code: "MEMORY_STORE_UNAVAILABLE",
      message: unread,
      details: { reason: "namesUnread" },
    });
    await ask();
    await expect.element(w.id("ask-names")).toHaveTextContent("先不问：不知道该藏哪些名字");
    await expect.element(w.id("ask-names")).toHaveTextContent("名字读不出来，所以什么也没有发出去。");
    expect(w.id("ask-failed").elements()).toEqual([]);
    await expect.element(w.id("ask-field")).toHaveValue(QUESTION);
  });

  test("goes on while the writer writes, and is stopped when another book is opened", async () => {
    await open();
    await asked(11);
    await w.id("mode-write").click();
    await w.id("wish").fill("短一点");
    w.backend.asking.advance(1);
    await w.id("mode-ask").click();
    await expect.element(w.id("ask-text")).toHaveTextContent("原来的刻度还在");
    const { runId } = w.program.ask.session.state.getState().exchange!;
    const first = w.projectId();
    await w.program.openPath("/another");
    await expect.poll(() => w.program.window.getState().project?.projectId).not.toBe(first);
    await expect.poll(() => w.backend.callsOf("ask:cancel")).toEqual([{ runId }]);
    await gone("ask-card");
    await expect.element(w.id("ask-field")).toHaveValue("");
    w.backend.asking.advance();
    await w.backend.idle();
    await gone("ask-card");
  });
});

describe("keys", () => {
  test("of an input method ask nothing, judge nothing and open nothing", async () => {
    await open();
    await answered();
    await w.id("ask-field").fill("");
    await ime.compose("shuichi");
    await ime.key("Enter");
    await ime.commit("水尺");
    await expect.element(w.id("ask-field")).toHaveValue("水尺");
    const card = w.id("ask-card").element() as HTMLElement;
    for (const key of ["y", "n", "o", "1", "Enter"]) {
      composition(card).key(key);
      composition(card).lateKey(key);
      composition(w.content()).lateKey("F1");
    }
    await w.backend.idle();
    await expect.poll(runs).toHaveLength(1);
    expect(validations()).toEqual([]);
    expect(w.program.ask.session.state.getState().lit).toBeNull();
  });

  test("that are letters and figures stay in the field", async () => {
    await open();
    await answered();
    await w.id("ask-field").fill("");
    await w.press("yno12");
    await expect.element(w.id("ask-field")).toHaveValue("yno12");
    expect(validations()).toEqual([]);
    expect(w.program.ask.session.state.getState().lit).toBeNull();
  });

  test("Control and Enter start what the mode does, from the text too", async () => {
    await open();
    await w.id("ask-field").fill(QUESTION);
    w.focus();
    await w.press("{Control>}{Enter}{/Control}");
    await expect.poll(() => runs().length).toBe(1);
    expect(w.backend.callsOf("ai:skill:run")).toEqual([]);
    await w.id("mode-write").click();
    w.focus();
    await w.press("{Control>}{Enter}{/Control}");
    await expect.poll(() => w.backend.callsOf("ai:skill:run").length).toBe(1);
    await expect.poll(runs).toHaveLength(1);
  });
});

describe("kept answers whose text is changed", () => {
  test("are counted beside the mode without a message, and listed first", async () => {
    await open((backend) => {
      keep(backend, "另一个问题？");
      const { projectId } = backend.books[0]!.project;
      const { info } = backend.books[0]!.files[2]!;
      const citation = {
        chapterId: info.chapterId,
        from: 3,
        to: 5,
        quoteHash: "q",
        quote: "旧话",
        status: "changed",
      } as const;
      backend.answers.add({ projectId, question: "改过的？", answer: "是。", citations: [citation], origin: "agent" });
    });
    await expect.element(w.id("mode-ask")).toHaveTextContent("问 1");
    await expect.element(w.id("ask-earlier-question").first()).toHaveTextContent("改过的？原文改过");
    await w.id("ask-earlier-question").first().click();
    await expect.element(w.id("answer-stale")).toBeVisible();
    expect(runs()).toEqual([]);
    expect(await faults()).toEqual([]);
  });
});
