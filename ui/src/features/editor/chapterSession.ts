import { Transaction } from "@codemirror/state";
import {
  call,
  toBackendError,
  type BackendError,
  type ChapterChanged,
  type ChapterText,
  type EarlierText,
  type Language,
} from "../../backend";
import { AutosaveTimer } from "./autosaveTimer";
import type { Mark } from "./marks";
import type { RecoveryCopy } from "./recoveryCopy";
import {
  JUST_OPENED,
  type CaretTarget,
  type ChapterRef,
  type EditorStatus,
  type OpenChapter,
  type StatusStore,
} from "./state";
import type { EditorSurface } from "./surface";
import { marksOf, titleOf } from "./texts";

/** Milliseconds after which a save that has not ended counts as one that may never end. */
const SLOW_SAVE_MS = 4_000;
/** Milliseconds until a failed save is tried again. */
const RETRY_MS = 5_000;
/** Snapshots that could not be stored go along with later saves, at most this many. */
const MAX_PENDING_SNAPSHOTS = 5;

interface SessionOptions {
  /** Called before everything is saved because the chapter or the window may close. */
  beforeFlush(): void;
  /** Called after a chapter was shown or closed. */
  onReset(): void;
  onOpened(chapter: ChapterText): void;
  /** Called after the text of a file was shown: that of a chapter just opened, or a newer one of the same chapter. */
  onRead(chapter: ChapterText): void;
  onSaved?(chapter: OpenChapter & { words: number }): void;
}

/**
 * The open chapter between its file and the editor: opening, saving, and the conflict when another program changes the
 * file. Nothing is saved while an input method composes, and no text is overwritten without the writer's decision.
 */
export class ChapterSession {
  private hash = "";
  private edits = 0;
  private savedEdits = 0;
  private writing: Promise<void> | null = null;
  /** Earlier texts of the chapter that the next save stores as snapshots. */
  private pendingSnapshots: EarlierText[] = [];
  private readonly autosave = new AutosaveTimer(() =>
    this.status.save === "conflict" ? void this.storeRecoveryCopy() : this.write(),
  );

  constructor(
    private readonly store: StatusStore,
    private readonly surface: EditorSurface,
    private readonly recovery: RecoveryCopy,
    private readonly options: SessionOptions,
  ) {}

  get unsaved(): boolean {
    return this.edits !== this.savedEdits;
  }

  get ref(): ChapterRef | null {
    const { chapter } = this.status;
    return chapter && { projectId: chapter.projectId, chapterId: chapter.chapterId };
  }

  /** Content hash of the file as it was last read or written. */
  get contentHash(): string {
    return this.hash;
  }

  // ---- opening ----

  /** Saves the open chapter and opens another. False if the open one could not be saved: it stays open. */
  async open(projectId: string, chapterId: string, language: Language, at?: CaretTarget): Promise<boolean> {
    const now = this.status.chapter;
    if (now?.chapterId === chapterId && now.projectId === projectId) return true;
    if (now && !(await this.flush())) return false;
    this.set({ busy: true });
    try {
      const chapter = await call("chapter:read", { projectId, chapterId });
      this.surface.language = language;
      if (this.surface.isMounted) {
        this.hash = chapter.contentHash;
        this.surface.show(chapter.text, marksOf(chapter), chapter.softBreaks, at);
        this.reset();
      }
      this.set({ ...JUST_OPENED, chapter: { projectId, chapterId, title: chapter.title } });
      this.options.onOpened(chapter);
      this.options.onRead(chapter);
      return true;
    } catch (error) {
      this.failRead(error);
      return false;
    } finally {
      this.set({ busy: false });
    }
  }

  /** Shows the file again after the program itself changed it, as a rename does. Without effect on unsaved text. */
  async reload(): Promise<void> {
    const { chapter } = this.status;
    if (!chapter || this.unsaved) return;
    try {
      const now = await call("chapter:read", { projectId: chapter.projectId, chapterId: chapter.chapterId });
      if (now.contentHash !== this.hash) this.showFile(now);
      this.set({ chapter: { ...chapter, title: now.title } });
    } catch (error) {
      this.failRead(error);
    }
  }

  /** Closes the chapter without saving: for a book without chapters. */
  clear(): void {
    this.stop();
    this.surface.close();
    this.reset();
    this.set({ ...JUST_OPENED, chapter: null });
  }

  /** Cancels the next automatic save. */
  stop(): void {
    this.autosave.cancel();
  }

  /** Reads the open chapter again. `null` if the file or the chapter has changed meanwhile: that is announced by itself. */
  async readUnchanged(): Promise<ChapterText | null> {
    await this.writing;
    const { ref } = this;
    if (!ref) return null;
    try {
      const chapter = await call("chapter:read", ref);
      return this.isOpen(ref) && chapter.contentHash === this.hash ? chapter : null;
    } catch (error) {
      this.failRead(error);
      return null;
    }
  }

  private isOpen({ chapterId }: { chapterId: string }): boolean {
    return this.status.chapter?.chapterId === chapterId;
  }

  private reset(): void {
    this.edits = 0;
    this.savedEdits = 0;
    this.autosave.resetWait();
    this.pendingSnapshots = [];
    this.recovery.detach();
    this.options.onReset();
  }

  /** The file's text takes the place of the editor's, as one undoable step. */
  private showFile(chapter: ChapterText): void {
    if (!this.surface.view) return;
    this.hash = chapter.contentHash;
    this.surface.replace(chapter.text, marksOf(chapter), Transaction.remote.of(true), chapter.softBreaks);
    this.savedEdits = this.edits;
    const now = this.status.chapter;
    if (now) this.set({ chapter: { ...now, title: chapter.title } });
    this.options.onRead(chapter);
  }

  // ---- saving ----

  onEdit(): void {
    this.edits += 1;
    if (this.status.save === "saved") this.set({ save: "dirty" });
    this.autosave.onEdit();
  }

  /** CodeMirror takes over the composed text only after the event. */
  onCompositionEnd(): void {
    if (this.unsaved) this.autosave.schedule();
  }

  onBlur(): void {
    this.autosave.saveIn(0);
  }

  /** Saves everything now. False if it could not be saved. */
  async flush(): Promise<boolean> {
    this.options.beforeFlush();
    this.surface.endComposition();
    this.autosave.cancel();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await this.writing;
      if (!this.unsaved) return true;
      if (this.status.save === "conflict") return false;
      this.write();
      await this.writing;
    }
    return !this.unsaved;
  }

  /** Saves without waiting for a pause, and without waiting for the result. */
  saveNow(): void {
    this.autosave.cancel();
    this.write();
  }

  /** Stores unsaved text as a recovery copy. False if that fails too, or while an input method composes. */
  async storeRecoveryCopy(): Promise<boolean> {
    const { ref } = this;
    if (!this.surface.view || !ref || !this.unsaved) return true;
    if (this.surface.isComposing) return false; // `onCompositionEnd` schedules the next attempt
    this.autosave.resetWait();
    const hasRecoveryCopy = await this.recovery.store(ref, this.surface.text, this.hash, this.surface.marks);
    if (this.unsaved) this.set({ hasRecoveryCopy });
    return hasRecoveryCopy;
  }

  private write(): void {
    if (!this.surface.view || !this.unsaved || this.status.save === "conflict") return;
    if (this.surface.isComposing) return; // `onCompositionEnd` schedules the next attempt
    if (this.writing) return; // its end schedules the next attempt
    this.writing = this.writeOnce().finally(() => {
      this.writing = null;
      if (this.unsaved && this.status.save === "dirty" && !this.status.problem) this.autosave.schedule();
    });
  }

  private async writeOnce(): Promise<void> {
    const { chapter } = this.status;
    if (!this.surface.view || !chapter) return;
    const { edits } = this;
    const { text, marks } = this.surface;
    const before = [...this.pendingSnapshots];
    const ticket = this.recovery.ticket(chapter);
    // A save into a remote folder may never end.
    const slow = setTimeout(() => void this.storeRecoveryCopy(), SLOW_SAVE_MS);
    this.autosave.resetWait();
    this.set({ save: "saving" });
    try {
      const { contentHash, words, snapshotsSaved } = await call("chapter:write", {
        projectId: chapter.projectId,
        chapterId: chapter.chapterId,
        text,
        baseHash: this.hash,
        origins: originsOf(marks),
        ...(before.length > 0 && { before }),
        ...(ticket && { keptId: ticket.keptId }),
      });
      this.hash = contentHash;
      this.savedEdits = edits;
      this.pendingSnapshots = snapshotsSaved
        ? this.pendingSnapshots.slice(before.length)
        : this.pendingSnapshots.slice(-MAX_PENDING_SNAPSHOTS);
      void this.recovery.onSaved(ticket);
      const title = titleOf(text) ?? chapter.title;
      if (title !== chapter.title) this.set({ chapter: { ...chapter, title } });
      this.options.onSaved?.({ ...chapter, title, words });
      this.set({
        save: this.unsaved ? "dirty" : "saved",
        savedAt: new Date().toISOString(),
        problem: null,
        hasRecoveryCopy: false,
        snapshotFailed: !snapshotsSaved,
      });
    } catch (error) {
      this.onWriteFailed(toBackendError(error));
    } finally {
      clearTimeout(slow);
    }
  }

  private onWriteFailed(error: BackendError): void {
    if (error.code === "MEMORY_STALE_VERSION") {
      this.enterConflict(error.details.currentHash ? "changed" : "gone");
      return;
    }
    this.set({ save: "dirty", problem: { of: "save", error } });
    void this.storeRecoveryCopy();
    this.autosave.saveIn(RETRY_MS);
  }

  // ---- snapshots ----

  addSnapshot(snapshot: Omit<EarlierText, "text">): void {
    this.pendingSnapshots.push({ text: this.surface.text, ...snapshot });
  }

  /** Replaces the text by an earlier one as one undoable step; `withSnapshot`: the present one becomes a snapshot. */
  restore(text: string, marks: Mark[], withSnapshot = true): void {
    if (!this.surface.view) return;
    this.surface.endComposition();
    if (this.surface.text === text) return;
    if (withSnapshot) this.addSnapshot({ reason: "beforeRestore" });
    this.surface.replace(text, marks, Transaction.userEvent.of("input.restore"));
  }

  /** The writer has read the notice: the failed snapshots are given up. */
  dismissSnapshotFailure(): void {
    this.pendingSnapshots = [];
    this.set({ snapshotFailed: false });
  }

  // ---- conflicts with changes from outside ----

  async onOutsideChange({ chapterId, contentHash }: ChapterChanged): Promise<void> {
    if (!this.isOpen({ chapterId })) return;
    await this.writing; // the change may be our own save
    if (contentHash === this.hash) return;
    const { ref } = this;
    if (ref?.chapterId !== chapterId) return;
    if (contentHash === null) {
      this.enterConflict("gone");
      return;
    }
    try {
      const theirs = await call("chapter:read", ref);
      if (theirs.contentHash === this.hash || !this.isOpen(ref)) return;
      if (this.unsaved || this.surface.isComposing) this.enterConflict("changed");
      else {
        this.showFile(theirs);
        this.set({ outsideChange: "reloaded", save: "saved" });
      }
    } catch (error) {
      this.failRead(error);
    }
  }

  /** Stops saving until the writer has chosen between the text in the editor and the file. */
  enterConflict(outsideChange: "changed" | "gone"): void {
    this.autosave.cancel();
    this.set({ save: "conflict", outsideChange, problem: null });
    void this.storeRecoveryCopy();
  }

  /** Writes the editor's text over the file, whose text becomes a snapshot; a missing file is created again. */
  async resolveWithMine(): Promise<void> {
    const { chapter, outsideChange } = this.status;
    if (!chapter) return;
    try {
      if (outsideChange === "gone") {
        const made = await call("chapter:create", { projectId: chapter.projectId, title: chapter.title });
        this.set({ chapter: { ...chapter, chapterId: made.chapterId } });
      }
      const { chapterId } = this.status.chapter ?? chapter;
      const theirs = await call("chapter:read", { projectId: chapter.projectId, chapterId });
      this.hash = theirs.contentHash;
      if (outsideChange !== "gone" && theirs.text !== this.surface.text)
        this.pendingSnapshots.push({ text: theirs.text, reason: "setAside" });
    } catch (error) {
      this.failRead(error);
      return;
    }
    if (!this.unsaved) this.edits += 1;
    this.set({ save: "dirty", outsideChange: null, problem: null });
    await this.flush();
  }

  /** Shows the file's text; the editor's becomes a snapshot first, and undo brings it back. */
  async resolveWithTheirs(): Promise<void> {
    const { ref } = this;
    if (!ref) return;
    try {
      const theirs = await call("chapter:read", ref);
      // Writes the file's own text: only the snapshots are new.
      const { snapshotsSaved } = await call("chapter:write", {
        ...ref,
        text: theirs.text,
        baseHash: theirs.contentHash,
        origins: originsOf(theirs.origins),
        before: [...this.pendingSnapshots, { text: this.surface.text, reason: "setAside" }],
      });
      this.pendingSnapshots = [];
      void this.recovery.discard();
      this.showFile(theirs);
      const settled = { save: "saved", outsideChange: null, problem: null, hasRecoveryCopy: false } as const;
      this.set({ ...settled, snapshotFailed: !snapshotsSaved });
    } catch (error) {
      this.failRead(error);
    }
  }

  // ---- status ----

  private get status(): EditorStatus {
    return this.store.getState();
  }

  private set(change: Partial<EditorStatus>): void {
    this.store.setState(change);
  }

  private failRead(error: unknown): void {
    this.set({ problem: { of: "read", error: toBackendError(error) } });
  }
}

const originsOf = (marks: readonly { generationId: string; from: number; to: number }[]) =>
  marks.map(({ generationId, from, to }) => ({ generationId, from, to }));
