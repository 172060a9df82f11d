// The page of rules: how the tests of it open it, and what they read there.

import { expect } from "vitest";
import type { FakeOptions } from "../../src/backend/fake";
import { openWindow, type Window } from "./openWindow";

/** The window of the running test. */
export let w: Window;

/** The card of a rule. */
export const card = (text: string) => w.id("rule-card").filter({ hasText: text });
export const rule = (text: string) => w.backend.rules.find((one) => one.rule.includes(text))!;
export const gone = (id: string) => expect.poll(() => w.id(id).elements().length).toBe(0);

/** Opens the window. */
export async function open(options: FakeOptions = {}) {
  w = await openWindow(options);
}

/** Opens the memory at its rules. */
export async function openRules(options: FakeOptions = {}) {
  await open(options);
  await w.id("nav-memory").click();
  await expect.element(w.id("learn-now").or(w.id("learning-resume"))).toBeVisible();
}
