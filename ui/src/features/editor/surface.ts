import { isolateHistory } from "@codemirror/commands";
import { EditorState, Transaction, type Annotation, type Extension } from "@codemirror/state";
import { closeHoverTooltips, EditorView, type ViewUpdate } from "@codemirror/view";
import type { Language, SoftBreakAt } from "../../backend";
import { placesOf } from "../../lib/find";
import type { Span } from "../../lib/survivingSpans";
import { anchorExtension } from "./anchor";
import { setCited } from "./cited";
import { marksField, origins, setMarks, type MarginWords, type Mark } from "./marks";
import { nameHover, type NamedHere } from "./nameHover";
import { prose, shieldKeys } from "./prose";
import { continuesParagraph, softBreaks, softBreaksEffect } from "./softBreaks";
import { setSought, soughtField } from "./sought";
import type { CaretTarget } from "./state";
import { caretIn, smallest } from "./texts";

interface SurfaceOptions {
  margin: MarginWords;
  label(): string;
  finder(): Extension;
  onSelectionChange(hasSelection: boolean): void;
  onMarksChange(update: ViewUpdate): void;
  /** The writer or the assistant changed the text, or marks alone changed (`isText` false). Not called for remote changes. */
  onEdit(isText: boolean): void;
  onCompositionEnd(): void;
  onBlur(): void;
  /** The name at an offset, to be explained under the pointer; `null`: there is none. */
  nameAt(offset: number): Promise<NamedHere | null>;
  /** The caret or the selection may have moved. */
  onCaret(): void;
}

/** The CodeMirror view that shows the open chapter. There is no view before the first chapter. */
export class EditorSurface {
  view: EditorView | null = null;
  /** Language of the book. */
  language: Language = "zh";
  /** The entity whose name is explained under the pointer; `null`: none. */
  hoveredEntity: string | null = null;
  private parent: HTMLElement | null = null;
  private unshield = () => {};
  private hasSelection = false;

  constructor(private readonly options: SurfaceOptions) {}

  get isMounted(): boolean {
    return this.parent !== null;
  }

  get isComposing(): boolean {
    return this.view?.compositionStarted ?? false;
  }

  get text(): string {
    return this.view?.state.doc.toString() ?? "";
  }

  get marks(): readonly Mark[] {
    return this.view?.state.field(marksField) ?? [];
  }

  mount(parent: HTMLElement): void {
    this.parent = parent;
    this.unshield = shieldKeys(parent);
  }

  unmount(): void {
    this.close();
    this.parent = null;
    this.unshield();
  }

  /** Shows another chapter, with an empty undo history. */
  show(text: string, marks: Mark[], breaks: readonly SoftBreakAt[], at?: CaretTarget): void {
    if (!this.parent) return;
    const state = EditorState.create({
      doc: text,
      selection: { anchor: caretIn(text, at) },
      extensions: [this.extensions(marks), softBreaks(text, breaks)],
    });
    if (this.view) this.view.setState(state);
    else this.view = new EditorView({ state, parent: this.parent });
    // The marks in the margin are buttons, so screen readers must reach them: CodeMirror hides its gutters.
    this.view.dom.querySelector(".cm-gutters")?.removeAttribute("aria-hidden");
    this.setHasSelection(false);
  }

  close(): void {
    this.view?.destroy();
    this.view = null;
    this.setHasSelection(false);
  }

  /** Replaces text and marks in one undoable step. Without `breaks`, wrapped lines of unchanged text stay joined. */
  replace(text: string, marks: Mark[], annotation: Annotation<unknown>, breaks?: readonly SoftBreakAt[]): void {
    this.view?.dispatch({
      changes: smallest(this.text, text),
      effects: [setMarks.of(marks), ...(breaks ? [softBreaksEffect(breaks)] : [])],
      annotations: [isolateHistory.of("full"), annotation],
    });
  }

  /** A composition ends when the field loses the focus. */
  endComposition(): void {
    if (this.isComposing) this.view?.contentDOM.blur();
  }

  closeHover(): void {
    this.view?.dispatch({ effects: closeHoverTooltips });
  }

  focus(): void {
    this.view?.focus();
  }

  /** End of the paragraph of an offset: wrapped lines are one paragraph. */
  paragraphEnd(offset: number): number {
    const { view } = this;
    if (!view) return offset;
    const { doc } = view.state;
    let line = doc.lineAt(Math.min(offset, doc.length));
    while (line.number < doc.lines && continuesParagraph(view.state, line.number + 1)) line = doc.line(line.number + 1);
    return line.to;
  }

  /** Puts the caret at an offset and brings it into view. */
  moveCaret(offset: number): void {
    const { view } = this;
    if (!view) return;
    const at = Math.min(offset, view.state.doc.length);
    view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
  }

  /**
   * Selects the occurrence of a text that is nearest to an offset. A text that is gone puts the caret there. Without
   * `isFocused`, the text is lit and the focus stays where it is.
   */
  selectText(text: string, near: number, isFocused = true): void {
    const { view } = this;
    if (!view) return;
    const places = placesOf(this.text, text);
    const distance = ({ from }: Span) => Math.abs(from - near);
    const at = Math.min(near, view.state.doc.length);
    this.selectRange(places.toSorted((a, b) => distance(a) - distance(b))[0] ?? { from: at, to: at }, isFocused);
  }

  /** Selects a range and brings it into view; without focus it is highlighted instead. */
  selectRange({ from, to }: Span, isFocused = true): void {
    const { view } = this;
    if (!view) return;
    view.dispatch({
      selection: { anchor: from, head: to },
      effects: [EditorView.scrollIntoView(from, { y: "center" }), setSought.of(isFocused ? null : { from, to })],
      userEvent: "select.search",
    });
    if (isFocused) view.focus();
  }

  /** Inserts a text at the caret as one undoable step, as a paste of the writer is. */
  insertText(text: string): void {
    const { view } = this;
    if (!view) return;
    const at = view.state.selection.main.head;
    view.dispatch({
      changes: { from: at, insert: text },
      selection: { anchor: at + text.length },
      annotations: isolateHistory.of("full"),
      userEvent: "input.paste",
      scrollIntoView: true,
    });
    view.focus();
  }

  /** Numbers passages of the open chapter in the margin; one whose words are gone is left out. */
  showCited(passages: readonly { number: number; from: number; quote: string }[], lit: number | null): void {
    const { view } = this;
    if (!view) return;
    const cited = passages.flatMap(({ number, from, quote }) => {
      const [place] = placesOf(this.text, quote).toSorted((a, b) => Math.abs(a.from - from) - Math.abs(b.from - from));
      return place ? [{ number, ...place }] : [];
    });
    view.dispatch({ effects: setCited.of({ passages: cited, lit }) });
  }

  private setHasSelection(hasSelection: boolean): void {
    if (hasSelection === this.hasSelection) return;
    this.hasSelection = hasSelection;
    this.options.onSelectionChange(hasSelection);
  }

  private extensions(marks: Mark[]): Extension {
    return [
      prose(this.language, this.options.label()),
      origins(this.options.margin, marks),
      anchorExtension,
      soughtField,
      nameHover({
        find: (offset) => this.options.nameAt(offset),
        onShown: (entityId) => {
          this.hoveredEntity = entityId;
        },
        lang: this.language === "zh" ? "zh-CN" : "en",
      }),
      this.options.finder(),
      EditorView.updateListener.of((update) => {
        this.setHasSelection(!update.state.selection.main.empty);
        if (update.docChanged || update.selectionSet) this.options.onCaret();
        const haveMarksChanged = update.state.field(marksField) !== update.startState.field(marksField);
        if (haveMarksChanged) this.options.onMarksChange(update);
        const isRemote = update.transactions.every(
          (transaction) => transaction.annotation(Transaction.remote) === true,
        );
        if ((update.docChanged || haveMarksChanged) && !isRemote) this.options.onEdit(update.docChanged);
      }),
      EditorView.domEventHandlers({
        compositionend: () => this.options.onCompositionEnd(),
        blur: () => this.options.onBlur(),
      }),
    ];
  }
}
