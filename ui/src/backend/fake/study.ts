import type {
  Commands,
  GapKind,
  QuestionState,
  StudyEstimate,
  StudyProgress,
  StudyQuestion,
  StudyState,
  Error as WireError,
} from "../bindings.gen";
import { invalid, notFound, staleVersion } from "./refusals";

type Name = Extract<keyof Commands, `knowledge:study:${string}` | `knowledge:question:${string}`>;

interface Context {
  /** Throws for an unknown book. */
  requireBook: (projectId: string) => void;
  /** Number of pairs of sentences that wait for a model. */
  waitingPairs: () => number;
  id: (kind: string) => string;
  now: () => string;
  changed: (projectId: string) => void;
  tell: (progress: StudyProgress) => void;
}

const NO_MODEL: WireError = { code: "MEMORY_MODEL_UNAVAILABLE", message: "no model is chosen" };
const MAX_QUESTION = 2_000;
const STEPS = { usual: 10, deep: 15 };
/** Requests of a day for comparisons. */
const COMPARISONS = 50;
/** Tokens of one question. */
const TOKENS = { usual: 8_000, deep: 12_000 };

const INITIAL: StudyState = {
  isEnabled: false,
  isDeep: false,
  agreedHost: null,
  currentPhase: "idle",
  stopReason: null,
  questionId: null,
  question: null,
  step: 0,
  maxSteps: STEPS.usual,
  consecutiveErrors: 0,
  lastError: null,
  backoffUntil: null,
  questionsToday: 0,
  maxQuestions: 50,
  explorationsToday: 0,
  maxExplorations: 100,
  comparisonsToday: 0,
  maxComparisons: COMPARISONS,
  isComparisonWaiting: false,
  lastResetDate: "",
  totalQuestionsExplored: 0,
  version: 0,
};

/** The study of fake books. It does nothing by itself: a test sets its state, as an event of progress does. */
export class FakeStudy {
  /** The model that studies, and its host; `null`: none is chosen. */
  model: { name: string; host: string; isLocal: boolean } | null = {
    name: "llama3.1:8b",
    host: "127.0.0.1:11434",
    isLocal: true,
  };
  /** The gaps of every book by kind, the most urgent first. */
  /** The questions about the first gaps. */
  suggested: string[] = [];
  gaps: [GapKind, number][] = [
    ["thinEntity", 5],
    ["openThread", 3],
    ["unrelatedPair", 6],
  ];
  passages = 128;
  isHidingNames = true;
  private readonly states = new Map<string, StudyState>();
  /** Books whose pairs are compared on demand, each with whether its study was stopped before. */
  private readonly asked = new Map<string, boolean>();
  private readonly questions = new Map<string, StudyQuestion[]>();

  constructor(private readonly context: Context) {}

  stateOf(projectId: string): StudyState {
    this.context.requireBook(projectId);
    const state = this.states.get(projectId) ?? { ...INITIAL, lastResetDate: this.context.now().slice(0, 10) };
    // Without a model the study waits, whatever it did before.
    return state.isEnabled && this.model === null ? { ...state, currentPhase: "idle", stopReason: "noModel" } : state;
  }

  /** Moves the study of a book to a state, and reports it. */
  move(projectId: string, part: Partial<StudyState>): StudyState {
    const state = { ...this.stateOf(projectId), ...part };
    this.states.set(projectId, state);
    this.context.tell({ projectId, state });
    return state;
  }

  /** Begins the comparison of pairs; during a question, it follows the question. */
  compare(projectId: string): StudyState {
    const { currentPhase } = this.requireAgreement(projectId);
    const isBusy = ["checking", "generatingQuestion", "exploring", "summarizing", "committing"].includes(currentPhase);
    if (isBusy || currentPhase === "backingOff") return this.stateOf(projectId);
    const hasPair = this.context.waitingPairs() > 0;
    this.asked.set(projectId, currentPhase === "stopped");
    return this.move(projectId, {
      currentPhase: hasPair ? "comparing" : "idle",
      stopReason: null,
      consecutiveErrors: 0,
      question: null,
      questionId: null,
      step: 0,
    });
  }

  /** Ends the comparisons that were asked for; without any, the study. */
  stopComparing(projectId: string): StudyState {
    const wasStopped = this.asked.get(projectId) ?? true;
    this.asked.delete(projectId);
    const state = this.move(projectId, {
      currentPhase: wasStopped ? "stopped" : "idle",
      stopReason: wasStopped ? "user" : null,
      backoffUntil: null,
    });
    this.context.changed(projectId);
    return state;
  }

  /** The state of a study whose host the writer agreed to. */
  private requireAgreement(projectId: string): StudyState {
    const state = this.stateOf(projectId);
    if (this.model === null) throw NO_MODEL;
    if (state.agreedHost === null || state.agreedHost !== this.model.host) throw invalid("projectId");
    return state;
  }

  /** Counts a change of the settings that the study of a book shares with its introduction; returns the new version. */
  countChange(projectId: string): number {
    const before = this.stateOf(projectId);
    this.states.set(projectId, { ...before, version: before.version + 1 });
    return before.version + 1;
  }

  /** Adds a question of the study's own, or of the writer's (`gap`: `null`). */
  addQuestion(
    projectId: string,
    question: string,
    state: QuestionState = "queued",
    gap: GapKind | null = "thinEntity",
  ) {
    const added: StudyQuestion = {
      questionId: this.context.id("question"),
      question,
      questionType: "plot",
      gap,
      priority: gap === null ? 10 : 5,
      state,
      answerId: null,
      createdAt: this.context.now(),
    };
    this.questions.set(projectId, [...this.questionsOf(projectId), added]);
    return added;
  }

  /** Forgets the study of a project, or with `null` of all. */
  clear(projectId: string | null): void {
    for (const kept of [this.states, this.questions]) {
      if (projectId === null) kept.clear();
      else kept.delete(projectId);
    }
  }

  /** The question with these words is not asked again. */
  dropQuestion(projectId: string, words: string): void {
    for (const one of this.questionsOf(projectId)) if (one.question === words) one.state = "dropped";
  }

  private questionsOf(projectId: string): StudyQuestion[] {
    this.context.requireBook(projectId);
    return this.questions.get(projectId) ?? [];
  }

  private list(projectId: string): Commands["knowledge:question:list"]["result"] {
    const all = this.questionsOf(projectId);
    const isOwn = ({ gap }: StudyQuestion) => Number(gap === null);
    const queued = all.filter(({ state }) => state === "queued").toSorted((a, b) => isOwn(b) - isOwn(a));
    return { questions: [...queued, ...all.filter(({ state }) => state !== "queued").toReversed()] };
  }

  private estimate(projectId: string): StudyEstimate {
    const { maxQuestions, isDeep } = this.stateOf(projectId);
    const gaps = this.gaps.reduce((sum, [, times]) => sum + times, 0);
    const kinds = this.gaps.flatMap(([kind, times]) => Array.from({ length: times }, () => kind));
    const tokens = isDeep ? TOKENS.deep : TOKENS.usual;
    // One for the questions, and two for the summary.
    const requests = (isDeep ? STEPS.deep : STEPS.usual) + 3;
    return {
      model: this.model?.name ?? null,
      host: this.model?.host ?? null,
      isLocal: this.model?.isLocal ?? false,
      gaps,
      topGaps: kinds.slice(0, 10).map((kind, index) => ({
        kind,
        priority: Math.max(1, 10 - index),
        suggestedQuestion: this.suggested[index] ?? `${kind} ${index + 1}`,
        questionType: "entity",
        entityIds: [],
        chapterId: null,
      })),
      pairs: this.context.waitingPairs(),
      requestsPerQuestion: requests,
      tokensPerQuestion: tokens,
      requestsPerDay: requests * maxQuestions + COMPARISONS,
      tokensPerDay: tokens * maxQuestions,
      passages: this.passages,
      namesHidden: this.isHidingNames,
    };
  }

  readonly commands: { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "knowledge:study:get": ({ projectId }) => this.stateOf(projectId),
    "knowledge:study:estimate": ({ projectId }) => this.estimate(projectId),
    "knowledge:study:set": ({ projectId, isEnabled, isDeep, agreedHost, version }) => {
      const before = this.stateOf(projectId);
      if (isEnabled && (this.model === null || agreedHost !== this.model.host)) throw invalid("agreedHost");
      if (version !== before.version) throw staleVersion(before.version);
      const deep = isDeep ?? before.isDeep;
      const state = this.move(projectId, {
        isEnabled,
        isDeep: deep,
        maxSteps: deep ? STEPS.deep : STEPS.usual,
        agreedHost: isEnabled ? (agreedHost ?? null) : before.agreedHost,
        version: before.version + 1,
        ...(isEnabled !== before.isEnabled && { currentPhase: "idle" as const, stopReason: null }),
      });
      this.context.changed(projectId);
      return state;
    },
    "knowledge:study:run": ({ projectId }) => {
      this.requireAgreement(projectId);
      return this.move(projectId, {
        currentPhase: "generatingQuestion",
        stopReason: null,
        consecutiveErrors: 0,
        backoffUntil: null,
        question: null,
        step: 0,
      });
    },
    "knowledge:study:stop": ({ projectId }) => {
      const state = this.move(projectId, { currentPhase: "stopped", stopReason: "user", backoffUntil: null });
      this.context.changed(projectId);
      return state;
    },
    "knowledge:question:list": ({ projectId }) => this.list(projectId),
    "knowledge:question:add": ({ projectId, question }) => {
      const words = question.trim();
      if (!/[\p{L}\p{N}]/u.test(words) || words.length > MAX_QUESTION) throw invalid("question");
      const added = this.addQuestion(projectId, words, "queued", null);
      this.context.changed(projectId);
      return added;
    },
    "knowledge:question:drop": ({ projectId, questionId }) => {
      const found = this.questionsOf(projectId).find((one) => one.questionId === questionId);
      if (!found) throw notFound("questionId");
      found.state = "dropped";
      this.context.changed(projectId);
      return this.list(projectId);
    },
  };
}
