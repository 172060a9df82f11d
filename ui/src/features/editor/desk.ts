import { isolateHistory } from "@codemirror/commands";
import { ChangeSet, EditorState, Transaction, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { createStore, type StoreApi } from "zustand/vanilla";
import { call, toBackendError, type BackendError, type ChapterChanged, type ChapterText, type Language } from "../../backend";
import { firstOf, lastOf } from "../../lib/cut";
import type { Page, Passage, TakenDraft } from "../../lib/passage";
import { Finder } from "./find";
import { holdField, holding, setDraft, setHold } from "./hold";
import { addMarks, lightUp, mapMarks, marksField, origins, setMarks, tidy, type MarginWords, type Mark } from "./origins";
import { prose, shieldKeys } from "./prose";
import { Regrets } from "./regrets";

export type SaveState = "saved" | "dirty" | "saving" | "conflict";

/** What the rest of the window may show of the page. */
export interface DeskState {
  chapter: { projectId: string; chapterId: string; title: string } | null;
  save: SaveState;
  savedAt: string | null;
  /** What could not be written, or read. */
  problem: { of: "save" | "read"; error: BackendError } | null;
  /** Something outside changed the file: `changed` and `gone` wait for the writer, `reloaded` only tells. */
  outside: "changed" | "gone" | "reloaded" | null;
  hasSelection: boolean;
  /** Passages by the assistant whose place in the text is no longer known. */
  unanchored: number;
  busy: boolean;
}

export interface DeskOptions {
  margin: MarginWords;
  label(): string;
  onSaved?(chapter: { projectId: string; chapterId: string; title: string; words: number }): void;
  /** The writer undid what the assistant wrote, and did not bring it back: seconds or hours after taking it. */
  onUndone?(projectId: string, generationId: string): void;
  /** The writer is writing: told as it begins, and then once in a while as long as it goes on. */
  onActivity?(projectId: string): void;
  /** Milliseconds of quiet before the text is saved. */
  quiet?: number;
  /** Milliseconds until a failed save is tried again. */
  retry?: number;
  /** Milliseconds in which an undone passage may be brought back. */
  regret?: number;
}

/** Milliseconds between two tellings of activity. */
const ACTIVITY = 30_000;
const BEFORE = 6_000;
const AFTER = 2_000;

/** Where the writer goes on: behind the last word; in a chapter that has only its title, below it, and never before it. */
function endOf(text: string): number {
  return /^#[^\n]*\s*$/.test(text) ? text.length : text.trimEnd().length;
}

/**
 * The page being written: the text, whose words are whose, and the way to disk and back.
 * Nothing is written while an input method composes, and nothing is ever overwritten in silence.
 */
export class Desk implements Page {
  readonly state: StoreApi<DeskState> = createStore<DeskState>(() => ({
    chapter: null,
    save: "saved",
    savedAt: null,
    problem: null,
    outside: null,
    hasSelection: false,
    unanchored: 0,
    busy: false,
  }));

  /** Finds what is looked for in the chapter that is open. */
  readonly finder = new Finder();

  private view: EditorView | null = null;
  private parent: HTMLElement | null = null;
  private language: Language = "zh";
  private hash = "";
  private edits = 0;
  private savedEdits = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private writing: Promise<void> | null = null;
  /** When activity was last told, on the clock of the page, and of which book. */
  private told = { at: -Infinity, projectId: "" };
  private unshield = () => {};
  private readonly regrets: Regrets;

  constructor(private readonly options: DeskOptions) {
    this.regrets = new Regrets(options.regret ?? 4_000, (projectId, generationId) => options.onUndone?.(projectId, generationId));
  }

  mount(parent: HTMLElement): void {
    this.parent = parent;
    this.unshield = shieldKeys(parent);
  }

  unmount(): void {
    clearTimeout(this.timer);
    this.regrets.settle();
    this.view?.destroy();
    this.view = null;
    this.parent = null;
    this.unshield();
  }

  /** Saves what is open and opens another chapter. False when what is open could not be saved: it stays. */
  async open(projectId: string, chapterId: string, language: Language): Promise<boolean> {
    const now = this.state.getState().chapter;
    if (now?.chapterId === chapterId && now.projectId === projectId) return true;
    if (now && !(await this.flush())) return false;
    this.set({ busy: true });
    try {
      const chapter = await call("chapter:read", { projectId, chapterId });
      this.language = language;
      this.show(chapter);
      this.set({ chapter: { projectId, chapterId, title: chapter.title }, save: "saved", savedAt: null, problem: null, outside: null, unanchored: chapter.unanchored.length });
      return true;
    } catch (error) {
      this.set({ problem: { of: "read", error: toBackendError(error) } });
      return false;
    } finally {
      this.set({ busy: false });
    }
  }

  /** The file was changed on the writer's own wish, by a rename: what is there now comes onto the page. */
  async reload(): Promise<void> {
    const { chapter } = this.state.getState();
    if (!chapter || this.unsaved) return;
    try {
      const now = await call("chapter:read", { projectId: chapter.projectId, chapterId: chapter.chapterId });
      if (now.contentHash !== this.hash) this.replace(now);
      this.set({ chapter: { ...chapter, title: now.title } });
    } catch (error) {
      this.set({ problem: { of: "read", error: toBackendError(error) } });
    }
  }

  /** A book without chapters has nothing on the page. */
  clear(): void {
    clearTimeout(this.timer);
    this.finder.close();
    this.view?.destroy();
    this.view = null;
    this.edits = 0;
    this.savedEdits = 0;
    this.set({ chapter: null, save: "saved", savedAt: null, problem: null, outside: null, hasSelection: false, unanchored: 0 });
  }

  // ---- saving ----

  get unsaved(): boolean {
    return this.edits !== this.savedEdits;
  }

  /** Everything on disk, now. False when it could not be. */
  async flush(): Promise<boolean> {
    this.regrets.settle();
    // Leaving the field ends a composition; only then is there a text to save.
    if (this.composing) this.view?.contentDOM.blur();
    clearTimeout(this.timer);
    for (let turn = 0; turn < 3; turn += 1) {
      await this.writing;
      if (!this.unsaved) return true;
      if (this.state.getState().save === "conflict") return false;
      this.write();
      await this.writing;
    }
    return !this.unsaved;
  }

  private get composing(): boolean {
    return this.view?.compositionStarted ?? false;
  }

  private touch(): void {
    this.edits += 1;
    if (this.state.getState().save === "saved") this.set({ save: "dirty" });
    this.schedule(this.options.quiet ?? 800);
  }

  private active(projectId: string): void {
    const at = performance.now();
    if (projectId === this.told.projectId && at - this.told.at < ACTIVITY) return;
    this.told = { at, projectId };
    this.options.onActivity?.(projectId);
  }

  private schedule(delay: number): void {
    clearTimeout(this.timer);
    if (this.state.getState().save === "conflict") return;
    this.timer = setTimeout(() => this.write(), delay);
  }

  private write(): void {
    if (!this.view || !this.unsaved || this.state.getState().save === "conflict") return;
    if (this.composing) return; // `compositionend` comes back here
    if (this.writing) return; // and so does the write under way
    this.writing = this.writeOnce().finally(() => {
      this.writing = null;
      if (this.unsaved && this.state.getState().save === "dirty" && !this.state.getState().problem) this.schedule(this.options.quiet ?? 800);
    });
  }

  private async writeOnce(): Promise<void> {
    const { chapter } = this.state.getState();
    if (!this.view || !chapter) return;
    const edits = this.edits;
    const marks = this.view.state.field(marksField);
    const text = this.view.state.doc.toString();
    this.set({ save: "saving" });
    try {
      const { contentHash, words } = await call("chapter:write", {
        projectId: chapter.projectId,
        chapterId: chapter.chapterId,
        text,
        baseHash: this.hash,
        origins: marks.map(({ generationId, from, to }) => ({ generationId, from, to })),
      });
      this.hash = contentHash;
      this.savedEdits = edits;
      const title = titleOf(text) ?? chapter.title;
      if (title !== chapter.title) this.set({ chapter: { ...chapter, title } });
      this.options.onSaved?.({ ...chapter, title, words });
      this.set({ save: this.unsaved ? "dirty" : "saved", savedAt: new Date().toISOString(), problem: null });
    } catch (error) {
      const problem = toBackendError(error);
      if (problem.code === "MEMORY_STALE_VERSION") {
        this.set({ save: "conflict", outside: problem.details.currentHash ? "changed" : "gone", problem: null });
        return;
      }
      this.set({ save: "dirty", problem: { of: "save", error: problem } });
      this.schedule(this.options.retry ?? 5_000);
    }
  }

  // ---- changes from outside ----

  async onOutside({ chapterId, contentHash }: ChapterChanged): Promise<void> {
    if (this.state.getState().chapter?.chapterId !== chapterId) return;
    await this.writing; // it may be our own write that is told
    if (contentHash === this.hash) return;
    const { chapter } = this.state.getState();
    if (chapter?.chapterId !== chapterId) return;
    if (contentHash === null) {
      clearTimeout(this.timer);
      this.set({ save: "conflict", outside: "gone" });
      return;
    }
    try {
      const theirs = await call("chapter:read", { projectId: chapter.projectId, chapterId });
      if (theirs.contentHash === this.hash || this.state.getState().chapter?.chapterId !== chapterId) return;
      if (this.unsaved || this.composing) {
        clearTimeout(this.timer);
        this.set({ save: "conflict", outside: "changed" });
      } else {
        this.replace(theirs);
        this.set({ outside: "reloaded", save: "saved" });
      }
    } catch (error) {
      this.set({ problem: { of: "read", error: toBackendError(error) } });
    }
  }

  dismissProblem(): void {
    this.set({ problem: null });
  }

  dismissOutside(): void {
    this.set({ outside: null });
  }

  /** What is on the page goes over what is in the file; a file that is gone is made anew. */
  async keepMine(): Promise<void> {
    const { chapter, outside } = this.state.getState();
    if (!chapter) return;
    try {
      if (outside === "gone") {
        const made = await call("chapter:create", { projectId: chapter.projectId, title: chapter.title });
        this.set({ chapter: { ...chapter, chapterId: made.chapterId } });
      }
      const { chapterId } = this.state.getState().chapter ?? chapter;
      this.hash = (await call("chapter:read", { projectId: chapter.projectId, chapterId })).contentHash;
    } catch (error) {
      this.set({ problem: { of: "read", error: toBackendError(error) } });
      return;
    }
    if (!this.unsaved) this.edits += 1;
    this.set({ save: "dirty", outside: null, problem: null });
    await this.flush();
  }

  /** What is in the file comes onto the page; undo brings mine back. */
  async takeTheirs(): Promise<void> {
    const { chapter } = this.state.getState();
    if (!chapter) return;
    try {
      const theirs = await call("chapter:read", { projectId: chapter.projectId, chapterId: chapter.chapterId });
      this.replace(theirs);
      this.set({ save: "saved", outside: null, problem: null });
    } catch (error) {
      this.set({ problem: { of: "read", error: toBackendError(error) } });
    }
  }

  // ---- the page, as the assistant sees it ----

  get hasSelection(): boolean {
    return this.state.getState().hasSelection;
  }

  hold(again = false): Passage {
    if (!this.view) return this.around(0, 0);
    const held = again ? this.view.state.field(holdField) : null;
    const { from, to } = held ?? this.view.state.selection.main;
    this.view.dispatch({ effects: setHold.of({ from, to, draft: null }) });
    return this.around(from, to);
  }

  passage(): Passage {
    const { from, to } = this.view?.state.selection.main ?? { from: 0, to: 0 };
    return this.around(from, to);
  }

  private around(from: number, to: number): Passage {
    if (!this.view) return { before: "", selection: null, after: "" };
    const { doc } = this.view.state;
    return {
      before: lastOf(doc.sliceString(Math.max(0, from - BEFORE - 1), from), BEFORE),
      selection: from < to ? doc.sliceString(from, to) : null,
      after: firstOf(doc.sliceString(to, to + AFTER + 1), AFTER),
    };
  }

  preview(draft: { text: string; number: number } | null): void {
    if (!this.view || this.composing) return;
    const hold = this.view.state.field(holdField);
    const gap = draft && hold && hold.from === hold.to ? this.gap(hold.from, draft.text) : "";
    this.view.dispatch({ effects: setDraft.of(draft && { ...draft, text: gap + draft.text }) });
  }

  take({ generationId, skill, text, written }: TakenDraft): void {
    const view = this.view;
    if (!view) return;
    const hold = view.state.field(holdField) ?? { ...view.state.selection.main, draft: null };
    const insert = hold.from === hold.to ? this.gap(hold.from, text) + text : text;
    const start = hold.from + insert.length - text.length;
    const marks: Mark[] = written.map(({ from, to }) => ({ generationId, skill, from: start + from, to: start + to }));
    view.dispatch({
      changes: { from: hold.from, to: hold.to, insert },
      selection: { anchor: start + text.length },
      effects: [addMarks.of(marks), setHold.of(null)],
      annotations: [Transaction.userEvent.of("input.assistant"), isolateHistory.of("full")],
      scrollIntoView: true,
    });
    view.focus();
    clearTimeout(this.timer);
    this.write();
  }

  /** English needs a space where a draft begins in the middle of a line; Chinese does not. */
  private gap(at: number, text: string): string {
    if (this.language !== "en" || !this.view) return "";
    const before = this.view.state.doc.sliceString(Math.max(0, at - 1), at);
    return /\S/.test(before) && !/[-—(“‘"'\n]/.test(before) && /^[\p{L}\p{N}“‘"'(]/u.test(text) ? " " : "";
  }

  letGo(): void {
    this.view?.dispatch({ effects: setHold.of(null) });
  }

  lightUp(generationId: string | null): void {
    this.view?.dispatch({ effects: lightUp.of(generationId) });
  }

  /** Where the assistant's passages came from is no longer known anywhere: the words stay, and are the writer's. */
  forgetOrigins(): void {
    this.view?.dispatch({ effects: setMarks.of([]), annotations: Transaction.addToHistory.of(false) });
    this.set({ unanchored: 0 });
  }

  /**
   * The memory can be asked again. A chapter that was opened without it has none of its marks, and saving it so would
   * lose them: they come onto the page now, beside those that were made since.
   */
  async regainOrigins(): Promise<void> {
    await this.writing;
    const { chapter } = this.state.getState();
    if (!chapter) return;
    try {
      const known = await call("chapter:read", { projectId: chapter.projectId, chapterId: chapter.chapterId });
      const { view } = this;
      // What was changed outside is told by itself, and brings its marks along.
      if (!view || known.contentHash !== this.hash || this.state.getState().chapter?.chapterId !== chapter.chapterId) return;
      const written = ChangeSet.of(smallest(known.text, view.state.doc.toString()), known.text.length);
      const here = view.state.field(marksField);
      const missing = mapMarks(marksOf(known), written).filter(({ generationId }) => !here.some((mark) => mark.generationId === generationId));
      this.set({ unanchored: known.unanchored.length });
      if (missing.length > 0) view.dispatch({ effects: setMarks.of(tidy([...here, ...missing])), annotations: Transaction.addToHistory.of(false) });
    } catch (error) {
      this.set({ problem: { of: "read", error: toBackendError(error) } });
    }
  }

  focus(): void {
    this.view?.focus();
  }

  // ---- the text itself ----

  private set(change: Partial<DeskState>): void {
    this.state.setState(change);
  }

  /** The backend hands every text over with its lines ended by LF, as the editor has them. */
  private read(chapter: ChapterText): { text: string; marks: Mark[] } {
    this.hash = chapter.contentHash;
    return { text: chapter.text, marks: marksOf(chapter) };
  }

  private show(chapter: ChapterText): void {
    if (!this.parent) return;
    const { text, marks } = this.read(chapter);
    const state = EditorState.create({ doc: text, selection: { anchor: endOf(text) }, extensions: this.extensions(marks) });
    if (this.view) this.view.setState(state);
    else this.view = new EditorView({ state, parent: this.parent });
    // The margin's marks are buttons: they may be read aloud, which CodeMirror's gutters are not.
    this.view.dom.querySelector(".cm-gutters")?.removeAttribute("aria-hidden");
    this.edits = 0;
    this.savedEdits = 0;
    this.set({ hasSelection: false });
  }

  private replace(chapter: ChapterText): void {
    const view = this.view;
    if (!view) return;
    const { text, marks } = this.read(chapter);
    view.dispatch({
      changes: smallest(view.state.doc.toString(), text),
      effects: setMarks.of(marks),
      // A step of its own in the history, always: what came from outside can be undone, and what was undone can come back.
      annotations: [isolateHistory.of("full"), Transaction.remote.of(true)],
    });
    this.savedEdits = this.edits;
    this.set({ unanchored: chapter.unanchored.length });
    const now = this.state.getState().chapter;
    if (now) this.set({ chapter: { ...now, title: chapter.title } });
  }

  private extensions(marks: Mark[]): Extension {
    return [
      prose(this.language, this.options.label()),
      origins(this.options.margin, marks),
      holding,
      this.finder.extension,
      EditorView.updateListener.of((update) => {
        const hasSelection = !update.state.selection.main.empty;
        if (hasSelection !== this.state.getState().hasSelection) this.set({ hasSelection });
        const moved = update.state.field(marksField) !== update.startState.field(marksField);
        const { chapter } = this.state.getState();
        if (moved && chapter) this.regrets.look(chapter.projectId, update);
        const remote = update.transactions.every((transaction) => transaction.annotation(Transaction.remote) === true);
        if ((update.docChanged || moved) && !(remote && update.transactions.length > 0)) this.touch();
        if (update.docChanged && !remote && chapter) this.active(chapter.projectId);
      }),
      EditorView.domEventHandlers({
        compositionend: () => {
          // CodeMirror takes the composed text in after this event.
          if (this.unsaved) this.schedule(this.options.quiet ?? 800);
        },
        blur: () => {
          setTimeout(() => this.write(), 0);
        },
      }),
    ];
  }
}

/** The one change that turns a text into another, with what is the same at both ends left alone: the caret stays. */
function smallest(from: string, to: string): { from: number; to: number; insert: string } {
  let head = 0;
  const short = Math.min(from.length, to.length);
  while (head < short && from[head] === to[head]) head += 1;
  let tail = 0;
  while (tail < short - head && from[from.length - 1 - tail] === to[to.length - 1 - tail]) tail += 1;
  return { from: head, to: from.length - tail, insert: to.slice(head, to.length - tail) };
}

/** The first line's heading, when the text begins with one. */
const titleOf = (text: string) => /^# +(.*\S)/.exec(text)?.[1]?.replace(/\s#+$/, "") ?? null;

/** A mark that does not lie in the text would break the page; the backend should never send one. */
const marksOf = ({ origins: all, text: { length } }: ChapterText): Mark[] =>
  all.filter(({ from, to }) => from >= 0 && from < to && to <= length).map(({ generationId, skill, from, to }) => ({ generationId, skill, from, to }));
