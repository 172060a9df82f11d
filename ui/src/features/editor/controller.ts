import type { ChapterChanged, RecoveryCopyText, Language } from "../../backend";
import type { AcceptedDraft, DraftTarget, Passage } from "../../lib/passage";
import { ActivityReporter } from "./activityReporter";
import { ChapterSession } from "./chapterSession";
import { Finder } from "./find";
import { Origins } from "./origins";
import { RecoveryCopy } from "./recoveryCopy";
import { RecoveryOffer } from "./recoveryOffer";
import { SnapshotBrowser } from "./snapshotBrowser";
import {
  createStatus,
  type CaretPlace,
  type CaretTarget,
  type ChapterRef,
  type EarlierVersion,
  type EditorOptions,
} from "./state";
import { EditorSurface } from "./surface";

/** The editor as the rest of the window uses it: wires its parts and has no state of its own. */
export class EditorController implements DraftTarget {
  readonly state = createStatus();
  /** Text search in the open chapter. */
  readonly finder = new Finder();
  readonly surface: EditorSurface;
  readonly snapshots: SnapshotBrowser;
  private readonly session: ChapterSession;
  private readonly origins: Origins;
  private readonly offer: RecoveryOffer;

  constructor(options: EditorOptions) {
    const { state } = this;
    const activity = new ActivityReporter((projectId) => options.onActivity?.(projectId));
    const recovery = new RecoveryCopy();
    this.surface = new EditorSurface({
      margin: options.margin,
      label: () => options.label(),
      finder: () => this.finder.extension,
      onSelectionChange: (hasSelection) => state.setState({ hasSelection }),
      onMarksChange: (update) => this.origins.onMarksChange(update),
      onEdit: (isText) => {
        this.session.onEdit();
        const { chapter } = state.getState();
        if (isText && chapter) activity.onEdit(chapter.projectId);
      },
      onCompositionEnd: () => this.session.onCompositionEnd(),
      onBlur: () => this.session.onBlur(),
      onCaret: () => options.onCaret?.(),
      nameAt: async (offset) => {
        const { chapter } = state.getState();
        return (chapter && (await options.nameAt?.(chapter, offset))) ?? null;
      },
    });
    this.session = new ChapterSession(state, this.surface, recovery, {
      beforeFlush: () => this.origins.settleUndo(),
      onReset: () => this.origins.resetUndo(),
      onOpened: (chapter) => {
        this.snapshots.close();
        this.offer.onOpened(chapter);
      },
      onRead: (chapter) => {
        this.origins.onRead(chapter);
        options.onRead?.();
      },
      onSaved: (chapter) => options.onSaved?.(chapter),
    });
    this.origins = new Origins(state, this.surface, this.session, (projectId, generationId) =>
      options.onUndone?.(projectId, generationId),
    );
    this.offer = new RecoveryOffer(state, this.surface, this.session, recovery, {
      defaultTitle: () => options.label(),
      onChapterCreated: async (projectId, chapterId) => options.onChapterCreated?.(projectId, chapterId),
    });
    this.snapshots = new SnapshotBrowser({
      chapter: () => this.session.ref,
      text: () => this.surface.text,
      recoveryCopies: () => this.offer.ofOpenChapter(),
      allStored: () => this.session.flush(),
    });
  }

  mount(parent: HTMLElement): void {
    this.surface.mount(parent);
  }

  unmount(): void {
    this.session.stop();
    this.origins.settleUndo();
    this.surface.unmount();
  }

  focus(): void {
    this.surface.focus();
  }

  // ---- the chapter ----

  get unsaved(): boolean {
    return this.session.unsaved;
  }

  get chapterRef(): ChapterRef | null {
    return this.session.ref;
  }

  get text(): string {
    return this.surface.text;
  }

  /** Saves the open chapter and opens another. False if the open one could not be saved: it stays open. */
  open(projectId: string, chapterId: string, language: Language, at?: CaretTarget): Promise<boolean> {
    return this.session.open(projectId, chapterId, language, at);
  }

  /** The caret in the saved text of the open chapter; `null` while there is no text or it is not saved. */
  caretPlace(): CaretPlace | null {
    const { chapter } = this.state.getState();
    const offset = this.surface.view?.state.selection.main.head;
    if (!chapter || offset === undefined || this.unsaved) return null;
    return { ...chapter, text: this.text, offset, baseHash: this.session.contentHash };
  }

  /** The caret, and the end of its paragraph, in the text as it is now; `null`: no chapter is open. */
  caret(): { chapterId: string; offset: number; paragraphEnd: number } | null {
    const { chapter } = this.state.getState();
    const offset = this.surface.view?.state.selection.main.head;
    if (!chapter || offset === undefined) return null;
    return { chapterId: chapter.chapterId, offset, paragraphEnd: this.surface.paragraphEnd(offset) };
  }

  get hasFocus(): boolean {
    return this.surface.view?.hasFocus ?? false;
  }

  moveCaret(offset: number): void {
    this.surface.moveCaret(offset);
  }

  /** Selects the occurrence of a text that is nearest to an offset, and brings it into view. */
  selectText(text: string, near: number, isFocused = true): void {
    this.surface.selectText(text, near, isFocused);
  }

  /** Selects the text of a generation and brings it into view, if the open chapter still has it. */
  selectGenerated(generationId: string): void {
    const mark = this.surface.marks.find((one) => one.generationId === generationId);
    if (mark) this.surface.selectRange(mark);
  }

  /** Inserts a text at the caret, as a paste of the writer is. */
  insertText(text: string): void {
    this.surface.insertText(text);
  }

  /** Numbers the passages of the open chapter in the margin. */
  showCited(
    passages: readonly { number: number; chapterId: string; from: number; quote: string }[],
    lit: number | null,
  ): void {
    const chapterId = this.chapterRef?.chapterId;
    this.surface.showCited(
      passages.filter((passage) => passage.chapterId === chapterId),
      lit,
    );
  }

  reload(): Promise<void> {
    return this.session.reload();
  }

  clear(): void {
    this.finder.close();
    this.snapshots.close();
    this.session.clear();
  }

  /** Saves everything now. False if it could not be saved. */
  flush(): Promise<boolean> {
    return this.session.flush();
  }

  dismissProblem(): void {
    this.state.setState({ problem: null });
  }

  dismissSnapshotFailure(): void {
    this.session.dismissSnapshotFailure();
  }

  // ---- changes from outside ----

  onOutsideChange(change: ChapterChanged): Promise<void> {
    return this.session.onOutsideChange(change);
  }

  dismissOutsideChange(): void {
    this.state.setState({ outsideChange: null });
  }

  resolveWithMine(): Promise<void> {
    return this.session.resolveWithMine();
  }

  resolveWithTheirs(): Promise<void> {
    return this.session.resolveWithTheirs();
  }

  // ---- earlier texts ----

  restoreSnapshot(version: EarlierVersion): void {
    this.origins.restore(version);
  }

  /** Stores unsaved text as a recovery copy. False if that fails too, or while an input method composes. */
  storeRecoveryCopy(): Promise<boolean> {
    return this.session.storeRecoveryCopy();
  }

  restoreRecovery(keptId: string): Promise<void> {
    return this.offer.restore(keptId);
  }

  discardRecovery(copy: RecoveryCopyText): Promise<void> {
    return this.offer.discard(copy);
  }

  // ---- drafts and their origins ----

  get hasSelection(): boolean {
    return this.state.getState().hasSelection;
  }

  placeAnchor(reuse = false): Passage {
    return this.origins.placeAnchor(reuse);
  }

  releaseAnchor(): void {
    this.origins.releaseAnchor();
  }

  passage(): Passage {
    return this.origins.passage();
  }

  previewDraft(draft: { text: string; number: number } | null): void {
    this.origins.preview(draft);
  }

  insertDraft(draft: AcceptedDraft): void {
    this.origins.insertDraft(draft);
  }

  highlightOrigins(generationId: string | null): void {
    this.origins.highlight(generationId);
  }

  forgetOrigins(): void {
    this.origins.forget();
  }

  reloadOrigins(): Promise<void> {
    return this.origins.reload();
  }
}
