import { StateEffect, StateField, type EditorState, type Extension } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, type DecorationSet, type ViewUpdate } from "@codemirror/view";
import { createStore, type StoreApi } from "zustand/vanilla";
import { joinedText, placesOf } from "../../lib/find";
import type { Span } from "../../lib/survivingSpans";
import { sheetOf } from "./anchor";
import { softBreaksChanged, softBreaksOf } from "./softBreaks";

/** The query, its matches, and the index of the current match. */
interface Finding {
  query: string;
  places: readonly Span[];
  /** -1: none. */
  at: number;
}

const setFinding = StateEffect.define<Finding>();

const NOTHING: Finding = { query: "", places: [], at: -1 };

/** Index of the first match at or after `from`, wrapping around; -1 without matches. */
function placeFrom(places: readonly Span[], from: number): number {
  if (places.length === 0) return -1;
  return Math.max(
    0,
    places.findIndex((place) => place.from >= from),
  );
}

/** The selected text. Soft breaks in it are read as they are shown. */
function selectedText(state: EditorState): string {
  const { from, to } = state.selection.main;
  const inside = softBreaksOf(state).filter((soft) => soft.from >= from && soft.to <= to);
  const moved = inside.map((soft) => ({ ...soft, from: soft.from - from, to: soft.to - from }));
  return joinedText(state.sliceDoc(from, to), moved).text;
}

/** The matches in the document. A wrapped paragraph is one line. */
function placesIn(state: EditorState, query: string): Span[] {
  const joined = joinedText(state.doc.toString(), softBreaksOf(state));
  return placesOf(joined.text, query).map(joined.stored);
}

const findingField = StateField.define<Finding>({
  create: () => NOTHING,
  update(finding, transaction) {
    let next = finding;
    const { docChanged, startState, state } = transaction;
    if (next.query !== "" && (docChanged || softBreaksChanged(startState, state))) {
      const places = placesIn(state, next.query);
      // Keep the current match selected across edits while it still exists.
      const was = next.places[next.at];
      next = { ...next, places, at: was ? placeFrom(places, transaction.changes.mapPos(was.from, 1)) : -1 };
    }
    for (const effect of transaction.effects) if (effect.is(setFinding)) next = effect.value;
    return next;
  },
});

const found = Decoration.mark({ class: "cm-found" });
const foundHere = Decoration.mark({ class: "cm-found cm-found-here" });

/** Decorates visible matches only: a common word has thousands. */
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
  /** Number of matches. */
  total: number;
  /** Number of the current match from 1; 0: none. */
  at: number;
  /** Counts requests to focus the field. */
  called: number;
}

/** Maximum length of a selection taken as the query, in UTF-16 units. */
const MAX_QUERY_LENGTH = 200;

/** Search in the open chapter. The caret stays where it is until the writer goes to a match. */
export class Finder {
  readonly state: StoreApi<FinderState> = createStore<FinderState>(() => ({
    open: false,
    query: "",
    total: 0,
    at: 0,
    called: 0,
  }));
  private view: EditorView | null = null;

  /** The CodeMirror extension. The query carries over to the next chapter. */
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

  /** Opens the search with the selected text if it is on one line, else with the last query. */
  show(): void {
    const { view } = this;
    if (!view) return;
    const { main } = view.state.selection;
    const selected = view.hasFocus && main.to - main.from <= MAX_QUERY_LENGTH ? selectedText(view.state) : "";
    const { open, query, called } = this.state.getState();
    const wanted = selected !== "" && !selected.includes("\n") ? selected : query;
    this.state.setState({ open: true, query: wanted, called: called + 1 });
    if (!open || wanted !== query) this.look(wanted);
  }

  /** Searches for another query, from the caret on. */
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

  /** Shows the match nearest to `from`, found by the book search, and selects it. */
  reveal(query: string, from: number): void {
    const { view } = this;
    if (!view) return;
    this.state.setState({ open: true, query });
    const finding = this.find(view.state, query, 0);
    const gaps = finding.places.map((place) => Math.abs(place.from - from));
    this.go({ ...finding, at: gaps.indexOf(Math.min(...gaps)) });
    this.take(view);
  }

  /** Moves the caret to the current match and closes the search. */
  goThere(): void {
    const { view } = this;
    if (!view) return;
    this.take(view);
    this.close();
  }

  /** Closes the search; the caret stays where it is. */
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
    // After a change of chapter no match is current.
    const from = finding.at < 0 && by < 0 ? 0 : finding.at;
    if (length > 0) this.go({ ...finding, at: (from + by + length) % length });
  }

  private find(state: EditorState, query: string, from: number): Finding {
    const places = placesIn(state, query);
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

/** Pixels at the bottom edge where a match counts as out of view. */
const EDGE_PX = 48;

/** Whether a position is comfortably in view, so no scrolling is needed. */
function isInSight(view: EditorView, at: number): boolean {
  const [place, sheet] = [view.coordsAtPos(at), sheetOf(view)?.getBoundingClientRect()];
  return Boolean(place && sheet && place.top >= sheet.top && place.bottom <= sheet.bottom - EDGE_PX);
}
