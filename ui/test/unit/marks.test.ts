import { history, redo, undo } from "@codemirror/commands";
import { EditorState, type Transaction, type TransactionSpec } from "@codemirror/state";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addMarks, marksField, origins, tidy, type Mark } from "../../src/features/editor/marks";

const words = { label: () => "", open: () => {}, cited: { label: String, open: () => {} } };

function page(doc: string, marks: [from: number, to: number, generationId?: string][] = []) {
  const initial = marks.map(([from, to, generationId = "g"]): Mark => ({ generationId, skill: "continue", from, to }));
  let state = EditorState.create({ doc, extensions: [history(), origins(words, initial)] });
  const take = (transaction: Transaction) => {
    state = transaction.state;
  };
  return {
    change: (spec: TransactionSpec) => take(state.update(spec)),
    undo: () => undo({ state, dispatch: take }),
    redo: () => redo({ state, dispatch: take }),
    /** The text with generated ranges in brackets. */
    get shown() {
      let text = state.doc.toString();
      for (const { from, to } of state.field(marksField).toReversed())
        text = `${text.slice(0, from)}[${text.slice(from, to)}]${text.slice(to)}`;
      return text;
    },
    get text() {
      return state.doc.toString();
    },
    get marks() {
      return state.field(marksField);
    },
  };
}

describe("whose words are whose", () => {
  test("typing inside a passage splits it, and the writer's words carry no mark", () => {
    const p = page("ab樟木的cd", [[2, 5]]);
    p.change({ changes: { from: 3, insert: "XY" } });
    expect(p.shown).toBe("ab[樟]XY[木的]cd");
  });

  test("typing at either end stays outside", () => {
    const p = page("abcd", [[1, 3]]);
    p.change({ changes: { from: 1, insert: "X" } });
    p.change({ changes: { from: 4, insert: "Y" } });
    expect(p.shown).toBe("aX[bc]Yd");
  });

  test("deleting shrinks it, and what is left on both sides is one passage again", () => {
    const p = page("a12345b", [[1, 6]]);
    p.change({ changes: { from: 3, to: 4 } });
    expect(p.shown).toBe("a[1245]b");
    p.change({ changes: { from: 0, to: 3 } });
    expect(p.shown).toBe("[45]b");
  });

  test("deleting all of it leaves nothing", () => {
    const p = page("a12b", [[1, 3]]);
    p.change({ changes: { from: 0, to: 4 } });
    expect(p.marks).toEqual([]);
  });

  test("replacing a part makes that part the writer's", () => {
    const p = page("a12345b", [[1, 6]]);
    p.change({ changes: { from: 2, to: 4, insert: "新" } });
    expect(p.shown).toBe("a[1]新[45]b");
  });

  test("a replacement over an edge leaves the other part", () => {
    const p = page("ab1234", [[2, 6]]);
    p.change({ changes: { from: 1, to: 4, insert: "Z" } });
    expect(p.shown).toBe("aZ[34]");
  });

  test("a taken draft is one step to undo, text and mark, and comes back whole", () => {
    const p = page("前。");
    p.change({
      changes: { from: 2, insert: "稿子。" },
      effects: addMarks.of([{ generationId: "n", skill: "continue", from: 2, to: 5 }]),
    });
    expect(p.shown).toBe("前。[稿子。]");
    p.undo();
    expect(p.shown).toBe("前。");
    p.redo();
    expect(p.shown).toBe("前。[稿子。]");
  });

  test("undoing a polish gives the older passage its mark back", () => {
    const p = page("a旧的话b", [[1, 4, "old"]]);
    p.change({
      changes: { from: 1, to: 4, insert: "新话" },
      effects: addMarks.of([{ generationId: "new", skill: "polish", from: 1, to: 3 }]),
    });
    expect(p.marks.map(({ generationId }) => generationId)).toEqual(["new"]);
    p.undo();
    expect(p.shown).toBe("a[旧的话]b");
    expect(p.marks[0]?.generationId).toBe("old");
  });

  test("passages of two generations side by side stay two", () => {
    const p = page("1122", [
      [0, 2, "a"],
      [2, 4, "b"],
    ]);
    p.change({ changes: { from: 2, insert: "x" } });
    p.change({ changes: { from: 2, to: 3 } });
    expect(p.marks.map(({ generationId, from, to }) => [generationId, from, to])).toEqual([
      ["a", 0, 2],
      ["b", 2, 4],
    ]);
  });
});

// ---- properties, against a naive model in which every character has an author ----

interface Edit {
  at: number;
  remove: number;
  insert: string;
}

const edit = fc.record({ at: fc.nat(60), remove: fc.nat(8), insert: fc.stringMatching(/^[xyz]{0,4}$/) });
const start = fc.array(fc.tuple(fc.stringMatching(/^[a-e]{1,6}$/), fc.constantFrom(null, "g", "h")), {
  minLength: 1,
  maxLength: 6,
});

type Owned = { text: string; owner: string | null }[];

function owned(parts: [string, string | null][]): Owned {
  return parts.flatMap(([text, owner]) => [...text].map((character) => ({ text: character, owner })));
}

function marksOf(characters: Owned): Mark[] {
  return tidy(
    characters.flatMap(({ owner }, at) =>
      owner ? [{ generationId: owner, skill: "continue", from: at, to: at + 1 }] : [],
    ),
  );
}

const clamp = ({ at, remove, insert }: Edit, length: number) => {
  const from = Math.min(at, length);
  return { from, to: Math.min(length, from + remove), insert };
};

const asRanges = (marks: readonly Mark[]) => marks.map(({ generationId, from, to }) => [generationId, from, to]);

describe("for any text, any passages and any edits", () => {
  test("the marks are those of a page where every character remembers who wrote it", () => {
    fc.assert(
      fc.property(start, fc.array(edit, { maxLength: 12 }), (parts, edits) => {
        let model = owned(parts);
        const p = page(
          model.map(({ text }) => text).join(""),
          marksOf(model).map(({ from, to, generationId }) => [from, to, generationId]),
        );
        for (const one of edits) {
          const { from, to, insert } = clamp(one, model.length);
          p.change({ changes: { from, to, insert } });
          model = [...model.slice(0, from), ...[...insert].map((text) => ({ text, owner: null })), ...model.slice(to)];
          expect(p.text).toBe(model.map(({ text }) => text).join(""));
          expect(asRanges(p.marks)).toEqual(asRanges(marksOf(model)));
        }
      }),
      { numRuns: 400 },
    );
  });

  test("undoing everything restores the marks, and redoing everything brings them back", () => {
    fc.assert(
      fc.property(start, fc.array(edit, { minLength: 1, maxLength: 10 }), (parts, edits) => {
        const model = owned(parts);
        const p = page(
          model.map(({ text }) => text).join(""),
          marksOf(model).map(({ from, to, generationId }) => [from, to, generationId]),
        );
        const [text, before] = [p.text, asRanges(p.marks)];
        for (const one of edits) p.change({ changes: clamp(one, p.text.length) });
        const [later, after] = [p.text, asRanges(p.marks)];
        while (p.undo());
        expect(p.text).toBe(text);
        expect(asRanges(p.marks)).toEqual(before);
        while (p.redo());
        expect(p.text).toBe(later);
        expect(asRanges(p.marks)).toEqual(after);
      }),
      { numRuns: 400 },
    );
  });
});
