// Without a pointer: every key that does something leaves the focus on an element, and the window's shortcuts lose
// nothing that is being written.

import { afterEach, describe, expect, test } from "vitest";
import { FAKE_DRAFTS } from "../../src/backend/fake/sample";
import { openWindow, type Window } from "./openWindow";

let w: Window;
afterEach(() => w.close());

const at = () => document.activeElement as HTMLElement;
const standsIn = (place: () => Element | null) => expect.poll(() => place()?.contains(at()) ?? false).toBe(true);
/** Focuses an element once it is there and enabled: a disabled one takes no focus, and the key would go elsewhere. */
const focusOn = (find: () => HTMLElement | null) =>
  expect
    .poll(() => {
      const place = find();
      place?.focus();
      return place !== null && at() === place;
    })
    .toBe(true);
const press = async (id: string, key = "{Enter}") => {
  await expect.element(w.id(id).first()).toBeVisible();
  await focusOn(() => w.id(id).first().element() as HTMLElement);
  await w.press(key);
};
const drafts = async () => {
  await expect.poll(() => w.id("candidate").elements().length).toBe(3);
  w.backend.advance();
  await expect.element(w.id("candidate").first()).toHaveAttribute("data-state", "ready");
};

describe("a draft that is changed before it is taken", () => {
  test("is taken by Control and Enter, never written over by new ones; Escape goes back to its card", async () => {
    w = await openWindow();
    await w.toEnd();
    await w.press("{Control>}{Enter}{/Control}");
    await drafts();
    (w.id("candidate").nth(1).element() as HTMLElement).focus();
    await w.press("e");
    await expect.poll(() => at()).toBe(w.id("edit-text").element());
    await w.press("{Escape}");
    await expect.poll(() => at()).toBe(w.id("candidate").nth(1).element());
    await w.press("e");
    await expect.poll(() => at()).toBe(w.id("edit-text").element());
    await w.press("天亮了。{Control>}{Enter}{/Control}");
    await expect.poll(() => w.id("candidate").elements().length).toBe(0);
    await expect.poll(() => w.backend.callsOf("ai:skill:run")).toHaveLength(1);
    await expect.poll(() => w.text).toContain(`${FAKE_DRAFTS.zh[1]!.split("\n").at(-1)}天亮了。`);
    await expect.poll(at).toBe(w.content());
  });
});

describe("Control and Enter", () => {
  test.each(["memory", "settings"])("beside the open %s brings the drafts where they can be seen", async (panel) => {
    w = await openWindow();
    await w.id(`nav-${panel}`).click();
    await w.toEnd();
    await w.press("{Control>}{Enter}{/Control}");
    await drafts();
    await expect.element(w.id("candidate").first()).toBeVisible();
    await expect.poll(at).toBe(w.content());
  });

  test("in a question asks for no draft", async () => {
    w = await openWindow({ past: true });
    await w.id("nav-memory").click();
    await w.id("memory-page-safety").click();
    await w.id("clear-project").click();
    await w.id("clear-title").fill("验潮");
    await w.press("{Control>}{Enter}{/Control}");
    expect(w.backend.callsOf("ai:skill:run")).toEqual([]);
    await expect.element(w.id("clear-book-dialog")).toBeVisible();
  });
});

describe("the keyboard is not lost", () => {
  test("when a panel or why is closed: it is back in the text", async () => {
    w = await openWindow({ past: true });
    for (const panel of ["memory", "settings"]) {
      await press(`nav-${panel}`);
      await press(`${panel}-close`);
      await expect.poll(() => at()).toBe(w.content());
    }
    await w.openChapter(2);
    await press("origin-mark");
    await expect.element(w.id("why-panel")).toBeVisible();
    // The mark is redrawn as open and keeps the focus.
    expect(at().dataset).toMatchObject({ testid: "origin-mark" });
    expect(at().getAttribute("aria-expanded")).toBe("true");
    await press("why-sent-toggle");
    await w.press("{Escape}");
    await expect.poll(() => at()).toBe(w.content());
    expect(w.id("why-panel").elements()).toEqual([]);
  });

  test("when a rule is confirmed, rewritten, deleted or brought back", async () => {
    w = await openWindow({ past: true });
    await press("nav-memory");
    const unconfirmed = () =>
      [...document.querySelectorAll<HTMLElement>('[data-testid="rule-card"]:not([data-confirmed])')][0]!;
    await expect.poll(() => w.id("rule-card").elements().length).toBeGreaterThan(1);
    const first = unconfirmed();
    const of = () => document.querySelector(`[data-rule-id="${first.dataset["ruleId"]}"]`);
    first.querySelector<HTMLElement>('[role="button"]')!.focus();
    await w.press("{Enter}");
    const pressOn = async (id: string) => {
      await focusOn(() => of()?.querySelector<HTMLElement>(`[data-testid="${id}"]`) ?? null);
      await w.press("{Enter}");
    };
    await pressOn("rule-confirm");
    await expect.poll(() => of()?.getAttribute("data-confirmed")).toBe("true");
    await standsIn(of);
    await pressOn("rule-edit");
    await expect.poll(() => at().dataset["testid"]).toBe("rule-text");
    await w.press("。{Enter}");
    await expect.poll(() => document.querySelector('[data-testid="rule-text"]')).toBeNull();
    await standsIn(of);
    await pressOn("rule-delete");
    // The cancel button has the focus.
    await expect.poll(() => at().dataset["testid"]).toBe("rule-delete-cancel");
    await pressOn("rule-delete-confirm");
    await expect.poll(() => at().dataset["testid"]).toBe("rule-gone-undo");
    await w.press("{Enter}");
    await expect.poll(of).not.toBeNull();
    await standsIn(of);
  });

  test("when what was pressed rests while it is done: it is there again afterwards", async () => {
    w = await openWindow();
    await press("nav-memory");
    w.backend.learning.next = { status: "nothing", held: true };
    await press("learn-now");
    await expect.element(w.id("learn-now")).toBeDisabled();
    w.backend.learning.advance("reconciling", 0.8);
    await press("learning-cancel");
    await expect.element(w.id("learn-now")).toBeEnabled();
    await expect.poll(() => at()).not.toBe(document.body);
    w.backend.learning.next = { status: "nothing" };
    await press("learn-now");
    await expect.element(w.id("learning-outcome")).toHaveTextContent("这次什么也没学到");
    await expect.poll(() => at()).toBe(w.id("learn-now").element());
  });

  test("when a chapter is renamed, a name is hidden, a passage of the past is deleted", async () => {
    w = await openWindow({ past: true });
    await press("chapter-rename");
    await w.press("{Control>}a{/Control}头班船{Enter}");
    await expect.element(w.id("chapter-item").first()).toHaveTextContent("头班船");
    await standsIn(() => w.id("chapter-item").first().element().parentElement);
    await press("nav-memory");
    await w.id("memory-page-names").click();
    await press("name-add");
    await expect.poll(() => at().dataset["testid"]).toBe("name-name");
    await w.press("老周{Enter}");
    await expect.element(w.id("name-row")).toHaveTextContent("老周");
    await standsIn(() => w.id("memory-panel").element());
    await w.id("memory-page-past").click();
    await press("past-delete");
    await w.press("{Shift>}{Tab}{/Shift}{Enter}");
    await standsIn(() => w.id("memory-panel").element());
  });

  test("and using the pointer does not move the focus", async () => {
    w = await openWindow();
    await press("nav-memory");
    await press("rule-add");
    await expect.poll(() => at().dataset["testid"]).toBe("rule-text");
    document.body.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
    at().blur();
    await w.id("rule-form").getByText("取消").click();
    at().blur();
    await w.backend.idle();
    await expect.poll(at).toBe(document.body);
  });
});
