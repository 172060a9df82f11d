import { StateEffect, StateField, type EditorState, type Extension } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, type DecorationSet, type ViewUpdate } from "@codemirror/view";
import { createStore, type StoreApi } from "zustand/vanilla";
import { placesOf } from "../../lib/find";
import type { Span } from "../../lib/survivingSpans";
import { sheetOf } from "./anchor";

/** What is looked for on the page, where it stands, and which place is the one spoken of. */
interface Finding {
  query: string;
  places: readonly Span[];
  /** -1: none. */
  at: number;
}

const setFinding = StateEffect.define<Finding>();

const NOTHING: Finding = { query: "", places: [], at: -1 };

/** The first place at or behind `from`, or from the beginning again. */
function placeFrom(places: readonly Span[], from: number): number {
  if (places.length === 0) return -1;
  return Math.max(
    0,
    places.findIndex((place) => place.from >= from),
  );
}

const textOf = (state: EditorState) => state.doc.toString();

const findingField = StateField.define<Finding>({
  create: () => NOTHING,
  update(finding, transaction) {
    let next = finding;
    if (transaction.docChanged && next.query !== "") {
      const places = placesOf(textOf(transaction.state), next.query);
      // The one that is spoken of stays so as long as it is there.
      const was = next.places[next.at];
      next = { ...next, places, at: was ? placeFrom(places, transaction.changes.mapPos(was.from, 1)) : -1 };
    }
    for (const effect of transaction.effects) if (effect.is(setFinding)) next = effect.value;
    return next;
  },
});

const found = Decoration.mark({ class: "cm-found" });
const foundHere = Decoration.mark({ class: "cm-found cm-found-here" });

/** Only what is in sight is lit: a common word stands in thousands of places. */
function lit(view: EditorView): DecorationSet {
  const { places, at } = view.state.field(findingField);
  const inSight = places.flatMap(({ from, to }, index) =>
    view.visibleRanges.some((range) => from < range.to && to > range.from)
      ? [(index === at ? foundHere : found).range(from, to)]
      : [],
  );
  return Decoration.set(inSight);
}

const lighting = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = lit(view);
    }
    update(update: ViewUpdate) {
      if (
        update.docChanged ||
        update.viewportChanged ||
        update.state.field(findingField) !== update.startState.field(findingField)
      )
        this.decorations = lit(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

export interface FinderState {
  open: boolean;
  query: string;
  /** In how many places it stands. */
  total: number;
  /** The place that is spoken of, counted from 1; 0: none. */
  at: number;
  /** Counts how often the field was called for: each time the keyboard goes to it. */
  called: number;
}

/** Longer than this nobody looks for, in UTF-16 units. */
const LONGEST = 200;

/**
 * Finds on the page that is open. The caret stays where the writer left it until the writer goes to a place.
 */
export class Finder {
  readonly state: StoreApi<FinderState> = createStore<FinderState>(() => ({
    open: false,
    query: "",
    total: 0,
    at: 0,
    called: 0,
  }));
  private view: EditorView | null = null;

  /** Of one page after another: what is looked for on one is looked for on the next. */
  get extension(): Extension {
    return [
      findingField.init((state) => {
        const { open, query } = this.state.getState();
        return open ? { ...this.find(state, query, 0), at: -1 } : NOTHING;
      }),
      lighting,
      ViewPlugin.define((view) => {
        this.view = view;
        this.tell(view.state.field(findingField));
        return {
          update: ({ state, startState }) => {
            if (state.field(findingField) !== startState.field(findingField)) this.tell(state.field(findingField));
          },
          destroy: () => {
            if (this.view === view) this.view = null;
          },
        };
      }),
    ];
  }

  /** Opens, with what is selected where it is on one line, and otherwise with what was looked for last. */
  show(): void {
    const { view } = this;
    if (!view) return;
    const { main } = view.state.selection;
    const selected = view.hasFocus && main.to - main.from <= LONGEST ? view.state.sliceDoc(main.from, main.to) : "";
    const { open, query, called } = this.state.getState();
    const wanted = selected !== "" && !selected.includes("\n") ? selected : query;
    this.state.setState({ open: true, query: wanted, called: called + 1 });
    if (!open || wanted !== query) this.look(wanted);
  }

  /** Looks for something else, from the caret on. */
  look(query: string): void {
    this.state.setState({ query });
    const { view } = this;
    if (view) this.go(this.find(view.state, query, view.state.selection.main.from));
  }

  next(): void {
    this.step(1);
  }

  previous(): void {
    this.step(-1);
  }

  /** Shows a place that was found elsewhere: the one nearest to `from`, with the caret at it. */
  reveal(query: string, from: number): void {
    const { view } = this;
    if (!view) return;
    this.state.setState({ open: true, query });
    const finding = this.find(view.state, query, 0);
    const gaps = finding.places.map((place) => Math.abs(place.from - from));
    this.go({ ...finding, at: gaps.indexOf(Math.min(...gaps)) });
    this.take(view);
  }

  /** The caret goes to the place that is spoken of, and the writer writes on there. */
  goThere(): void {
    const { view } = this;
    if (!view) return;
    this.take(view);
    this.close();
  }

  /** Done: nothing is lit any more, and the writer is where the caret was. */
  close(): void {
    if (!this.state.getState().open) return;
    this.state.setState({ open: false, called: 0 });
    const { view } = this;
    if (!view) return;
    view.dispatch({
      effects: [
        setFinding.of(NOTHING),
        EditorView.scrollIntoView(view.state.selection.main, { y: "nearest", yMargin: 48 }),
      ],
    });
    view.focus();
  }

  private step(by: 1 | -1): void {
    const { view } = this;
    if (!view) return;
    const finding = view.state.field(findingField);
    const { length } = finding.places;
    // On a page that has just come, none is spoken of yet.
    const from = finding.at < 0 && by < 0 ? 0 : finding.at;
    if (length > 0) this.go({ ...finding, at: (from + by + length) % length });
  }

  private find(state: EditorState, query: string, from: number): Finding {
    const places = placesOf(textOf(state), query);
    return { query, places, at: placeFrom(places, from) };
  }

  private go(finding: Finding): void {
    const { view } = this;
    const here = finding.places[finding.at];
    const brought =
      view && here && !isInSight(view, here.from) ? [EditorView.scrollIntoView(here.from, { y: "center" })] : [];
    view?.dispatch({ effects: [setFinding.of(finding), ...brought] });
  }

  private take(view: EditorView): void {
    const { places, at } = view.state.field(findingField);
    const here = places[at];
    if (here) view.dispatch({ selection: { anchor: here.from, head: here.to }, userEvent: "select.search" });
    view.focus();
  }

  private tell({ places, at }: Finding): void {
    this.state.setState({ total: places.length, at: at + 1 });
  }
}

/** Pixels from the edge of the page within which a place is not comfortably seen. */
const EDGE = 48;

/** What is in sight already is not moved. */
function isInSight(view: EditorView, at: number): boolean {
  const [place, sheet] = [view.coordsAtPos(at), sheetOf(view)?.getBoundingClientRect()];
  return Boolean(place && sheet && place.top >= sheet.top && place.bottom <= sheet.bottom - EDGE);
}
