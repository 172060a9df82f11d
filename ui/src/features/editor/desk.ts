import { isolateHistory } from "@codemirror/commands";
import { ChangeSet, EditorState, Transaction, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { createStore, type StoreApi } from "zustand/vanilla";
import {
  call,
  toBackendError,
  type ChapterChanged,
  type ChapterText,
  type EarlierText,
  type KeptText,
  type Language,
} from "../../backend";
import type { Page, Passage, TakenDraft } from "../../lib/passage";
import { Drafts } from "./drafts";
import { Finder } from "./find";
import { Keeping, type Place } from "./keeping";
import { holdField, holding, setDraft, setHold } from "./hold";
import { addMarks, lightUp, mapMarks, marksField, origins, setMarks, tidy, type Mark } from "./origins";
import { prose, shieldKeys } from "./prose";
import { Regrets } from "./regrets";
import { FRESH, type DeskOptions, type DeskState } from "./state";
import { around, endOf, gapBefore, marksOf, smallest, titleOf } from "./texts";

/** Milliseconds between two tellings of activity. */
const ACTIVITY = 30_000;
/** What was to be kept and could not be is taken along by later saves, but no more than so many. */
const EARLIER = 5;

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
    isKept: false,
    left: [],
    snapshotFailed: false,
    outside: null,
    hasSelection: false,
    unanchored: 0,
    busy: false,
  }));

  /** Finds what is looked for in the chapter that is open. */
  readonly finder = new Finder();
  /** What the chapter was. */
  readonly drafts = new Drafts({
    place: () => this.place(),
    text: () => this.text(),
    kept: () => this.state.getState().left.filter(({ chapterId }) => chapterId === this.place()?.chapterId),
    settled: () => this.flush(),
  });

  private view: EditorView | null = null;
  private parent: HTMLElement | null = null;
  private language: Language = "zh";
  private hash = "";
  private edits = 0;
  private savedEdits = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Since when, on the clock of the page, an edit waits to be saved. */
  private waiting: number | null = null;
  private writing: Promise<void> | null = null;
  private readonly keeping = new Keeping();
  /** What the chapter was, to be kept with the next save. */
  private earlier: EarlierText[] = [];
  /** The hash under which it was told what is left of the last time. */
  private leftOver = "";
  /** When activity was last told, on the clock of the page, and of which book. */
  private told = { at: -Infinity, projectId: "" };
  private unshield = () => {};
  private readonly regrets: Regrets;

  constructor(private readonly options: DeskOptions) {
    this.regrets = new Regrets(options.regret ?? 4_000, (projectId, generationId) =>
      options.onUndone?.(projectId, generationId),
    );
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
      this.leftOver = chapter.contentHash;
      this.drafts.close();
      this.set({
        ...FRESH,
        chapter: { projectId, chapterId, title: chapter.title },
        left: chapter.kept,
        unanchored: chapter.unanchored.length,
      });
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
    this.drafts.close();
    this.view?.destroy();
    this.view = null;
    this.begin();
    this.set({ ...FRESH, chapter: null, hasSelection: false, unanchored: 0 });
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
    this.waiting ??= performance.now();
    if (this.state.getState().save === "saved") this.set({ save: "dirty" });
    this.schedule();
  }

  private active(projectId: string): void {
    const at = performance.now();
    if (projectId === this.told.projectId && at - this.told.at < ACTIVITY) return;
    this.told = { at, projectId };
    this.options.onActivity?.(projectId);
  }

  /** After a moment of quiet; or, where there is none, when the first of the edits has waited long enough. */
  private schedule(): void {
    const { quiet = 800, longest = 2_000 } = this.options;
    const waited = this.waiting === null ? 0 : performance.now() - this.waiting;
    this.in(Math.min(quiet, Math.max(0, longest - waited)));
  }

  private in(delay: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (this.state.getState().save === "conflict" ? void this.keep() : this.write()), delay);
  }

  private write(): void {
    if (!this.view || !this.unsaved || this.state.getState().save === "conflict") return;
    if (this.composing) return; // `compositionend` comes back here
    if (this.writing) return; // and so does the write under way
    this.writing = this.writeOnce().finally(() => {
      this.writing = null;
      if (this.unsaved && this.state.getState().save === "dirty" && !this.state.getState().problem) this.schedule();
    });
  }

  /** What cannot be saved now outlives the window all the same. False when it cannot be kept either. */
  async keep(): Promise<boolean> {
    const place = this.place();
    if (!this.view || !place || !this.unsaved) return true;
    if (this.composing) return false; // `compositionend` comes back here
    this.waiting = null;
    const isKept = await this.keeping.keep(place, this.text(), this.hash, this.view.state.field(marksField));
    if (this.unsaved) this.set({ isKept });
    return isKept;
  }

  /** Two texts claim the chapter: the writer says which. */
  private quarrel(outside: "changed" | "gone"): void {
    clearTimeout(this.timer);
    this.set({ save: "conflict", outside, problem: null });
    void this.keep();
  }

  private async writeOnce(): Promise<void> {
    const { chapter } = this.state.getState();
    if (!this.view || !chapter) return;
    const edits = this.edits;
    const marks = this.view.state.field(marksField);
    const text = this.text();
    const earlier = [...this.earlier];
    const ticket = this.keeping.ticket(chapter);
    // One that hangs, on a folder far away, may never end.
    const slow = setTimeout(() => void this.keep(), this.options.slow ?? 4_000);
    this.waiting = null;
    this.set({ save: "saving" });
    try {
      const { contentHash, words, snapshotsSaved } = await call("chapter:write", {
        projectId: chapter.projectId,
        chapterId: chapter.chapterId,
        text,
        baseHash: this.hash,
        origins: marks.map(({ generationId, from, to }) => ({ generationId, from, to })),
        ...(earlier.length > 0 && { before: earlier }),
        ...(ticket && { keptId: ticket.keptId }),
      });
      this.hash = contentHash;
      this.savedEdits = edits;
      this.earlier = snapshotsSaved ? this.earlier.slice(earlier.length) : this.earlier.slice(-EARLIER);
      void this.keeping.saved(ticket);
      const title = titleOf(text) ?? chapter.title;
      if (title !== chapter.title) this.set({ chapter: { ...chapter, title } });
      this.options.onSaved?.({ ...chapter, title, words });
      this.set({
        save: this.unsaved ? "dirty" : "saved",
        savedAt: new Date().toISOString(),
        problem: null,
        isKept: false,
        snapshotFailed: !snapshotsSaved,
      });
    } catch (error) {
      const problem = toBackendError(error);
      if (problem.code === "MEMORY_STALE_VERSION") {
        this.quarrel(problem.details.currentHash ? "changed" : "gone");
        return;
      }
      this.set({ save: "dirty", problem: { of: "save", error: problem } });
      void this.keep();
      this.in(this.options.retry ?? 5_000);
    } finally {
      clearTimeout(slow);
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
      this.quarrel("gone");
      return;
    }
    try {
      const theirs = await call("chapter:read", { projectId: chapter.projectId, chapterId });
      if (theirs.contentHash === this.hash || this.state.getState().chapter?.chapterId !== chapterId) return;
      if (this.unsaved || this.composing) this.quarrel("changed");
      else {
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

  /** What is on the page goes over what is in the file, which is kept; a file that is gone is made anew. */
  async keepMine(): Promise<void> {
    const { chapter, outside } = this.state.getState();
    if (!chapter) return;
    try {
      if (outside === "gone") {
        const made = await call("chapter:create", { projectId: chapter.projectId, title: chapter.title });
        this.set({ chapter: { ...chapter, chapterId: made.chapterId } });
      }
      const { chapterId } = this.state.getState().chapter ?? chapter;
      const theirs = await call("chapter:read", { projectId: chapter.projectId, chapterId });
      this.hash = theirs.contentHash;
      if (outside !== "gone" && theirs.text !== this.text())
        this.earlier.push({ text: theirs.text, reason: "setAside" });
    } catch (error) {
      this.set({ problem: { of: "read", error: toBackendError(error) } });
      return;
    }
    if (!this.unsaved) this.edits += 1;
    this.set({ save: "dirty", outside: null, problem: null });
    await this.flush();
  }

  /** What is in the file comes onto the page. What was there is kept first, and undo brings it back. */
  async takeTheirs(): Promise<void> {
    const { chapter } = this.state.getState();
    if (!chapter) return;
    try {
      const { projectId, chapterId } = chapter;
      const theirs = await call("chapter:read", { projectId, chapterId });
      const earlier: EarlierText[] = [...this.earlier, { text: this.text(), reason: "setAside" }];
      const passages = theirs.origins.map(({ generationId, from, to }) => ({ generationId, from, to }));
      // Nothing in the file changes by it.
      const { snapshotsSaved } = await call("chapter:write", {
        projectId,
        chapterId,
        text: theirs.text,
        baseHash: theirs.contentHash,
        origins: passages,
        before: earlier,
      });
      this.earlier = [];
      void this.keeping.letGo();
      this.replace(theirs);
      this.set({ save: "saved", outside: null, problem: null, isKept: false, snapshotFailed: !snapshotsSaved });
    } catch (error) {
      this.set({ problem: { of: "read", error: toBackendError(error) } });
    }
  }

  // ---- what it was ----

  place(): Place | null {
    const { chapter } = this.state.getState();
    return chapter && { projectId: chapter.projectId, chapterId: chapter.chapterId };
  }

  text(): string {
    return this.view?.state.doc.toString() ?? "";
  }

  /** An earlier text takes the place of this one, as one step that can be undone; this one is kept first. */
  goBack({ text, origins: known }: { text: string; origins: ChapterText["origins"] }): void {
    const marks = marksOf({ text, origins: known });
    // They were put back, not taken: to undo that is no judgement of theirs.
    const here = new Set(this.view?.state.field(marksField).map(({ generationId }) => generationId));
    this.regrets.spare(marks.flatMap(({ generationId }) => (here.has(generationId) ? [] : [generationId])));
    this.put(text, marks);
    this.focus();
    clearTimeout(this.timer);
    this.write();
  }

  /** What could not be saved the last time, back on the page. A file that was changed since is decided about as always. */
  async putBack(keptId: string): Promise<void> {
    const [kept, now] = [this.state.getState().left.find((one) => one.keptId === keptId), this.place()];
    if (!kept || !now) return;
    const isGone = kept.chapterId !== now.chapterId;
    if (isGone && !(await this.makeAnew(now.projectId, kept))) return;
    this.keeping.adopt(now.projectId, kept);
    this.set({ left: this.state.getState().left.filter((one) => one.keptId !== keptId) });
    this.put(kept.text, marksOf(kept), !isGone);
    this.focus();
    if (!this.unsaved) void this.keeping.letGo();
    else if (!isGone && kept.baseHash !== this.leftOver) this.quarrel("changed");
    else {
      clearTimeout(this.timer);
      this.write();
    }
  }

  /** The file of its chapter is gone: it gets another. Whether that is on the page. */
  private async makeAnew(projectId: string, { text }: KeptText): Promise<boolean> {
    try {
      const { chapterId } = await call("chapter:create", {
        projectId,
        title: (titleOf(text) ?? this.options.label()).slice(0, 200),
      });
      await this.options.onMade?.(projectId, chapterId);
      return this.place()?.chapterId === chapterId;
    } catch (error) {
      this.set({ problem: { of: "letGo", error: toBackendError(error) } });
      return false;
    }
  }

  /** The writer does not want it any more. */
  async letGoOf({ keptId, chapterId }: KeptText): Promise<void> {
    const place = this.place();
    if (!place) return;
    try {
      await call("chapter:keep:drop", { projectId: place.projectId, chapterId, keptId });
      this.set({ left: this.state.getState().left.filter((one) => one.keptId !== keptId) });
    } catch (error) {
      this.set({ problem: { of: "letGo", error: toBackendError(error) } });
    }
  }

  /** That it could not be kept has been read: it is not tried again. */
  dismissSnapshot(): void {
    this.earlier = [];
    this.set({ snapshotFailed: false });
  }

  private put(text: string, marks: Mark[], isKept = true): void {
    const { view } = this;
    if (!view) return;
    if (this.composing) view.contentDOM.blur();
    const present = this.text();
    if (present === text) return;
    if (isKept) this.earlier.push({ text: present, reason: "beforeRestore" });
    view.dispatch({
      changes: smallest(present, text),
      effects: setMarks.of(marks),
      annotations: [Transaction.userEvent.of("input.restore"), isolateHistory.of("full")],
    });
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
    return this.view ? around(this.view.state, from, to) : { before: "", selection: null, after: "" };
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
    this.earlier.push({ text: this.text(), reason: "beforeInsertion", generationId });
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

  private gap(at: number, text: string): string {
    return this.view ? gapBefore(this.view.state, this.language, at, text) : "";
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
      if (!view || known.contentHash !== this.hash || this.state.getState().chapter?.chapterId !== chapter.chapterId)
        return;
      const written = ChangeSet.of(smallest(known.text, view.state.doc.toString()), known.text.length);
      const here = view.state.field(marksField);
      const missing = mapMarks(marksOf(known), written).filter(
        ({ generationId }) => !here.some((mark) => mark.generationId === generationId),
      );
      this.set({ unanchored: known.unanchored.length });
      if (missing.length > 0)
        view.dispatch({
          effects: setMarks.of(tidy([...here, ...missing])),
          annotations: Transaction.addToHistory.of(false),
        });
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
    const state = EditorState.create({
      doc: text,
      selection: { anchor: endOf(text) },
      extensions: this.extensions(marks),
    });
    if (this.view) this.view.setState(state);
    else this.view = new EditorView({ state, parent: this.parent });
    // The margin's marks are buttons: they may be read aloud, which CodeMirror's gutters are not.
    this.view.dom.querySelector(".cm-gutters")?.removeAttribute("aria-hidden");
    this.begin();
    this.set({ hasSelection: false });
  }

  private begin(): void {
    this.edits = 0;
    this.savedEdits = 0;
    this.waiting = null;
    this.earlier = [];
    this.keeping.leave();
    this.regrets.spare([]);
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
          if (this.unsaved) this.schedule();
        },
        blur: () => this.in(0),
      }),
    ];
  }
}
