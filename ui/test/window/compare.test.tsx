// Drafts side by side: differences are marked, and every action on a draft works there.

import { afterEach, describe, expect, test } from "vitest";
import { FAKE_DRAFTS } from "../../src/backend/fake/sample";
import { faults } from "../../testing/axe";
import { openWindow, type Window } from "./openWindow";
import { ime, lateKeys } from "./ime";

let w: Window;
afterEach(() => w.close());

const DRAFTS = FAKE_DRAFTS.zh.slice(0, 3);
const SELECTED = "我在马扎上坐下来。海在屋子的另一面，听得见，看不见。";

const at = () => document.activeElement as HTMLElement;
const cards = () => [...document.querySelectorAll<HTMLElement>('[data-testid="compare"] [data-testid="candidate"]')];
const own = () => cards().map((card) => [...card.querySelectorAll("mark")].map(({ textContent }) => textContent));
const words = () => cards().map((card) => card.querySelector("p")?.textContent);
const isOpen = () => w.id("compare").elements().length === 1;

async function asked(language: "zh" | "en" = "zh") {
  w = await openWindow();
  w.backend.books[0]!.project.language = language;
  await w.openChapter(2);
  await w.toEnd();
  await w.id("run").click();
  await expect.poll(() => w.id("candidate").elements().length).toBe(3);
}

async function compared(language: "zh" | "en" = "zh") {
  await asked(language);
  w.backend.advance();
  await expect.element(w.id("reject-all")).toBeVisible();
  await w.id("compare-open").click();
  await expect.element(w.id("compare")).toBeVisible();
}

/** Selects a passage and rewrites it. */
async function rewritten() {
  w = await openWindow();
  await w.openChapter(2);
  const from = w.file(2).text.indexOf(SELECTED);
  const view = w.program.editor.surface.view!;
  view.focus();
  view.dispatch({ selection: { anchor: from, head: from + SELECTED.length } });
  await w.id("skill-rewrite").click();
  await w.id("run").click();
  await expect.poll(() => w.id("candidate").elements().length).toBe(3);
  w.backend.advance();
  await expect.element(w.id("reject-all")).toBeVisible();
  await w.press("{F7}");
  await expect.element(w.id("compare")).toBeVisible();
}

describe("what differs", () => {
  test("is what no other draft has: whole in every column, and marked by more than a colour", async () => {
    await compared();
    await expect.poll(words).toEqual(DRAFTS);
    await expect.poll(() => own()[0]?.join("")).toContain("正好齐到我的肩");
    expect(own().flat().join("")).not.toContain("老周没接话");
    expect(own()[1]?.join("")).toContain("远处修船厂敲了三下铁");
    expect(getComputedStyle(cards()[0]!.querySelector("mark")!).textDecorationStyle).toBe("dotted");
    // Marks are inline: they do not change the layout of the draft.
    expect(
      [...cards()[0]!.querySelectorAll("p > span *")]
        .map((part) => getComputedStyle(part).display)
        .filter((display) => display !== "inline"),
    ).toEqual([]);
  });

  test("is marked by whole words in English", async () => {
    await compared("en");
    await expect.poll(() => own()[1]?.length ?? 0).toBeGreaterThan(0);
    const text = FAKE_DRAFTS.en[1]!;
    for (const stretch of own()[1]!)
      expect(` ${text} `).toMatch(
        new RegExp(`[^\\p{L}]${stretch!.trim().replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}[^\\p{L}]`, "u"),
      );
    expect(own().flat().join("")).not.toContain("Zhou didn’t answer");
  });

  test("of a rewritten passage is marked against the original or, on request, between the drafts", async () => {
    await rewritten();
    await expect.element(w.id("compare")).toHaveAttribute("data-against", "original");
    const before = () => w.id("compare-before").element();
    expect(before().querySelector("p")?.textContent).toBe(SELECTED);
    const struck = () => [...before().querySelectorAll("del")].map(({ textContent }) => textContent).join("");
    await expect.poll(struck).toContain("马扎");
    expect(own()[0]?.join("")).toContain("老周没接话");
    await w.id("compare-others").click();
    await expect.poll(() => w.id("compare-before").elements().length).toBe(0);
    expect(own().flat().join("")).not.toContain("老周没接话");
  });

  test("is not asked of what goes on from the caret: there is nothing that it stands for", async () => {
    await compared();
    expect(w.id("compare-original").elements()).toEqual([]);
    expect(w.id("compare-before").elements()).toEqual([]);
  });
});

describe("while they are written", () => {
  test("nothing is marked that still grows, no column moves, and an ended draft is marked once another has ended", async () => {
    await asked();
    await w.press("{F7}");
    await expect.element(w.id("compare")).toBeVisible();
    w.backend.advance(2);
    await expect.poll(() => words()[0]?.length ?? 0).toBeGreaterThan(6);
    const places = () => cards().map((card) => JSON.stringify(card.getBoundingClientRect()));
    const [before, first] = [places(), cards()[0]];
    await expect.poll(own).toEqual([[], [], []]);
    w.backend.finishCandidate(0);
    await expect.poll(() => cards()[0]?.dataset["state"]).toBe("ready");
    await expect.poll(own).toEqual([[], [], []]);
    w.backend.finishCandidate(2);
    await expect.poll(() => own().map((marks) => marks.length > 0)).toEqual([true, false, true]);
    await expect.poll(places).toEqual(before);
    expect(cards()[0]).toBe(first);
    w.backend.advance();
    await expect.poll(() => own().every((marks) => marks.length > 0)).toBe(true);
    await expect.poll(places).toEqual(before);
  });

  test("Escape stops, and only then puts the columns away", async () => {
    await asked();
    await w.press("{F7}");
    await expect.element(w.id("compare")).toBeVisible();
    w.backend.advance(1);
    await w.press("{Escape}");
    await expect.poll(() => w.backend.callsOf("ai:skill:cancel").length).toBe(1);
    await expect.element(w.id("reject-all")).toBeVisible();
    await expect.poll(isOpen).toBe(true);
    await w.press("{Escape}");
    await expect.poll(isOpen).toBe(false);
    await expect.poll(() => w.id("candidate").elements()).toHaveLength(3);
  });
});

describe("by keyboard", () => {
  test("F7 opens on the draft in front, arrows go from column to column, Enter takes the one that they stand on", async () => {
    await asked();
    w.backend.advance();
    await expect.element(w.id("reject-all")).toBeVisible();
    await w.press("{F7}");
    await expect.poll(() => at()).toBe(cards()[0]);
    await w.press("{ArrowRight}{ArrowRight}");
    await expect.poll(at).toBe(cards()[2]);
    await expect.element(w.id("preview")).toHaveTextContent(DRAFTS[2]!);
    await w.press("{ArrowLeft}");
    await expect.poll(at).toBe(cards()[1]);
    await w.press("{Enter}");
    await expect
      .poll(() => w.backend.callsOf("memory:episode:record"))
      .toMatchObject([{ selectedIndex: 1, finalText: DRAFTS[1], candidates: DRAFTS }]);
    await expect.poll(isOpen).toBe(false);
    await expect.poll(() => w.text).toContain(DRAFTS[1]);
    await expect.poll(at).toBe(w.content());
  });

  test("E changes a draft first, Escape leaves it as it was, Control and Enter take it changed", async () => {
    await compared();
    await w.press("{ArrowRight}e");
    await expect.poll(() => at()).toBe(w.id("edit-text").element());
    await w.press("天亮了。{Escape}");
    await expect.poll(() => at()).toBe(cards()[1]);
    await expect.poll(isOpen).toBe(true);
    expect(words()[1]).toBe(DRAFTS[1]);
    await w.press("e");
    await expect.poll(() => at()).toBe(w.id("edit-text").element());
    await w.press("天亮了。{Control>}{Enter}{/Control}");
    await expect
      .poll(() => w.backend.callsOf("memory:episode:record"))
      .toMatchObject([{ selectedIndex: 1, finalText: `${DRAFTS[1]}天亮了。` }]);
    await expect.poll(isOpen).toBe(false);
  });

  test("the passage as it was is a column too", async () => {
    await rewritten();
    await expect.poll(() => at()).toBe(cards()[0]);
    await w.press("{ArrowLeft}");
    await expect.poll(at).toBe(w.id("compare-before").element());
    await w.press("{ArrowRight}");
    await expect.poll(at).toBe(cards()[0]);
  });

  test("Escape goes back to the same draft in its panel, with the panels as they were", async () => {
    await compared();
    await w.press("{ArrowRight}{Escape}");
    await expect.poll(isOpen).toBe(false);
    await expect.poll(() => at()).toBe(w.id("candidate").nth(1).element());
    await expect.element(w.id("chapter-item").first()).toBeVisible();
  });

  test("no key of an input method does anything in it", async () => {
    await compared();
    await ime.allKeys();
    lateKeys(at());
    await w.backend.idle();
    await expect.poll(isOpen).toBe(true);
    await expect.poll(cards).toHaveLength(3);
    expect(w.backend.callsOf("memory:episode:record")).toEqual([]);
    await w.press("e");
    await expect.poll(() => at()).toBe(w.id("edit-text").element());
    await ime.compose("tianliang");
    await ime.allKeys();
    await ime.commit("天亮");
    await expect.element(w.id("edit-text")).toHaveValue(`${DRAFTS[0]}天亮`);
    await expect.poll(isOpen).toBe(true);
  });
});

describe("what can be done with them", () => {
  test("all turned down is remembered as that, and the panels are back", async () => {
    await compared();
    await w.id("reject-all").click();
    await expect
      .poll(() => w.backend.callsOf("memory:episode:record"))
      .toMatchObject([{ selectedIndex: -1, candidates: DRAFTS }]);
    await expect.poll(isOpen).toBe(false);
    await expect.poll(at).toBe(w.content());
  });

  test("once more from there: new ones come into the same place", async () => {
    await compared();
    await w.id("again").click();
    await expect.poll(() => w.backend.callsOf("ai:skill:run").length).toBe(2);
    await expect.poll(() => cards().length).toBe(3);
    await expect.poll(isOpen).toBe(true);
    w.backend.advance();
    await expect.poll(words).toEqual(DRAFTS);
    await expect.poll(() => at()).toBe(cards()[0]);
    expect(w.backend.callsOf("memory:episode:record")).toEqual([]);
  });

  test("new drafts that fail close it, and the panel shows the reason", async () => {
    await compared();
    w.backend.fail("ai:skill:run", {
      code: "MEMORY_MODEL_UNAVAILABLE",
      message: "refused",
      details: { reason: "unreachable" },
    });
    await w.id("again").click();
    await expect.element(w.id("run-problem")).toBeVisible();
    expect(isOpen()).toBe(false);
  });

  test("why opens beside the page, and another panel too: the drafts wait in theirs", async () => {
    await compared();
    await w.id("candidate-why").nth(1).click();
    await expect.element(w.id("why-panel")).toBeVisible();
    expect(isOpen()).toBe(false);
    await w.id("why-close").click();
    await expect.poll(() => w.id("candidate").elements()).toHaveLength(3);
    await w.id("compare-open").click();
    await w.id("nav-memory").click();
    await expect.element(w.id("memory-panel")).toBeVisible();
    expect(isOpen()).toBe(false);
  });

  test("with fewer than two drafts there is nothing to compare", async () => {
    w = await openWindow();
    await expect.element(w.id("compare-open")).toBeDisabled();
    await w.press("{F7}");
    await w.backend.idle();
    expect(isOpen()).toBe(false);
  });
});

test("the draft in front stays in sight on the page above", async () => {
  await compared();
  const sheet = w.content().closest("main")!.getBoundingClientRect();
  const ghost = () => [...w.id("preview").element().children].map((child) => child.getBoundingClientRect());
  await expect.poll(() => Math.max(...ghost().map(({ bottom }) => bottom))).toBeLessThanOrEqual(sheet.bottom);
  expect(sheet.bottom).toBeLessThanOrEqual(w.id("compare").element().getBoundingClientRect().top + 1);
});

test.each([false, true])("axe finds nothing (a rewritten passage: %s)", async (anew) => {
  await (anew ? rewritten() : compared());
  expect(await faults()).toEqual([]);
});
