import { isolateHistory } from "@codemirror/commands";
import { ChangeSet, Transaction, type TransactionSpec } from "@codemirror/state";
import type { ViewUpdate } from "@codemirror/view";
import type { ChapterText } from "../../backend";
import type { AcceptedDraft, Passage } from "../../lib/passage";
import { anchorField, setAnchor, setDraft } from "./anchor";
import type { ChapterSession } from "./chapterSession";
import { addMarks, highlight, mapMarks, setMarks, tidy, type Mark } from "./marks";
import type { EarlierVersion, StatusStore } from "./state";
import type { EditorSurface } from "./surface";
import { around, gapBefore, marksOf, smallest } from "./texts";
import { UndoDetector } from "./undoDetector";

/** Milliseconds in which an undone insertion can be redone before the undo counts. */
const UNDO_GRACE_MS = 4_000;

/** The generated text of the open chapter: where the next draft goes, which ranges are generated, and which are undone. */
export class Origins {
  private readonly undo: UndoDetector;

  constructor(
    private readonly store: StatusStore,
    private readonly surface: EditorSurface,
    private readonly session: ChapterSession,
    onUndone: (projectId: string, generationId: string) => void,
  ) {
    this.undo = new UndoDetector(UNDO_GRACE_MS, onUndone);
  }

  // ---- the anchor of the next draft ----

  /** Anchors the selection, or with `reuse` the range that is anchored already, and reads the text around it. */
  placeAnchor(reuse = false): Passage {
    const { view } = this.surface;
    if (!view) return this.around(0, 0);
    const present = reuse ? view.state.field(anchorField) : null;
    const { from, to } = present ?? view.state.selection.main;
    view.dispatch({ effects: setAnchor.of({ from, to, draft: null }) });
    return this.around(from, to);
  }

  releaseAnchor(): void {
    this.surface.view?.dispatch({ effects: setAnchor.of(null) });
  }

  /** The text around the selection. */
  passage(): Passage {
    const { from, to } = this.surface.view?.state.selection.main ?? { from: 0, to: 0 };
    return this.around(from, to);
  }

  preview(draft: { text: string; number: number } | null): void {
    const { view } = this.surface;
    if (!view || this.surface.isComposing) return;
    const anchor = view.state.field(anchorField);
    const gap = draft && anchor && anchor.from === anchor.to ? this.gap(anchor.from, draft.text) : "";
    view.dispatch({ effects: setDraft.of(draft && { ...draft, text: gap + draft.text }) });
  }

  /** Inserts a draft at the anchor as one undoable step, and saves. */
  insertDraft({ generationId, skill, text, written }: AcceptedDraft): void {
    const { view } = this.surface;
    if (!view) return;
    const { from, to } = view.state.field(anchorField) ?? view.state.selection.main;
    const insert = from === to ? this.gap(from, text) + text : text;
    const start = from + insert.length - text.length;
    this.session.addSnapshot({ reason: "beforeInsertion", generationId });
    const marks = written.map((range) => ({ generationId, skill, from: start + range.from, to: start + range.to }));
    view.dispatch({
      changes: { from, to, insert },
      selection: { anchor: start + text.length },
      effects: [addMarks.of(marks), setAnchor.of(null)],
      annotations: [Transaction.userEvent.of("input.assistant"), isolateHistory.of("full")],
      scrollIntoView: true,
    });
    view.focus();
    this.session.saveNow();
  }

  private around(from: number, to: number): Passage {
    const { view } = this.surface;
    return view ? around(view.state, from, to) : { before: "", selection: null, after: "", offset: 0 };
  }

  private gap(at: number, text: string): string {
    const { view, language } = this.surface;
    return view ? gapBefore(view.state, language, at, text) : "";
  }

  // ---- the marks of generated ranges ----

  /** Highlights the ranges of one generation; `null`: of none. */
  highlight(generationId: string | null): void {
    this.surface.view?.dispatch({ effects: highlight.of(generationId) });
  }

  onRead({ unanchored }: ChapterText): void {
    this.store.setState({ unanchored: unanchored.length });
  }

  /** Removes all marks after the memory was cleared; the text stays. */
  forget(): void {
    this.setMarks([]);
    this.store.setState({ unanchored: 0 });
  }

  /**
   * Reads the origins again once the memory can serve. A chapter that was opened while it could not has no marks, and
   * saving it like that would lose them.
   */
  async reload(): Promise<void> {
    const chapter = await this.session.readUnchanged();
    if (!chapter || !this.surface.view) return;
    const edited = ChangeSet.of(smallest(chapter.text, this.surface.text), chapter.text.length);
    const present = this.surface.marks;
    const missing = mapMarks(marksOf(chapter), edited).filter(
      ({ generationId }) => !present.some((mark) => mark.generationId === generationId),
    );
    this.onRead(chapter);
    if (missing.length > 0) this.setMarks(tidy([...present, ...missing]));
  }

  private setMarks(marks: Mark[]): void {
    const spec: TransactionSpec = { effects: setMarks.of(marks), annotations: Transaction.addToHistory.of(false) };
    this.surface.view?.dispatch(spec);
  }

  // ---- undone insertions ----

  onMarksChange(update: ViewUpdate): void {
    const { ref } = this.session;
    if (ref) this.undo.onUpdate(ref.projectId, update);
  }

  settleUndo(): void {
    this.undo.settle();
  }

  resetUndo(): void {
    this.undo.reset();
  }

  /** Restores an earlier text and saves. Undoing that is no verdict on generated text that only the earlier one has. */
  restore(version: EarlierVersion): void {
    const marks = marksOf(version);
    const present = new Set(this.surface.marks.map(({ generationId }) => generationId));
    this.undo.ignore(marks.map(({ generationId }) => generationId).filter((id) => !present.has(id)));
    this.session.restore(version.text, marks);
    this.surface.focus();
    this.session.saveNow();
  }
}
