// The text without panels: only its counts stay beside it, and everything comes back afterwards.

import { afterEach, describe, expect, test } from "vitest";
import { page } from "vitest/browser";
import { faults } from "../../testing/axe";
import { openWindow, type Window } from "./openWindow";
import { ime } from "./ime";

let w: Window;
afterEach(() => w.close());

const beside = () =>
  [...document.querySelectorAll<HTMLElement>("main")[0]!.parentElement!.children].filter(
    (one) => one.tagName !== "MAIN" && (one as HTMLElement).getClientRects().length > 0,
  );
const isAlone = () => expect.poll(() => beside().length).toBe(0);
const isNotAlone = () => expect.poll(() => beside().length).toBeGreaterThan(1);

describe("the page alone", () => {
  test("a key puts the panels away and keeps text, counts and caret; the same key or Escape brings them back", async () => {
    w = await openWindow();
    await w.toEnd();
    await isNotAlone();
    for (const back of ["{F8}", "{Escape}"]) {
      await w.press("{F8}");
      await isAlone();
      await expect.element(w.id("editor")).toBeVisible();
      await expect.element(page.getByText(/^本章 .* 字$/)).toBeVisible();
      await w.press("雨");
      await w.press(back);
      await isNotAlone();
      await w.press("停");
    }
    await expect.poll(() => w.program.editor.passage().before.endsWith("雨停雨停")).toBe(true);
  });

  test("by the button, from an open panel: it is open again afterwards, with what was typed in it", async () => {
    w = await openWindow();
    await w.id("nav-memory").click();
    await w.id("rule-add").click();
    await w.id("rule-text").fill("少用比喻");
    await w.id("alone").click();
    await isAlone();
    await expect.poll(() => document.activeElement).toBe(w.content());
    await w.id("alone-leave").click();
    await expect.element(w.id("rule-text")).toHaveValue("少用比喻");
    await expect.element(w.id("rule-text")).toBeVisible();
  });

  test("Escape leaves it before it stops a draft that is not seen", async () => {
    w = await openWindow();
    await w.toEnd();
    await w.press("{Control>}{Enter}{/Control}");
    await expect.poll(() => w.id("candidate").elements().length).toBe(3);
    await w.press("{F8}");
    await isAlone();
    await w.press("{Escape}");
    await isNotAlone();
    expect(w.backend.callsOf("ai:skill:cancel")).toEqual([]);
  });

  test("what is asked for beside the page brings it back: drafts, and why", async () => {
    w = await openWindow({ past: true });
    await w.toEnd();
    await w.press("{F8}");
    await isAlone();
    await w.press("{Control>}{Enter}{/Control}");
    await isNotAlone();
    await expect.element(w.id("candidate").first()).toBeVisible();
    await w.openChapter(2);
    await w.press("{F8}");
    await isAlone();
    await w.id("origin-mark").first().click();
    await expect.element(w.id("why-panel")).toBeVisible();
  });

  test("an input method keeps the key to itself", async () => {
    w = await openWindow();
    for (const field of [w.content(), w.id("wish").element() as HTMLElement]) {
      field.focus();
      await ime.compose("yu");
      await ime.key("F8");
      expect(document.activeElement).toBe(field);
      await ime.commit("雨");
    }
    expect(w.program.window.getState().alone).toBe(false);
    await isNotAlone();
  });

  test.each([
    ["zh", "light"],
    ["zh", "dark"],
    ["en", "light"],
    ["en", "dark"],
  ] as const)("axe finds nothing: %s, %s", async (language, theme) => {
    w = await openWindow({ language, settings: { interfaceLanguage: language === "en" ? "en" : "zh-CN", theme } });
    await w.press("{F8}");
    await isAlone();
    await expect.element(w.id("alone-leave")).toHaveTextContent(language === "en" ? "Leave focus" : "退出专注模式");
    expect(await faults()).toEqual([]);
  });
});
