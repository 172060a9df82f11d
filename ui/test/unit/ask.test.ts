import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import {
  installHost,
  type AskChunk,
  type AskDone,
  type AskStep,
  type ChapterInfo,
  type ServiceSettings,
} from "../../src/backend";
import { FakeBackend } from "../../src/backend/fake";
import { askedService, leavesAgainSentence, leavesSentence, type Answerer } from "../../src/features/ask/answering";
import { AskSession } from "../../src/features/ask/session";
import { soundText, type Exchange } from "../../src/features/ask/exchange";
import { statementsOfKept } from "../../src/features/ask/keptStatements";
import { earlierQuestions } from "../../src/features/ask/earlier";
import { blocksOf, lastWord, segmentsOf, segmentsOfKept, withoutNumbers } from "../../src/features/ask/segments";
import { i18n } from "../../src/i18n/locale";
import { whereIs } from "../../src/lib/address";
import { chapterRanges } from "../../src/features/ask/words";

const QUESTION = "水尺上的数是谁改的？";

let backend: FakeBackend;
let session: AskSession;
let projectId: string;
let stops: (() => void)[];
const opened: number[] = [];

beforeAll(() => i18n.activate("zh-CN"));

/** A session on a fake backend with a model that answers, in a book. */
beforeEach(async () => {
  backend = new FakeBackend({ pace: null, now: "2026-10-20T14:32:00Z" });
  installHost(backend);
  const provider = { providerId: "away", kind: "openAi", name: "Away", keyKept: "keychain" } as const;
  backend.models.providers = [{ ...provider, baseUrl: "https://api.example.com" }];
  backend.models.purposes = backend.models.purposes.map((one) =>
    one.purpose === "asking" ? { ...one, providerId: "away", model: "large" } : one,
  );
  await backend.invoke("project:sample", { language: "zh" });
  ({ projectId } = backend.books[0]!.project);
  opened.length = 0;
  session = new AskSession({
    position: () => Promise.resolve({ chapterId: backend.books[0]!.files[2]!.info.chapterId, offset: 40 }),
    open: ({ number }) => {
      opened.push(number);
      return Promise.resolve();
    },
  });
  session.moveTo(projectId);
  stops = await Promise.all([
    backend.listen("ask:step", (step) => session.onStep(step as AskStep)),
    backend.listen("ask:chunk", (chunk) => session.onChunk(chunk as AskChunk)),
    backend.listen("ask:done", (done) => session.onDone(done as AskDone)),
  ]);
});
afterEach(() => stops.forEach((stop) => stop()));

const now = () => session.state.getState();
const exchange = () => now().exchange!;
const state = () => now().exchange?.state;
const ask = (question = QUESTION) => {
  session.setQuestion(question);
  return session.start();
};

describe("a question", () => {
  test("is asked as of the caret and answered by steps, phrases and passages", async () => {
    session.setSelection("  这上头的数  ");
    await ask();
    expect(backend.callsOf("ask:run")).toMatchObject([
      { projectId, question: QUESTION, selection: "这上头的数", at: { offset: 40 }, fresh: false, onlyBook: false },
    ]);
    expect([state(), now().question, now().selection]).toEqual(["answering", "", null]);
    backend.asking.advance(3);
    expect(exchange().steps.map(({ kind, state: of }) => [kind, of])).toEqual([
      ["need", "done"],
      ["journal", "started"],
    ]);
    backend.asking.advance(8);
    await vi.waitFor(() => expect(exchange().text).toBe("是父亲改的，老周说的。"));
    expect(exchange().statements).toMatchObject([{ status: "verified", citations: [1] }]);
    backend.asking.advance();
    expect(state()).toBe("finished");
    expect(exchange().citations.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(exchange().statements.map(({ status }) => status)).toContain("unverified");
    expect(exchange().answered?.kept?.question).toBe(QUESTION);
    expect(now().question).toBe("");
  });

  test("is not asked while it is blank, or while another is under way", async () => {
    await ask("   ");
    await ask();
    await ask("另一个问题？");
    expect(backend.callsOf("ask:run").map(({ question }) => question)).toEqual([QUESTION]);
    expect(now().question).toBe("另一个问题？");
  });

  test("gets its events even if they come before its id, and none of another run", async () => {
    const invoke = backend.invoke.bind(backend);
    vi.spyOn(backend, "invoke").mockImplementation(async (name, args) => {
      const answer = await invoke(name, args);
      if (name === "ask:run") backend.asking.advance(2);
      return answer;
    });
    const asked = ask();
    const step = { number: 9, round: 1, kind: "need", subject: "", found: null, chapterId: null } as const;
    session.onStep({ ...step, runId: "other", state: "started" });
    await asked;
    expect(exchange().steps).toMatchObject([{ number: 1, state: "done" }]);
    session.onChunk({ runId: "other", text: "别的", statements: [], citations: [] });
    session.onDone({ runId: "other", status: "failed", answered: {} as AskDone["answered"], error: null });
    expect([state(), exchange().text]).toEqual(["answering", ""]);
  });

  test("that fails is in the field again, unless another one is there", async () => {
    const limit = { code: "MEMORY_MODEL_UNAVAILABLE", message: "limit", details: { reason: "dailyLimit" } } as const;
    backend.fail("ask:run", limit);
    await ask();
    expect([state(), now().question, exchange().error?.details.reason]).toEqual(["failed", QUESTION, "dailyLimit"]);
    await session.start();
    session.setQuestion("下一个？");
    backend.asking.advance(11);
    backend.asking.end("failed", { ...limit, details: { reason: "timeout" } });
    expect([state(), now().question]).toEqual(["failed", "下一个？"]);
    expect(exchange().text).toBe("是父亲改的，老周说的。");
  });

  test("that is stopped keeps what has come, and no part of it is kept as an answer", async () => {
    await ask();
    backend.asking.advance(11);
    await session.stop();
    await vi.waitFor(() => expect(state()).toBe("cancelled"));
    expect([exchange().text, exchange().answered?.kept ?? null]).toEqual(["是父亲改的，老周说的。", null]);
    expect(now().question).toBe(QUESTION);
  });

  test("that is stopped before it has started is cancelled as soon as it has", async () => {
    const release = backend.waits.hold("ask:run");
    const asked = ask();
    await vi.waitFor(() => expect(backend.callsOf("ask:run").length).toBe(1));
    await session.stop();
    expect(state()).toBe("cancelled");
    release();
    await asked;
    await vi.waitFor(() => expect(backend.callsOf("ask:cancel").length).toBe(1));
    backend.asking.advance();
    expect([state(), exchange().text]).toEqual(["cancelled", ""]);
  });

  test("that cannot be cancelled ends in the window nevertheless", async () => {
    await ask();
    backend.fail("ask:cancel", { code: "MEMORY_BACKPRESSURE", message: "busy" });
    await session.stop();
    expect(state()).toBe("cancelled");
    backend.asking.advance();
    expect(exchange().text).toBe("");
  });
});

describe("the sentence on what leaves", () => {
  const at = (baseUrl: string): Answerer => ({
    kind: "model",
    model: { model: "reader", ...whereIs(baseUrl), isOfWriting: false },
  });
  const service = { baseUrl: "https://answers.example.org", enabled: true, sendCandidates: false, keyKept: "none" };
  const settings = service as ServiceSettings;

  test("says that nothing leaves for a model on this computer, and not where a service is asked too", () => {
    expect(leavesSentence(at("http://127.0.0.1:11434"), null)).toContain("什么也不发出去");
    const asked = askedService(settings);
    for (const sentence of [leavesSentence, leavesAgainSentence]) {
      const words = sentence(at("http://127.0.0.1:11434"), null, asked);
      expect(words).toContain("answers.example.org");
      expect(words).not.toContain("什么也不发出去");
      expect(sentence(at("https://api.example.com"), null, asked)).toContain("answers.example.org");
    }
  });

  test("names new answers only where they are sent, and no service that is switched off", () => {
    expect(askedService({ ...settings, enabled: false })).toBeNull();
    expect(leavesSentence(at("http://127.0.0.1:1"), null, askedService(settings))).not.toContain("新答案");
    const sending = askedService({ ...settings, sendCandidates: true });
    expect(leavesSentence(at("http://127.0.0.1:1"), null, sending)).toContain("新答案");
  });
});

describe("another book", () => {
  test("stops the run, and each book keeps its field and its card", async () => {
    await ask();
    backend.asking.advance(11);
    const { runId } = exchange();
    session.moveTo("another");
    expect([now().exchange, now().question]).toEqual([null, ""]);
    expect(backend.callsOf("ask:cancel")).toEqual([{ runId }]);
    session.setQuestion("这本书的问题？");
    backend.asking.advance();
    expect(now().exchange).toBeNull();
    session.moveTo(projectId);
    expect([state(), exchange().text, now().question]).toEqual(["cancelled", "是父亲改的，老周说的。", QUESTION]);
    session.moveTo("another");
    expect(now().question).toBe("这本书的问题？");
  });
});

describe("a question that was asked before in the same words", () => {
  const keep = () =>
    backend.answers.add({ projectId, question: QUESTION, answer: "父亲。", origin: "asked" }, [
      { kind: "validated", result: "pass", source: "writer", signalStrength: "strong" },
    ]);

  test("is answered by the kept answer without a run, and by the model when it is asked again", async () => {
    const { answerId } = keep();
    await ask();
    expect([state(), exchange().askedOf, exchange().served?.answerId]).toEqual(["served", { kind: "kept" }, answerId]);
    expect([session.isUnderWay, now().question]).toEqual([false, ""]);
    await session.again();
    expect(backend.callsOf("ask:run")[1]).toMatchObject({ question: QUESTION, fresh: true });
    expect([state(), exchange().served]).toEqual(["answering", null]);
    expect(exchange().nearly.map(({ answer }) => answer.answerId)).toEqual([answerId]);
  });
});

describe("a passage", () => {
  test("is opened by its number, and there is none with another", async () => {
    await ask();
    backend.asking.advance();
    expect([session.light(2), now().lit]).toEqual([true, 2]);
    expect([session.light(7), now().lit]).toEqual([false, 2]);
    expect(opened).toEqual([2]);
    session.unlight();
    expect(now().lit).toBeNull();
  });

  test("of the book alone is found without a model", async () => {
    session.setAnswerer({ onlyBook: true });
    await ask();
    backend.asking.advance();
    expect([state(), exchange().askedOf, exchange().answered?.passages.length]).toEqual([
      "finished",
      { kind: "book" },
      3,
    ]);
    expect(session.light(3)).toBe(true);
  });
});

describe("the text of an answer", () => {
  const statement = (
    from: number,
    to: number,
    status: "verified" | "unverified" | "plain",
    citations: number[] = [],
  ) => ({
    from,
    to,
    status,
    citations,
  });

  test("is divided by its statements; what follows them is open only while it is written", () => {
    const text = "甲。乙。\n丙";
    const statements = [statement(0, 2, "verified", [1]), statement(2, 4, "unverified")];
    expect(segmentsOf(text, statements, true).map(({ status }) => status)).toEqual(["verified", "unverified", "open"]);
    expect(segmentsOf(text, statements, false).at(-1)?.status).toBe("between");
    expect(blocksOf(segmentsOf(text, statements, false)).map(({ isStruck }) => isStruck)).toEqual([false, true, false]);
  });

  test("loses its struck statements where it is used", () => {
    const text = "One. Two. Three.";
    const statements = [statement(0, 4, "verified"), statement(5, 9, "unverified"), statement(10, 16, "plain")];
    const answer = { served: null, text, statements } as unknown as Exchange;
    expect(soundText(answer)).toBe("One. Three.");
    expect(soundText({ ...answer, text: "甲。乙。", statements: [statement(0, 2, "unverified")] })).toBe("乙。");
  });

  test.each([
    ["一起看见的。", "一起看见", "的。", ""],
    ["on his back. ", "on his ", "back.", " "],
    ["四米三一", "四米三", "一", ""],
    ["“Zhou’s.”\n", "“", "Zhou’s.”", "\n"],
    ["……", "……", "", ""],
  ])("%j keeps its last word with the number", (text, before, word, gap) => {
    expect(lastWord(text)).toEqual({ before, word, gap });
  });

  test("says which chapters were looked at, neighbours joined", () => {
    const chapters = ["a", "b", "c", "d", "e"].map((chapterId) => ({ chapterId }) as ChapterInfo);
    expect(chapterRanges(["a", "b", "c", "e", "gone"], chapters)).toBe("1–3、5");
    expect(chapterRanges(["gone"], chapters)).toBeNull();
  });
});

describe("a kept answer with numbers in it", () => {
  const parts = (text: string, passages = [1, 2], lost: number[] = []) =>
    segmentsOfKept(text, passages, lost).map((segment) => [segment.text, ...segment.citations]);

  test("has the passages of a number behind the words before it", () => {
    expect(parts("是父亲[1]。原来的还在［1，2］，没有扔。")).toEqual([
      ["是父亲", 1],
      ["。原来的还在", 1, 2],
      ["，没有扔。"],
    ]);
    expect(parts("是父亲[1][2]。")).toEqual([["是父亲", 1, 2], ["。"]]);
    expect(parts("He did [1]. It is there 【2】")).toEqual([
      ["He did", 1],
      [". It is there", 2],
    ]);
  });

  test("keeps a number that is none of its passages, and one without words before it, as words", () => {
    expect(parts("见[3]。看[1998]。")).toEqual([["见[3]。看[1998]。"]]);
    expect(parts("[1]是父亲。老周看着。")).toEqual([["[1]是父亲。老周看着。"]]);
    expect(withoutNumbers("见[3]，是父亲 [1]。", 2)).toBe("见[3]，是父亲。");
  });

  test("does not open a passage that the book has lost", () => {
    expect(parts("是父亲[1]。还在[2]。", [2], [1])).toEqual([["是父亲"], ["。还在", 2], ["。"]]);
  });

  test("without any rests on its passages as a whole if it is one sentence", () => {
    expect(parts("是父亲改的，老周说的。")).toEqual([["是父亲改的，老周说的。", 1, 2]]);
    expect(parts("是父亲。老周看着。")).toEqual([["是父亲。老周看着。"]]);
    expect(parts("是父亲。", [])).toEqual([["是父亲。"]]);
  });
});

describe("the statements of a kept answer", () => {
  const answer = "是父亲改的。老周看着。";
  const read = (statements: unknown, passages: readonly number[] = [1, 2]) => {
    const entry = typeof statements === "string" ? statements : JSON.stringify(statements);
    const found = statementsOfKept({ answer, details: { metadata: { statements: entry } } }, passages);
    return found?.map(({ from, to, citations }) => [answer.slice(from, to), ...citations]);
  };
  const first = { from: 0, length: 6, hash: "a", citations: [1] };
  const second = { from: 6, length: 5, hash: "b", citations: [2, 1] };

  test("have the numbers of the passages that the book still has", () => {
    expect(read([first, second])).toEqual([
      ["是父亲改的。", 1],
      ["老周看着。", 2, 1],
    ]);
    expect(read([first, second], [2])).toEqual([["是父亲改的。"], ["老周看着。", 2]]);
  });

  test("are without the one that the writer edited, and without a range that the text does not have", () => {
    expect(read([{ ...first, from: null }, second])).toEqual([["老周看着。", 2, 1]]);
    expect(read([second, first])).toEqual([["老周看着。", 2, 1]]);
    expect(read([{ ...second, length: 50 }])).toEqual([]);
  });

  test("are unknown where the record is missing or unreadable", () => {
    expect(statementsOfKept({ answer, details: {} }, [1])).toBeNull();
    for (const bad of ["", "[", "{}", "[1]", [{ ...first, from: -1 }], [{ ...first, citations: ["1"] }]])
      expect(read(bad)).toBeUndefined();
  });
});

describe("the preview of a question", () => {
  test("is its first request, is dropped when the question changes, and sends nothing", async () => {
    session.setQuestion(QUESTION);
    await session.togglePreview();
    expect(now().preview?.context?.messages.at(-1)?.content).toContain(QUESTION);
    expect(backend.callsOf("ask:preview")).toMatchObject([{ projectId, question: QUESTION, at: { offset: 40 } }]);
    expect(backend.callsOf("ask:run")).toEqual([]);
    session.setQuestion("别的？");
    expect(now().preview).toBeNull();
    const waiting = session.togglePreview();
    session.setAsOf({ mode: "whole" });
    await waiting;
    expect(now().preview).toBeNull();
  });
});

describe("the earlier questions", () => {
  const kept = (question: string, createdAt: string, origin = "asked") => ({ question, createdAt, origin }) as never;

  test("are latest first and each once, without those of other programs", () => {
    const answers = [
      kept("甲？", "2026-01-01T00:00:00Z"),
      kept("乙？", "2026-03-01T00:00:00Z"),
      kept("丙？", "2026-04-01T00:00:00Z", "agent"),
    ];
    const asked = [{ question: "甲？", askedAt: "2026-05-01T00:00:00Z", isWritten: false }];
    expect(earlierQuestions(asked, answers).map(({ question }) => question)).toEqual(["甲？", "乙？"]);
  });

  test("are those of the journal after a restart, and one that it has no more is not listed", () => {
    const of = (question: string, day: number, isInterrupted = false) => ({
      question,
      askedAt: `2026-05-0${day}T00:00:00Z`,
      isInterrupted,
    });
    const history = (isJournalKept: boolean) => ({
      questions: [of("断了的？", 4, true), of("没有答案的？", 3), of(`${"长".repeat(300)}…`, 2)],
      isJournalKept,
    });
    const asked = [
      { ...of("抹掉的？", 5), isWritten: true },
      { ...of("没问成的？", 1), isWritten: false },
      { ...of(" 没有答案的？\n", 3), isWritten: false },
      { ...of("长".repeat(400), 2), isWritten: false },
    ];
    const answers = [kept("没有答案的？", "2026-05-01T00:00:00Z")];
    const listed = earlierQuestions(asked, answers, history(true)).map((one) => [one.question, one.isInterrupted]);
    expect(listed).toEqual([
      ["断了的？", true],
      ["没有答案的？", false],
      [`${"长".repeat(300)}…`, false],
      ["没问成的？", false],
    ]);
    const questions = earlierQuestions(asked, answers, history(false)).map(({ question }) => question);
    expect(questions[0]).toBe("抹掉的？");
  });

  test("have a question without an answer, and leave one with a kept answer to that answer", async () => {
    await ask();
    expect(now().asked.map(({ question }) => question)).toEqual([QUESTION]);
    backend.asking.advance();
    expect(state()).toBe("finished");
    expect(now().asked).toEqual([]);
    await ask("别的？");
    backend.asking.end("failed", { code: "MEMORY_MODEL_UNAVAILABLE", message: "no" });
    await ask("再一个？");
    backend.asking.end("failed", { code: "MEMORY_MODEL_UNAVAILABLE", message: "no" });
    expect(now().asked.map(({ question }) => question)).toEqual(["再一个？", "别的？"]);
    session.moveTo(null);
    expect(now().asked).toEqual([]);
    session.moveTo(projectId);
    expect(now().asked).toHaveLength(2);
    session.forget();
    expect(now().asked).toEqual([]);
  });

  test("are put back into the field, and not asked", () => {
    const { called } = now();
    session.putBack("别的？");
    expect(now()).toMatchObject({ question: "别的？", called: called + 1, exchange: null });
    expect(backend.callsOf("ask:run")).toEqual([]);
  });
});
