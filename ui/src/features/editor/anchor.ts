import { StateEffect, StateField, type Extension } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, WidgetType, type ViewUpdate } from "@codemirror/view";

/** The range a draft will replace. It follows edits while drafts stream. */
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
      // Text typed at the caret meanwhile goes before the draft.
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

/** A draft that starts below `MAX_START_SHARE` (share of the page's height) is scrolled up to `TARGET_START_SHARE`, to leave space for it. */
const MAX_START_SHARE = 0.7;
const TARGET_START_SHARE = 0.45;

/** Scrolls a new draft into view and follows its end; stops when the writer scrolls. */
const inSight = ViewPlugin.fromClass(
  class {
    /** Whether the draft is a new one that was not scrolled into view yet. */
    private isNew = false;
    /** Scroll position at the last measurement if the draft's end was in view, else `null`. */
    private followed: number | null = null;

    update({ state, startState, view }: ViewUpdate): void {
      const [draft, was] = [state.field(anchorField)?.draft ?? null, startState.field(anchorField)?.draft ?? null];
      if (draft === was) return;
      if (!draft) {
        this.followed = null;
        return;
      }
      this.isNew ||= draft.number !== was?.number;
      view.requestMeasure({ key: this, read: () => this.look(view), write: (by) => this.move(view, by) });
    }

    /** Pixels to scroll. */
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
      // A draft taller than the page shows its beginning.
      const toEnd = Math.min(bottom - frame.bottom + MARGIN_PX, top - frame.top - MARGIN_PX);
      if (this.isNew) {
        this.isNew = false;
        this.followed = sheet.scrollTop;
        if (top < frame.top) return top - frame.top - MARGIN_PX;
        if (top > frame.top + frame.height * MAX_START_SHARE)
          return top - frame.top - frame.height * TARGET_START_SHARE;
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

const MARGIN_PX = 24;

/** The scrolling ancestor of the editor. */
export function sheetOf(view: EditorView): HTMLElement | null {
  for (let at = view.dom.parentElement; at; at = at.parentElement)
    if (/auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
  return null;
}

export const anchorExtension: Extension = [anchorField, ghosts, inSight];
