// Kept answers in the page of questions: answers that disagree, numbers of passages in a kept answer, earlier questions,
// and the messages where nothing can be kept.

import { afterEach, describe, expect, test } from "vitest";
import { ASK_SCRIPTS } from "../../src/backend/fake/askScripts";
import { faults } from "../../testing/axe";
import { ask, keep, openAsk, QUESTION, QUOTES } from "./askPanel";
import type { Window } from "./openWindow";

let w: Window;
afterEach(() => w.close());

const diskFull = { code: "MEMORY_WRITE_FAILED", message: "disk full" } as const;
const runs = () => w.backend.callsOf("ask:run");
const gone = (testId: string) => expect.poll(() => w.id(testId).elements()).toEqual([]);
const verdicts = () =>
  w.backend.calls.flatMap(({ name, args }) =>
    /^answer:(confirm|block|undo)$/.test(name) ? [[name.slice(7), (args as { answerId?: string }).answerId]] : [],
  );
const standing = (answerId: string) => {
  const { status, userConfirmed } = w.backend.answers.commands["answer:get"]({ projectId: w.projectId(), answerId });
  return { isBlocked: status === "blocked", userConfirmed };
};

describe("two kept answers to one question that disagree", () => {
  async function openTwo() {
    const ids: string[] = [];
    w = await openAsk((backend) => {
      ids.push(keep(backend, { createdAt: "2026-01-02T10:00:00Z" }).answerId);
      ids.push(keep(backend, { answer: "是老周。", createdAt: "2026-02-03T10:00:00Z" }).answerId);
    });
    await ask(w);
    await expect.element(w.id("answer-disagreeing")).toHaveTextContent("两个答案对不上");
    return ids as [first: string, second: string];
  }

  test("stand side by side in the answer, and the choice settles one and blocks the other, undone as a whole", async () => {
    const [first, second] = await openTwo();
    expect(await faults()).toEqual([]);
    await expect.poll(runs).toHaveLength(1);
    await w.id("answer-second").click();
    await gone("answer-disagreeing");
    expect(standing(second)).toEqual({ isBlocked: false, userConfirmed: true });
    expect(standing(first)).toEqual({ isBlocked: true, userConfirmed: false });
    await w.id("toast-action").click();
    await expect.element(w.id("answer-disagreeing")).toBeVisible();
    expect(standing(second)).toEqual({ isBlocked: false, userConfirmed: false });
    expect(standing(first)).toEqual({ isBlocked: false, userConfirmed: false });
  });

  test("are chosen between in part if the disk fails in the middle: what was done is said, and the choice goes on", async () => {
    const [first, second] = await openTwo();
    w.backend.fail("answer:block", diskFull);
    await w.id("answer-second").click();
    await expect.element(w.id("answer-half-chosen")).toHaveTextContent("没能写进磁盘");
    await expect.element(w.id("answer-half-chosen")).toHaveTextContent("“是老周。” 定下来了");
    await expect.element(w.id("answer-half-chosen")).toHaveTextContent("“是父亲。” 没有停用");
    expect(standing(second).userConfirmed).toBe(true);
    await w.id("answer-second").click();
    await gone("answer-half-chosen");
    await expect.poll(() => standing(first).isBlocked).toBe(true);
    await expect.poll(verdicts).toEqual([
      ["confirm", second],
      ["block", first],
      ["block", first],
    ]);
  });

  test("of which a part of the choice was stored are as before once that part is undone", async () => {
    const [first, second] = await openTwo();
    w.backend.fail("answer:block", diskFull);
    await w.id("answer-second").click();
    await w.id("answer-half-undo").click();
    await gone("answer-half-chosen");
    await expect.poll(() => standing(second).userConfirmed).toBe(false);
    expect(standing(first).isBlocked).toBe(false);
    await expect.element(w.id("answer-disagreeing")).toBeVisible();
  });

  test("say why nothing of the choice could be stored", async () => {
    const [, second] = await openTwo();
    w.backend.fail("answer:confirm", diskFull);
    await w.id("answer-second").click();
    await expect.element(w.id("answer-problem")).toHaveTextContent("没能写进磁盘");
    expect(standing(second).userConfirmed).toBe(false);
    expect(w.id("answer-half-chosen").elements()).toEqual([]);
  });
});

describe("the numbers in a kept answer", () => {
  const lit = () => w.program.ask.session.state.getState().lit;

  test("are chips that light their passages, as in an answer that has just been written", async () => {
    w = await openAsk((backend) => void keep(backend, { answer: "是父亲改的[1]。原来的还在［2］。见［9］。" }));
    await ask(w);
    await expect.element(w.id("ask-before")).toBeVisible();
    await expect.poll(() => w.id("ask-chip").elements()).toHaveLength(2);
    // A number of no passage is a part of the words.
    await expect.element(w.id("ask-text")).toHaveTextContent("见［9］。");
    await expect.element(w.id("ask-chip").nth(1)).toHaveAccessibleName("[2]，第 3 章，在正文里看");
    await w.id("ask-chip").nth(1).click();
    await expect.poll(lit).toBe(2);
    await expect.element(w.id("ask-chip").nth(1)).toHaveAttribute("aria-pressed", "true");
    await expect.element(w.id("ask-passage").nth(1)).toHaveAttribute("aria-pressed", "true");
    expect(await faults()).toEqual([]);
  });

  test("do not come into the text with it", async () => {
    w = await openAsk((backend) => void keep(backend, { answer: "先写手上的事 [1]。", kind: "craft" }));
    await ask(w);
    await w.id("ask-insert").click();
    await expect.poll(() => w.text).toContain("先写手上的事。");
    expect(w.text).not.toContain("[1]");
  });

  test("are behind an answer of one sentence, and nowhere in a longer one that has none", async () => {
    w = await openAsk((backend) => {
      keep(backend);
      keep(backend, { question: "另一个？", answer: "是父亲。老周看着。" });
    });
    await ask(w);
    await expect.poll(() => w.id("ask-chip").elements().length).toBe(QUOTES.length);
    await ask(w, "另一个？");
    await expect.element(w.id("ask-text")).toHaveTextContent("是父亲。老周看着。");
    await gone("ask-chip");
    await expect.poll(() => w.id("ask-passage").elements()).toHaveLength(QUOTES.length);
  });
});

describe("the numbers of Ask's own kept answer", () => {
  test("are behind their statements after a start, without that of a lost passage and of an edited statement", async () => {
    const record = (from: number | null, length: number, citations: number[]) => ({
      from,
      length,
      hash: "",
      citations,
    });
    const ofStatements = (...statements: unknown[]) => ({ metadata: { statements: JSON.stringify(statements) } });
    w = await openAsk((backend) => {
      const answer = "是父亲改的。老周看着。后来没有再改。";
      const details = ofStatements(record(0, 6, [1]), record(6, 5, [2, 1]));
      keep(backend, { answer, details });
      keep(backend, {
        question: "改过的？",
        answer,
        details: ofStatements(record(null, 6, [1]), record(6, 5, [2, 1])),
      });
    });
    await ask(w);
    await expect.element(w.id("ask-text")).toHaveTextContent("是父亲改的。1老周看着。21后来没有再改。");
    await w.id("ask-chip").first().click();
    await expect.element(w.id("ask-chip").first()).toHaveAttribute("aria-pressed", "true");
    await ask(w, "改过的？");
    await expect.element(w.id("ask-text")).toHaveTextContent("是父亲改的。老周看着。21后来没有再改。");
  });
});

describe("the earlier questions", () => {
  test("are listed latest first, and one that is chosen is in the field and not asked", async () => {
    w = await openAsk((backend) => {
      keep(backend, { question: "最早的？", createdAt: "2026-01-02T10:00:00Z" });
      keep(backend, { question: "后来的？", createdAt: "2026-03-02T10:00:00Z" });
      keep(backend, { question: "别的程序问的？", origin: "agent" });
    });
    await w.id("ask-history").click();
    await expect.element(w.id("ask-history-0")).toHaveTextContent("后来的？");
    await expect.element(w.id("ask-history-1")).toHaveTextContent("最早的？");
    expect(w.id("ask-history-2").elements()).toEqual([]);
    expect(await faults()).toEqual([]);
    await w.id("ask-history-1").click();
    await expect.element(w.id("ask-field")).toHaveValue("最早的？");
    await expect.element(w.id("ask-field")).toHaveFocus();
    expect(runs()).toEqual([]);
    await w.press("{Enter}");
    await expect.poll(() => runs().map(({ question }) => question)).toEqual(["最早的？"]);
  });

  test("have one without a kept answer too, until the memory is cleared", async () => {
    w = await openAsk(({ asking }) => {
      asking.script = { ...ASK_SCRIPTS.zh, whyNot: ["short"] };
      asking.isJournalKept = false;
    });
    await ask(w);
    await expect.element(w.id("ask-loop")).toBeVisible();
    w.backend.asking.advance();
    await expect.element(w.id("ask-why-not")).toHaveTextContent("没有留下：太短了。");
    await w.id("ask-history").click();
    await expect.element(w.id("ask-history-0")).toHaveTextContent(QUESTION);
    await w.press("{Escape}");
    w.program.ask.session.forget();
    await w.id("ask-history").click();
    await expect.element(w.id("ask-history-0")).not.toBeInTheDocument();
  });

  test("are those of the journal after a start, an interrupted one too, and a redacted one no more", async () => {
    w = await openAsk(({ asking, books }) => {
      const askedAt = "2026-10-03T10:00:00Z";
      asking.earlier.set(books[0]!.project.projectId, [
        { question: "断了的？", askedAt, isInterrupted: true },
        { question: "没有答案的？", askedAt, isInterrupted: false },
      ]);
    });
    await w.id("ask-history").click();
    await expect.element(w.id("ask-history-0")).toHaveTextContent("断了的？10月3日·中断了");
    await expect.element(w.id("ask-history-1")).toHaveTextContent("没有答案的？10月3日");
    await w.press("{Escape}");
    await ask(w);
    await expect.element(w.id("ask-loop")).toBeVisible();
    w.backend.asking.advance();
    await expect.element(w.id("ask-copy")).toBeVisible();
    const projectId = w.backend.books[0]!.project.projectId;
    w.backend.asking.earlier.set(projectId, []);
    w.backend.answers.clear(projectId);
    w.backend.emit("memory:changed", { projectId, what: ["journal", "answers"] });
    await w.id("ask-history").click();
    await expect.element(w.id("ask-history-empty")).toHaveTextContent("还没有问过。");
  });

  test("that cannot be read say so", async () => {
    w = await openAsk();
    w.backend.fail("answer:list", { code: "MEMORY_STORE_UNAVAILABLE", message: "damaged" }, 9);
    await w.id("ask-history").click();
    await expect.element(w.id("ask-history-empty")).toHaveTextContent("记忆库打不开");
  });
});

describe("an answer that is not kept", () => {
  test.each([
    ["rulesUnread", "没有留下：规则库读不出来，看不出你是不是删过它的答案。"],
    ["deleted", "没有留下：你删过同一个问题的答案。"],
    ["unstored", "没有留下：没能存下来。"],
    ["newer", "没有留下。"],
  ])("says why: %s", async (whyNot, sentence) => {
    w = await openAsk(({ asking }) => void (asking.script = { ...ASK_SCRIPTS.zh, whyNot: [whyNot] }));
    await ask(w);
    await expect.element(w.id("ask-loop")).toBeVisible();
    w.backend.asking.advance();
    await expect.element(w.id("ask-why-not")).toHaveTextContent(sentence);
    expect(w.id("ask-unkept").elements()).toEqual([]);
  });

  test("because the file of the past is down is said once, beside the answer", async () => {
    w = await openAsk((backend) => backend.degrade("episodes"));
    await ask(w);
    await expect.element(w.id("ask-unkept")).toHaveTextContent("往事库打不开，答案和流水都记不下来。");
    w.backend.asking.advance();
    await expect.element(w.id("ask-copy")).toBeVisible();
    expect(w.id("ask-why-not").elements()).toEqual([]);
  });

  test("is not said where only the team’s answers are missing", async () => {
    w = await openAsk(({ asking }) => void (asking.serviceFailure = "the answer service was not reached"));
    await w.id("ask-as-of").click();
    await w.id("ask-as-of-whole").click();
    await ask(w);
    await expect.element(w.id("ask-service-unreached")).toHaveTextContent("团队的答案暂时拿不到");
    w.backend.asking.advance();
    await expect.element(w.id("ask-verdicts")).toBeVisible();
    expect(w.id("ask-unkept").elements()).toEqual([]);
  });
});
