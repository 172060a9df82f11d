// The panel that answers why a passage was written: how the tests of it open it, and what they read there.

import { expect } from "vitest";
import type { Trace } from "../../src/backend";
import type { FakeOptions } from "../../src/backend/fake";
import { openWindow, type Window } from "./openWindow";

/** The window of the running test. */
export let w: Window;

/** The trace of the first passage. */
export const trace = () => w.backend.traces.get("gen-a")!;
export const change = (part: Partial<Trace>) => w.backend.traces.set("gen-a", { ...trace(), ...part });
export const rule = (text: string) => w.backend.rules.find((one) => one.rule.includes(text))!;
/** A memory in the panel. */
export const item = (text: string) => w.id("why-reference").filter({ hasText: text });
export const gone = (id: string) => expect.poll(() => w.id(id).elements().length).toBe(0);
/** The percentages shown. */
export const numbers = (id: string) =>
  w
    .id(id)
    .elements()
    .map((element) => Number(/(\d+)\s?%/.exec(element.textContent ?? "")?.[1] ?? 0));

/** Opens a book with two traced passages; `before` prepares the backend. */
export async function openBook(options: FakeOptions = {}, before: () => void = () => undefined) {
  w = await openWindow(options);
  await w.openChapter(2);
  await expect.poll(() => w.id("origin-mark").elements().length).toBe(2);
  before();
}

/** Opens the trace of the first passage; `before` prepares the backend. */
export async function openWhy(options: FakeOptions = {}, before: () => void = () => undefined) {
  await openBook(options, before);
  await w.id("origin-mark").first().click();
  await expect.element(w.id("why-tier").or(w.id("why-none")).or(w.id("why-problem"))).toBeVisible();
}
