import { afterEach, describe, expect, test, vi } from "vitest";
import type { RunChange } from "../../src/backend";
import { faults } from "../../testing/axe";
import { card, gone, open, openRules, rule, w } from "./rulesPage";

afterEach(() => w.close());

/** Deletes all rules of the book but the first. */
function dropping(): RunChange[] {
  const own = w.backend.rules.filter(({ scope }) => scope === "project").slice(1);
  return own.map((before) => ({
    ruleId: before.id,
    projectId: w.projectId(),
    kind: "dropped",
    before: { ...before },
    after: null,
    kept: false,
  }));
}

describe("pausing", () => {
  test("says so at the top and freezes updating; resuming asks about what was recorded meanwhile", async () => {
    await openRules();
    expect(w.id("learning-paused").elements()).toEqual([]);
    await w.id("learning-pause").click();
    await expect.element(w.id("learning-paused")).toHaveTextContent("学习已暂停");
    await expect.element(w.id("paused-note")).toHaveTextContent("暂停期间照常记录，不形成新规则。");
    expect(w.id("learn-now").elements()).toEqual([]);
    const badge = getComputedStyle(w.id("learning-paused").element());
    const token = document.createElement("i");
    token.style.background = "var(--color-warning)";
    document.body.append(token);
    expect(badge.backgroundColor).toBe(getComputedStyle(token).backgroundColor);
    token.remove();
    expect(await faults()).toEqual([]);
    await w.id("learning-resume").click();
    await expect.element(w.id("resume-choice")).toBeVisible();
    expect(w.backend.callsOf("memory:learning:resume")).toEqual([]);
    await w.id("resume-with").click();
    await gone("learning-paused");
    await expect.poll(() => w.backend.callsOf("memory:learning:resume")).toEqual([{ useRecorded: true }]);
    await expect.element(w.id("learn-now")).toBeEnabled();
  });

  test("ends without what was recorded, when the writer says so; thinking better of it leaves it paused", async () => {
    await openRules();
    await w.id("learning-pause").click();
    await w.id("learning-resume").click();
    await w.press("{Escape}");
    await gone("resume-choice");
    expect(w.backend.callsOf("memory:learning:resume")).toEqual([]);
    await w.id("learning-resume").click();
    await expect.element(w.id("resume-without")).toHaveFocus();
    await w.press("{Enter}");
    await gone("learning-paused");
    await expect.poll(() => w.backend.callsOf("memory:learning:resume")).toEqual([{ useRecorded: false }]);
  });

  test("that could not be stored is reported in place", async () => {
    await openRules();
    w.backend.fail("memory:learning:pause", { code: "MEMORY_WRITE_FAILED", message: "disk full" });
    await w.id("learning-pause").click();
    await expect.element(w.id("learning-problem")).toHaveTextContent("没能写进磁盘");
    expect(w.id("learning-paused").elements()).toEqual([]);
    // The next action replaces the error.
    await w.id("learn-now").click();
    await expect.element(w.id("learning-outcome")).toBeVisible();
    expect(w.id("learning-problem").elements()).toEqual([]);
  });
});

describe("updating preferences", () => {
  test("shows its progress here and in the status bar, and can be cancelled", async () => {
    await openRules();
    w.backend.learning.next = { status: "nothing", held: true };
    await w.id("learn-now").click();
    await expect.element(w.id("learning-progress")).toHaveTextContent("正在更新偏好：读取你的取舍");
    await expect.element(w.id("learn-now")).toBeDisabled();
    w.backend.learning.advance("reconciling", 0.8);
    await expect.element(w.id("learning-progress")).toHaveTextContent("正在更新偏好：和已有规则比对");
    await expect.element(w.id("learning-status")).toHaveTextContent("正在更新偏好 80%");
    expect(await faults()).toEqual([]);
    await w.id("learning-cancel").click();
    await expect.element(w.id("learning-outcome")).toHaveTextContent("已停止，规则没有变。");
    await gone("learning-progress");
    await gone("learning-status");
    await expect.poll(() => w.backend.callsOf("memory:semantic:distill")).toEqual([{ projectId: w.projectId() }]);
    await expect.element(w.id("learn-now")).toBeEnabled();
  });

  test("that learned nothing says why", async () => {
    await openRules();
    await w.id("learn-now").click();
    await expect
      .element(w.id("learning-outcome"))
      .toHaveTextContent(
        "这次什么也没学到。目前有 9 次有用的修改，还不够清楚。最接近的是“句子长短”，依据达到所需的 62%。",
      );
  });

  test.each([
    [{ kind: "noEvidence" }, "还没有能说明偏好的取舍"],
    [
      { kind: "notYet", choices: 4, edits: 2, nearest: null, progress: null },
      "目前有 2 次有用的修改、4 次有用的选择，还不够清楚。",
    ],
    [{ kind: "nothingToSay", features: 3 }, "有 3 处不像偶然，但太小或太杂"],
    [{ kind: "nothingNew" }, "上次更新以后没有新的取舍"],
  ] as const)("gives each reason its own words: %o", async (reason, words) => {
    await openRules();
    w.backend.learning.next = { status: "nothing", reason };
    await w.id("learn-now").click();
    await expect.element(w.id("learning-outcome")).toHaveTextContent(words);
  });

  test.each([
    [{ kind: "model", trouble: "timeout" }, "等了很久，没有收到回答。"],
    [{ kind: "model", trouble: "unbelievable" }, "模型的回答不符合要求，没有采用。"],
    [{ kind: "store" }, "记忆库没有响应。"],
    [{ kind: "interrupted" }, "中途断了。"],
  ] as const)(
    "that failed says that the rules are as they were, and what was in the way: %o",
    async (reason, words) => {
      await openRules();
      w.backend.learning.next = { status: "failed", reason };
      await w.id("learn-now").click();
      await expect
        .element(w.id("learning-outcome"))
        .toHaveTextContent(`更新没有完成，规则没有变，下次会再试。${words}`);
    },
  );

  test("that learned something counts it, and the rule is there", async () => {
    await openRules();
    const known = rule("动作一句一件事");
    const learned = { ...known, id: "rule-new", rule: "物件先写用处和尺寸，再写样子。" };
    w.backend.learning.next = {
      status: "committed",
      changes: [
        { ruleId: learned.id, projectId: w.projectId(), kind: "learned", before: null, after: learned, kept: false },
        {
          ruleId: known.id,
          projectId: w.projectId(),
          kind: "strengthened",
          before: { ...known },
          after: { ...known, confidence: 0.8 },
          kept: false,
        },
      ],
    };
    await w.id("learn-now").click();
    await expect.element(w.id("learning-outcome")).toHaveTextContent("更新完成：新学到 1 条、1 条更有把握。");
    await expect.element(card("物件先写用处和尺寸")).toBeVisible();
    await expect.element(w.id("episodes-recorded")).toHaveTextContent("上次更新");
  });

  test("one that runs already is followed, and no second one is asked for", async () => {
    await openRules();
    w.backend.learning.next = { status: "nothing", reason: { kind: "nothingNew" }, held: true };
    await w.backend.invoke("memory:semantic:distill", { projectId: w.projectId() });
    await expect.element(w.id("learning-progress")).toBeVisible();
    await expect.element(w.id("learn-now")).toBeDisabled();
    w.backend.learning.end({ status: "nothing", reason: { kind: "nothingNew" } });
    await gone("learning-progress");
    // Not requested in this window: the run appears in the history only.
    expect(w.id("learning-outcome").elements()).toEqual([]);
  });

  test("that would drop more than a quarter shows what, and waits; yes does it", async () => {
    await openRules();
    const changes = dropping();
    w.backend.learning.next = { status: "waiting", changes };
    await w.id("learn-now").click();
    await expect.element(w.id("waiting-run")).toHaveTextContent("这次更新会去掉四分之一以上的规则");
    await expect.poll(() => w.id("waiting-run").getByTestId("run-change").elements().length).toBe(changes.length);
    await expect.poll(() => w.id("rule-card").elements()).toHaveLength(5);
    expect(await faults()).toEqual([]);
    await w.id("waiting-approve").click();
    await gone("waiting-run");
    await expect.poll(() => w.id("rule-card").elements().length).toBe(1);
    await expect.poll(() => w.backend.callsOf("memory:distill:approve")).toHaveLength(1);
  });

  test("that waits and has changed is shown in its new form, and asks again", async () => {
    await openRules();
    w.backend.learning.next = { status: "waiting", changes: dropping() };
    await w.id("learn-now").click();
    await expect.element(w.id("waiting-run")).toHaveTextContent("还没有任何改动，看过再决定。");
    const invoke = w.backend.invoke.bind(w.backend);
    const [run] = w.backend.learning.runs;
    w.backend.invoke = (name, args) =>
      name === "memory:distill:approve"
        ? Promise.resolve(structuredClone({ ...run, changes: run!.changes.splice(0, 1) }))
        : invoke(name, args);
    await w.id("waiting-approve").click();
    await expect.element(w.id("waiting-run")).toHaveTextContent("记忆在这期间有变化，请按现在的内容再看一遍。");
    await expect.poll(() => w.id("run-change").elements().length).toBe(3);
    await expect.poll(() => w.id("rule-card").elements()).toHaveLength(5);
  });

  test("of another book is labelled as such, and cannot be cancelled from here", async () => {
    await openRules();
    w.backend.emit("memory:distill:progress", {
      runId: "other",
      projectId: "another-book",
      stage: "testing",
      fraction: 0.2,
      message: "testing",
    });
    await expect.element(w.id("learning-progress")).toHaveTextContent("另一本书的偏好正在更新");
    expect(w.id("learning-cancel").elements()).toEqual([]);
    await expect.element(w.id("learn-now")).toBeDisabled();
    w.backend.emit("memory:distill:progress", {
      runId: "other",
      projectId: "another-book",
      stage: "done",
      fraction: 1,
      message: "nothing",
    });
    await gone("learning-progress");
  });

  test("that waits is thrown away by no, and nothing has changed", async () => {
    await openRules();
    w.backend.learning.next = { status: "waiting", changes: dropping() };
    await w.id("learn-now").click();
    await w.id("waiting-discard").click();
    await gone("waiting-run");
    await expect.poll(() => w.id("rule-card").elements()).toHaveLength(5);
    await expect.poll(() => w.backend.learning.runs[0]!.status).toBe("discarded");
  });
});

describe("a contradiction", () => {
  test("is shown with both sides, and one choice resolves it: one is confirmed, the other deleted", async () => {
    await openRules({ learned: true });
    await expect.element(w.id("conflict-notice")).toHaveTextContent("检测到偏好冲突，请选择你更倾向的风格");
    await expect.element(card("每句对白都写明")).toHaveTextContent("和另一条相反");
    await w.id("conflict-open").click();
    await expect.poll(() => w.id("conflict-side").elements().length).toBe(2);
    await expect.element(w.id("conflict-side").first()).toHaveTextContent("我轻声说道");
    await expect.element(w.id("conflict-keep")).toBeDisabled();
    expect(await faults()).toEqual([]);
    await w.id("conflict-side").first().click();
    await w.id("conflict-keep").click();
    await gone("conflict-dialog");
    await gone("conflict-notice");
    await expect.element(card("对白后面不写“他说”")).toHaveTextContent("已确认");
    expect(card("每句对白都写明").elements()).toEqual([]);
    await expect.element(w.id("rule-gone")).toHaveTextContent("已删除“每句对白都写明是谁说的”");
  });

  test("may wait, and is chosen by keyboard alone", async () => {
    await openRules({ learned: true });
    await w.id("conflict-open").click();
    await w.id("conflict-later").click();
    await gone("conflict-dialog");
    expect(w.backend.callsOf("memory:conflict:resolve")).toEqual([]);
    await w.id("conflict-open").click();
    await expect.element(w.id("conflict-dialog")).toBeVisible();
    w.id("conflict-side").first().getByRole("radio").element().focus();
    await w.press(" {ArrowDown}");
    await expect.element(w.id("conflict-side").nth(1)).toHaveAttribute("data-chosen");
    await w.press("{Tab}{Tab}{Enter}");
    await expect
      .poll(() => w.backend.callsOf("memory:conflict:resolve").map(({ keepRuleId }) => keepRuleId))
      .toEqual([rule("每句对白都写明").id]);
  });
});

describe("the history of learning", () => {
  test("lists runs as diffs with why they began and what came of them; nothing wrong for axe", async () => {
    await openRules({ learned: true });
    await w.id("learning-history").click();
    await expect
      .poll(() =>
        w
          .id("learning-run")
          .elements()
          .map((run) => run.getAttribute("data-status")),
      )
      .toEqual(["nothing", "committed", "failed"]);
    await expect.element(w.id("learning-run").nth(1)).toHaveTextContent("又有了 50 次互动");
    await expect.element(w.id("learning-run").nth(1)).toHaveTextContent("看了 58 次互动");
    await expect.element(w.id("learning-run").nth(1)).toHaveTextContent("更有把握 0.58 → 0.64");
    const replaced = w.id("learning-run").nth(1).getByTestId("run-change").nth(1).element();
    expect([replaced.querySelector("del")?.textContent, replaced.querySelector("ins")?.textContent]).toEqual([
      "二十",
      "十五",
    ]);
    await expect.element(w.id("learning-run").nth(2)).toHaveTextContent("规则没有变，下次会再试。");
    expect(await faults()).toEqual([]);
    await w.id("learning-back").click();
    await expect.element(w.id("rule-card").first()).toBeVisible();
  });

  test("undoes a whole run after a second confirmation; rules that the writer changed since stay", async () => {
    await openRules({ learned: true });
    await card("老周每次开口").click();
    await w
      .id("rule-confirm")
      .filter({ hasText: /^确认$/ })
      .last()
      .click();
    await expect.element(card("老周每次开口")).toHaveTextContent("已确认");
    await w.id("learning-history").click();
    await w.id("run-undo").click();
    await expect.element(w.id("run-undo-cancel")).toHaveFocus();
    await w.id("run-undo-confirm").click();
    await expect.element(w.id("learning-run").nth(1)).toHaveTextContent("整次更新已撤销。");
    await expect
      .element(w.id("learning-run").nth(1).getByTestId("run-change").first())
      .toHaveTextContent("（你后来改过，保持不变）");
    expect(rule("老周每次开口").userConfirmed).toBe(true);
    expect(rule("不超过二十字")).toBeDefined();
    expect(w.id("run-undo").elements()).toEqual([]);
  });

  test("of a new writer says when the first one comes", async () => {
    await openRules({ rules: false });
    await w.id("learning-history").click();
    await expect.element(w.id("no-runs")).toHaveTextContent("满 50 次互动");
  });
});

describe("rules out of a backup", () => {
  test("offer nothing of learning: it could not be kept", async () => {
    await open({ past: true, learned: true, ill: ["rules"] });
    await w.id("nav-memory").click();
    await expect.element(card("好像要让回忆不超过三句")).toBeVisible();
    for (const id of [
      "learn-now",
      "learning-pause",
      "learning-history",
      "conflict-notice",
      "waiting-run",
      "rule-question",
      "rule-add",
    ])
      expect(w.id(id).elements()).toEqual([]);
    await card("对白里的句子要短").click();
    await expect.element(card("对白里的句子要短")).toHaveTextContent("这是备份里的，现在改不了。");
    expect(w.id("rule-evidence").elements()).toEqual([]);
  });
});

describe("axe finds nothing wrong", () => {
  test.each(["light", "dark"] as const)(
    "with learning paused, a contradiction, questions, what a rule rests on and what it was, %s",
    async (theme) => {
      await openRules({ learned: true, settings: { interfaceLanguage: "zh-CN", theme } });
      await w.id("learning-pause").click();
      await expect.element(w.id("learning-paused")).toBeVisible();
      await card("对白里的句子要短").click();
      await w.id("rule-evidence").click();
      await expect.element(w.id("evidence-against")).toBeVisible();
      expect(await faults()).toEqual([]);
      await w.id("rule-history").click();
      await expect.element(w.id("rule-version").first()).toBeVisible();
      await w.id("learning-resume").click();
      expect(await faults()).toEqual([]);
      await w.id("rule-delete").last().click();
      expect(await faults()).toEqual([]);
      await w.id("rule-delete-confirm").click();
      await expect.element(w.id("rule-gone")).toBeVisible();
      expect(await faults()).toEqual([]);
      await w.id("conflict-open").click();
      await w.id("conflict-side").first().click();
      expect(await faults()).toEqual([]);
    },
  );
});

describe("learning waits until writing stops", () => {
  test("writing is reported at its beginning and then every half minute; outside changes are not reported", async () => {
    await open();
    const reports = () => w.backend.callsOf("memory:editor:activity");
    w.backend.changeOutside(w.file(0).info.chapterId, "# 渡船\n\n改过了。\n");
    await expect.poll(() => w.text).toContain("改过了。");
    expect(reports()).toEqual([]);
    // The clock stands still: however long the keys take, they are as far apart as is said here.
    let now = performance.now();
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
    await w.toEnd();
    await w.press("一二三");
    await expect.poll(reports).toEqual([{ projectId: w.projectId() }]);
    now += 29_000;
    await w.press("四");
    await expect.poll(reports).toHaveLength(1);
    now += 32_000;
    await w.press("五六");
    await expect.poll(reports).toHaveLength(2);
    clock.mockRestore();
  });

  test("writing continues if the report fails", async () => {
    await open();
    w.backend.fail("memory:editor:activity", { code: "MEMORY_STORE_UNAVAILABLE", message: "gone" });
    await w.toEnd();
    await w.press("字");
    await expect.poll(() => w.backend.callsOf("memory:editor:activity")).toHaveLength(1);
    await w.saved();
    expect(w.id("problem").elements()).toEqual([]);
  });
});

describe("in English", () => {
  /** The interface's text without the writer's. */
  const said = () => {
    const panel = w.id("memory-panel").element().cloneNode(true) as HTMLElement;
    for (const own of panel.querySelectorAll("[lang='zh-CN']")) own.remove();
    return panel.textContent ?? "";
  };

  test("everything is in English except the writer's own words", async () => {
    await openRules({ language: "en", learned: true });
    await w.id("learning-pause").click();
    await expect.element(w.id("learning-paused")).toHaveTextContent("Learning is paused");
    await expect.element(w.id("conflict-notice")).toHaveTextContent("Two preferences conflict.");
    await card("Keep lines of dialogue short").click();
    await w.id("rule-evidence").click();
    await expect.element(w.id("evidence-for")).toHaveTextContent("22 → 6 characters a sentence");
    await expect.poll(said).toContain("Understood as: sentence length · shorter");
    expect(said()).not.toMatch(/\p{Script=Han}/u);
    await w.id("learning-history").click();
    await expect
      .element(w.id("learning-runs"))
      .toHaveTextContent("Nothing learned this time. So far 9 edits say something");
    expect(said()).not.toMatch(/\p{Script=Han}/u);
  });
});
