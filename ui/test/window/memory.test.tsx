import { afterEach, describe, expect, test } from "vitest";
import { faults } from "../../testing/axe";
import { openWindow, type Window } from "./openWindow";

let w: Window;
afterEach(() => w.close());

const card = (text: string) => w.id("rule-card").filter({ hasText: text });

async function openMemory() {
  await w.id("nav-memory").click();
  await expect.element(w.id("memory-panel")).toBeVisible();
}

describe("the memory panel", () => {
  test("a new writer sees that it is learning, and may say something first", async () => {
    w = await openWindow({ rules: false });
    await openMemory();
    await expect.element(w.id("memory-panel")).toHaveTextContent("AI 正在学习你的写作偏好，使用越多越精准");
    await w.id("rule-add").click();
    await w.id("rule-text").fill("所有角色对白不使用感叹号");
    await w.id("rule-save").click();
    await expect.element(card("所有角色对白不使用感叹号")).toBeVisible();
    await expect
      .poll(() => w.backend.callsOf("memory:semantic:add"))
      .toEqual([
        {
          rule: "所有角色对白不使用感叹号",
          category: "style",
          scope: "project",
          projectId: w.projectId(),
          sceneType: null,
        },
      ]);
    await expect.element(card("感叹号")).toHaveTextContent("很确定 1.00");
    await expect.element(card("感叹号")).toHaveTextContent("你写的");
  });

  test("a rule says how often the model did what it says, and one that it ignores says so on its face", async () => {
    w = await openWindow();
    const [ignored, minded] = ["始终用第一人称", "对白里的句子要短"].map((text) =>
      w.backend.rules.find(({ rule }) => rule.includes(text))!,
    );
    w.backend.followed = [
      { ruleId: ignored!.id, yes: 0, partly: 2, no: 8, ignored: true },
      { ruleId: minded!.id, yes: 6, partly: 0, no: 1, ignored: false },
    ];
    w.backend.emit("memory:changed", { projectId: null, what: ["rules"] });
    await openMemory();
    await expect.element(card("始终用第一人称")).toHaveTextContent("模型常不照做");
    await expect.element(card("对白里的句子要短")).not.toHaveTextContent("模型常不照做");
    expect(w.id("rule-followed").elements()).toEqual([]);
    await card("始终用第一人称").getByRole("button").first().click();
    await expect
      .element(w.id("rule-followed"))
      .toHaveTextContent(
        "最近带上它写的 10 次：部分照做 2 次、没照做 8 次。这个模型不太照做。换个说法，或者换一个模型。",
      );
    expect(await faults()).toEqual([]);
    await card("对白里的句子要短").getByRole("button").first().click();
    await expect.element(w.id("rule-followed")).toHaveTextContent(/最近带上它写的 7 次：照做 6 次、没照做 1 次。$/);
  });

  test("a rule for everywhere, of a category and a scene", async () => {
    w = await openWindow();
    await openMemory();
    await w.id("rule-add").click();
    await w.id("rule-text").fill("动作里不写心理");
    await w.id("rule-category").click();
    await w.id("rule-category-pacing").click();
    await w.id("rule-scene").click();
    await w.id("rule-scene-action").click();
    await w.id("rule-scope-global").click();
    await w.id("rule-save").click();
    await expect
      .poll(() => w.backend.callsOf("memory:semantic:add"))
      .toEqual([{ rule: "动作里不写心理", category: "pacing", scope: "global", projectId: null, sceneType: "action" }]);
    await expect.element(card("动作里不写心理")).toBeVisible();
  });

  test("global rules and those of the book are separate; confidence is shown in words, as a number and with the count", async () => {
    w = await openWindow();
    await openMemory();
    await expect.element(w.id("memory-tab-project")).toHaveTextContent("本项目 5");
    await expect.element(card("对白里的句子要短")).toHaveTextContent("很确定 0.91·46 次");
    await expect.element(card("章末好像爱停在")).toHaveTextContent("还在学习·6 次");
    expect(card("章末好像爱停在").element().textContent).not.toContain("0.60");
    await w.id("memory-tab-global").click();
    await expect.poll(() => w.id("rule-card").elements().length).toBe(2);
    await expect.element(w.id("episodes-recorded")).toHaveTextContent("已记录 312 次互动");
  });

  test("confirming turns it to ink and takes the button away", async () => {
    w = await openWindow();
    await openMemory();
    await card("老周每次开口").click();
    await w.id("rule-confirm").click();
    await expect.element(card("老周每次开口")).toHaveTextContent("已确认");
    expect(w.id("rule-confirm").elements()).toHaveLength(0);
    await expect.poll(() => w.backend.callsOf("memory:semantic:confirm")).toHaveLength(1);
  });

  test("editing in place", async () => {
    w = await openWindow();
    await openMemory();
    await card("老周每次开口").click();
    await w.id("rule-edit").click();
    await w.id("rule-text").fill("老周只说半句。");
    await w.id("rule-save").click();
    await expect.element(card("老周只说半句。")).toHaveTextContent("你改过");
  });

  test("a stale edit is reported, the newest version is shown, and the writer's words stay", async () => {
    w = await openWindow();
    await openMemory();
    await card("老周每次开口").click();
    await w.id("rule-edit").click();
    await w.id("rule-text").fill("老周只说半句。");
    const rule = w.backend.rules.find((one) => one.rule.startsWith("老周每次开口"))!;
    Object.assign(rule, { rule: "老周从不解释。", version: 2 });
    await w.id("rule-save").click();
    await expect.element(w.id("rule-problem")).toHaveTextContent("老周从不解释。");
    await expect.element(w.id("rule-text")).toHaveValue("老周只说半句。");
    await w.id("rule-save").click();
    await expect.poll(() => rule.rule).toBe("老周只说半句。");
  });

  test("deleting and promoting", async () => {
    w = await openWindow();
    await openMemory();
    await card("动作一句一件事").click();
    await w.id("rule-promote").click();
    await expect.element(w.id("memory-tab-global")).toHaveTextContent("全局 3");
    await card("章末好像爱停在").click();
    await w.id("rule-delete").click();
    await w.id("rule-delete-confirm").click();
    await expect.poll(() => card("章末好像爱停在").elements().length).toBe(0);
    // First asks whether the rule contains hidden names.
    const ruleId = expect.any(String);
    await expect.poll(() => w.backend.callsOf("memory:promote")).toEqual([{ ruleId, preview: true }, { ruleId }]);
    await expect.poll(() => w.backend.callsOf("memory:semantic:delete")).toHaveLength(1);
  });

  test("a rule with a hidden name is promoted after the writer has read what happens to the name", async () => {
    w = await openWindow();
    w.backend.life.names.set(w.projectId(), [{ name: "老周", alias: "闻人甲" }]);
    await openMemory();
    await card("老周每次开口").click();
    await w.id("rule-promote").click();
    await expect
      .element(w.id("rule-promoting"))
      .toHaveTextContent("这条规则里有 1 个隐藏的名字。提升以后，每本书的提示词里都会有它；发给模型时，名字换成化名。");
    await expect.element(w.id("memory-tab-global")).toHaveTextContent("全局 2");
    await w.id("rule-promote-anyway").click();
    await expect.element(w.id("memory-tab-global")).toHaveTextContent("全局 3");
  });

  test("what changes elsewhere is shown here", async () => {
    w = await openWindow();
    await openMemory();
    await expect.element(card("老周每次开口")).toBeVisible();
    w.backend.rules.find((one) => one.rule.startsWith("老周每次开口"))!.rule = "老周开口只说数字。";
    w.backend.emit("memory:changed", { projectId: w.projectId(), what: ["rules"] });
    await expect.element(card("老周开口只说数字。")).toBeVisible();
  });
});

describe("why", () => {
  test("opens from the margin, in groups, with what was cut and what was sent", async () => {
    w = await openWindow();
    await w.openChapter(2);
    await expect.poll(() => w.id("origin-mark").elements().length).toBe(2);
    await w.id("origin-mark").first().click();
    await expect.element(w.id("why-panel")).toBeVisible();
    await expect.poll(() => w.id("why-group-rule").getByTestId("why-reference").elements().length).toBeGreaterThan(0);
    await expect.element(w.id("why-group-episode")).toHaveTextContent("柜子缺一条腿");
    await expect.element(w.id("why-group-episode")).toHaveTextContent("适用度 0.74");
    await expect.element(w.id("why-group-working")).toHaveTextContent("你爸让我别扔");
    await expect.element(w.id("why-cut")).toHaveTextContent("放不下");
    await expect.element(w.id("why-panel")).toHaveTextContent("示例模型·内置句子，不联网");
    await expect.element(w.id("why-outcome")).toHaveTextContent("取自第 2 稿，你改了 18%");
    expect(w.id("why-sent").elements()).toHaveLength(0);
    await w.id("why-sent-toggle").click();
    await expect.element(w.id("why-sent")).toHaveTextContent("[用户写作偏好 - 自动学习]");
    await w.id("why-close").click();
    await expect.poll(() => w.id("why-panel").elements().length).toBe(0);
    await expect.element(w.id("skill-continue")).toBeVisible();
  });

  test("what was sent opens below the groups and leaves them the larger part", async () => {
    w = await openWindow();
    await w.openChapter(2);
    await w.id("origin-mark").first().click();
    await expect.element(w.id("why-group-rule")).toBeVisible();
    await w.id("why-sent-toggle").click();
    await expect.element(w.id("why-sent")).toBeVisible();
    const panel = w.id("why-panel").element().getBoundingClientRect();
    const groups = w.id("why-group-rule").element().parentElement!.getBoundingClientRect();
    expect(groups.height / panel.height).toBeGreaterThan(0.5);
  });

  test("a passage whose record is not there says so", async () => {
    w = await openWindow();
    await w.openChapter(2);
    w.backend.traces.delete("gen-a");
    await w.id("origin-mark").first().click();
    await expect.element(w.id("why-panel")).toHaveTextContent("查不到这一段的来历");
  });
});

describe("the window", () => {
  test("says in the status bar that the memory is gone, and goes on", async () => {
    w = await openWindow();
    w.backend.degrade("rules", "episodes");
    await expect.element(w.id("degraded-notice")).toHaveTextContent("记忆系统暂时不可用，AI 将以通用模式工作");
    w.backend.degrade();
    await expect.poll(() => w.id("degraded-notice").elements().length).toBe(0);
  });

  test("changes its language and its theme at once", async () => {
    w = await openWindow();
    await w.id("nav-settings").click();
    await w.id("language-select").click();
    await w.id("language-select-en").click();
    await expect.element(w.id("run")).toHaveTextContent("Continue");
    expect(document.documentElement.lang).toBe("en");
    await w.id("theme-toggle").click();
    await expect.poll(() => document.documentElement.dataset["theme"]).toBe("dark");
    await expect.poll(() => w.backend.callsOf("settings:set")).toContainEqual({ theme: "dark" });
  });

  test("a folder that claims to be a known book without a folder asks which book it is", async () => {
    w = await openWindow();
    w.backend.folder = "/books/elsewhere";
    await w.id("open-folder").click();
    await expect.element(w.id("copied-of")).toHaveTextContent("记忆里已经有这本书了：《潮汐簿》。");
    await w.id("copied-same-book").click();
    await expect
      .poll(() => w.backend.callsOf("project:open"))
      .toEqual([{ path: "/books/elsewhere" }, { path: "/books/elsewhere", copiedAs: "sameBook" }]);
  });

  test("a folder that is a copy asks which book it is", async () => {
    w = await openWindow();
    w.backend.folder = "/books/copy";
    await w.id("open-folder").click();
    await expect.element(w.id("copied-new-book")).toBeVisible();
    await w.id("copied-new-book").click();
    await expect
      .poll(() => w.backend.callsOf("project:open"))
      .toEqual([{ path: "/books/copy" }, { path: "/books/copy", copiedAs: "newBook" }]);
    await expect.poll(() => w.program.window.getState().project?.path).toBe("/books/copy");
  });

  test("goes from one book to another and back", async () => {
    w = await openWindow();
    w.backend.folder = "/books/灯塔";
    await w.id("open-folder").click();
    await expect.poll(() => w.program.window.getState().project?.title).toBe("灯塔");
    await expect.poll(() => document.querySelector(".cm-content")).toBeNull();
    await w.id("book-select").click();
    await w.id(`book-select-${w.projectId()}`).click();
    await expect.poll(() => document.querySelector(".cm-content")?.textContent).toContain("头班渡船六点开");
    await expect.poll(() => w.backend.callsOf("settings:set").at(-1)).toEqual({ lastProjectId: w.projectId() });
  });

  test("a command without permission is reported like any other error", async () => {
    w = await openWindow();
    const invoke = w.backend.invoke.bind(w.backend);
    w.backend.invoke = (name, args) =>
      name === "project:open" ? Promise.reject("Command project:open not allowed by ACL") : invoke(name, args);
    w.backend.folder = "/books/any";
    await w.id("open-folder").click();
    await expect.element(w.id("problem")).toHaveTextContent("程序没有接受这个操作。");
  });
});
