import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView } from "@codemirror/view";
import type { Span } from "../../lib/survivingSpans";

/** Lights a range that was opened from a panel, while the panel keeps the focus; `null`: none. */
export const setSought = StateEffect.define<Span | null>();

const mark = Decoration.mark({ class: "cm-sought" });

/** The range stays lit until the text or the selection changes. */
export const soughtField = StateField.define<Span | null>({
  create: () => null,
  update(sought, { effects, docChanged, selection }) {
    for (const effect of effects) if (effect.is(setSought)) return effect.value;
    return docChanged || selection ? null : sought;
  },
  provide: (field) =>
    EditorView.decorations.from(field, (sought) =>
      sought && sought.from < sought.to ? Decoration.set(mark.range(sought.from, sought.to)) : Decoration.none,
    ),
});
