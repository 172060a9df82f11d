// Many rules: the search finds one by text, kind or state, nothing moves while the writer works, and only rules near
// the
// viewport are rendered.

import { afterEach, describe, expect, test } from "vitest";
import type { FakeOptions } from "../../src/backend/fake";
import { faults } from "../../testing/axe";
import { openWindow, type Window } from "./openWindow";

let w: Window;
afterEach(() => w.close());

const CATEGORIES = ["style", "structure", "character", "pacing", "vocabulary"] as const;
const card = (text: string) => w.id("rule-card").filter({ hasText: text });
const cards = () =>
  w
    .id("rule-card")
    .elements()
    .map((one) => one.querySelector("p")!.textContent!);
const count = (n: number) => expect.poll(() => w.id("rule-card").elements().length).toBe(n);
const found = (words: string) => expect.element(w.id("rule-search-found")).toHaveTextContent(words);

/** The sample's rules and `more` rules of the book. */
async function openRules(more: number, options: FakeOptions = {}) {
  w = await openWindow(options);
  const [first] = w.backend.rules;
  for (let index = 0; index < more; index += 1) {
    const text = options.language === "en" ? `Rule ${index + 1} of the drawer.` : `第 ${index + 1} 条抽屉里的规矩。`;
    w.backend.rules.push({
      ...first!,
      id: `more-${index}`,
      rule: text,
      category: CATEGORIES[index % 5]!,
      sceneType: null,
      userConfirmed: false,
      confidence: 0.6,
      evidenceCount: 12,
      projectId: w.projectId(),
      scope: "project",
    });
  }
  w.backend.emit("memory:changed", { projectId: null, what: ["rules"] });
  await w.id("nav-memory").click();
  await expect.element(w.id("rule-card").first()).toBeVisible();
}

async function narrow(picker: "rule-state" | "rule-of" | "rule-in", key: string) {
  await w.id(picker).click();
  await w.id(`${picker}-${key}`).click();
}

describe("until they are there", () => {
  test("it shows that they are loading, and no numbers yet", async () => {
    w = await openWindow();
    const release = w.backend.waits.hold("memory:semantic:list");
    void w.program.client.resetQueries({ queryKey: ["rules"] });
    await w.id("nav-memory").click();
    await expect.element(w.id("rules")).toHaveTextContent("正在读取……");
    expect(w.id("memory-panel").element().textContent).not.toContain("0 次互动");
    expect(w.id("episodes-recorded").element().getAttribute("data-count")).toBeNull();
    const { bottom } = w.id("episodes-recorded").element().getBoundingClientRect();
    release();
    await count(5);
    await expect.element(w.id("episodes-recorded")).toHaveTextContent("已记录 312 次互动");
    await expect.poll(() => w.id("episodes-recorded").element().getBoundingClientRect().bottom).toBe(bottom);
    expect(w.id("rules").element().textContent).not.toContain("正在读取");
  });

  test("rules that cannot be read are not called none, nor what was recorded", async () => {
    w = await openWindow();
    w.backend.fail("memory:semantic:list", { code: "MEMORY_STORE_UNAVAILABLE", message: "locked" }, 9);
    void w.program.client.resetQueries({ queryKey: ["rules"] });
    await w.id("nav-memory").click();
    await expect.element(w.id("rules-again")).toBeVisible();
    await expect.element(w.id("episodes-recorded")).toHaveTextContent("互动次数暂时无法统计");
    expect(w.id("memory-panel").element().textContent).not.toContain("0 次互动");
    expect(w.id("rules").element().textContent).not.toContain("正在读取");
    expect(await faults()).toEqual([]);
  });
});

describe("looking for a rule", () => {
  test("with a handful there is nothing to look with; once there it stays", async () => {
    w = await openWindow();
    await w.id("nav-memory").click();
    await count(5);
    expect(w.id("rule-search").elements()).toEqual([]);
    await w.id("rule-add").click();
    await w.id("rule-text").fill("动作里不写心理");
    await w.id("rule-save").click();
    await expect.element(w.id("rule-search")).toBeVisible();
    await card("动作里不写心理").getByTestId("rule-delete").click();
    await w.id("rule-delete-confirm").click();
    await count(5);
    await expect.element(w.id("rule-search")).toBeVisible();
  });

  test("by its words: the number found is shown, Escape clears the search, and the tabs' numbers stay those of all", async () => {
    await openRules(3);
    await w.id("rule-search").fill("抽屉");
    await count(3);
    await found("找到 3 条");
    await expect.element(w.id("memory-tab-project")).toHaveTextContent("本项目 8");
    await w.id("rule-search").fill("第 2 条抽屉");
    await found("找到 1 条");
    await w.press("{Escape}");
    await count(8);
    await found("");
    await expect.element(w.id("rule-search")).toHaveValue("");
  });

  test("in English without case", async () => {
    await openRules(3, { language: "en" });
    await w.id("rule-search").fill("DRAWER");
    await found("3 found");
    await w.id("rule-search").fill("drawers");
    await found("None found");
  });

  test("by what it is, for what it is and how it stands, together", async () => {
    await openRules(3, { learned: true });
    const places = () => document.querySelectorAll('[data-testid="rules"] li').length;
    const total = places();
    expect(w.id("rule-filters").elements()).toEqual([]);
    await w.id("rule-filter").click();
    await narrow("rule-state", "confirmed");
    await expect
      .poll(cards)
      .toEqual(["对白里的句子要短，平均不超过十五字。", "问句要少。", "始终用第一人称，不写别人心里想什么。"]);
    await narrow("rule-of", "style");
    await count(2);
    await narrow("rule-in", "=dialogue");
    await found("找到 1 条");
    await expect.element(w.id("rule-filter")).toHaveTextContent("筛选 3");
    await w.id("rule-clear").click();
    await expect.poll(places).toBe(total);
    await narrow("rule-state", "opposed");
    await expect.poll(cards).toEqual(["对白后面不写“他说”，让话自己站住。", "每句对白都写明是谁说的。"]);
    await narrow("rule-state", "learning");
    await expect.poll(cards).toEqual(["好像要让回忆不超过三句就回到眼前。", "章末好像爱停在一件东西上。"]);
    await narrow("rule-state", "recent");
    await expect.poll(cards).toEqual(["老周每次开口不超过两句，从不解释自己。"]);
    await narrow("rule-state", "ignored");
    await expect.element(w.id("rules-nothing")).toBeVisible();
    const [ignored] = w.backend.rules.filter(({ rule }) => rule === "问句要少。");
    w.backend.followed = [{ ruleId: ignored!.id, yes: 0, partly: 0, no: 9, ignored: true }];
    w.backend.emit("memory:changed", { projectId: null, what: ["rules"] });
    await expect.poll(cards).toEqual(["问句要少。"]);
  });

  test("nothing found says so, says where there is something, and offers to clear", async () => {
    await openRules(3);
    await w.id("rule-search").fill("仿佛");
    await found("没有找到");
    await expect.element(w.id("rules-nothing")).toHaveTextContent("本书的规则里没有符合条件的。");
    await w.id("rules-elsewhere").click();
    await expect.poll(cards).toEqual(["不用“仿佛”“似乎”“某种”。"]);
    await w.id("memory-tab-project").click();
    await w.id("rules-clear").click();
    await count(8);
    await expect.element(w.id("rule-search")).toHaveValue("");
    await expect.poll(() => document.activeElement).not.toBe(document.body);
  });
});

describe("rules in order", () => {
  test("by category, by confidence with what is still learned last, by the last change", async () => {
    await openRules(3);
    expect(cards()[0]).toBe("对白里的句子要短，平均不超过十五字。");
    await w.id("rule-sort").click();
    await w.id("rule-sort-confidence").click();
    await expect.poll(() => cards()[0]).toBe("始终用第一人称，不写别人心里想什么。");
    expect(cards().at(-1)).toBe("章末好像爱停在一件东西上。");
    await expect.element(card("始终用第一人称")).toHaveTextContent("叙事偏好");
    w.backend.rules.find(({ id }) => id === "more-1")!.updatedAt = "2026-12-01T00:00:00Z";
    w.backend.emit("memory:changed", { projectId: null, what: ["rules"] });
    await w.id("rule-sort").click();
    await w.id("rule-sort-changed").click();
    await expect.poll(() => cards()[0]).toBe("第 2 条抽屉里的规矩。");
  });

  test("what is worked on stays where it is, although it now stands elsewhere or fits no more", async () => {
    await openRules(3);
    await w.id("rule-filter").click();
    await narrow("rule-state", "learning");
    await w.id("rule-sort").click();
    await w.id("rule-sort-confidence").click();
    await count(1);
    await card("章末好像爱停在").getByRole("button").first().click();
    await w.id("rule-confirm").click();
    await expect.element(card("章末好像爱停在")).toHaveTextContent("已确认");
    await count(1);
    await narrow("rule-state", "any");
    await expect.poll(() => cards().length).toBe(8);
    const before = cards();
    await card("第 3 条").getByRole("button").first().click();
    await w.id("rule-edit").click();
    await w.id("rule-text").fill("第 3 条，改过。");
    w.backend.rules.find(({ id }) => id === "more-2")!.confidence = 0.99;
    await w.id("rule-save").click();
    // The form shows the new text too: a saved rule is a card without it.
    await expect.poll(() => w.id("rule-text").elements().length).toBe(0);
    await expect.element(card("第 3 条，改过。")).toBeVisible();
    expect(cards().map((text) => text.slice(0, 3))).toEqual(before.map((text) => text.slice(0, 3)));
  });
});

describe("a rule that comes from elsewhere", () => {
  test("is shown, though what was looked for would hide it", async () => {
    await openRules(3);
    await card("老周每次开口").getByRole("button").first().click();
    await w.id("rule-delete").click();
    await w.id("rule-delete-confirm").click();
    await w.id("rule-search").fill("抽屉");
    await count(3);
    await w.id("rule-gone-undo").click();
    await expect.element(card("老周每次开口")).toBeVisible();
    await expect.element(w.id("rule-search")).toHaveValue("");
    await expect.poll(() => card("老周每次开口").element().contains(document.activeElement)).toBe(true);
  });

  test("and one that fits leaves what is looked for as it is", async () => {
    await openRules(3);
    await w.id("rule-search").fill("抽屉");
    await count(3);
    await w.id("rule-add").click();
    await w.id("rule-text").fill("抽屉要关上");
    await w.id("rule-save").click();
    await expect.element(card("抽屉要关上")).toBeVisible();
    await expect.element(w.id("rule-search")).toHaveValue("抽屉");
    await found("找到 4 条");
  });
});

describe("five hundred rules", () => {
  const MOST = 60;
  const mounted = () => w.id("rule-card").elements().length;
  const list = () => w.id("rules").element() as HTMLElement;
  const frames = async (many: number) => {
    for (let frame = 0; frame < many; frame += 1) await new Promise(requestAnimationFrame);
  };
  /** Items in sight without their cards. */
  const blank = () => {
    const frame = list().getBoundingClientRect();
    return [...list().querySelectorAll("li")].filter((one) => {
      const { top, bottom } = one.getBoundingClientRect();
      return bottom > frame.top && top < frame.bottom && one.childElementCount === 0;
    });
  };
  /** Waits until the cards at this position are in the page: that takes more than a few frames on a loaded machine. */
  const settled = async () => {
    await frames(3);
    await expect.poll(blank).toEqual([]);
  };

  test("are never in the page all at once, wherever it is scrolled to, and the list is as long as if they were", async () => {
    await openRules(495);
    await expect.element(w.id("memory-tab-project")).toHaveTextContent("本项目 500");
    await settled();
    let most = mounted();
    let seen = new Set(cards());
    for (let top = 0; top < list().scrollHeight; top += list().clientHeight) {
      list().scrollTop = top;
      await settled();
      most = Math.max(most, mounted());
      seen = new Set([...seen, ...cards()]);
    }
    expect(most).toBeLessThanOrEqual(MOST);
    expect(seen.size).toBe(500);
    expect(list().querySelectorAll("li").length).toBe(500);
  });

  test("what is open stays in the page, with what is being written in it", async () => {
    await openRules(495);
    await card("对白里的句子要短").getByRole("button").first().click();
    await w.id("rule-edit").click();
    await w.id("rule-text").fill("老周只说半句");
    (w.id("rule-search").element() as HTMLElement).focus();
    list().scrollTop = list().scrollHeight;
    await settled();
    await expect.element(w.id("rule-text")).toHaveValue("老周只说半句");
    list().scrollTop = 0;
    await settled();
    await expect.element(w.id("rule-text")).toHaveValue("老周只说半句");
  });

  test("going up, nothing that is read moves by more than a hair, though what comes in is higher than was thought", async () => {
    await openRules(0);
    const [first] = w.backend.rules;
    for (let index = 0; index < 200; index += 1)
      w.backend.rules.push({
        ...first!,
        id: `long-${index}`,
        rule: `第 ${index} 条。`,
        sceneType: null,
        standing: index % 5 === 0 ? "suspended" : "active",
      });
    w.backend.emit("memory:changed", { projectId: null, what: ["rules"] });
    await expect.element(w.id("memory-tab-project")).toHaveTextContent("本项目 205");
    // Cards with a question are taller. Scroll back from a position that was jumped to.
    list().scrollTop = 8_000;
    await settled();
    for (let step = 0; step < 20; step += 1) {
      const frame = list().getBoundingClientRect();
      const read = [...list().querySelectorAll<HTMLElement>("li")].find(
        (one) => one.getBoundingClientRect().top > frame.top + 100,
      )!;
      const at = read.getBoundingClientRect().top;
      list().scrollTop -= 80;
      await settled();
      expect(Math.abs(read.getBoundingClientRect().top - at - 80)).toBeLessThan(2);
    }
  });

  test("the keyboard walks through them", async () => {
    await openRules(95);
    (card("对白里的句子要短").getByRole("button").first().element() as HTMLElement).focus();
    for (let step = 0; step < 40; step += 1) {
      await w.press("{Tab}");
      await settled();
    }
    const standing = document.activeElement!.closest<HTMLElement>('[data-testid="rule-card"]');
    expect(standing).not.toBeNull();
    expect(standing!.querySelector("p")!.textContent).toBe(
      [...list().querySelectorAll("li")][40]!.querySelector("p")!.textContent,
    );
  });

  test("one of them is found at once", async () => {
    await openRules(495);
    await w.id("rule-search").fill("第 377 条");
    await count(1);
    await found("找到 1 条");
  });
});

test.each([
  ["zh", "light"],
  ["zh", "dark"],
  ["en", "light"],
  ["en", "dark"],
] as const)("axe finds nothing: %s, %s", async (language, theme) => {
  await openRules(3, { language, settings: { interfaceLanguage: language === "en" ? "en" : "zh-CN", theme } });
  await w.id("rule-filter").click();
  await narrow("rule-state", "confirmed");
  expect(await faults()).toEqual([]);
  await w.id("rule-search").fill("qqqq");
  await expect.element(w.id("rules-nothing")).toBeVisible();
  await w.backend.idle();
  expect(await faults()).toEqual([]);
});
