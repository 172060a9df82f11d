import { createStore, type StoreApi } from "zustand/vanilla";
import {
  BackendError,
  call,
  toBackendError,
  type AssembledContext,
  type EpisodeDraft,
  type Language,
  type RunSkill,
  type SkillCandidate,
  type SkillChunk,
  type SkillDone,
  type SkillRetry,
  type SkillStarted,
  type SkillTrimmed,
} from "../../backend";
import { lastOf } from "../../lib/cut";
import { survivingSpans } from "../../lib/survivingSpans";
import type { DraftTarget, Passage } from "../../lib/passage";
import type { Draft } from "./draft";

/** The chapter the assistant works on. */
export interface ChapterContext {
  projectId: string;
  chapterId: string;
  language: Language;
}

export interface AssistantState {
  chapter: ChapterContext | null;
  skill: string;
  /** The scene type the writer chose for the chapter; `null`: guessed for each passage. */
  scene: string | null;
  /** The scene type that the next run would take for the passage at the caret; `null`: too little text. */
  guess: string | null;
  /** The selected text that the drafts replace; `null` without a selection. */
  original: string | null;
  instruction: string;
  phase: "idle" | "asking" | "writing" | "ready";
  run: SkillStarted | null;
  candidates: Draft[];
  picked: number;
  editing: { index: number; text: string } | null;
  error: BackendError | null;
  /** Whether the skill needs a selection and there is none. */
  needsSelection: boolean;
  /** The last decision, and whether the memory has recorded it. */
  last: {
    generationId: string | null;
    taken: boolean;
    record: "sending" | "recorded" | "failed";
    error: BackendError | null;
    draft: EpisodeDraft;
  } | null;
  /** An undo that the memory could not record. */
  failedUndo: { projectId: string; generationId: string; error: BackendError | null } | null;
  /** Set when the prompt was cut to the model's context size. */
  trimmed: { left: number; totalTokens: number; contextTokens: number } | null;
  sent: { context: AssembledContext | null; error: BackendError | null } | null;
  /** Number of runs in a row, by one model, in which no text was a draft. */
  unusableRuns: number;
}

const MAX_INPUT_CONTEXT = 1_200;
/** Milliseconds between two repaints of a streaming draft. */
const FRAME_MS = 16;
/** Whether two chapters are one, which may have been opened again meanwhile. */
const isSameChapter = (one: ChapterContext | null, other: ChapterContext | null): boolean =>
  one?.chapterId === other?.chapterId && one?.projectId === other?.projectId;

/** Milliseconds without a movement of the caret after which the scene type is guessed. */
const GUESS_PAUSE_MS = 250;

/** One run of a skill, and the writer's decision about its drafts. */
export class Assistant {
  readonly state: StoreApi<AssistantState> = createStore<AssistantState>(() => ({
    chapter: null,
    skill: "continue",
    scene: null,
    guess: null,
    original: null,
    instruction: "",
    phase: "idle",
    run: null,
    candidates: [],
    picked: 0,
    editing: null,
    error: null,
    needsSelection: false,
    last: null,
    failedUndo: null,
    trimmed: null,
    sent: null,
    unusableRuns: 0,
  }));

  private passage: Passage | null = null;
  /** Number of the current run. Answers of earlier runs are ignored. */
  private runNumber = 0;
  /** Events that came before the answer with the run's id. */
  private earlyEvents: (() => void)[] = [];
  /** Decisions and undos that are being sent to the memory. */
  private readonly sending = new Set<Promise<void>>();
  /** Chunks to show in the next frame. */
  private pendingChunks: SkillChunk[] = [];
  private frame: ReturnType<typeof setTimeout> | undefined;
  private guessTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly target: DraftTarget) {}

  /** Changes the chapter. A run in progress is cancelled and not recorded. */
  moveTo(chapter: ChapterContext | null, scene: string | null = null): void {
    if (isSameChapter(this.chapter, chapter)) {
      this.set({ chapter });
      // The first guess may have come before the text was shown.
      if (this.now.guess === null) this.guessSoon();
      return;
    }
    this.abandonRun();
    this.set({ chapter, last: null, sent: null, scene, guess: null });
    this.guessSoon();
  }

  choose(skill: string): void {
    this.set({ skill, needsSelection: false });
  }

  /** Drops everything that refers to memory that was cleared. */
  forgetDecisions(): void {
    this.set({ last: null, failedUndo: null, sent: null });
  }

  setScene(scene: string | null): void {
    this.set({ scene });
    this.guessSoon();
  }

  /** Guesses the scene type once the caret rests. Without effect while the writer's own choice holds. */
  guessSoon(): void {
    clearTimeout(this.guessTimer);
    if (this.chapter && this.now.scene === null)
      this.guessTimer = setTimeout(() => void this.guessScene(), GUESS_PAUSE_MS);
  }

  private async guessScene(): Promise<void> {
    const { chapter } = this;
    if (!chapter) return;
    const { before, selection } = this.target.passage();
    // Without an answer no type is shown, and the run guesses by itself.
    const guess = await call("memory:scene:guess", { before, selection }).then(
      ({ sceneType }) => sceneType,
      () => null,
    );
    if (isSameChapter(this.chapter, chapter)) this.set({ guess });
  }

  setInstruction(instruction: string): void {
    this.set({ instruction });
  }

  get needsSelection(): boolean {
    return this.now.skill !== "continue";
  }

  async start(again = false): Promise<void> {
    const chapter = this.chapter;
    if (!chapter || this.now.phase === "asking" || this.now.phase === "writing") return;
    const passage = this.target.placeAnchor(again);
    if (this.needsSelection && !passage.selection) {
      this.set({ needsSelection: true });
      return;
    }
    const runNumber = (this.runNumber += 1);
    this.passage = passage;
    this.earlyEvents = [];
    this.set({
      phase: "asking",
      original: passage.selection,
      run: null,
      candidates: [],
      picked: 0,
      editing: null,
      error: null,
      needsSelection: false,
      last: null,
      trimmed: null,
      sent: null,
    });
    try {
      const run = await call("ai:skill:run", this.args(chapter, passage));
      if (runNumber !== this.runNumber) {
        this.cancelRun(run.generationId);
        return;
      }
      this.set({
        phase: "writing",
        run,
        candidates: Array.from({ length: run.candidates }, () => ({ text: "", state: "writing", error: null })),
      });
      const earlyEvents = this.earlyEvents;
      this.earlyEvents = [];
      for (const event of earlyEvents) event();
    } catch (error) {
      if (runNumber === this.runNumber) this.set({ phase: "idle", error: toBackendError(error) });
    }
  }

  private args(chapter: ChapterContext, passage: Passage): Omit<RunSkill, "candidates" | "seed"> {
    const { skill, scene, instruction } = this.now;
    return {
      projectId: chapter.projectId,
      chapterId: chapter.chapterId,
      skill,
      sceneType: scene,
      before: passage.before,
      selection: passage.selection,
      after: passage.after,
      offset: passage.offset,
      instruction: instruction.trim() || null,
    };
  }

  /** Whether an event belongs to the run on screen. An event that comes before the run's id is replayed later. */
  private isOurs(generationId: string, again: () => void): boolean {
    const { phase, run } = this.now;
    if (phase === "asking") this.earlyEvents.push(again);
    return phase === "writing" && run?.generationId === generationId;
  }

  onChunk(chunk: SkillChunk): void {
    if (!this.isOurs(chunk.generationId, () => this.onChunk(chunk))) return;
    this.pendingChunks.push(chunk);
    this.frame ??= setTimeout(() => this.showPendingChunks(), FRAME_MS);
  }

  /** Shows all chunks since the last frame in one update: models may send dozens in one. */
  private showPendingChunks(): void {
    this.frame = undefined;
    const { phase, run, candidates } = this.now;
    const pieces = this.pendingChunks.filter(({ generationId }) => generationId === run?.generationId);
    this.pendingChunks = [];
    if (phase !== "writing" || pieces.length === 0) return;
    const next = [...candidates];
    for (const { candidate, text } of pieces) {
      const draft = next[candidate];
      if (draft?.state === "writing") next[candidate] = { ...draft, text: draft.text + text };
    }
    this.set({ candidates: next });
    this.showPicked();
  }

  private dropPendingChunks(): void {
    clearTimeout(this.frame);
    this.frame = undefined;
    this.pendingChunks = [];
  }

  /** A draft is complete or has failed; it can be accepted while others stream. */
  onCandidate(ended: SkillCandidate): void {
    if (!this.isOurs(ended.generationId, () => this.onCandidate(ended))) return;
    const { candidate, text, error, unusable, writtenBy } = ended;
    if (this.now.candidates[candidate]?.state !== "writing") return;
    this.pendingChunks = this.pendingChunks.filter((piece) => piece.candidate !== candidate); // the event has the whole text
    this.set({
      candidates: this.now.candidates.map((draft, index) =>
        index === candidate
          ? unusable && !error
            ? { text: "", state: "unusable", error: null, unusable, writtenBy }
            : {
                text: text || draft.text,
                state: error ? "failed" : "ready",
                error: error ? new BackendError(error) : null,
                writtenBy,
              }
          : draft,
      ),
    });
    if (unusable && this.now.picked === candidate && !this.now.editing) this.pickUsable();
    this.showPicked();
  }

  /** The text of a draft was none: it is dropped, and the model writes once more. */
  onRetry(retry: SkillRetry): void {
    if (!this.isOurs(retry.generationId, () => this.onRetry(retry))) return;
    const { candidate } = retry;
    this.pendingChunks = this.pendingChunks.filter((piece) => piece.candidate !== candidate);
    this.set({
      candidates: this.now.candidates.map((draft, index) =>
        index === candidate ? { text: "", state: "writing", error: null, isRetry: true } : draft,
      ),
    });
    this.showPicked();
  }

  /** Picks a draft that is or may become usable, if there is one. */
  private pickUsable(): void {
    const { candidates } = this.now;
    const ready = candidates.findIndex(({ state }) => state === "ready");
    const usable = ready >= 0 ? ready : candidates.findIndex(({ state }) => state !== "unusable");
    if (usable >= 0) this.set({ picked: usable });
  }

  /** The prompt was cut to the model's context size. The run's references are the remaining ones. */
  onTrimmed(trimmed: SkillTrimmed): void {
    const { generationId, memoryReferences, cut, totalTokens, contextTokens } = trimmed;
    if (!this.isOurs(generationId, () => this.onTrimmed(trimmed))) return;
    const { run } = this.now;
    if (!run) return;
    this.set({ run: { ...run, memoryReferences, cut }, trimmed: { left: cut.length, totalTokens, contextTokens } });
  }

  onDone(done: SkillDone): void {
    if (!this.isOurs(done.generationId, () => this.onDone(done))) return;
    this.dropPendingChunks(); // the event has the whole texts
    const failed = done.error ? new BackendError(done.error) : null;
    const drafts = this.now.candidates.map((draft, index): Draft => {
      if (draft.state !== "writing") return draft;
      const text = done.candidates[index] || draft.text;
      return text === "" && failed ? { text, state: "failed", error: failed } : { text, state: "ready", error: null };
    });
    const any = drafts.some(({ text, state }) => text !== "" || state === "unusable");
    const isWithoutDraft = drafts.some(({ state }) => state === "unusable") && drafts.every(({ text }) => text === "");
    // A stopped run says nothing about the model.
    if (done.status === "finished") this.set({ unusableRuns: isWithoutDraft ? this.now.unusableRuns + 1 : 0 });
    // An error shown on a card is not repeated above the cards.
    const isShownOnCard = any && drafts.some(({ error }) => error !== null);
    this.set({ phase: any ? "ready" : "idle", candidates: any ? drafts : [], error: isShownOnCard ? null : failed });
    // If the picked draft is empty or failed, pick a complete one.
    const front = drafts[this.now.picked];
    if (any && !this.now.editing && (!front?.text || front.state === "failed")) {
      const better = drafts.findIndex(({ text, state }) => text !== "" && state === "ready");
      this.set({
        picked: better >= 0 ? better : front?.text ? this.now.picked : drafts.findIndex(({ text }) => text !== ""),
      });
    }
    if (any) this.showPicked();
    else this.target.releaseAnchor();
  }

  async stop(): Promise<void> {
    const { phase, run } = this.now;
    if (phase === "asking") {
      this.abandonRun();
      return;
    }
    if (phase !== "writing" || !run) return;
    try {
      await call("ai:skill:cancel", { generationId: run.generationId });
    } catch (error) {
      this.set({ error: toBackendError(error) });
    }
  }

  pick(index: number): void {
    if (this.now.picked === index || !(index in this.now.candidates)) return;
    this.set({ picked: index });
    this.showPicked();
  }

  /** Redraws the preview, which scrolls it into view after a change of layout. */
  redrawPreview(): void {
    this.target.previewDraft(null);
    this.showPicked();
  }

  private showPicked(): void {
    const { candidates, picked, phase, editing } = this.now;
    const text = editing ? editing.text : candidates[picked]?.text;
    this.target.previewDraft(text && (phase === "writing" || phase === "ready") ? { text, number: picked + 1 } : null);
  }

  // ---- what the writer decides ----

  /** A complete or failed draft with text, which can be accepted while others stream; otherwise `null`. */
  private ended(index: number): Draft | null {
    const { phase, candidates } = this.now;
    const draft = candidates[index];
    return draft && draft.state !== "writing" && draft.text !== "" && (phase === "ready" || phase === "writing")
      ? draft
      : null;
  }

  take(index: number): void {
    const draft = this.ended(index);
    if (draft) this.accept(index, draft.text, draft.text);
  }

  editFirst(index: number): void {
    const draft = this.ended(index);
    if (!draft) return;
    this.set({ picked: index, editing: { index, text: draft.text } });
    this.showPicked();
  }

  edit(text: string): void {
    if (this.now.editing) this.set({ editing: { ...this.now.editing, text } });
    this.showPicked();
  }

  stopEditing(): void {
    this.set({ editing: null });
    this.showPicked();
  }

  takeEdited(): void {
    const { editing, candidates } = this.now;
    const draft = editing && candidates[editing.index];
    if (!editing || !draft || editing.text === "") return;
    this.accept(editing.index, draft.text, editing.text);
  }

  private accept(index: number, draft: string, final: string): void {
    const { run, phase } = this.now;
    if (!run) return;
    // The choice is made: the other drafts are not needed.
    if (phase === "writing") this.cancelRun(run.generationId);
    this.target.insertDraft({
      generationId: this.writerOf(index),
      skill: this.now.skill,
      text: final,
      written: draft === final ? [{ from: 0, to: final.length }] : survivingSpans(draft, final),
    });
    this.record(index, final);
  }

  rejectAll(): void {
    if (this.now.phase !== "ready" || !this.now.run) return;
    this.target.releaseAnchor();
    this.target.focus();
    this.record(-1, "");
  }

  private record(selectedIndex: number, finalText: string): void {
    const { run, candidates, skill, scene } = this.now;
    const { chapter, passage } = this;
    if (!run || !chapter || !passage) return;
    // Only complete drafts count as alternatives. Empty, failed and streaming ones do not.
    const shown = candidates.flatMap(({ text, state }, index) =>
      text.trim() === "" || (state !== "ready" && index !== selectedIndex) ? [] : [{ text, index }],
    );
    const draft: EpisodeDraft = {
      projectId: chapter.projectId,
      chapterId: chapter.chapterId,
      skillUsed: skill,
      // The writer may have corrected the scene type while the drafts were on screen.
      sceneType: scene ?? run.sceneType,
      inputContext: lastOf(passage.before, MAX_INPUT_CONTEXT) + (passage.selection ?? ""),
      candidates: shown.map(({ text }) => text),
      selectedIndex: shown.findIndex(({ index }) => index === selectedIndex),
      finalText,
      // Lets the backend detect a wrong index.
      ...(selectedIndex >= 0 && { selectedText: candidates[selectedIndex]?.text ?? null }),
      generationId: this.writerOf(selectedIndex),
    };
    this.dropPendingChunks();
    this.set({
      phase: "idle",
      run: null,
      candidates: [],
      editing: null,
      picked: 0,
      instruction: "",
      error: null,
      trimmed: null,
    });
    // Without a complete draft, a rejection says nothing about the writer.
    if (shown.length === 0) return;
    this.set({
      last: {
        generationId: draft.generationId ?? null,
        taken: selectedIndex >= 0,
        record: "sending",
        error: null,
        draft,
      },
    });
    this.sendInBackground(draft);
  }

  /** The generation whose trace has the prompt of a draft. */
  writerOf(index: number): string {
    const { run, candidates } = this.now;
    return candidates[index]?.writtenBy ?? run?.generationId ?? "";
  }

  retryRecord(): void {
    const { last } = this.now;
    if (last?.record !== "failed") return;
    this.set({ last: { ...last, record: "sending", error: null } });
    this.sendInBackground(last.draft);
  }

  /** Resolves after the memory has answered all decisions; the window waits for it before it closes. */
  async allSent(): Promise<void> {
    await Promise.all(this.sending);
  }

  /** Records that the writer undid an accepted draft, however long ago. */
  async recordUndo(projectId: string, generationId: string): Promise<void> {
    // The decision itself may still be in flight.
    await this.allSent();
    const sent = (async () => {
      const { episodeId } = await call("memory:trace:get", { projectId, generationId });
      if (episodeId) await call("memory:episode:feedback", { projectId, episodeId, signal: "undo" });
      if (this.now.failedUndo?.generationId === generationId) this.set({ failedUndo: null });
    })().catch((reason: unknown) => {
      const error = toBackendError(reason);
      // The episode no longer exists, so nothing is to be recorded.
      if (error.code !== "MEMORY_NOT_FOUND") this.set({ failedUndo: { projectId, generationId, error } });
    });
    this.sending.add(sent);
    await sent.finally(() => this.sending.delete(sent));
  }

  retryUndo(): void {
    const { failedUndo } = this.now;
    if (!failedUndo?.error) return;
    this.set({ failedUndo: { ...failedUndo, error: null } });
    void this.recordUndo(failedUndo.projectId, failedUndo.generationId);
  }

  private sendInBackground(draft: EpisodeDraft): void {
    const sent = this.send(draft).finally(() => this.sending.delete(sent));
    this.sending.add(sent);
  }

  private async send(draft: EpisodeDraft): Promise<void> {
    const mine = () => this.now.last?.draft === draft;
    try {
      await call("memory:episode:record", draft);
      if (mine()) this.set({ last: { ...this.now.last!, record: "recorded" } });
    } catch (error) {
      if (mine()) this.set({ last: { ...this.now.last!, record: "failed", error: toBackendError(error) } });
    }
  }

  /** Runs again for the same passage. Without a decision nothing is recorded. */
  runAgain(): void {
    if (this.now.phase !== "ready") return;
    this.set({ phase: "idle" });
    void this.start(true);
  }

  private abandonRun(): void {
    const { phase, run } = this.now;
    this.runNumber += 1;
    if (phase === "writing" && run) this.cancelRun(run.generationId);
    this.passage = null;
    this.target.releaseAnchor();
    this.set({
      phase: "idle",
      run: null,
      candidates: [],
      editing: null,
      error: null,
      needsSelection: false,
      trimmed: null,
    });
  }

  /** Cancels a run without waiting: its remaining events are ignored. */
  private cancelRun(generationId: string): void {
    void call("ai:skill:cancel", { generationId }).catch(() => {});
  }

  // ---- preview of the prompt ----

  async toggleSent(): Promise<void> {
    if (this.now.sent) {
      this.set({ sent: null });
      return;
    }
    const chapter = this.chapter;
    if (!chapter) return;
    this.set({ sent: { context: null, error: null } });
    try {
      const context = await call("memory:context:assemble", this.args(chapter, this.target.passage()));
      if (this.now.sent) this.set({ sent: { context, error: null } });
    } catch (error) {
      if (this.now.sent) this.set({ sent: { context: null, error: toBackendError(error) } });
    }
  }

  private get chapter(): ChapterContext | null {
    return this.now.chapter;
  }

  private get now(): AssistantState {
    return this.state.getState();
  }

  private set(change: Partial<AssistantState>): void {
    this.state.setState(change);
  }
}
