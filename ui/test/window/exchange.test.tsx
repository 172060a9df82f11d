import { afterEach, describe, expect, test } from "vitest";
import { taken } from "../../src/backend/fake/exchange";
import { faults } from "../../testing/axe";
import { openWindow, type Window } from "./openWindow";

let w: Window;
afterEach(() => w.close());

const ALL = "/elsewhere/全部记忆 2026-10-19.jsonl";
const PAGE = "/elsewhere/写作风格.md";

async function openSafety() {
  await w.id("nav-memory").click();
  await w.id("memory-page-safety").click();
  await expect.element(w.id("safety-page")).toBeVisible();
}

const rows = () =>
  w
    .id("incoming-row")
    .elements()
    .map((row) => row.textContent);
const heads = () =>
  [...document.querySelectorAll("[data-testid=incoming-table] thead th")].map((head) => head.textContent);
const gone = () => expect.poll(() => w.id("incoming-dialog").elements().length).toBe(0);

/** A file from another machine with new, known and conflicting records. */
function brought(comes?: () => void) {
  w.backend.chosenFile = ALL;
  w.backend.exchange.files.set(ALL, {
    comes,
    kinds: [
      taken("project", { new: 1, same: 1 }),
      taken("ruleVersion", { new: 4 }),
      taken("tombstone", { new: 1 }),
      taken("rule", { new: 2, newer: 1, same: 5, conflicting: 1 }),
      taken("evidence", { new: 310 }),
      taken("episode", { new: 1_318, leftOut: 3 }),
      taken("trace", { new: 12 }),
      taken("draft", { new: 30 }),
    ],
  });
}

describe("out", () => {
  test("the rules go to a page where the writer wants it: those of this book and of all", async () => {
    w = await openWindow({ past: true });
    await openSafety();
    w.backend.savePath = "/home/a/我的写作风格.md";
    await w.id("rules-out").click();
    await expect.element(w.id("exchanged")).toHaveTextContent("已导出“我的写作风格.md”：规则 7。");
    await expect
      .poll(() => w.backend.callsOf("memory:export"))
      .toEqual([{ path: "/home/a/我的写作风格.md", format: "markdown", projectId: w.projectId() }]);
    await expect
      .poll(() => w.backend.saveDialogs)
      .toEqual([
        { title: "导出规则", name: "写作风格.md", kind: { name: "Markdown", extensions: ["md", "markdown"] } },
      ]);
  });

  test("everything, or this book alone, with how much of what, and what was left out", async () => {
    w = await openWindow({ past: true });
    await openSafety();
    w.backend.savePath = "/home/a/all.jsonl";
    await w.id("all-out").click();
    await expect
      .element(w.id("exchanged"))
      .toHaveTextContent("已导出“all.jsonl”：书 1、规则 7、规则的修改记录 7、互动 6、来历 2。");
    w.backend.exchange.leftOut = 3;
    await w.id("book-out").click();
    await expect.element(w.id("exchanged")).toHaveTextContent("有 3 条没有导出");
    await expect
      .poll(() => w.backend.callsOf("memory:export"))
      .toEqual([
        { path: "/home/a/all.jsonl", format: "jsonLines", projectId: null },
        { path: "/home/a/all.jsonl", format: "jsonLines", projectId: w.projectId() },
      ]);
    await expect
      .poll(() => w.backend.saveDialogs.map(({ name }) => name))
      .toEqual([
        expect.stringMatching(/^全部记忆 \d{4}-\d\d-\d\d\.jsonl$/),
        expect.stringMatching(/^验潮所的记忆 \d{4}-\d\d-\d\d\.jsonl$/),
      ]);
  });

  test("shows its progress, blocks other exports meanwhile, and shows a failure in place", async () => {
    w = await openWindow({ past: true });
    await openSafety();
    w.backend.savePath = "/home/a/all.jsonl";
    const release = w.backend.waits.hold("memory:export");
    await w.id("all-out").click();
    await expect.element(w.id("exchanged")).toHaveTextContent("正在导出……");
    for (const id of ["all-in", "book-out"]) (w.id(id).element() as HTMLElement).click();
    release();
    await expect.element(w.id("exchanged")).toHaveTextContent("已导出");
    expect([w.backend.callsOf("memory:export").length, w.backend.callsOf("memory:import").length]).toEqual([1, 0]);
    w.backend.fail("memory:export", {
      code: "MEMORY_INVALID_ARGUMENT",
      message: "path: in the memory's own folder",
      details: { field: "path", reason: "insideTheMemory" },
    });
    await w.id("all-out").click();
    await expect.element(w.id("exchange-problem")).toHaveTextContent("这里是记忆自己的文件夹");
    await expect.poll(() => w.id("exchanged").element().textContent).toBe("");
    w.backend.degrade("episodes");
    await w.id("all-out").click();
    await expect.element(w.id("exchange-problem")).toHaveTextContent("要恢复一份备份才能用");
  });

  test("a system without a dialog is reported", async () => {
    w = await openWindow({ past: true });
    await openSafety();
    w.backend.pickFile = () => Promise.reject("dialog.open not allowed");
    await w.id("all-in").click();
    await expect.element(w.id("exchange-problem")).toHaveTextContent("程序没有接受这个操作。");
  });

  test("cancelling the system's dialog sends no request", async () => {
    w = await openWindow({ past: true });
    await openSafety();
    for (const id of ["rules-out", "all-out", "book-out", "rules-in", "all-in"]) await w.id(id).click();
    await expect.poll(() => w.backend.dialogsOpened).toBe(5);
    expect([...w.backend.callsOf("memory:export"), ...w.backend.callsOf("memory:import")]).toEqual([]);
    expect(w.id("incoming-dialog").elements()).toEqual([]);
  });
});

describe("in", () => {
  test("nothing is touched before it was shown, by kind, what is new, what is here and what differs", async () => {
    w = await openWindow({ past: true });
    await openSafety();
    brought();
    await w.id("all-in").click();
    await expect.element(w.id("incoming-verdict")).toHaveTextContent("还没有改动。导入后会是这样：");
    await expect.poll(heads).toEqual(["类别", "新的", "那边较新", "一样", "两边不同", "不导入的"]);
    await expect
      .poll(rows)
      .toEqual([
        "书10100",
        "规则21510",
        "规则的修改记录40000",
        "互动1,3180003",
        "来历420000",
        "学习的依据3100000",
        "删除记录10000",
      ]);
    await expect.element(w.id("incoming-conflicting")).toHaveTextContent("留这里的");
    await expect.element(w.id("incoming-left-out")).toHaveTextContent("删除过");
    await expect
      .poll(() => w.id("incoming-dialog").element().textContent)
      .toContain("这里删除过的不会回来；那边删除过的，这里也删除。");
    await expect
      .poll(() => w.backend.callsOf("memory:import"))
      .toEqual([{ path: ALL, format: "jsonLines", projectId: null, dryRun: true }]);
    // The cancel button has the focus.
    await expect.element(w.id("incoming-cancel")).toHaveFocus();
    await w.press("{Enter}");
    await gone();
    await expect.poll(() => w.backend.callsOf("memory:import").length).toBe(1);
    await expect.poll(() => w.id("exchanged").element().textContent).toBe("");
  });

  test("then all of it comes, and the window shows what has come; the same file a second time has nothing to bring", async () => {
    w = await openWindow({ past: true });
    await openSafety();
    const { backend } = w;
    brought(
      () =>
        void backend.rules.push({
          ...backend.rules[0]!,
          id: "brought",
          rule: "从那边来的规则。",
          scope: "project",
          projectId: w.projectId(),
          conflicted: false,
        } as never),
    );
    const release = [backend.waits.hold("memory:import")];
    await w.id("all-in").click();
    await expect.element(w.id("incoming-dialog")).toHaveTextContent("正在读取，和这里的记忆比较……");
    release.pop()?.();
    await expect.element(w.id("incoming-confirm")).toBeVisible();
    release.push(backend.waits.hold("memory:import"));
    await w.id("incoming-confirm").click();
    await expect.element(w.id("incoming-dialog")).toHaveTextContent("先备份，再导入……");
    await expect.element(w.id("incoming-cancel")).toBeDisabled();
    release.pop()?.();
    await gone();
    await expect
      .element(w.id("exchanged"))
      .toHaveTextContent(
        "已导入：书 1、规则 3、规则的修改记录 4、互动 1,318、来历 42、学习的依据 310、删除记录 1。导入以前的内容在备份里。",
      );
    expect(backend.callsOf("memory:import").map(({ dryRun }) => dryRun)).toEqual([true, false]);
    await w.id("all-in").click();
    await expect.element(w.id("incoming-verdict")).toHaveTextContent("这里都有了，不用导入。");
    await expect.poll(heads).toEqual(["类别", "一样"]);
    expect(w.id("incoming-confirm").elements()).toEqual([]);
    await w.id("incoming-cancel").click();
    await gone();
    await w.id("memory-page-rules").click();
    await expect
      .poll(() =>
        w
          .id("rule-card")
          .elements()
          .some((card) => card.textContent?.includes("从那边来的规则。")),
      )
      .toBe(true);
  });

  test("a page of rules is for this book, and says so", async () => {
    w = await openWindow({ past: true });
    await openSafety();
    w.backend.chosenFile = PAGE;
    w.backend.exchange.files.set(PAGE, { kinds: [taken("rule", { new: 2, same: 7, leftOut: 1 })] });
    await w.id("rules-in").click();
    await expect.element(w.id("incoming-dialog")).toHaveTextContent("导入“写作风格.md”");
    await expect.poll(rows).toEqual(["规则271"]);
    await expect.element(w.id("incoming-left-out")).toHaveTextContent("不导入的：这里删除过。还想要的话，请手动添加。");
    await expect
      .poll(() => w.id("incoming-dialog").element().textContent)
      .toContain("新的算你手动添加的，用于《验潮所》；写明“全局”的用于所有的书。");
    await w.id("incoming-confirm").click();
    await expect.element(w.id("exchanged")).toHaveTextContent("“写作风格.md”已导入：规则 2。");
    await expect
      .poll(() => w.backend.callsOf("memory:import"))
      .toEqual([true, false].map((dryRun) => ({ path: PAGE, format: "markdown", projectId: w.projectId(), dryRun })));
  });

  test("an invalid line is reported by its number, and nothing is imported", async () => {
    w = await openWindow({ past: true });
    await openSafety();
    w.backend.chosenFile = PAGE;
    w.backend.exchange.files.set(PAGE, {
      code: "MEMORY_INVALID_ARGUMENT",
      message: "line 12 cannot be taken: brokenLine",
      details: { reason: "brokenLine", line: 12 },
    });
    await w.id("rules-in").click();
    await expect
      .element(w.id("incoming-problem"))
      .toHaveTextContent("第 12 行：上一条规则分成了两行。每条规则写在一行里。什么也没有导入。");
    expect(w.id("incoming-confirm").elements()).toEqual([]);
    await w.press("{Escape}");
    await gone();
    w.backend.chosenFile = "/elsewhere/gone.jsonl";
    await w.id("all-in").click();
    await expect.element(w.id("incoming-problem")).toHaveTextContent("这个文件读不了，看看它还在不在。");
  });

  test("a failure at the end is shown in the dialog, which can then only be closed", async () => {
    w = await openWindow({ past: true });
    await openSafety();
    brought();
    await w.id("all-in").click();
    await expect.element(w.id("incoming-confirm")).toBeVisible();
    w.backend.fail("memory:import", { code: "MEMORY_CAPACITY_EXCEEDED", message: "full" });
    await w.id("incoming-confirm").click();
    await expect
      .element(w.id("incoming-problem"))
      .toHaveTextContent("记忆满了，剩下的都是你确认过的。删除几条再试。什么也没有导入。");
    expect(w.id("incoming-confirm").elements()).toEqual([]);
    await w.id("incoming-cancel").click();
    await gone();
    await expect.poll(() => w.id("exchanged").element().textContent).toBe("");
  });
});

describe("without a book", () => {
  test("everything goes out and in all the same, and a page is for all books", async () => {
    w = await openWindow({ past: true });
    w.program.window.setState({ project: null });
    await w.id("nav-memory").click();
    await expect.element(w.id("exchange-all")).toBeVisible();
    expect(w.id("exchange-book").elements()).toEqual([]);
    w.backend.savePath = "/home/a/all.md";
    await w.id("rules-out").click();
    await expect.element(w.id("exchanged")).toHaveTextContent("已导出“all.md”：规则 2。");
    w.backend.chosenFile = PAGE;
    w.backend.exchange.files.set(PAGE, { kinds: [taken("rule", { new: 2 })] });
    await w.id("rules-in").click();
    await expect.element(w.id("incoming-dialog")).toHaveTextContent("新的算你手动添加的，用于所有的书。");
  });
});

describe("by keyboard, and for everybody", () => {
  test("from the button to the end without a mouse", async () => {
    w = await openWindow({ past: true });
    await openSafety();
    brought();
    (w.id("all-in").element() as HTMLElement).focus();
    await w.press("{Enter}");
    await expect.element(w.id("incoming-confirm")).toBeVisible();
    await w.press("{Tab}{Enter}");
    await gone();
    await expect.element(w.id("exchanged")).toHaveTextContent("已导入");
    // The focus returns when the dialog closes.
    await expect.poll(() => document.activeElement?.getAttribute("data-testid")).toBe("all-in");
  });

  test.each([
    ["zh-CN", "light"],
    ["zh-CN", "dark"],
    ["en", "light"],
    ["en", "dark"],
  ] as const)("axe finds nothing wrong with it, %s, %s", async (interfaceLanguage, theme) => {
    w = await openWindow({ past: true, settings: { interfaceLanguage, theme } });
    await openSafety();
    w.backend.savePath = "/home/a/all.jsonl";
    await w.id("all-out").click();
    await expect.element(w.id("exchanged")).toHaveTextContent("all.jsonl");
    expect(await faults()).toEqual([]);
    brought();
    await w.id("all-in").click();
    await expect.element(w.id("incoming-table")).toBeVisible();
    expect(await faults()).toEqual([]);
    await w.id("incoming-cancel").click();
    await gone();
    w.backend.exchange.files.set(ALL, {
      code: "MEMORY_SCOPE_DENIED",
      message: "",
      details: { reason: "otherBook", line: 4_021 },
    });
    await w.id("all-in").click();
    await expect.element(w.id("incoming-problem")).toBeVisible();
    expect(await faults()).toEqual([]);
  });
});
