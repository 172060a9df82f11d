import { history, undo } from "@codemirror/commands";
import { EditorState, type Transaction } from "@codemirror/state";
import type { ViewUpdate } from "@codemirror/view";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { addMarks, origins, setMarks } from "../../src/features/editor/marks";
import { UndoDetector } from "../../src/features/editor/undoDetector";

const GRACE_MS = 4_000;

/** An editor state whose updates go to a detector, and the generations it has reported. */
function editor() {
  const undone: string[] = [];
  const detector = new UndoDetector(GRACE_MS, (_, generationId) => undone.push(generationId));
  let state = EditorState.create({
    doc: "x",
    extensions: [
      history({ newGroupDelay: 0 }),
      origins({ label: String, open: () => {}, cited: { label: String, open: () => {} } }, []),
    ],
  });
  const apply = (transaction: Transaction) => {
    const update = { startState: transaction.startState, state: transaction.state, transactions: [transaction] };
    state = transaction.state;
    detector.onUpdate("project", update as unknown as ViewUpdate);
  };
  const mark = (generationId: string) => ({ generationId, skill: "continue", from: 0, to: 3 });
  return {
    undone,
    detector,
    insert: (generationId: string) =>
      apply(state.update({ changes: { from: 0, insert: "new" }, effects: addMarks.of([mark(generationId)]) })),
    /** Replaces the text as a restored snapshot does. */
    restore: (text: string, generationIds: string[]) => {
      detector.ignore(generationIds);
      const changes = { from: 0, to: state.doc.length, insert: text };
      apply(state.update({ changes, effects: setMarks.of(generationIds.map(mark)) }));
    },
    undo: () => void undo({ state, dispatch: apply }),
  };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("an undone insertion", () => {
  test("is reported once it has stayed away for the grace period", () => {
    const e = editor();
    e.insert("a");
    e.undo();
    vi.advanceTimersByTime(GRACE_MS - 1);
    expect(e.undone).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(e.undone).toEqual(["a"]);
  });

  test("is reported at once, and only once, when the chapter is left", () => {
    const e = editor();
    e.insert("a");
    e.undo();
    e.detector.settle();
    expect(e.undone).toEqual(["a"]);
    vi.advanceTimersByTime(GRACE_MS);
    expect(e.undone).toEqual(["a"]);
  });
});

describe("undoing restored snapshots", () => {
  test("is no verdict on the generations they brought back, however many were restored", () => {
    const e = editor();
    e.restore("one of a", ["a"]);
    e.restore("two", []);
    e.undo();
    e.undo();
    vi.advanceTimersByTime(GRACE_MS);
    expect(e.undone).toEqual([]);
  });

  test("is a verdict again in the next chapter", () => {
    const e = editor();
    e.detector.ignore(["a"]);
    e.detector.reset();
    e.insert("a");
    e.undo();
    vi.advanceTimersByTime(GRACE_MS);
    expect(e.undone).toEqual(["a"]);
  });
});
