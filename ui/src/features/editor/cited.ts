import { RangeSet, StateEffect, StateField } from "@codemirror/state";
import { GutterMarker, type EditorView } from "@codemirror/view";

/** A passage of the open chapter that an answer cites, by its number. */
export interface Cited {
  number: number;
  from: number;
  to: number;
}

/** The cited passages of the open chapter; `lit`: the number of the one that is lit, `null`: none. */
interface CitedPassages {
  passages: readonly Cited[];
  lit: number | null;
}

const NONE: CitedPassages = { passages: [], lit: null };

export const setCited = StateEffect.define<CitedPassages>();

/** The passages follow edits; one whose text is deleted is dropped. */
export const citedField = StateField.define<CitedPassages>({
  create: () => NONE,
  update(cited, { changes, docChanged, effects }) {
    for (const effect of effects) if (effect.is(setCited)) return effect.value;
    if (!docChanged || cited.passages.length === 0) return cited;
    const passages = cited.passages
      .map(({ number, from, to }) => ({ number, from: changes.mapPos(from, 1), to: changes.mapPos(to, -1) }))
      .filter(({ from, to }) => from < to);
    return { ...cited, passages };
  },
});

/** Label and action of the numbers in the margin. */
export interface CitedWords {
  label(number: number): string;
  open(number: number): void;
}

class CitedMark extends GutterMarker {
  constructor(
    readonly numbers: readonly { number: number; isLit: boolean }[],
    readonly words: CitedWords,
  ) {
    super();
  }

  override eq(other: CitedMark): boolean {
    return this.words === other.words && JSON.stringify(this.numbers) === JSON.stringify(other.numbers);
  }

  override toDOM(): Node {
    const box = document.createElement("div");
    box.className = "cm-cited";
    for (const { number, isLit } of this.numbers) {
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.testid = "cited-mark";
      button.textContent = String(number);
      button.setAttribute("aria-label", this.words.label(number));
      button.setAttribute("aria-pressed", String(isLit));
      // Keeps the caret: a press must not start a selection.
      button.addEventListener("mousedown", (event) => event.preventDefault());
      button.addEventListener("click", () => this.words.open(number));
      box.append(button);
    }
    return box;
  }
}

/** The numbers in the margin, each beside the line on which its passage begins. */
export function citedMarks({ state, viewport }: EditorView, words: CitedWords): RangeSet<GutterMarker> {
  const { passages, lit } = state.field(citedField);
  const byLine = new Map<number, { number: number; isLit: boolean }[]>();
  for (const { number, from } of passages) {
    if (from < viewport.from || from > viewport.to) continue;
    const line = state.doc.lineAt(from).from;
    byLine.set(line, [...(byLine.get(line) ?? []), { number, isLit: number === lit }]);
  }
  const markers = [...byLine].map(([line, numbers]) => new CitedMark(numbers, words).range(line));
  return RangeSet.of<GutterMarker>(markers, true);
}
