import { StateEffect, StateField, type Extension } from "@codemirror/state";
import { Decoration, EditorView, WidgetType } from "@codemirror/view";

/** The place a draft would go. It follows the text while the drafts are written. */
export interface Hold {
  from: number;
  to: number;
  draft: { text: string; number: number } | null;
}

export const setHold = StateEffect.define<Hold | null>();
export const setDraft = StateEffect.define<Hold["draft"]>();

export const holdField = StateField.define<Hold | null>({
  create: () => null,
  update(hold, transaction) {
    let next = hold;
    if (next && transaction.docChanged) {
      const empty = next.from === next.to;
      // What the writer types at the caret meanwhile comes before the draft.
      const from = transaction.changes.mapPos(next.from, 1);
      next = { ...next, from, to: empty ? from : Math.max(from, transaction.changes.mapPos(next.to, -1)) };
    }
    for (const effect of transaction.effects) {
      if (effect.is(setHold)) next = effect.value;
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

const ghosts = EditorView.decorations.compute([holdField], (state) => {
  const hold = state.field(holdField);
  if (!hold?.draft?.text) return Decoration.none;
  const widget = Decoration.widget({ widget: new Ghost(hold.draft.text, hold.draft.number), side: 1 }).range(hold.to);
  return Decoration.set(hold.from < hold.to ? [replaced.range(hold.from, hold.to), widget] : [widget]);
});

export const holding: Extension = [holdField, ghosts];
