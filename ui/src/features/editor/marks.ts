import { invertedEffects } from "@codemirror/commands";
import { RangeSet, StateEffect, StateField, type ChangeDesc, type Extension } from "@codemirror/state";
import { Decoration, EditorView, GutterMarker, gutter } from "@codemirror/view";
import { citedField, citedMarks, type CitedWords } from "./cited";

/** A range written by a generation and not edited since. */
export interface Mark {
  readonly generationId: string;
  readonly skill: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Maps marks through a change. Text typed inside a mark splits it, a deletion shrinks it, and parts separated only by
 * deleted text join.
 */
export function mapMarks(marks: readonly Mark[], changes: ChangeDesc): Mark[] {
  if (changes.empty || marks.length === 0) return marks as Mark[];
  const touched = rangesOf(changes);
  const mapped: Mark[] = [];
  const keep = (mark: Mark, from: number, to: number) => {
    if (from >= to) return;
    const [start, end] = [changes.mapPos(from, 1), changes.mapPos(to, -1)];
    if (start < end) mapped.push({ ...mark, from: start, to: end });
  };
  for (const mark of marks) {
    // Marks before every change stay the same objects: this runs on each key press.
    if (mark.to < touched[0]!.from) {
      mapped.push(mark);
      continue;
    }
    let start = mark.from;
    for (const { from, to } of touched) {
      if (to <= mark.from) continue;
      if (from >= mark.to) break;
      keep(mark, start, from);
      start = Math.max(start, to);
    }
    keep(mark, start, mark.to);
  }
  return tidy(mapped);
}

/** The changed ranges, in the text before the change. */
function rangesOf(changes: ChangeDesc): { from: number; to: number }[] {
  const touched: { from: number; to: number }[] = [];
  changes.iterChangedRanges((from, to) => touched.push({ from, to }), true);
  return touched;
}

/** Sorts marks and joins adjacent ones of one generation. */
export function tidy(marks: readonly Mark[]): Mark[] {
  const out: Mark[] = [];
  for (const mark of marks.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
    const last = out.at(-1);
    if (last && last.generationId === mark.generationId && last.to >= mark.from)
      out[out.length - 1] = { ...last, to: Math.max(last.to, mark.to) };
    else out.push(mark);
  }
  return out;
}

const same = (a: readonly Mark[], b: readonly Mark[]) =>
  a.length === b.length &&
  a.every((mark, i) => mark.from === b[i]!.from && mark.to === b[i]!.to && mark.generationId === b[i]!.generationId);

/** Positions are in the document after the transaction. */
export const setMarks = StateEffect.define<Mark[]>({
  map: (marks, changes) =>
    mapMarks(
      marks.filter(({ to }) => to <= changes.length),
      changes,
    ),
});
export const addMarks = StateEffect.define<Mark[]>({ map: mapMarks });

export const marksField = StateField.define<readonly Mark[]>({
  create: () => [],
  update(marks, transaction) {
    let next = mapMarks(marks, transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(setMarks)) next = tidy(effect.value);
      else if (effect.is(addMarks)) next = tidy([...next, ...effect.value]);
    }
    return next;
  },
});

/** Stores the marks in the undo history: restoring the text alone would not restore them. */
const undoMarks = invertedEffects.of((transaction) => {
  const before = transaction.startState.field(marksField);
  const touched = rangesOf(transaction.changes);
  // A change away from all marks needs no entry: mapping restores them.
  const isNear = before.some((mark) => touched.some(({ from, to }) => from <= mark.to && to >= mark.from));
  if (!isNear && !transaction.effects.some((effect) => effect.is(setMarks) || effect.is(addMarks))) return [];
  const back = mapMarks(transaction.state.field(marksField), transaction.changes.invertedDesc);
  return same(before, back) ? [] : [setMarks.of([...before])];
});

/** The generation whose trace is open. Its lines are highlighted, other marks are muted. */
export const highlight = StateEffect.define<string | null>();
export const highlightField = StateField.define<string | null>({
  create: () => null,
  update: (lit, transaction) =>
    transaction.effects.reduce((now, effect) => (effect.is(highlight) ? effect.value : now), lit),
});

const trace = Decoration.mark({ class: "cm-trace" });
const litLine = Decoration.line({ class: "cm-lit" });
const litMark = Decoration.mark({ class: "cm-lit-mark" });

/** Decorates the viewport only: this runs on each key press. */
const ruling = EditorView.decorations.of(({ state, viewport }) => {
  const drawn = state.field(marksField).filter(({ from, to }) => from <= viewport.to && to >= viewport.from);
  return Decoration.set(drawn.map(({ from, to }) => trace.range(from, to)));
});

const lighting = EditorView.decorations.compute([marksField, highlightField], (state) => {
  const lit = state.field(highlightField);
  if (lit === null) return Decoration.none;
  const starts = new Set<number>();
  const marks = state.field(marksField);
  const own = marks.filter(({ generationId }) => generationId === lit);
  for (const mark of own) {
    const end = state.doc.lineAt(mark.to).number;
    for (let line = state.doc.lineAt(mark.from).number; line <= end; line += 1) starts.add(state.doc.line(line).from);
  }
  // In a paragraph with several marks, the highlighted one is distinguished.
  const shared = marks.some(
    ({ generationId, from }) => generationId !== lit && starts.has(state.doc.lineAt(from).from),
  );
  const passages = shared ? own.map(({ from, to }) => litMark.range(from, to)) : [];
  return Decoration.set([...[...starts].map((from) => litLine.range(from)), ...passages], true);
});

/** Label and action of the marks in the margin. Injected, because this file has no texts. */
export interface MarginWords {
  label(skill: string, whole: boolean): string;
  open(generationId: string): void;
  /** Label and action of the numbers of cited passages. */
  cited: CitedWords;
}

class MarginMark extends GutterMarker {
  constructor(
    readonly entries: { generationId: string; skill: string; whole: boolean; open: boolean }[],
    readonly words: MarginWords,
  ) {
    super();
  }

  override eq(other: MarginMark): boolean {
    return this.words === other.words && JSON.stringify(this.entries) === JSON.stringify(other.entries);
  }

  override toDOM(view: EditorView): Node {
    const box = document.createElement("div");
    box.className = "cm-margin";
    for (const { generationId, skill, whole, open } of this.entries) {
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.testid = "origin-mark";
      button.dataset.generation = generationId;
      const label = this.words.label(skill, whole);
      button.dataset.tooltip = label;
      button.setAttribute("aria-label", label);
      button.setAttribute("aria-expanded", String(open));
      button.append(lines(whole));
      // Keeps the caret: a press must not start a selection.
      button.addEventListener("mousedown", (event) => event.preventDefault());
      button.addEventListener("click", () => {
        const stands = document.activeElement === button;
        this.words.open(generationId);
        // Opening redraws the button, so the focus is restored.
        if (stands && !button.isConnected)
          [...view.dom.querySelectorAll<HTMLElement>(".cm-margin button")]
            .find(({ dataset }) => dataset.generation === generationId)
            ?.focus();
      });
      box.append(button);
    }
    return box;
  }
}

function lines(whole: boolean): SVGElement {
  const namespace = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(namespace, "svg");
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("aria-hidden", "true");
  for (const shape of whole ? ["M3.5 7.5h13M3.5 12.5h13"] : ["M3.5 7.5h13", "M3.5 12.5h5M12 12.5h4.5"]) {
    const path = document.createElementNS(namespace, "path");
    path.setAttribute("d", shape);
    svg.append(path);
  }
  return svg;
}

/**
 * One margin mark per generation, at its first line; broken if the writer has edited the range. Computed for the
 * viewport only, because this runs on each key press.
 */
function marginMarks({ state, viewport }: EditorView, words: MarginWords): RangeSet<GutterMarker> {
  const lit = state.field(highlightField);
  const marks = state.field(marksField);
  const isDrawn = ({ from }: Mark) => from >= viewport.from && from <= viewport.to;
  const drawn = new Map<string, Mark[]>();
  for (const mark of marks) if (isDrawn(mark)) drawn.set(mark.generationId, []);
  for (const mark of marks) drawn.get(mark.generationId)?.push(mark);
  const byLine = new Map<number, MarginMark["entries"]>();
  for (const [generationId, [first, ...others]] of drawn) {
    if (!first || !isDrawn(first)) continue;
    const line = state.doc.lineAt(first.from).from;
    const entry = { generationId, skill: first.skill, whole: others.length === 0, open: generationId === lit };
    byLine.set(line, [...(byLine.get(line) ?? []), entry]);
  }
  const markers = [...byLine].map(([line, entries]) => new MarginMark(entries, words).range(line));
  return RangeSet.of<GutterMarker>(markers, true);
}

export function origins(words: MarginWords, initial: Mark[]): Extension {
  return [
    marksField.init(() => tidy(initial)),
    highlightField,
    citedField,
    undoMarks,
    ruling,
    lighting,
    gutter({
      class: "cm-origins",
      renderEmptyElements: false,
      markers: (view) => [marginMarks(view, words), citedMarks(view, words.cited)],
    }),
  ];
}
