import { createStore, type StoreApi } from "zustand/vanilla";
import {
  call,
  toBackendError,
  type Answer,
  type AskChunk,
  type AskCitation,
  type AskDone,
  type AskedOf,
  type AskStep,
  type AssembledContext,
  type BackendError,
  type Position,
} from "../../backend";
import {
  asked,
  isUnderWay,
  keptOf,
  ofKept,
  passagesOf,
  withChunks,
  withEnd,
  withStart,
  withStep,
  type Exchange,
  type Request,
} from "./exchange";

/** The part of the book that a question may use: up to the writer's caret, to the end of a chapter, or all of it. */
export type AskAsOf = { mode: "caret" | "whole" } | { mode: "pinned"; chapterId: string };

/** The text of the book as a question uses it. */
export interface AskTarget {
  /** Saves the text, and resolves to the position of a question; `null`: the whole book. */
  position(asOf: AskAsOf): Promise<Position | null>;
  /** Opens a passage and lights it; the writer's caret and the focus stay. */
  open(passage: AskCitation): Promise<void>;
}

/** A question that was asked while the program runs. */
export interface AskedQuestion {
  question: string;
  /** ISO 8601. */
  askedAt: string;
  /** Whether its run started: its end is written into the journal of the book, if one is kept. */
  isWritten: boolean;
}

/** The first request of a question, before it is asked. */
export interface Preview {
  /** `null` while it is made, and where nothing would be sent. */
  context: AssembledContext | null;
  /** `null` while it is made. */
  askedOf: AskedOf | null;
  error: BackendError | null;
}

export interface AskState {
  projectId: string | null;
  /** The field. */
  question: string;
  /** The selected words that the next question is about; `null`: none. */
  selection: string | null;
  asOf: AskAsOf;
  /** Whether the writer wants only the passages. */
  onlyBook: boolean;
  /** Id of the program that answers, for every book; `null`: the model. */
  backendId: string | null;
  exchange: Exchange | null;
  /** Questions without a kept answer, latest first, each once. */
  asked: readonly AskedQuestion[];
  /** Number of the passage that is lit in the text; `null`: none. */
  lit: number | null;
  /** Whether the steps of a run are shown. */
  areStepsOpen: boolean;
  /** The first request of the question in the field; `null`: it is not shown. */
  preview: Preview | null;
  /** The last verdict that could not be stored. */
  verdictError: BackendError | null;
  /** Counts requests to focus the field. */
  called: number;
}

type OfBook = Pick<AskState, "question" | "selection" | "exchange" | "asked" | "asOf">;

const FRESH: OfBook = { question: "", selection: null, exchange: null, asked: [], asOf: { mode: "caret" } };
/** Questions that are held for the history. */
const MAX_ASKED = 50;
/** Milliseconds between two repaints of a streaming answer. */
const FRAME_MS = 16;
/** UTF-16 code units of a selection that a question takes along. */
const MAX_SELECTION = 20_000;

/** The questions of the writer: the field, the run under way, and what has come of it. At most one run at a time. */
export class AskSession {
  readonly state: StoreApi<AskState> = createStore<AskState>(() => ({
    ...FRESH,
    projectId: null,
    onlyBook: false,
    backendId: null,
    lit: null,
    areStepsOpen: false,
    preview: null,
    verdictError: null,
    called: 0,
  }));
  /** Number of the current run. Answers of earlier runs are ignored. */
  private runNumber = 0;
  /** Events that came before the answer with the run's id. */
  private earlyEvents: (() => void)[] = [];
  /** Chunks to show in the next frame. */
  private pendingChunks: AskChunk[] = [];
  private frame: ReturnType<typeof setTimeout> | undefined;
  /** The field and the card of other books. */
  private readonly others = new Map<string, OfBook>();

  constructor(private readonly target: AskTarget) {}

  get isUnderWay(): boolean {
    return isUnderWay(this.now.exchange);
  }

  // ---- the book and the field ----

  /** Changes the book. A run in progress is stopped; the field of each book is kept. */
  moveTo(projectId: string | null): void {
    const before = this.now.projectId;
    if (projectId === before) return;
    if (this.isUnderWay) this.abandon();
    if (before !== null) {
      const { question, selection, exchange, asked: questions, asOf } = this.now;
      this.others.set(before, { question, selection, exchange, asked: questions, asOf });
    }
    const next = (projectId === null ? undefined : this.others.get(projectId)) ?? FRESH;
    this.set({ ...next, projectId, lit: null, preview: null, verdictError: null });
  }

  /** Drops everything that refers to memory that was cleared. */
  forget(): void {
    if (this.isUnderWay) this.abandon();
    this.others.clear();
    this.set({ exchange: null, asked: [], lit: null, preview: null, verdictError: null });
  }

  setQuestion(question: string): void {
    this.set({ question, preview: null });
  }

  setSelection(selection: string | null): void {
    const words = selection?.trim().slice(0, MAX_SELECTION);
    this.set({ selection: words || null, preview: null });
  }

  setAsOf(asOf: AskAsOf): void {
    this.set({ asOf, preview: null });
  }

  /** Chooses who answers: a program, the model, or the book alone. */
  setAnswerer({ onlyBook = false, backendId = null }: Partial<Pick<AskState, "onlyBook" | "backendId">>): void {
    this.set({ onlyBook, backendId, preview: null });
  }

  setStepsOpen(areStepsOpen: boolean): void {
    this.set({ areStepsOpen });
  }

  /** Puts an earlier question back into the field. It is not asked. */
  putBack(question: string): void {
    this.setQuestion(question);
    this.call();
  }

  /** Focuses the field. */
  call(): void {
    this.set({ called: this.now.called + 1 });
  }

  /** Shows the first request of the question in the field, with hidden names replaced, or hides it. Nothing is sent. */
  async togglePreview(): Promise<void> {
    const { projectId, question, selection, onlyBook, backendId, asOf } = this.now;
    if (this.now.preview || projectId === null || question.trim() === "") {
      this.set({ preview: null });
      return;
    }
    const preview: Preview = { context: null, askedOf: null, error: null };
    this.set({ preview });
    // Another question, or another preview, may have taken its place.
    const show = (made: Partial<Preview>) => {
      if (this.now.preview === preview) this.set({ preview: { ...preview, ...made } });
    };
    try {
      const at = await this.target.position(asOf);
      const isOfProgram = backendId !== null && !onlyBook;
      const previewed = { projectId, question: question.trim(), selection, onlyBook, at };
      show(await call("ask:preview", { ...previewed, ...(isOfProgram && { backendId }) }));
    } catch (reason) {
      show({ error: toBackendError(reason) });
    }
  }

  // ---- the run ----

  /** Asks the question in the field. */
  async start(): Promise<void> {
    const { question, selection, onlyBook, backendId } = this.now;
    if (question.trim() === "") return;
    await this.run({ question: question.trim(), selection, onlyBook, backendId }, false);
  }

  /** Asks the question on the card again; `onlyBook`: of the book alone. A kept answer does not prevent it. */
  async again({ onlyBook }: { onlyBook?: boolean } = {}): Promise<void> {
    const { exchange, backendId } = this.now;
    if (exchange) await this.run({ ...exchange.request, onlyBook: onlyBook ?? this.now.onlyBook, backendId }, true);
  }

  /** Asks the same program again, which may read outside of the copy of the book this once. */
  async againUnfenced(): Promise<void> {
    const { exchange } = this.now;
    if (exchange && exchange.request.backendId !== null)
      await this.run(exchange.request, true, { isUnfencedAllowed: true });
  }

  private async run(request: Request, fresh: boolean, more: { isUnfencedAllowed?: true } = {}): Promise<void> {
    const { projectId, asOf } = this.now;
    if (projectId === null || this.isUnderWay) return;
    const runNumber = (this.runNumber += 1);
    this.earlyEvents = [];
    const others = this.withoutAsked(request.question).asked;
    const latest = { question: request.question, askedAt: new Date().toISOString(), isWritten: false };
    this.set({
      exchange: asked(request),
      asked: [latest, ...others].slice(0, MAX_ASKED),
      lit: null,
      preview: null,
      verdictError: null,
    });
    try {
      const at = await this.target.position(asOf);
      if (runNumber !== this.runNumber) return;
      const { backendId, ...what } = request;
      const isOfProgram = backendId !== null && !request.onlyBook;
      const started = await call("ask:run", {
        projectId,
        ...what,
        at,
        fresh,
        ...(isOfProgram && { backendId, ...more }),
      });
      if (runNumber !== this.runNumber) {
        this.cancel(started.runId);
        return;
      }
      const { question, selection } = this.now;
      this.set({
        exchange: withStart(this.now.exchange!, started),
        asked: started.served
          ? this.withoutAsked(request.question).asked
          : this.now.asked.map((one) => (one.question === request.question ? { ...one, isWritten: true } : one)),
        ...(question.trim() === request.question && { question: "" }),
        ...(selection === request.selection && { selection: null }),
      });
      const earlyEvents = this.earlyEvents;
      this.earlyEvents = [];
      for (const event of earlyEvents) event();
    } catch (reason) {
      if (runNumber !== this.runNumber) return;
      this.end({ ...this.now.exchange!, state: "failed", error: toBackendError(reason) });
    }
  }

  /** The questions without this one, whose kept answer lists it: deleting that answer forgets the question too. */
  private withoutAsked(kept: string): Pick<AskState, "asked"> {
    return { asked: this.now.asked.filter(({ question }) => question !== kept) };
  }

  /** True for an event of the run on screen. One that arrives before the run's id is queued and replayed. */
  private isOurs(runId: string, again: () => void): boolean {
    const { exchange } = this.now;
    if (exchange?.state === "asking") this.earlyEvents.push(again);
    return exchange?.state === "answering" && exchange.runId === runId;
  }

  onStep(step: AskStep): void {
    if (this.isOurs(step.runId, () => this.onStep(step))) this.set({ exchange: withStep(this.now.exchange!, step) });
  }

  onChunk(chunk: AskChunk): void {
    if (!this.isOurs(chunk.runId, () => this.onChunk(chunk))) return;
    this.pendingChunks.push(chunk);
    this.frame ??= setTimeout(() => this.showPendingChunks(), FRAME_MS);
  }

  onDone(done: AskDone): void {
    if (!this.isOurs(done.runId, () => this.onDone(done))) return;
    this.showPendingChunks();
    this.end(withEnd(this.now.exchange!, done));
  }

  /** Shows all chunks since the last frame in one update. */
  private showPendingChunks(): void {
    clearTimeout(this.frame);
    this.frame = undefined;
    const { exchange } = this.now;
    const chunks = this.pendingChunks.filter(({ runId }) => runId === exchange?.runId);
    this.pendingChunks = [];
    if (exchange?.state === "answering" && chunks.length > 0) this.set({ exchange: withChunks(exchange, chunks) });
  }

  /** Shows the outcome. A question without an answer is in the field again, unless another one is there. */
  private end(exchange: Exchange): void {
    this.earlyEvents = [];
    const { question, selection } = this.now;
    const hasAnswer = exchange.state === "finished";
    this.set({
      exchange,
      ...(keptOf(exchange) && this.withoutAsked(exchange.request.question)),
      ...(!hasAnswer && question === "" && { question: exchange.request.question }),
      ...(!hasAnswer && question === "" && selection === null && { selection: exchange.request.selection }),
    });
  }

  /** Stops the run. What has come of it stays on the card. */
  async stop(): Promise<void> {
    const { exchange } = this.now;
    if (!exchange || !isUnderWay(exchange)) return;
    if (exchange.runId === null) return this.abandon();
    const runNumber = this.runNumber;
    // A run that has ended by itself, or that cannot be reached, sends no end any more.
    const isStopping = await call("ask:cancel", { runId: exchange.runId }).then(
      ({ cancelled }) => cancelled,
      () => false,
    );
    if (!isStopping && runNumber === this.runNumber && this.isUnderWay) this.abandon();
  }

  /** Ends the run on screen without waiting; its remaining events are ignored. */
  private abandon(): void {
    const { exchange } = this.now;
    if (!exchange) return;
    this.runNumber += 1;
    this.showPendingChunks();
    if (exchange.runId !== null) this.cancel(exchange.runId);
    this.end({ ...this.now.exchange!, state: "cancelled" });
  }

  private cancel(runId: string): void {
    void call("ask:cancel", { runId }).catch(() => {});
  }

  // ---- the card ----

  /** Shows a kept answer. Nothing is sent. */
  showKept(answer: Answer): void {
    if (!this.isUnderWay) this.set({ exchange: ofKept(answer), lit: null, verdictError: null });
  }

  /** The writer took the served answer: its verdicts are offered instead. */
  take(): void {
    const { exchange } = this.now;
    if (exchange?.served) this.set({ exchange: { ...exchange, isTaken: true } });
  }

  /** Replaces the kept answer on the card by its version after a verdict. */
  update(answer: Answer): void {
    const { exchange } = this.now;
    if (exchange?.served?.answerId === answer.answerId) this.set({ exchange: { ...exchange, served: answer } });
    else if (exchange?.answered?.kept?.answerId === answer.answerId)
      this.set({ exchange: { ...exchange, answered: { ...exchange.answered, kept: answer } } });
  }

  reportVerdict(verdictError: BackendError | null): void {
    this.set({ verdictError });
  }

  /** Opens a passage of the answer in the text; false if it has none with that number. */
  light(number: number): boolean {
    const { exchange } = this.now;
    const passage = exchange && passagesOf(exchange).find((one) => one.number === number);
    if (!passage) return false;
    this.set({ lit: number });
    void this.target.open(passage);
    return true;
  }

  /** The passage in the text is not lit any more. */
  unlight(): void {
    if (this.now.lit !== null) this.set({ lit: null });
  }

  private get now(): AskState {
    return this.state.getState();
  }

  private set(change: Partial<AskState>): void {
    this.state.setState(change);
  }
}
