// The main paths of a writer on the engine itself. What the window shows is compared with what the engine has stored.

import { afterEach, describe, expect, test } from "vitest";
import { openWindow, type Window } from "./openWindow";

let w: Window;
afterEach(() => w.close());

const card = (text: string) => w.id("rule-card").filter({ hasText: text });
const rules = async () => (await w.backend.ask("memory:semantic:list", { projectId: w.projectId })).rules;
const sections = (text: string) => text.split(/\n+/).filter((line) => line !== "");

/** Adds a rule of the book in the open memory panel. */
async function addRule(text: string) {
  await w.id("rule-add").click();
  await w.id("rule-text").fill(text);
  await w.id("rule-save").click();
  await expect.element(card(text)).toBeVisible();
}

describe("the text", () => {
  test("the sample opens at the first start, and the same book at the next", async () => {
    w = await openWindow();
    expect(w.id("chapter-item").elements()).toHaveLength(w.chapters.length);
    const { text } = await w.chapter(0);
    await expect.poll(() => w.text).toContain(sections(text)[1]);
    await w.openChapter(1);
    w = await w.reopened();
    const { projects } = await w.backend.ask("project:list", {});
    expect(projects.map(({ projectId }) => projectId)).toEqual([w.projectId]);
    await expect.element(w.id("chapter-item").first()).toHaveTextContent(w.chapters[0]!.title);
  });

  test("what is typed is saved into the chapter, and is there when the window opens again", async () => {
    w = await openWindow();
    const before = await w.chapter(0);
    await w.toEnd();
    await w.press("雨停了。");
    await w.saved();
    const after = await w.chapter(0);
    expect(after.text.replace("雨停了。", "")).toBe(before.text);
    expect(after.contentHash).not.toBe(before.contentHash);
    w = await w.reopened();
    await expect.poll(() => w.text).toContain("雨停了。");
  });
});

describe("the drafts", () => {
  test("one that is taken is in the chapter with its origin, and among the past passages", async () => {
    w = await openWindow();
    await w.toEnd();
    const drafts = await w.drafts();
    await w.id("take").nth(1).click();
    await expect.poll(async () => (await w.past()).length).toBe(1);
    await w.saved();
    const [{ episode }] = (await w.past()) as [Awaited<ReturnType<typeof w.past>>[number]];
    expect(episode).toMatchObject({ candidates: drafts, selectedIndex: 1, finalText: drafts[1], editDistance: 0 });
    expect(episode.implicit).toBe("strongPositive");
    const { text, origins } = await w.chapter(0);
    expect(origins.every(({ generationId }) => generationId === episode.generationId)).toBe(true);
    const marked = origins.map(({ from, to }) => text.slice(from, to)).join("");
    expect(sections(marked).join("")).toBe(sections(drafts[1]!).join(""));
    await expect.element(w.id("origin-mark").first()).toBeVisible();
  });

  test("one that is changed first is recorded as changed, and only what is still the assistant's has an origin", async () => {
    w = await openWindow();
    await w.toEnd();
    const [first] = await w.drafts();
    await w.id("edit-first").first().click();
    await w.id("edit-text").fill(`${first}我没有回头。`);
    await w.id("edit-take").click();
    await expect.poll(async () => (await w.past()).length).toBe(1);
    await w.saved();
    const [recalled] = await w.past();
    expect(recalled!.episode).toMatchObject({ selectedIndex: 0, finalText: `${first}我没有回头。` });
    expect(recalled!.episode.editDistance).toBeGreaterThan(0);
    const { text, origins } = await w.chapter(0);
    expect(text).toContain("我没有回头。");
    expect(origins.length).toBeGreaterThan(0);
    expect(origins.map(({ from, to }) => text.slice(from, to)).join("")).not.toContain("我没有回头");
  });

  test("rejecting all is recorded as that, and changes no text", async () => {
    w = await openWindow();
    const before = await w.chapter(0);
    await w.toEnd();
    const drafts = await w.drafts();
    await w.id("reject-all").click();
    await expect.poll(async () => (await w.past()).length).toBe(1);
    const [recalled] = await w.past();
    expect(recalled!.episode).toMatchObject({ candidates: drafts, selectedIndex: -1, finalText: "" });
    expect(recalled!.episode.implicit).toBe("strongNegative");
    expect((await w.chapter(0)).text).toBe(before.text);
  });

  test("one that is taken and undone counts as undone", async () => {
    w = await openWindow();
    const before = await w.chapter(0);
    await w.toEnd();
    await w.drafts();
    await w.id("take").first().click();
    await w.saved();
    await expect.poll(async () => (await w.past()).length).toBe(1);
    await w.press("{Control>}z{/Control}");
    await w.openChapter(1); // leaving the page settles what was undone on it
    await expect.poll(async () => (await w.past())[0]!.episode.implicit).toBe("delayedNegative");
    expect(await w.chapter(0)).toMatchObject({ text: before.text, origins: [] });
  });

  test("why shows the rule that was in the prompt, and the prompt itself", async () => {
    w = await openWindow();
    await w.openMemory();
    await addRule("不用感叹号");
    await w.id("nav-memory").click();
    await w.toEnd();
    await w.drafts();
    await w.id("take").first().click();
    await w.saved();
    await w.id("origin-mark").first().click();
    await expect.element(w.id("why-group-rule")).toHaveTextContent("不用感叹号");
    await expect.element(w.id("why-panel")).toHaveTextContent("示例模型·内置句子，不联网");
    await expect.element(w.id("why-outcome")).toHaveTextContent("取自第 1 稿");
    await w.id("why-sent-toggle").click();
    await expect.element(w.id("why-sent")).toHaveTextContent("- 不用感叹号（置信度: 1.00，用户已确认）");
  });
});

describe("the memory", () => {
  test("a rule is added, reworded, promoted and deleted", async () => {
    w = await openWindow();
    await w.openMemory();
    await addRule("不用感叹号"); // the card of a new rule is open
    await w.id("rule-edit").click();
    await w.id("rule-text").fill("少用感叹号");
    await w.id("rule-save").click();
    await expect.element(card("少用感叹号")).toHaveTextContent("你写的");
    expect(await rules()).toMatchObject([{ rule: "少用感叹号", version: 2, userConfirmed: true, scope: "project" }]);
    await w.id("rule-promote").click();
    await expect.element(w.id("memory-tab-global")).toHaveTextContent("全局 1");
    expect(await rules()).toMatchObject([{ version: 3, scope: "global", projectId: null }]);
    await addRule("句子写短");
    await card("句子写短").getByTestId("rule-delete").click();
    await w.id("rule-delete-confirm").click();
    await expect.poll(() => card("句子写短").elements().length).toBe(0);
    expect(await rules()).toMatchObject([{ rule: "少用感叹号" }]);
  });

  test("past passages are found by their words, pinned, and deleted", async () => {
    w = await openWindow();
    await w.toEnd();
    await w.drafts();
    await w.id("reject-all").click();
    await expect.poll(async () => (await w.past()).length).toBe(1);
    await w.toEnd();
    const [first] = await w.drafts();
    await w.id("edit-first").first().click();
    await w.id("edit-text").fill(`${first}砚台里的墨干了。`);
    await w.id("edit-take").click();
    await expect.poll(async () => (await w.past()).length).toBe(2);
    await w.openMemory("past");
    await expect.poll(() => w.id("past-card").elements().length).toBe(2);
    await w.id("past-search").fill("砚台");
    const found = () =>
      w
        .id("past-card")
        .elements()
        .filter((one) => one.getAttribute("data-group") === "found");
    await expect.element(w.id("past-card").first()).toHaveTextContent("对得上的：用词");
    expect(found().map((one) => one.querySelector("mark")?.textContent)).toEqual(["砚台"]);
    await expect.element(w.id("past-card").first()).toHaveTextContent("砚台里的墨干了。");
    // The other one is below, as perhaps related.
    await expect.element(w.id("past-perhaps")).toHaveTextContent("也许相关");
    await w.id("past-keep").first().click();
    await expect.element(w.id("past-card").first()).toHaveTextContent("取消核心设定");
    expect((await w.past()).filter(({ episode }) => episode.userConfirmed)).toHaveLength(1);
    await w.id("past-delete").first().click();
    await w.id("past-delete-confirm").click();
    await expect.poll(() => found().length).toBe(0);
    expect(await w.past()).toMatchObject([{ episode: { selectedIndex: -1 } }]);
  });

  test("learning is paused and resumed", async () => {
    w = await openWindow();
    await w.openMemory();
    await w.id("learning-pause").click();
    await expect.element(w.id("learning-paused")).toHaveTextContent("学习已暂停");
    await expect(w.backend.ask("memory:semantic:distill", { projectId: w.projectId })).rejects.toMatchObject({
      code: "MEMORY_LEARNING_PAUSED",
    });
    await w.id("learning-resume").click();
    await w.id("resume-with").click();
    await expect.poll(() => w.id("learning-paused").elements().length).toBe(0);
    expect(await w.backend.ask("memory:semantic:list", {})).toMatchObject({ learningPaused: false });
  });

  test("a hidden name is replaced in the prompt, and the text keeps it", async () => {
    w = await openWindow();
    await w.toEnd();
    await w.press("老周没有说话。");
    await w.saved();
    await w.openMemory("names");
    await w.id("name-add").click();
    await w.id("name-name").fill("老周");
    await w.id("name-alias").fill("闻人甲");
    await w.id("name-save").click();
    await expect.element(w.id("name-row")).toHaveTextContent("老周闻人甲");
    await w.id("nav-memory").click();
    await w.id("preview-toggle").click();
    await expect.element(w.id("preview-sent")).toHaveTextContent("闻人甲没有说话。");
    expect(w.id("preview-sent").element().textContent).not.toContain("老周");
    expect((await w.chapter(0)).text).toContain("老周没有说话。");
  });

  test("clearing a book forgets its past and its rules, and leaves the text", async () => {
    w = await openWindow();
    await w.openMemory();
    await addRule("不用感叹号");
    await w.id("nav-memory").click();
    await w.toEnd();
    await w.drafts();
    await w.id("take").first().click();
    await w.saved();
    const before = await w.chapter(0);
    await w.openMemory("safety");
    await w.id("clear-project").click();
    await w.id("clear-title").fill(w.program.window.getState().project!.title);
    await w.id("clear-confirm").click();
    await expect.element(w.id("clearing")).toHaveTextContent("1 次互动、1 条规则、1 份来历");
    expect([await w.past(), await rules()]).toEqual([[], []]);
    expect((await w.chapter(0)).text).toBe(before.text);
    await expect.poll(() => w.id("origin-mark").elements().length).toBe(0);
  });
});

describe("the settings", () => {
  test("language and theme change at once, and are there when the window opens again", async () => {
    w = await openWindow();
    await w.id("nav-settings").click();
    await w.id("language-select").click();
    await w.id("language-select-en").click();
    await expect.element(w.id("run")).toHaveTextContent("Continue");
    await w.id("theme-toggle").click();
    await expect.poll(() => document.documentElement.dataset["theme"]).toBe("dark");
    await w.backend.idle();
    w = await w.reopened();
    await expect.element(w.id("run")).toHaveTextContent("Continue");
    await expect.poll(() => document.documentElement.dataset["theme"]).toBe("dark");
    expect(await w.backend.ask("settings:get", {})).toMatchObject({ interfaceLanguage: "en", theme: "dark" });
  });
});
