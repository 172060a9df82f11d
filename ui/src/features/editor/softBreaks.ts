import { EditorState, StateEffect, StateField, type Extension } from "@codemirror/state";
import { Decoration, EditorView, WidgetType, type DecorationSet } from "@codemirror/view";
import type { SoftBreakAt } from "../../backend";
import type { SoftBreak } from "../../lib/find";

class SpaceWidget extends WidgetType {
  override eq(): boolean {
    return true;
  }

  override toDOM(): HTMLElement {
    const space = document.createElement("span");
    space.textContent = " ";
    return space;
  }

  override ignoreEvent(): boolean {
    return false;
  }
}

const space = Decoration.replace({ widget: new SpaceWidget() });
const nothing = Decoration.replace({});

const setSoftBreaks = StateEffect.define<readonly SoftBreakAt[]>();

/** Ranges outside the text, or without a line end, would break the editor; the backend should not send any. */
const decorationsOf = (state: EditorState, breaks: readonly SoftBreakAt[]): DecorationSet =>
  Decoration.set(
    breaks
      .filter(({ from, to }) => from < to && to <= state.doc.length && state.sliceDoc(from, to).includes("\n"))
      .map(({ from, to, isSpaced }) => (isSpaced ? space : nothing).range(from, to)),
  );

const softBreaksField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(breaks, { changes, docChanged, effects, state }) {
    let next = docChanged ? breaks.map(changes) : breaks;
    for (const effect of effects) if (effect.is(setSoftBreaks)) next = decorationsOf(state, effect.value);
    return next;
  },
  provide: (field) => [
    EditorView.decorations.from(field),
    EditorView.atomicRanges.of((view) => view.state.field(field, false) ?? Decoration.none),
  ],
});

/** Shows the lines of a wrapped paragraph as one: the line ends are in the text, and are not drawn. */
export const softBreaks = (text: string, breaks: readonly SoftBreakAt[]): Extension =>
  softBreaksField.init((state) => (state.doc.length === text.length ? decorationsOf(state, breaks) : Decoration.none));

/** Replaces the soft breaks; their positions are in the document after the transaction. */
export const softBreaksEffect = (breaks: readonly SoftBreakAt[]) => setSoftBreaks.of(breaks);

/** The soft breaks of the document, in order. */
export function softBreaksOf(state: EditorState): SoftBreak[] {
  const found: SoftBreak[] = [];
  state.field(softBreaksField, false)?.between(0, state.doc.length, (from, to, { spec }) => {
    found.push({ from, to, isSpaced: spec.widget !== undefined });
  });
  return found;
}

/** Whether a transaction from one state to the other changed or moved the soft breaks. */
export const softBreaksChanged = (before: EditorState, after: EditorState): boolean =>
  before.field(softBreaksField, false) !== after.field(softBreaksField, false);

/** Whether a line continues the paragraph of the line above. */
export function continuesParagraph(state: EditorState, number: number): boolean {
  const breaks = state.field(softBreaksField, false);
  if (!breaks || breaks.size === 0) return false;
  const { from: start } = state.doc.line(number);
  let found = false;
  breaks.between(start, start, (from, to) => {
    found ||= from < start && start <= to;
  });
  return found;
}
