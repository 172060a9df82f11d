import { afterEach, describe, expect, test } from "vitest";
import { faults } from "../../testing/axe";
import { openWindow, type Window } from "./openWindow";

let w: Window;
afterEach(() => w.close());

const notice = () => w.id("degraded-notice");
const toSafety = () => notice().click();

describe("a memory with something missing", () => {
  test("past examples: reported in the status bar and in the assistant until they are available again", async () => {
    w = await openWindow();
    expect(w.id("assistant-degraded").elements()).toEqual([]);
    w.backend.degrade("episodes");
    await expect.element(notice()).toHaveTextContent("过往示例暂不可用");
    await expect.element(w.id("assistant-degraded")).toHaveTextContent("过往示例暂不可用");
    expect(document.body.textContent).toContain("会带上适用的规则");
    expect(document.body.textContent).not.toContain("会带上适用的规则和往事");
    w.backend.degrade();
    await expect.poll(() => notice().elements().length).toBe(0);
    expect(w.id("assistant-degraded").elements()).toEqual([]);
    expect(document.body.textContent).toContain("会带上适用的规则和往事");
  });

  test("never stands in the way of writing: the page is saved, a run goes on", async () => {
    w = await openWindow();
    w.backend.degrade("rules", "episodes");
    await expect.element(notice()).toHaveTextContent("记忆系统暂时不可用，AI 将以通用模式工作");
    await w.toEnd();
    await w.press("写下去。");
    await w.saved();
    await expect.poll(() => w.file(0).text).toContain("写下去。");
    await w.id("run").click();
    await expect.poll(() => w.id("candidate").elements().length).toBe(3);
    expect(document.querySelector("[role=dialog], [role=alertdialog]")).toBeNull();
  });

  test("the rules' file: rules of a backup are shown, without controls to change them", async () => {
    w = await openWindow({ past: true });
    w.backend.degrade("rules");
    await expect.element(notice()).toHaveTextContent("规则暂时只读");
    await w.id("nav-memory").click();
    await expect.element(w.id("missing-rulesOld")).toHaveTextContent("暂时使用备份里的规则");
    await w.id("rule-card").first().click();
    await expect.element(w.id("rule-card").first()).toHaveTextContent("这是备份里的，现在改不了。");
    for (const id of ["rule-confirm", "rule-edit", "rule-delete", "rule-add"])
      expect(w.id(id).elements(), id).toEqual([]);
    w.backend.degrade();
    await expect.element(w.id("rule-edit")).toBeVisible();
    await expect.element(w.id("rule-add")).toBeVisible();
  });

  test("the rules' file without a backup: the built-in ones are named, no broken list is shown", async () => {
    w = await openWindow();
    w.backend.degrade("rules");
    await expect.element(notice()).toHaveTextContent("规则暂时用自带的");
    await w.id("nav-memory").click();
    await expect.element(w.id("missing-rulesBuiltIn")).toBeVisible();
    expect(w.id("rule-card").elements()).toEqual([]);
    expect(document.body.textContent).not.toContain("规则读不出来");
  });

  test("an implausible clock: reported on the health page only, until the writer confirms it", async () => {
    w = await openWindow();
    w.backend.life.status = {
      ...w.backend.life.status,
      clock: { reason: "ahead", now: "2036-03-15T21:00:00Z", newest: "2026-03-15T21:00:00Z" },
    };
    await w.id("nav-memory").click();
    await w.id("memory-page-safety").click();
    await w.program.client.refetchQueries({ queryKey: ["status"] });
    await expect.element(w.id("clock-doubt")).toHaveTextContent("2036年3月15日");
    await expect.element(w.id("clock-doubt")).toHaveTextContent("写作、想起往事和学习照常。");
    expect(w.id("all-well").elements()).toEqual([]);
    expect(notice().elements()).toEqual([]);
    await w.id("tidy-now").click();
    await expect.element(w.id("tidied")).toHaveTextContent("其余的等时间确认以后再做。");
    await w.id("clock-confirm").click();
    await expect.element(w.id("all-well")).toBeVisible();
    expect(w.id("clock-doubt").elements()).toEqual([]);
    await expect.poll(() => w.backend.callsOf("memory:clock:confirm").length).toBe(1);
  });

  test("missing entries: reported in the status bar until the writer acknowledges them", async () => {
    w = await openWindow();
    w.backend.life.status = { ...w.backend.life.status, degraded: true, missing: [{ file: "episodes", count: 3 }] };
    await w.program.client.refetchQueries({ queryKey: ["status"] });
    await expect.element(notice()).toHaveTextContent("有些记录不见了");
    await toSafety();
    await w.id("missing-known").click();
    await expect.poll(() => notice().elements().length).toBe(0);
    await expect.element(w.id("all-well")).toBeVisible();
  });

  test("from the start: the book opens, and no unrequested dialog appears", async () => {
    w = await openWindow({ past: true, ill: ["rules"] });
    await expect.element(notice()).toHaveTextContent("规则暂时只读");
    await expect.poll(() => w.text).toContain("渡船");
    expect(w.id("problem").elements()).toEqual([]);
    // A failed action of the writer is reported.
    await w.id("theme-toggle").click();
    await expect.element(w.id("problem")).toHaveTextContent("正文不受影响。");
  });

  test("recall: less precise, found by words and scene", async () => {
    w = await openWindow();
    w.backend.degrade("embedder");
    await expect.element(notice()).toHaveTextContent("想起往事没那么准了");
    await toSafety();
    await expect
      .element(w.id("health-problem-meaning"))
      .toHaveTextContent("语义查找暂时不可用，改按字词、场景和时间找。");
  });

  test("several things: the gravest in the status bar, all of them where they can be mended", async () => {
    w = await openWindow();
    w.backend.degrade("embedder", "rules", "maintenance");
    await expect.element(notice()).toHaveTextContent("规则暂时用自带的，另有 2 个问题");
    await toSafety();
    for (const kind of ["rulesBuiltIn", "meaning", "maintenance"])
      await expect.element(w.id(`health-problem-${kind}`)).toBeVisible();
    await expect
      .poll(() => w.id("memory-page-safety").element().getAttribute("aria-label"))
      .toContain("规则暂时用自带的");
  });

  test("how many interactions there are is not made up while they cannot be counted", async () => {
    w = await openWindow();
    w.backend.degrade("episodes");
    await w.id("nav-memory").click();
    await expect.element(w.id("episodes-recorded")).toHaveTextContent("往事库打不开，互动次数暂时无法统计");
  });

  test("is asked again by itself as soon as a command meets it", async () => {
    w = await openWindow();
    await expect.poll(() => w.backend.callsOf("memory:status").length).toBeGreaterThan(0);
    // No event announces the change.
    w.backend.life.status = {
      ...w.backend.life.status,
      degraded: true,
      parts: w.backend.life.status.parts.map((one) =>
        one.part === "episodes" ? { ...one, state: "unavailable", reason: "unwritable", message: "disk full" } : one,
      ),
    };
    w.backend.fail("memory:episode:record", { code: "MEMORY_WRITE_FAILED", message: "disk full" });
    await w.toEnd();
    await w.id("run").click();
    await expect.poll(() => w.id("candidate").elements().length).toBe(3);
    w.backend.advance();
    await w.id("take").first().click();
    await expect.element(notice()).toHaveTextContent("新的往事暂时无法记录");
    // The failed write is reported where it happened, with a retry.
    await expect.poll(() => document.body.textContent).toContain("文字已写进正文，但没能记录这次取舍");
    expect(document.body.textContent).toContain("没能写进磁盘，看看磁盘是不是满了。");
  });

  test("is asked again as soon as an answer says that it is wanting", async () => {
    w = await openWindow({ past: true });
    await w.id("nav-memory").click();
    await w.id("memory-page-past").click();
    await expect.poll(() => w.id("past-card").elements().length).toBe(6);
    const { life } = w.backend;
    life.degrade(["episodes"]);
    // The file broke unnoticed: the last known status is good.
    const ill = life.status;
    w.program.client.setQueryData(["status"], {
      ...ill,
      degraded: false,
      parts: ill.parts.map((one) => ({ ...one, state: "ok" as const })),
    });
    await expect.poll(() => notice().elements().length).toBe(0);
    await w.id("past-search").fill("簿子");
    await expect.element(notice()).toHaveTextContent("过往示例暂不可用");
  });

  test("an undo that could not be recorded is reported and retried", async () => {
    w = await openWindow();
    await w.toEnd();
    await w.id("run").click();
    await expect.poll(() => w.id("candidate").elements().length).toBe(3);
    w.backend.advance();
    await w.id("take").first().click();
    await w.saved();
    w.backend.fail("memory:episode:feedback", { code: "MEMORY_WRITE_FAILED", message: "disk full" });
    await w.press("{Control>}z{/Control}");
    await w.openChapter(2);
    await expect.element(w.id("regret")).toHaveTextContent("正文已撤回，但没能记录这次撤回");
    await w.id("regret-again").click();
    await expect.poll(() => w.id("regret").elements().length).toBe(0);
    await w.backend.idle();
    await expect
      .poll(() => w.backend.episodes.at(-1))
      .toMatchObject({ implicit: "delayedNegative", implicitWeight: -1.5 });
    expect(w.id("regret").elements()).toEqual([]);
  });
});

describe("tidying that failed", () => {
  test("is shown with when it is tried again, in the status bar too, and can be done now", async () => {
    w = await openWindow();
    await expect.poll(() => w.backend.callsOf("memory:status").length).toBeGreaterThan(0);
    const { life } = w.backend;
    life.failing.add("daily");
    // No call fails at night: the event is the only sign.
    life.status = {
      ...life.status,
      degraded: true,
      parts: life.status.parts.map((one) =>
        one.part === "maintenance" ? { ...one, state: "unavailable", message: "the disk is full" } : one,
      ),
      maintenance: [{ job: "daily", begunAt: "2026-10-20T14:32:00Z", doneAt: null, failure: "the disk is full" }],
    };
    w.backend.emit("memory:maintenance:failed", {
      job: "daily",
      at: "2026-10-20T14:32:00Z",
      code: "MEMORY_CLEANUP_FAILED",
      message: "the disk is full",
    });
    await expect.element(notice()).toHaveTextContent("整理记忆没有完成");
    // Drafts lack nothing because of it.
    expect(w.id("assistant-degraded").elements()).toEqual([]);
    await toSafety();
    await expect.element(w.id("health-problem-maintenance")).toHaveTextContent("会再试");
    await expect.element(w.id("health-problem-maintenance")).toHaveTextContent("the disk is full");
    await w.id("tidy-now").click();
    await expect.element(w.id("tidy-problem")).toHaveTextContent("整理记忆没有完成，下次会再试。写作不受影响。");
    w.backend.life.failing.clear();
    await w.id("tidy-now").click();
    await expect.element(w.id("tidied")).toHaveTextContent("整理完成：12 段往事压缩成了摘要、备份了 2 份。");
    await expect.poll(() => notice().elements().length).toBe(0);
    await expect.element(w.id("all-well")).toHaveTextContent("一切正常。");
  });
});

describe("nothing is in the way of anybody", () => {
  test.each(["light", "dark"] as const)("axe finds nothing wrong with what is missing, %s", async (theme) => {
    w = await openWindow({ past: true, settings: { interfaceLanguage: "zh-CN", theme } });
    w.backend.degrade("rules", "embedder", "maintenance");
    await expect.element(w.id("assistant-degraded")).toBeVisible();
    expect(await faults()).toEqual([]);
    await toSafety();
    await expect.element(w.id("mend-rules")).toBeVisible();
    expect(await faults()).toEqual([]);
    await w.id("memory-page-rules").click();
    await expect.element(w.id("missing-rulesOld")).toBeVisible();
    expect(await faults()).toEqual([]);
  });
});
