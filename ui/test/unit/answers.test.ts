import { beforeAll, describe, expect, test } from "vitest";
import type { Answer, AnswerEvent, ChapterInfo, Citation } from "../../src/backend";
import { judged, type BareEvent } from "../../src/backend/fake/answerStanding";
import { inSteadyOrder } from "../../src/features/answers/order";
import {
  failuresOf,
  failuresSinceSettled,
  isOnTrial,
  isUndoable,
  staleSentence,
  triesSentence,
} from "../../src/features/answers/words";
import { i18n } from "../../src/i18n/locale";

const event = (kind: AnswerEvent["kind"], more: Partial<AnswerEvent> = {}): AnswerEvent => ({
  eventId: `${kind}-${more.at ?? ""}`,
  at: "2026-03-15T12:00:00.000Z",
  kind,
  result: null,
  signalStrength: null,
  source: null,
  runId: null,
  wasShown: false,
  wasUsed: false,
  isApplied: true,
  note: null,
  texts: null,
  citations: null,
  validationLevel: 0,
  trust: 0.5,
  undoneAt: null,
  ...more,
});
const said = (result: "pass" | "partial" | "fail", more: Partial<AnswerEvent> = {}) =>
  event("validated", { result, source: "writer", signalStrength: "strong", wasUsed: true, ...more });
const UNDONE = { undoneAt: "2026-03-15T12:00:00.000Z" };

const answer = (answerId: string, more: Partial<Answer> = {}): Answer => ({
  answerId,
  projectId: "book",
  scope: "project",
  isPromoted: false,
  version: 1,
  kind: "research",
  origin: "agent",
  question: "几班船？",
  answer: "两班。",
  language: "zh",
  confidence: 0.45,
  details: {},
  citations: [],
  staleness: "current",
  nearby: null,
  disagreesWith: [],
  ...judged("2026-03-15T12:00:00.000Z", [], 0.5),
  createdAt: "2026-03-15T12:00:00.000Z",
  updatedAt: "2026-03-15T12:00:00.000Z",
  lastShownAt: null,
  ...more,
});
const idsOf = (answers: Answer[]) => answers.map(({ answerId }) => answerId).join("");
const listOf = (ids: string) => [...ids].map((id) => answer(id));

describe("the order of answers", () => {
  test("stays while they change, with new ones first and those of a further page last", () => {
    expect(idsOf(inSteadyOrder([], listOf("abc")))).toBe("abc");
    // c was changed, and the backend lists it first.
    expect(idsOf(inSteadyOrder(["a", "b", "c"], listOf("cab")))).toBe("abc");
    // n is new; c was changed after it came.
    expect(idsOf(inSteadyOrder(["a", "b", "c"], listOf("cnab")))).toBe("nabc");
    expect(idsOf(inSteadyOrder(["a", "b"], listOf("abde")))).toBe("abde");
  });

  test("has no answer that is gone, and none twice", () => {
    expect(idsOf(inSteadyOrder(["a", "b", "c"], listOf("ac")))).toBe("ac");
    // A change between two pages lists one on both.
    expect(idsOf(inSteadyOrder(["a", "b"], listOf("abb")))).toBe("ab");
  });
});

describe("what happened to an answer", () => {
  test("the failures that block it are the latest in a row, without undone ones and those that count nothing", () => {
    const events = [
      said("fail", { at: "4" }),
      event("hit"),
      said("pass", UNDONE),
      said("partial", { at: "3" }),
      said("fail", { at: "2", isApplied: false }),
      said("pass"),
      said("fail", { at: "1" }),
    ];
    expect(failuresOf(events).map(({ at }) => at)).toEqual(["4", "3"]);
    expect(failuresOf([said("fail", { at: "2" }), event("unblocked"), said("fail")]).map(({ at }) => at)).toEqual([
      "2",
    ]);
  });

  test("failures since it was settled count across passes", () => {
    const events = [said("fail"), said("pass"), said("fail"), event("confirmed"), said("fail")];
    expect(failuresSinceSettled(events).length).toBe(2);
  });

  test("the writer undoes the writer's own events alone, and of edits the last one", () => {
    const one = answer("a");
    expect(isUndoable(said("fail"), one)).toBe(true);
    expect(isUndoable(said("pass", { source: "inserted" }), one)).toBe(true);
    expect(isUndoable(event("blocked"), one)).toBe(true);
    expect(isUndoable(said("fail", UNDONE), one)).toBe(false);
    expect(isUndoable(said("fail", { source: "run" }), one)).toBe(false);
    expect(isUndoable(said("fail", { source: "client" }), one)).toBe(false);
    expect(isUndoable(event("hit"), one)).toBe(false);
    const texts = { questionBefore: "?", questionAfter: "几班船？", answerBefore: "三班。", answerAfter: "两班。" };
    expect(isUndoable(event("edited", { texts }), one)).toBe(true);
    expect(isUndoable(event("edited", { texts }), { ...one, answer: "一班。" })).toBe(false);
  });
});

describe("the standing of an answer in words", () => {
  beforeAll(() => i18n.activate("zh-CN"));
  const standing = (events: BareEvent[]) => answer("a", judged("2026-03-15T12:00:00.000Z", events, 0.5));

  test("is a number from the third try on", () => {
    expect(triesSentence(standing([said("pass"), said("pass")]))).toBe("还没试过");
    expect(triesSentence(standing([said("pass"), said("pass"), said("pass")]))).toBe("用过 3 次，都对");
    expect(triesSentence(standing([said("pass"), said("fail"), said("pass")]))).toBe("用过 3 次，对了 2 次");
  });

  test("is on trial while it is new or distrusted, and neither blocked nor settled", () => {
    expect(isOnTrial(standing([]))).toBe(true);
    expect(isOnTrial(standing([said("pass")]))).toBe(false);
    expect(isOnTrial(standing([said("pass"), said("fail"), said("fail")]))).toBe(true);
    expect(isOnTrial(standing([said("fail"), said("fail"), said("fail")]))).toBe(false);
    expect(isOnTrial(standing([event("confirmed")]))).toBe(false);
  });

  test("names the chapters whose sentences were changed, each once", () => {
    const chapters = ["one", "two", "three"].map((chapterId) => ({ chapterId }) as ChapterInfo);
    const lost = (chapterId: string, status: Citation["status"] = "changed") => ({ chapterId, status }) as Citation;
    expect(staleSentence([lost("two"), lost("one", "holds")], chapters)).toBe("它引的那句，你在第 2 章改过。");
    expect(staleSentence([lost("three"), lost("two"), lost("two")], chapters)).toMatch(
      /^它引的几句，你在第 2.3 章改过。$/,
    );
    expect(staleSentence([lost("four", "gone")], chapters)).toBe("它引的那一章不在了。");
  });
});

describe("the fake's standing", () => {
  const of = (events: BareEvent[]) => judged("2026-03-15T12:00:00.000Z", events, 0.5);
  const run = (result: "pass" | "fail") => said(result, { source: "run", signalStrength: "weak" });

  test("follows the engine's steps of level, trust and blocks", () => {
    const used = event("hit", { wasShown: true, wasUsed: true });
    const life = Array.from({ length: 10 }, () => [used, run("pass")]).flat();
    expect([0, 1, 2, 3, 9, 10].map((runs) => of(life.slice(0, runs * 2)).validationLevel)).toEqual([0, 1, 1, 2, 2, 3]);
    expect(of([run("fail"), run("fail"), run("fail")])).toMatchObject({
      status: "blocked",
      blockedBy: "run",
      trust: 0.2,
    });
    expect(of([run("fail"), run("fail"), run("fail"), run("pass")]).status).toBe("verified");
    expect(of([event("blocked"), run("pass"), said("pass")]).blockedBy).toBe("writer");
    expect(of([event("confirmed"), run("fail"), run("fail")])).toMatchObject({ trust: 0.5, isChallenged: true });
    expect(of([event("confirmed"), said("fail")])).toMatchObject({ trust: 0.4, userConfirmed: false });
  });

  test("never believes exit codes alone over sixty percent", () => {
    const { value, low, high, tries } = of(Array.from({ length: 40 }, () => run("pass"))).posterior;
    expect(value).toBeLessThanOrEqual(0.6);
    expect(tries).toBe(40);
    expect(low!).toBeLessThan(value!);
    expect(high!).toBeGreaterThan(value!);
  });
});
