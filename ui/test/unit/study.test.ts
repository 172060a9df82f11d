import { describe, expect, test } from "vitest";
import type { StudyEstimate, StudyPhase, StudyState, StudyStopReason } from "../../src/backend";
import { isStartable, isStoppable, modeOf, phaseIndex, type StudyMode } from "../../src/features/study/mode";
import {
  errorWords,
  gapsLine,
  headline,
  modelWords,
  phaseWords,
  studyLine,
  untilWords,
} from "../../src/features/study/words";
import { i18n } from "../../src/i18n/locale";

const state = (part: Partial<StudyState> = {}): StudyState => ({
  isEnabled: true,
  isDeep: false,
  agreedHost: "127.0.0.1",
  currentPhase: "idle",
  stopReason: null,
  questionId: null,
  question: null,
  step: 0,
  maxSteps: 10,
  consecutiveErrors: 0,
  lastError: null,
  backoffUntil: null,
  questionsToday: 0,
  maxQuestions: 50,
  explorationsToday: 0,
  maxExplorations: 100,
  comparisonsToday: 0,
  maxComparisons: 50,
  isComparisonWaiting: false,
  lastResetDate: "2026-10-20",
  totalQuestionsExplored: 0,
  version: 1,
  ...part,
});

const estimate = (part: Partial<StudyEstimate> = {}): StudyEstimate => ({
  model: "llama3.1:8b",
  host: "127.0.0.1",
  isLocal: true,
  gaps: 0,
  topGaps: [],
  pairs: 0,
  requestsPerQuestion: 12,
  tokensPerQuestion: 8_000,
  requestsPerDay: 600,
  tokensPerDay: 400_000,
  passages: 10,
  namesHidden: true,
  ...part,
});

const gap = (kind: StudyEstimate["topGaps"][number]["kind"]) => ({
  kind,
  priority: 5,
  suggestedQuestion: "",
  questionType: "entity" as const,
  entityIds: [],
  chapterId: null,
});

const WORKING: StudyPhase[] = ["checking", "generatingQuestion", "exploring", "summarizing", "committing"];

describe("the state of a study", () => {
  test("is off whatever it did before, until it is switched on", () => {
    const off = state({ isEnabled: false, currentPhase: "exploring", stopReason: "error" });
    expect(modeOf(off)).toBe("off");
  });

  test("is at work while sentences are compared, also while it is off, and at none of the named phases", () => {
    const comparing = state({ currentPhase: "comparing" });
    expect([modeOf(comparing), modeOf({ ...comparing, isEnabled: false })]).toEqual(["working", "working"]);
    expect(modeOf({ ...comparing, isEnabled: false, stopReason: "user" })).toBe("off");
    expect(phaseIndex("comparing")).toBe(-1);
  });

  test("is at work in each phase that has a name, and waits in the others", () => {
    expect(WORKING.map((currentPhase) => modeOf(state({ currentPhase })))).toEqual(WORKING.map(() => "working"));
    expect(WORKING.map(phaseIndex)).toEqual([0, 0, 1, 2, 3]);
    expect(modeOf(state())).toBe("waiting");
    expect(modeOf(state({ question: "Who?" }))).toBe("writing");
    expect(modeOf(state({ currentPhase: "backingOff" }))).toBe("backingOff");
    expect(modeOf(state({ currentPhase: "stopped" }))).toBe("stopped");
  });

  test.each<[StudyStopReason, StudyMode]>([
    ["user", "stopped"],
    ["noKey", "keyRefused"],
    ["fullyLearned", "nothingLeft"],
    ["duplicates", "nothingLeft"],
    ["unchanged", "nothingLeft"],
    ["quota", "usedUp"],
    ["error", "failed"],
    ["noModel", "noModel"],
    ["paused", "learningPaused"],
    ["bookClosed", "waiting"],
  ])("with the reason %s is %s", (stopReason, mode) => expect(modeOf(state({ stopReason }))).toBe(mode));

  test("after an error is no failure while it is tried again", () => {
    expect(modeOf(state({ stopReason: "error", currentPhase: "backingOff" }))).toBe("backingOff");
  });

  test("can be started or stopped only where that changes something", () => {
    const idle: StudyMode[] = ["off", "usedUp", "nothingLeft", "noModel"];
    expect(idle.filter((mode) => isStartable(mode) || isStoppable(mode))).toEqual([]);
    expect([isStartable("working"), isStoppable("working")]).toEqual([false, true]);
    expect([isStartable("learningPaused"), isStoppable("learningPaused")]).toEqual([false, true]);
    expect([isStartable("stopped"), isStoppable("stopped")]).toEqual([true, false]);
  });
});

describe("a study in words", () => {
  test("names the model, and where its text goes", () => {
    i18n.activate("en");
    expect(modelWords(estimate())).toBe("llama3.1:8b, this machine");
    expect(modelWords(estimate({ host: "api.deepseek.com", isLocal: false }))).toBe("llama3.1:8b, api.deepseek.com");
    expect(modelWords(estimate({ model: null, host: null }))).toBeNull();
    expect(headline(state({ currentPhase: "exploring" }), "m")).toBe("on · m");
    expect(headline(state({ currentPhase: "exploring" }), null)).toBe("on");
  });

  test("says which number of the day is used up", () => {
    i18n.activate("zh-CN");
    expect(headline(state({ stopReason: "quota", questionsToday: 50, explorationsToday: 61 }), null)).toBe(
      "50 / 50，零点接着",
    );
    expect(headline(state({ stopReason: "quota", questionsToday: 40, explorationsToday: 100 }), null)).toBe(
      "查找 100 / 100，零点接着",
    );
    // The limit of comparisons, or that of the model.
    expect(headline(state({ stopReason: "quota", questionsToday: 40 }), null)).toBe("今天的次数用完了，零点接着");
  });

  test("names the comparison of sentences, in the foot and in the status bar", () => {
    i18n.activate("en");
    const comparing = state({ currentPhase: "comparing" });
    expect(headline(comparing, null)).toBe("on · comparing two sentences");
    expect(headline(comparing, "m")).toBe("on · m");
    expect(headline({ ...comparing, isEnabled: false }, "m")).toBe("comparing two sentences");
    expect(studyLine(comparing)).toBe("Study: Comparing two sentences");
    expect(studyLine({ ...comparing, isEnabled: false })).toBe("Study: Comparing two sentences");
    expect(studyLine(state({ currentPhase: "exploring", step: 4 }))).toBe("Study: Looking, 4 of 10");
    expect(studyLine(state())).toBeNull();
  });

  test("tells silence of the model from other failures, and shows an unknown code", () => {
    i18n.activate("en");
    const failed = (lastError: string) => state({ currentPhase: "backingOff", consecutiveErrors: 3, lastError });
    expect(headline(failed("modelFailed"), null)).toBe("no answer, attempt 3");
    expect(headline(failed("unreadableReply"), null)).toBe("it failed, attempt 3");
    expect(errorWords("afterPosition")).toBe("The model quoted later chapters.");
    expect(errorWords("somethingNew")).toBe("cause: somethingNew");
  });

  test("counts gaps by kind, and says where only the most urgent are counted", () => {
    i18n.activate("en");
    const topGaps = [gap("thinEntity"), gap("openThread"), gap("thinEntity")];
    expect(gapsLine(estimate({ gaps: 3, topGaps }))).toBe("2 thin cards, 1 thread");
    expect(gapsLine(estimate({ gaps: 30, topGaps }))).toBe("most urgent: 2 thin cards, 1 thread");
    expect(gapsLine(estimate())).toBe("");
  });

  test("gives short waits in seconds and long ones in minutes", () => {
    i18n.activate("en");
    expect([1, 59, 60, 61, 3_600].map(untilWords)).toEqual([
      "again in 1 second",
      "again in 59 seconds",
      "again in 1 minute",
      "again in 2 minutes",
      "again in 60 minutes",
    ]);
  });

  test.each(["zh-CN", "en"])("has a line for every state, %s", (locale) => {
    i18n.activate(locale);
    const reasons: (StudyStopReason | null)[] = [
      "user",
      "noKey",
      "fullyLearned",
      "quota",
      "error",
      "noModel",
      "paused",
      null,
    ];
    const lines = [
      ...reasons.map((stopReason) => headline(state({ stopReason, consecutiveErrors: 5 }), null)),
      headline(state({ isEnabled: false }), null),
      headline(state({ currentPhase: "exploring" }), null),
      headline(state({ currentPhase: "backingOff", consecutiveErrors: 2 }), null),
    ];
    expect(new Set(lines).size).toBe(lines.length);
    for (const words of [...lines, ...phaseWords()])
      if (/\p{L}/u.test(words)) expect(/\p{Script=Han}/u.test(words), words).toBe(locale === "zh-CN");
  });
});
