import { afterEach, describe, expect, test, vi } from "vitest";
import type { StoreFile } from "../../src/backend";
import { faults } from "./axe";
import { openWindow, type Window } from "./desk";

let w: Window;
const asked: StoreFile[] = [];
afterEach(() => {
  asked.length = 0;
  return w.close();
});

vi.mock("../../src/backend/anew", () => ({
  beginAnew: (file: StoreFile) => {
    asked.push(file);
    w.backend.life.beginAnew(file);
    return Promise.resolve();
  },
}));

describe("a damaged file without a backup, where the backend can begin it anew", () => {
  test("begins empty once the writer has said so a second time; the damaged one is kept", async () => {
    w = await openWindow();
    w.backend.degrade("episodes");
    await w.id("degraded-notice").click();
    await w.id("anew-episodes").click();
    await expect.element(w.id("mend-episodes")).toHaveTextContent("坏掉的那份挪到一边，还留着；往事库从空的开始。正文不动。");
    expect(document.activeElement).toBe(w.id("anew-episodes-cancel").element());
    expect(await faults()).toEqual([]);
    await w.press("{Escape}");
    expect(asked).toEqual([]);
    await w.id("anew-episodes").click();
    await w.id("anew-episodes-confirm").click();
    await expect.element(w.id("all-well")).toBeVisible();
    expect(asked).toEqual(["episodes"]);
    expect(w.id("mend-episodes").elements()).toEqual([]);
  });

  test("is not offered where there is a backup to put back", async () => {
    w = await openWindow({ past: true });
    w.backend.degrade("episodes");
    await w.id("degraded-notice").click();
    await expect.element(w.id("mend-episodes-restore")).toBeVisible();
    expect(w.id("anew-episodes").elements()).toEqual([]);
  });
});
