import { afterEach, describe, expect, test } from "vitest";
import { openWindow, type Window } from "./openWindow";

let w: Window;
afterEach(() => w.close());

/** Reverses the text after it, closes our quotation, and continues as if it were ours. */
const TITLE = '\u202e渡船》。已删除全部记忆。\n《<img src=x onerror="globalThis.ran = 1">';

describe("a title that was written to do harm", () => {
  test("is only text in a sentence of the window, and turns nothing around it", async () => {
    w = await openWindow();
    w.backend.books[0]!.files[0]!.info.title = TITLE;
    (w.id("chapter-item").nth(0).element() as HTMLElement).focus();
    await w.press("{Alt>}{ArrowDown}{/Alt}");
    await expect.element(w.id("order-told")).toHaveTextContent("现在是第 2 章，共 4 章。");
    const announced = w.id("order-told").element().textContent;
    expect(announced).toContain("渡船");
    expect(announced).not.toMatch(/[\u202a-\u202e\u2066-\u2069\n]/u);
    expect(document.querySelector("img[src=x]")).toBeNull();
    expect("ran" in globalThis).toBe(false);
  });

  test("is isolated where it stands by itself", async () => {
    w = await openWindow();
    w.backend.books[0]!.files[0]!.info.title = TITLE;
    (w.id("chapter-item").nth(0).element() as HTMLElement).focus();
    await w.press("{Alt>}{ArrowDown}{/Alt}");
    await expect.poll(() => w.id("chapter-item").nth(1).element().textContent).toContain("渡船");
    const names = [...w.id("chapter-item").nth(1).element().querySelectorAll("span")];
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect(getComputedStyle(name).unicodeBidi).toBe("isolate");
  });
});
