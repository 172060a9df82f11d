import {
  cursorCharLeft,
  cursorCharRight,
  cursorLineDown,
  cursorLineUp,
  deleteCharBackward,
  deleteCharForward,
  history,
  historyKeymap,
  standardKeymap,
} from "@codemirror/commands";
import { EditorSelection, EditorState, RangeSetBuilder, type Extension, type StateCommand } from "@codemirror/state";
import {
  Decoration,
  EditorView,
  keymap,
  MatchDecorator,
  ViewPlugin,
  type Command,
  type DecorationSet,
  type ViewUpdate,
} from "@codemirror/view";
import { isComposing } from "../../lib/ime";
import { continuesParagraph } from "./softBreaks";

const blank = Decoration.line({ class: "cm-blank" });
const parting = Decoration.line({ class: "cm-blank cm-gap" });
const heading = Decoration.line({ class: "cm-heading" });
const title = Decoration.line({ class: "cm-title" });
const first = Decoration.line({ class: "cm-first" });
const flush = Decoration.line({ class: "cm-flush" });
const hidden = Decoration.replace({});

const isBlank = (text: string) => /^\s*$/.test(text);
/** Length of the heading mark of the chapter's title, which is hidden. */
const titleMark = (text: string) => /^# +(?=\S)/.exec(text)?.[0].length ?? 0;

/** Line classes: title, heading, blank line, first or hand-indented paragraph. */
function shapes(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  let done = 0; // a long line may span several visible ranges
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to;) {
      const line = view.state.doc.lineAt(at);
      at = line.to + 1;
      if (line.number <= done) continue;
      done = line.number;
      if (continuesParagraph(view.state, line.number)) continue;
      const mark = line.number === 1 ? titleMark(line.text) : 0;
      if (mark > 0) {
        builder.add(line.from, line.from, title);
        builder.add(line.from, line.from + mark, hidden);
      } else if (isBlank(line.text))
        builder.add(line.from, line.from, isGap(view.state, line.number) ? parting : blank);
      else if (/^#{1,6}\s/.test(line.text)) builder.add(line.from, line.from, heading);
      else if (/^[\u3000\t ]/.test(line.text)) builder.add(line.from, line.from, flush);
      else if (opens(view.state, line.number)) builder.add(line.from, line.from, first);
    }
  }
  return builder.finish();
}

/** A blank line between two paragraphs, without the caret on it. */
function isGap({ doc, selection }: EditorState, number: number): boolean {
  if (number === 1 || number === doc.lines || isBlank(doc.line(number - 1).text)) return false;
  return doc.lineAt(selection.main.head).number !== number;
}

/** Whether the line is the first paragraph of the chapter. */
function opens(state: EditorState, number: number): boolean {
  if (number === 1) return true;
  if (number > 4) return false;
  for (let before = number - 1; before > 1; before -= 1) if (!isBlank(state.doc.line(before).text)) return false;
  const top = state.doc.line(1).text;
  return isBlank(top) || titleMark(top) > 0;
}

const setting = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = shapes(view);
    }
    update(update: ViewUpdate) {
      if (update.docChanged || update.viewportChanged || update.selectionSet) this.decorations = shapes(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

/** Styles `*emphasis*` and mutes its asterisks. */
const stars = Decoration.mark({ class: "cm-stars" });
const emphasis = Decoration.mark({ class: "cm-emphasis" });
const emphases = new MatchDecorator({
  regexp: /\*(?!\s)([^*\n]+?)(?<!\s)\*/g,
  decorate: (add, from, to) => {
    add(from, from + 1, stars);
    add(from + 1, to - 1, emphasis);
    add(to - 1, to, stars);
  },
});
const emphasized = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = emphases.createDeco(view);
    }
    update(update: ViewUpdate) {
      this.decorations = emphases.updateDeco(update, this.decorations);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

// ---- paragraphs are separated by blank lines in Markdown; these commands hide that from the writer ----

/** Whether the text separates its paragraphs by blank lines. True for an empty text. */
function spaced(state: EditorState): boolean {
  const { doc } = state;
  let gaps = 0;
  let joins = 0;
  let above = "";
  for (let number = 1; number <= Math.min(doc.lines, 200); number += 1) {
    const { text } = doc.line(number);
    if (number > 1 && !isBlank(text) && isBlank(above)) gaps += 1;
    else if (number > 1 && !isBlank(text) && !continuesParagraph(state, number)) joins += 1;
    above = text;
  }
  return gaps >= joins;
}

const newParagraph: StateCommand = ({ state, dispatch }) => {
  const { main } = state.selection;
  const line = state.doc.lineAt(main.from);
  const lead = /^[\u3000\t ]*/.exec(line.text)![0].slice(0, main.from - line.from);
  const insert = (isBlank(line.text) || !spaced(state) ? "\n" : "\n\n") + (isBlank(line.text) ? "" : lead);
  dispatch(state.update(state.replaceSelection(insert), { userEvent: "input", scrollIntoView: true }));
  return true;
};

const newLine: StateCommand = ({ state, dispatch }) => {
  dispatch(state.update(state.replaceSelection("\n"), { userEvent: "input", scrollIntoView: true }));
  return true;
};

/** End of the paragraph above if `at` is a line start after exactly one blank line; else `null`. */
function paragraphAbove(state: EditorState, at: number): number | null {
  const line = state.doc.lineAt(at);
  if (at !== line.from || line.number < 3 || isBlank(line.text)) return null;
  const [gap, above] = [state.doc.line(line.number - 1), state.doc.line(line.number - 2)];
  return isBlank(gap.text) && !isBlank(above.text) ? above.to : null;
}

function paragraphBelow(state: EditorState, at: number): number | null {
  const line = state.doc.lineAt(at);
  if (at !== line.to || line.number > state.doc.lines - 2 || isBlank(line.text)) return null;
  const [gap, below] = [state.doc.line(line.number + 1), state.doc.line(line.number + 2)];
  return isBlank(gap.text) && !isBlank(below.text) ? below.from : null;
}

type Other = (state: EditorState, at: number) => number | null;

const deleteTo =
  (other: Other, otherwise: Command): Command =>
  (view) => {
    const { main } = view.state.selection;
    const to = main.empty ? other(view.state, main.head) : null;
    if (to === null) return otherwise(view);
    view.dispatch({
      changes: { from: Math.min(to, main.head), to: Math.max(to, main.head) },
      userEvent: "delete",
      scrollIntoView: true,
    });
    return true;
  };

const goTo =
  (other: Other, otherwise: Command): Command =>
  (view) => {
    const { main } = view.state.selection;
    const to = main.empty ? other(view.state, main.head) : null;
    if (to === null) return otherwise(view);
    view.dispatch({ selection: EditorSelection.cursor(to), scrollIntoView: true });
    return true;
  };

/** Lets the up and down keys skip the blank line between two paragraphs. */
const overGap =
  (move: Command): Command =>
  (view) => {
    const done = move(view);
    const { main } = view.state.selection;
    const line = view.state.doc.lineAt(main.head);
    const between =
      line.number > 1 &&
      line.number < view.state.doc.lines &&
      isBlank(line.text) &&
      !isBlank(view.state.doc.line(line.number - 1).text) &&
      !isBlank(view.state.doc.line(line.number + 1).text);
    return main.empty && between ? move(view) : done;
  };

/** Deleting backwards at the title's start does nothing, because its mark is hidden. */
const keepTitle: Command = (view) => {
  const { main } = view.state.selection;
  const mark = titleMark(view.state.doc.line(1).text);
  return main.empty && mark > 0 && main.head <= mark;
};

const keys = keymap.of([
  { key: "Enter", run: newParagraph, shift: newLine },
  { key: "Backspace", run: keepTitle },
  { key: "Backspace", run: deleteTo(paragraphAbove, deleteCharBackward) },
  { key: "Delete", run: deleteTo(paragraphBelow, deleteCharForward) },
  { key: "ArrowLeft", run: goTo(paragraphAbove, cursorCharLeft) },
  { key: "ArrowRight", run: goTo(paragraphBelow, cursorCharRight) },
  { key: "ArrowUp", run: overGap(cursorLineUp) },
  { key: "ArrowDown", run: overGap(cursorLineDown) },
]);

/**
 * Keeps keys of an input method from the editor's bindings: those during a composition, and the key that ends one,
 * which some engines send after it with only its key code. The browser still handles them.
 */
export function shieldKeys(parent: HTMLElement): () => void {
  const shield = (event: KeyboardEvent) => {
    if (isComposing(event)) event.stopPropagation();
  };
  parent.addEventListener("keydown", shield, true);
  return () => parent.removeEventListener("keydown", shield, true);
}

export function prose(language: "zh" | "en", label: string): Extension {
  return [
    history(),
    EditorView.lineWrapping,
    setting,
    emphasized,
    keys,
    keymap.of([...historyKeymap, ...standardKeymap]),
    EditorView.contentAttributes.of({
      lang: language === "zh" ? "zh-CN" : "en",
      "aria-label": label,
      spellcheck: "false",
      autocorrect: "off",
      autocapitalize: "off",
    }),
  ];
}
