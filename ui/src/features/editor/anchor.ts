import { StateEffect, StateField, type Extension } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, WidgetType, type ViewUpdate } from "@codemirror/view";

/** The place a draft would go. It follows the text while the drafts are written. */
export interface Anchor {
  from: number;
  to: number;
  draft: { text: string; number: number } | null;
}

export const setAnchor = StateEffect.define<Anchor | null>();
export const setDraft = StateEffect.define<Anchor["draft"]>();

export const anchorField = StateField.define<Anchor | null>({
  create: () => null,
  update(anchor, transaction) {
    let next = anchor;
    if (next && transaction.docChanged) {
      const empty = next.from === next.to;
      // What the writer types at the caret meanwhile comes before the draft.
      const from = transaction.changes.mapPos(next.from, 1);
      next = { ...next, from, to: empty ? from : Math.max(from, transaction.changes.mapPos(next.to, -1)) };
    }
    for (const effect of transaction.effects) {
      if (effect.is(setAnchor)) next = effect.value;
      else if (effect.is(setDraft) && next) next = { ...next, draft: effect.value };
    }
    return next;
  },
});

class Ghost extends WidgetType {
  constructor(
    readonly text: string,
    readonly number: number,
  ) {
    super();
  }

  override eq(other: Ghost): boolean {
    return other.text === this.text && other.number === this.number;
  }

  override toDOM(): HTMLElement {
    const ghost = document.createElement("span");
    ghost.className = "cm-ghost";
    ghost.dataset.testid = "preview";
    this.text.split(/\n+/).forEach((paragraph, index) => {
      const span = document.createElement("span");
      if (index > 0) span.className = "cm-ghost-paragraph";
      span.textContent = paragraph;
      ghost.append(span);
    });
    return ghost;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

const replaced = Decoration.mark({ class: "cm-replaced" });

const ghosts = EditorView.decorations.compute([anchorField], (state) => {
  const anchor = state.field(anchorField);
  if (!anchor?.draft?.text) return Decoration.none;
  const widget = Decoration.widget({ widget: new Ghost(anchor.draft.text, anchor.draft.number), side: 1 }).range(
    anchor.to,
  );
  return Decoration.set(anchor.from < anchor.to ? [replaced.range(anchor.from, anchor.to), widget] : [widget]);
});

/** A draft that begins lower than this on the page is brought up to `START`, so that it has room to grow. */
const LOW = 0.7;
const START = 0.45;

/** Brings a draft into sight when it comes, and its end as it grows; a writer who has scrolled away is left alone. */
const inSight = ViewPlugin.fromClass(
  class {
    /** Another draft than the one before, not yet brought into sight. */
    private came = false;
    /** Where the page stood when we last looked, if the end of the draft was in sight; null when it was not. */
    private followed: number | null = null;

    update({ state, startState, view }: ViewUpdate): void {
      const [draft, was] = [state.field(anchorField)?.draft ?? null, startState.field(anchorField)?.draft ?? null];
      if (draft === was) return;
      if (!draft) {
        this.followed = null;
        return;
      }
      this.came ||= draft.number !== was?.number;
      view.requestMeasure({ key: this, read: () => this.look(view), write: (by) => this.move(view, by) });
    }

    /** How far the page has to move. */
    private look(view: EditorView): number {
      const [ghost, sheet] = [view.dom.querySelector(".cm-ghost"), sheetOf(view)];
      if (!ghost || !sheet) return 0;
      const rects = [...ghost.getClientRects()];
      const inner = [...ghost.children].flatMap((child) => [...child.getClientRects()]);
      const [top, bottom] = [
        Math.min(...rects.map((rect) => rect.top)),
        Math.max(...[...rects, ...inner].map((rect) => rect.bottom)),
      ];
      const frame = sheet.getBoundingClientRect();
      // A draft longer than the page shows its beginning.
      const toEnd = Math.min(bottom - frame.bottom + MARGIN, top - frame.top - MARGIN);
      if (this.came) {
        this.came = false;
        this.followed = sheet.scrollTop;
        if (top < frame.top) return top - frame.top - MARGIN;
        if (top > frame.top + frame.height * LOW) return top - frame.top - frame.height * START;
        return Math.max(0, toEnd);
      }
      return this.followed === sheet.scrollTop ? Math.max(0, toEnd) : 0;
    }

    private move(view: EditorView, by: number): void {
      const sheet = sheetOf(view);
      if (!sheet) return;
      const stays = this.followed === sheet.scrollTop;
      if (Math.abs(by) >= 1) sheet.scrollTop += by;
      if (stays) this.followed = sheet.scrollTop;
    }
  },
);

const MARGIN = 24;

/** What scrolls: the page around the editor, not the editor. */
export function sheetOf(view: EditorView): HTMLElement | null {
  for (let at = view.dom.parentElement; at; at = at.parentElement)
    if (/auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
  return null;
}

export const anchorExtension: Extension = [anchorField, ghosts, inSight];
