import { afterEach, describe, expect, test } from "vitest";
import { faults } from "../../testing/axe";
import { composition, openWindow, type Window } from "./openWindow";

let w: Window;
afterEach(() => w.close());

async function openSafety() {
  await w.id("nav-memory").click();
  await w.id("memory-page-safety").click();
  await expect.element(w.id("safety-page")).toBeVisible();
}

const of = (file: "rules" | "episodes") => w.id(`backups-${file}`).getByTestId("backup");
const text = (id: string) => w.id(id).element().textContent ?? "";

describe("how full it is", () => {
  test("is shown for each book, with the sizes of both files; unknown counts are left out", async () => {
    w = await openWindow({ past: true });
    await openSafety();
    await expect.element(w.id("file-sizes")).toHaveTextContent("规则库 98 KB、往事库 14.3 MB");
    await expect
      .poll(() =>
        w
          .id("full")
          .elements()
          .map((row) => row.textContent),
      )
      .toEqual(["《验潮所》往事 5 / 1,000、摘要 1 / 5,000、规则 5 / 200", "全局规则 2 / 200"]);
    w.backend.degrade("episodes");
    await expect.poll(() => w.id("full").first().element().textContent).toBe("《验潮所》规则 5 / 200");
  });
});

describe("backups", () => {
  test("are listed by file with when, why and how large; the older ones on demand", async () => {
    w = await openWindow({ past: true });
    await openSafety();
    await expect.poll(() => of("rules").elements().length).toBe(4);
    const first = of("episodes").first().element();
    expect(first.textContent).toMatch(/今天 \d\d:\d\d|昨天 \d\d:\d\d|\d+月\d+日/);
    expect(first.textContent).toContain("手动");
    expect(first.textContent).toContain("14.3 MB");
    await w.id("backups-rules").getByText("其余 4 份").click();
    await expect.poll(() => of("rules").elements().length).toBe(8);
    expect(
      of("rules")
        .elements()
        .map((row) => row.textContent)
        .join(),
    ).toContain("更新以前");
  });

  test("are made on demand, and there is one more", async () => {
    w = await openWindow();
    await openSafety();
    await expect.element(w.id("no-backups")).toHaveTextContent("还没有备份。");
    await w.id("backup-now").click();
    await expect.element(w.id("backup-made")).toHaveTextContent("备份完成，包括两个库。");
    await expect.poll(() => [of("rules").elements().length, of("episodes").elements().length]).toEqual([1, 1]);
  });

  test("of a file that cannot be read are not claimed", async () => {
    w = await openWindow();
    w.backend.degrade("episodes");
    await openSafety();
    await w.id("backup-now").click();
    await expect.element(w.id("backup-made")).toHaveTextContent("只备份了规则库，另一个现在打不开。");
  });

  test("that could not be made say so where it happened", async () => {
    w = await openWindow();
    await openSafety();
    w.backend.fail("memory:backup:create", { code: "MEMORY_WRITE_FAILED", message: "disk full" });
    await w.id("backup-now").click();
    await expect.element(w.id("backup-problem")).toHaveTextContent("没能写进磁盘");
  });

  test("are restored only after an explanation; cancelling changes nothing", async () => {
    w = await openWindow({ past: true });
    await openSafety();
    await of("rules").nth(2).getByTestId("backup-restore").click();
    await expect.element(w.id("restore-dialog")).toBeVisible();
    expect(text("restore-dialog")).toContain("你删除和清除过的不会回来。");
    expect(text("restore-dialog")).toContain("会先备份现在的内容");
    expect(text("restore-dialog")).toContain("正文一个字都不变。");
    // The cancel button has the focus.
    await expect.element(w.id("restore-cancel")).toHaveFocus();
    await w.press("{Enter}");
    await expect.poll(() => w.id("restore-dialog").elements().length).toBe(0);
    expect(w.backend.callsOf("memory:backup:restore")).toEqual([]);
    await of("rules").nth(2).getByTestId("backup-restore").click();
    await w.id("restore-confirm").click();
    await expect.poll(() => w.id("restore-dialog").elements().length).toBe(0);
    await expect.poll(() => w.backend.callsOf("memory:backup:restore")).toEqual([{ backupId: "rules-3" }]);
  });

  test("bring everything of their file along: what was on screen before is read again", async () => {
    w = await openWindow({ past: true });
    await w.id("nav-memory").click();
    await w.id("memory-page-names").click();
    await expect.element(w.id("name-add")).toBeEnabled();
    await w.id("memory-page-safety").click();
    w.backend.life.names.set(w.projectId(), [{ name: "老周", alias: "闻人甲" }]);
    await of("rules").nth(1).getByTestId("backup-restore").click();
    await w.id("restore-confirm").click();
    await expect.poll(() => w.id("restore-dialog").elements().length).toBe(0);
    await w.id("memory-page-names").click();
    await expect.element(w.id("name-row")).toHaveTextContent("老周闻人甲");
  });

  test("that turn out to be damaged say so, and the question stays", async () => {
    w = await openWindow({ past: true });
    await openSafety();
    w.backend.fail("memory:backup:restore", {
      code: "MEMORY_STORE_UNAVAILABLE",
      message: "damaged",
      details: { reason: "damaged" },
    });
    await of("rules").first().getByTestId("backup-restore").click();
    await w.id("restore-confirm").click();
    await expect.element(w.id("restore-problem")).toHaveTextContent("正文不受影响。");
    await expect.element(w.id("restore-dialog")).toBeVisible();
  });
});

describe("a damaged file", () => {
  test("leads from the status bar to its newest backup; the damaged one is set aside, and its name shown", async () => {
    w = await openWindow({ past: true });
    w.backend.degrade("episodes");
    await w.id("degraded-notice").click();
    await w.id("mend-episodes-restore").click();
    expect(text("restore-dialog")).toContain("损坏的文件会移到一边保留。");
    await w.id("restore-confirm").click();
    await expect.element(w.id("set-aside")).toHaveTextContent(/损坏的文件还在，名为 episodes\.db\.corrupt-\d+。/);
    await expect.element(w.id("all-well")).toBeVisible();
    await expect.poll(() => w.id("degraded-notice").elements().length).toBe(0);
    await expect.poll(() => w.backend.callsOf("memory:backup:restore")).toEqual([{ backupId: "episodes-1" }]);
  });

  test("of rules: a notice warns that deleted episodes may return, because their deletions were recorded in it", async () => {
    w = await openWindow({ past: true });
    w.backend.degrade("rules");
    await w.id("degraded-notice").click();
    await w.id("mend-rules-restore").click();
    expect(text("restore-dialog")).toContain("单独删除的记在规则库里，规则库现在打不开，所以可能会回来。");
    expect(text("restore-dialog")).not.toContain("你删除和清除过的不会回来。");
  });

  test("without a backup is labelled as such", async () => {
    w = await openWindow();
    w.backend.degrade("episodes");
    await w.id("degraded-notice").click();
    await expect.element(w.id("mend-episodes")).toHaveTextContent("往事库还没有备份。");
    expect(w.id("mend-episodes-restore").elements()).toEqual([]);
  });
});

describe("clearing this book's memory", () => {
  test("says how much goes and what stays, wants the title typed, and says when it is done", async () => {
    w = await openWindow({ past: true });
    await openSafety();
    await w.id("clear-project").click();
    await expect
      .element(w.id("clear-gone"))
      .toHaveTextContent("318 次互动、5 条本书规则，连同流水、答案、故事里的人与事、每一段的来历和备份里的，不能恢复");
    expect(text("clear-book-dialog")).toContain("正文一个字都不变；书名、文件夹的位置、隐藏的名字和 2 条全局规则保留");
    await expect.element(w.id("clear-confirm")).toBeDisabled();
    await w.id("clear-title").fill("验潮");
    await expect.element(w.id("clear-book-dialog")).toHaveTextContent("还差 1 个字。");
    await w.id("clear-title").fill("灯塔");
    await expect.element(w.id("clear-book-dialog")).toHaveTextContent("和书名不一致。");
    await expect.element(w.id("clear-confirm")).toBeDisabled();
    await w.id("clear-title").fill(" 验潮所 ");
    await w.id("clear-confirm").click();
    await expect.element(w.id("toast")).toHaveTextContent("已清除项目“验潮所”的记忆");
    await expect
      .poll(() => w.backend.callsOf("memory:clear:project"))
      .toEqual([{ projectId: w.projectId(), confirmed: true }]);
    await expect.element(w.id("clearing")).toHaveTextContent("《验潮所》6 次互动、5 条规则、2 份来历");
    await w.id("memory-page-rules").click();
    await expect.element(w.id("memory-tab-project")).toHaveTextContent("本项目 0");
    await expect.element(w.id("memory-tab-global")).toHaveTextContent("全局 2");
  });

  test("leaves the text, and takes the marks of what is no longer remembered off the page", async () => {
    w = await openWindow({ past: true });
    await w.openChapter(2);
    await expect.poll(() => w.id("origin-mark").elements().length).toBe(2);
    const before = w.file(2).text;
    await openSafety();
    await w.id("clear-project").click();
    await w.id("clear-title").fill("验潮所");
    await w.id("clear-confirm").click();
    await expect.element(w.id("toast")).toBeVisible();
    await expect.poll(() => w.id("origin-mark").elements().length).toBe(0);
    await w.saved();
    await expect.poll(() => w.file(2).text).toBe(before);
    expect(w.file(2).origins).toEqual([]);
  });

  test("thinking better of it clears nothing, neither does Enter while an input method composes", async () => {
    w = await openWindow({ past: true });
    await openSafety();
    await w.id("clear-project").click();
    await w.id("clear-title").fill("验潮所");
    const ime = composition(w.id("clear-title").element() as HTMLElement);
    ime.begin();
    ime.key("Enter");
    ime.end("验潮所");
    ime.lateKey("Enter");
    await w.press("{Escape}");
    await expect.poll(() => w.id("clear-book-dialog").elements().length).toBe(0);
    expect(w.backend.callsOf("memory:clear:project")).toEqual([]);
    expect(w.id("toast").elements()).toEqual([]);
  });

  test("that fails says so in its place, and nothing is called done", async () => {
    w = await openWindow({ past: true });
    await openSafety();
    await w.id("clear-project").click();
    await w.id("clear-title").fill("验潮所");
    w.backend.degrade("episodes");
    await w.id("clear-confirm").click();
    await expect.element(w.id("clear-problem")).toHaveTextContent("要恢复一份备份才能用");
    expect(w.id("toast").elements()).toEqual([]);
  });
});

describe("clearing everything", () => {
  test("counts all books, asks a second time with the keyboard on the way back, and says when it is done", async () => {
    w = await openWindow({ past: true });
    await openSafety();
    await w.id("clear-all").click();
    await expect
      .element(w.id("clear-gone"))
      .toHaveTextContent(
        "1 本书的 318 次互动、5 条本书规则、2 条全局规则、流水、答案、故事里的人与事、隐藏的名字、书的清单、未保存的文字和所有备份，不能恢复",
      );
    expect(w.id("clear-confirm").elements()).toEqual([]);
    await w.id("clear-next").click();
    await expect.element(w.id("clear-all-dialog")).toHaveTextContent("真的全部清除？");
    await expect.element(w.id("clear-cancel")).toHaveFocus();
    expect(w.backend.callsOf("memory:clear:all")).toEqual([]);
    await w.id("clear-confirm").click();
    await expect.element(w.id("toast")).toHaveTextContent("已清除全部记忆");
    await expect.poll(() => w.backend.callsOf("memory:clear:all")).toEqual([{ confirmed: true }]);
    await expect.element(w.id("no-backups")).toBeVisible();
    await expect.element(w.id("clearing")).toHaveTextContent("全部6 次互动、7 条规则");
  });

  test("Enter at the second question goes back", async () => {
    w = await openWindow({ past: true });
    await openSafety();
    await w.id("clear-all").click();
    await expect.element(w.id("clear-gone")).toBeVisible();
    await w.id("clear-next").click();
    await w.press("{Enter}");
    await expect.poll(() => w.id("clear-all-dialog").elements().length).toBe(0);
    expect(w.backend.callsOf("memory:clear:all")).toEqual([]);
  });
});

describe("forgetting a book", () => {
  test("asks for its title, says what goes and what stays, and the window begins as it does for a new writer", async () => {
    w = await openWindow({ past: true });
    const before = w.projectId();
    await openSafety();
    await w.id("forget-project").click();
    await expect.element(w.id("clear-book-dialog")).toHaveTextContent("忘掉《验潮所》");
    await expect
      .element(w.id("clear-gone"))
      .toHaveTextContent("书名、文件夹的位置、隐藏的名字和未保存的文字。不能恢复");
    await expect.element(w.id("clear-book-dialog")).toHaveTextContent("书的文件夹和正文一个字都不变");
    await w.id("clear-title").fill("验潮所");
    await w.id("clear-confirm").click();
    await expect.element(w.id("toast")).toHaveTextContent("已忘掉《验潮所》");
    await expect.poll(() => w.backend.callsOf("project:forget")).toEqual([{ projectId: before, confirmed: true }]);
    await expect.poll(() => w.program.window.getState().project?.projectId).not.toBe(before);
    await expect.poll(() => w.program.editor.state.getState().chapter).not.toBeNull();
  });

  test("a page that cannot be saved is not forgotten with its book", async () => {
    w = await openWindow({ past: true });
    w.program.editor.flush = () => Promise.resolve(false);
    await openSafety();
    await w.id("forget-project").click();
    await w.id("clear-title").fill("验潮所");
    await w.id("clear-confirm").click();
    await expect.element(w.id("clear-problem")).toHaveTextContent("这一页还没能保存到书里");
    expect(w.backend.callsOf("project:forget")).toEqual([]);
  });
});

describe("without a book", () => {
  test("the memory as a whole can still be looked after", async () => {
    w = await openWindow({ past: true });
    w.program.window.setState({ project: null });
    await w.id("nav-memory").click();
    await expect.element(w.id("safety-page")).toBeVisible();
    expect(w.id("clear-project").elements()).toEqual([]);
    await expect.element(w.id("memory-page-rules")).toHaveAttribute("aria-disabled", "true");
    await expect.poll(() => of("rules").elements().length).toBe(4);
  });
});

describe("nothing is in the way of anybody", () => {
  test.each(["light", "dark"] as const)("axe finds nothing wrong with backups and the questions, %s", async (theme) => {
    w = await openWindow({ past: true, settings: { interfaceLanguage: "zh-CN", theme } });
    await openSafety();
    await expect.poll(() => of("rules").elements().length).toBe(4);
    expect(await faults()).toEqual([]);
    await of("rules").first().getByTestId("backup-restore").click();
    await expect.element(w.id("restore-dialog")).toBeVisible();
    expect(await faults()).toEqual([]);
    await w.id("restore-cancel").click();
    await w.id("clear-project").click();
    await w.id("clear-title").fill("验潮所");
    await expect.element(w.id("clear-confirm")).toBeEnabled();
    expect(await faults()).toEqual([]);
    await w.id("clear-confirm").click();
    await expect.element(w.id("toast")).toBeVisible();
    expect(await faults()).toEqual([]);
    await w.id("clear-all").click();
    await expect.element(w.id("clear-gone")).toBeVisible();
    await w.id("clear-next").click();
    expect(await faults()).toEqual([]);
  });
});
