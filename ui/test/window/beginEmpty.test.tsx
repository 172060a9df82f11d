import { afterEach, describe, expect, test } from "vitest";
import { faults } from "../../testing/axe";
import { openWindow, type Window } from "./openWindow";

let w: Window;
afterEach(() => w.close());

const asked = () => w.backend.callsOf("memory:store:begin-anew");

describe("a damaged file without a backup", () => {
  test("is replaced by an empty one after a second confirmation; the damaged one is set aside, and its name shown", async () => {
    w = await openWindow();
    w.backend.degrade("episodes");
    await w.id("degraded-notice").click();
    await w.id("anew-episodes").click();
    await expect
      .element(w.id("mend-episodes"))
      .toHaveTextContent("损坏的文件会移到一边保留，往事库从空的开始。正文不变。");
    await expect.element(w.id("anew-episodes-cancel")).toHaveFocus();
    expect(await faults()).toEqual([]);
    await w.press("{Escape}");
    expect(asked()).toEqual([]);
    await w.id("anew-episodes").click();
    await w.id("anew-episodes-confirm").click();
    await expect.element(w.id("all-well")).toBeVisible();
    await expect.poll(asked).toEqual([{ file: "episodes", confirmed: true }]);
    expect(w.id("mend-episodes").elements()).toEqual([]);
    await expect
      .element(w.id("set-aside"))
      .toHaveTextContent(/^已从空库开始。损坏的文件还在，名为 episodes\.db\.corrupt-\d+。$/);
  });

  test("of rules begins without any, and the panel says how it begins", async () => {
    w = await openWindow();
    w.backend.degrade("rules");
    await w.id("degraded-notice").click();
    await w.id("anew-rules").click();
    await w.id("anew-rules-confirm").click();
    await expect.element(w.id("all-well")).toBeVisible();
    await w.id("memory-page-rules").click();
    await expect.element(w.id("memory-panel")).toHaveTextContent("AI 正在学习你的写作偏好，使用越多越精准");
  });

  test("that turns out to be intact stays as it is, with a message", async () => {
    w = await openWindow();
    w.backend.degrade("episodes");
    await w.id("degraded-notice").click();
    await w.id("anew-episodes").click();
    w.backend.fail("memory:store:begin-anew", {
      code: "MEMORY_INVALID_ARGUMENT",
      message: "file: it is whole, and serves",
      details: { field: "file" },
    });
    await w.id("anew-episodes-confirm").click();
    await expect.element(w.id("anew-episodes-problem")).toHaveTextContent("这个库没有问题，没有改动它。");
  });

  test("is not offered a new beginning where there is a backup to put back", async () => {
    w = await openWindow({ past: true });
    w.backend.degrade("episodes");
    await w.id("degraded-notice").click();
    await expect.element(w.id("mend-episodes-restore")).toBeVisible();
    expect(w.id("anew-episodes").elements()).toEqual([]);
  });
});
