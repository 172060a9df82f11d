import { afterEach, describe, expect, test } from "vitest";
import { faults } from "../../testing/axe";
import { openWindow, type Window } from "./openWindow";

let w: Window;
afterEach(() => w.close());

async function open() {
  await w.id("nav-memory").click();
  await w.id("memory-page-style").click();
}

const rows = () => w.id("style-sides").element().querySelectorAll("tbody tr");
const cells = (row: number) => [...rows()[row]!.querySelectorAll("th, td")].map(({ textContent }) => textContent);

describe("what the chapters of a book are like", () => {
  test("is shown in numbers with their units, as general information and not as evidence", async () => {
    w = await openWindow();
    await open();
    await expect.element(w.id("style-page")).toHaveTextContent("这些数字不算依据：规则只从你的取舍里学。");
    await expect.poll(() => rows().length).toBe(12);
    expect(cells(0)).toEqual(["句子长短", "一句 14 字", "11–18"]);
    expect(cells(1)).toEqual(["极短的句子", "31%", "20%–41%"]);
    expect(cells(5)).toEqual(["第一人称", "千字 21 处", "14–29"]);
    expect(await faults()).toEqual([]);
  });

  test("is shown in English, for a Chinese book in characters", async () => {
    w = await openWindow({ language: "en" });
    await open();
    await expect.poll(() => rows().length).toBe(12);
    expect(cells(0).slice(1)).toEqual(["14 characters a sentence", "11–18"]);
    expect(cells(5).slice(1)).toEqual(["21 in 1,000 characters", "14–29"]);
    expect(await faults()).toEqual([]);
  });

  test("is computed again each time it is opened, and on demand", async () => {
    w = await openWindow();
    await open();
    await expect.poll(() => rows().length).toBe(12);
    const asked = () => w.backend.callsOf("project:style").length;
    const before = asked();
    await w.id("style-again").click();
    await expect.poll(asked).toBe(before + 1);
    await w.id("memory-page-rules").click();
    await w.id("memory-page-style").click();
    await expect.poll(asked).toBe(before + 2);
  });

  test("says so where there is not a page yet, and where the chapters cannot be read", async () => {
    w = await openWindow();
    w.backend.projects.hasStyle = false;
    await open();
    await expect.element(w.id("style-nothing")).toBeVisible();
    w.backend.fail("project:style", { code: "MEMORY_NOT_FOUND", message: "there is no such folder" });
    await w.id("style-again").click();
    await expect.element(w.id("style-page")).toHaveTextContent("章节读不出来");
  });
});
