// A question from the text and back into it without a pointer: no element is clicked or focused by the test.

import { afterEach, expect, test } from "vitest";
import { ASK_SCRIPTS, type AskScript } from "../../src/backend/fake/askScripts";
import { openAsk, QUESTION } from "./askPanel";
import type { Window } from "./openWindow";

let w: Window;
afterEach(() => w.close());

const FERRY = "头班渡船六点开。";
/** About craft, with a passage of the first chapter. */
const CRAFT: AskScript = {
  kind: "craft",
  steps: ASK_SCRIPTS.zh.steps.slice(0, 2),
  statements: [{ text: "先写手上的事。", status: "verified", quotes: [FERRY] }],
};
const MAX_TABS = 40;

const at = () => document.activeElement as HTMLElement | null;

/** Presses Tab, or Shift and Tab, until an element with this test id has the focus. */
async function tabTo(testId: string, keys = "{Tab}") {
  for (let step = 0; step < MAX_TABS && at()?.dataset["testid"] !== testId; step += 1) await w.press(keys);
  expect(at()?.dataset["testid"]).toBe(testId);
}

const back = "{Shift>}{Tab}{/Shift}";
const chapterId = () => w.program.editor.state.getState().chapter?.chapterId;

test("asked, looked up, put into the chapter, judged and put back into the field by keyboard alone", async () => {
  w = await openAsk(({ asking }) => void (asking.script = CRAFT));

  // The question.
  await w.press(QUESTION);
  await expect.element(w.id("ask-field")).toHaveValue(QUESTION);
  await w.press("{Enter}");
  await expect.element(w.id("ask-loop")).toBeVisible();
  w.backend.asking.advance();
  await expect.element(w.id("ask-verdicts")).toBeVisible();
  await expect.element(w.id("ask-field")).toHaveFocus();

  // The steps open and close.
  await tabTo("ask-loop", back);
  await w.press("{Enter}");
  await expect.element(w.id("ask-steps")).toBeVisible();
  await w.press(" ");
  await expect.poll(() => w.id("ask-steps").elements()).toEqual([]);

  // The passage, from its number, with the way back.
  await tabTo("ask-chip");
  await w.press("{Enter}");
  await expect.poll(chapterId).toBe(w.file(0).info.chapterId);
  await expect.element(w.id("ask-chip")).toHaveAttribute("aria-pressed", "true");
  await expect.poll(at).toBe(w.id("ask-chip").element());
  await w.press("{Escape}");
  await expect.poll(chapterId).toBe(w.file(2).info.chapterId);
  await expect.poll(at).toBe(w.content());

  // Into the chapter.
  await w.press("{F1}");
  await expect.element(w.id("ask-field")).toHaveFocus();
  await tabTo("ask-insert", back);
  await w.press("{Enter}");
  await expect.poll(() => w.text).toContain("先写手上的事。");
  await expect.poll(at).toBe(w.content());

  // The verdict.
  await w.press("{F1}");
  await w.press("{ArrowUp}");
  await expect.element(w.id("ask-card")).toHaveFocus();
  await w.press("y");
  await expect
    .poll(() => w.backend.callsOf("answer:validate").map(({ result, source }) => [result, source]))
    .toEqual([
      ["pass", "inserted"],
      ["pass", "writer"],
    ]);

  // The question is in the list of earlier ones, and comes back into the field.
  await tabTo("ask-history");
  await w.press("{Enter}");
  await expect.element(w.id("ask-history-0")).toHaveFocus();
  await w.press("{Escape}");
  await expect.element(w.id("ask-history")).toHaveFocus();
  await w.press("{ArrowDown}");
  await expect.element(w.id("ask-history-0")).toHaveFocus();
  await w.press("{Enter}");
  await expect.element(w.id("ask-field")).toHaveValue(QUESTION);
  await expect.element(w.id("ask-field")).toHaveFocus();
  await expect.poll(() => w.backend.callsOf("ask:run")).toHaveLength(1);

  // Back to the text.
  await w.press("{Escape}");
  await expect.poll(at).toBe(w.content());
});
