import { afterEach, describe, expect, test } from "vitest";
import type { Error as WireError } from "../../src/backend";
import type { FakeOptions } from "../../src/backend/fake";
import { faults } from "../../testing/axe";
import { ime, lateKeys } from "./ime";
import { change, gone, item, openWhy, rule, trace, w } from "./whyPanel";

afterEach(() => w.close());

describe("the writer answers", () => {
  const say = (text: string, verdict: string) => item(text).getByTestId(`verdict-${verdict}`).click();
  const said = (text: string) => item(text).getByTestId("verdict-said");

  test("is asked three things of a rule and of an example, two of what is at hand", async () => {
    await openWhy();
    const asked = (text: string) => item(text).getByRole("group").element().textContent;
    expect(asked("对白里的句子要短")).toBe("对这条规则不对这里不该用");
    expect(asked("柜子缺一条腿")).toBe("对这个例子不好这里不该用");
    expect(asked("你爸让我别扔")).toBe("对这里不该用");
  });

  test("right: it is shown once it is written down, not before, and is still there when opened again", async () => {
    await openWhy();
    const release = w.backend.waits.hold("memory:trace:feedback");
    await say("老周每次开口", "right");
    await expect.element(said("老周每次开口")).toHaveTextContent("正在记录……");
    await expect.element(item("老周每次开口").getByTestId("verdict-right")).toHaveAttribute("aria-pressed", "false");
    // A second press meanwhile sends no second request.
    await say("老周每次开口", "right");
    release();
    await expect.element(said("老周每次开口")).toHaveTextContent("已记录：用得对。");
    await expect.element(item("老周每次开口").getByTestId("verdict-right")).toHaveAttribute("aria-pressed", "true");
    await expect
      .poll(() => w.backend.callsOf("memory:trace:feedback"))
      .toEqual([
        {
          projectId: w.projectId(),
          generationId: "gen-a",
          referenceId: trace().memoryReferences[3]!.referenceId,
          verdict: "right",
        },
      ]);
    await w.id("why-close").click();
    await gone("why-panel");
    await w.id("origin-mark").first().click();
    await expect.element(said("老周每次开口")).toHaveTextContent("已记录：用得对。");
  });

  test("wrong: says what it counted and what the confidence is now; the second time the rule is suspended", async () => {
    await openWhy();
    await say("老周每次开口", "wrong");
    // 17 choices: (17 + 8) / (17 + 12) of 0.78 is left.
    await expect
      .element(said("老周每次开口"))
      .toHaveTextContent("已记录：算四次相反的取舍，把握降到 0.67。再说一次不对就停用。");
    await w.id("origin-mark").nth(1).click();
    await expect.element(w.id("why-panel")).toHaveAttribute("data-generation", "gen-b");
    await expect.element(said("老周每次开口")).toHaveTextContent(/^$/);
    await say("老周每次开口", "wrong");
    await expect
      .element(said("老周每次开口"))
      .toHaveTextContent("你两次说它不对，已停用。到记忆面板里确认、修改或删除。");
    expect(rule("老周每次开口").standing).toBe("suspended");
    // The version is higher, the wording is the same.
    expect(item("老周每次开口").getByTestId("why-since").elements()).toEqual([]);
    expect(await faults()).toEqual([]);
  });

  test("wrong, of a rule that was confirmed: it stays in use, and will be asked about", async () => {
    await openWhy();
    await say("对白里的句子要短", "wrong");
    await expect
      .element(said("对白里的句子要短"))
      .toHaveTextContent("这条你确认过，照旧在用；记忆面板里会再问你一次。");
  });

  test("wrong, of a rule that is gone, and of an example: says what that means", async () => {
    await openWhy({}, () => void w.backend.rules.splice(w.backend.rules.indexOf(rule("描写少用比喻")), 1));
    w.backend.emit("memory:changed", { projectId: null, what: ["rules"] });
    await expect.element(item("描写少用比喻").getByTestId("why-since")).toBeVisible();
    await say("描写少用比喻", "wrong");
    await expect.element(said("描写少用比喻")).toHaveTextContent("这条规则已经删除，不再计算。");
    await say("柜子缺一条腿", "wrong");
    await expect.element(said("柜子缺一条腿")).toHaveTextContent("以后哪里都不再带上它。");
  });

  test("not here: says for what it stays out from now on, and that it holds elsewhere", async () => {
    await openWhy();
    await say("对白里的句子要短", "notHere");
    await expect.element(said("对白里的句子要短")).toHaveTextContent("已记录：以后续写描写时不再带上它。别处照旧。");
    expect(rule("对白里的句子要短").wrongCount).toBe(0);
  });

  test("not here, of a passage without a kind of scene, names the skill alone", async () => {
    await openWhy({}, () => change({ sceneType: null }));
    await say("柜子缺一条腿", "notHere");
    await expect.element(said("柜子缺一条腿")).toHaveTextContent("以后续写、没分场景时不再带上它。");
  });

  test("a different verdict replaces the earlier one, and the withdrawal is shown", async () => {
    await openWhy();
    await say("老周每次开口", "wrong");
    await expect.element(said("老周每次开口")).toHaveTextContent("把握降到 0.67");
    await say("老周每次开口", "right");
    await expect.element(said("老周每次开口")).toHaveTextContent("之前的“不对”已撤销。已记录：用得对。");
    expect(rule("老周每次开口").confidence).toBeCloseTo(0.78);
    await expect.element(item("老周每次开口").getByTestId("verdict-wrong")).toHaveAttribute("aria-pressed", "false");
  });

  test("the same verdict twice counts once, with a notice", async () => {
    await openWhy();
    await say("老周每次开口", "wrong");
    await expect.element(said("老周每次开口")).toHaveTextContent("把握降到 0.67");
    await say("老周每次开口", "wrong");
    await expect.element(said("老周每次开口")).toHaveTextContent("已经评价过，没有重复计算。");
    expect(rule("老周每次开口").wrongCount).toBe(1);
  });

  test.each([
    [
      { code: "MEMORY_INVALID_ARGUMENT", message: "no such reference", details: { field: "referenceId" } },
      "这份来历里没有这一条，什么也没有记录。",
    ],
    [{ code: "MEMORY_TRACE_MISMATCH", message: "does not agree" }, "没有记录：这份来历和它自己的引用不一致，不可信。"],
    [{ code: "MEMORY_SCOPE_DENIED", message: "another project" }, "没有记录：这是另一本书的来历，要在那本书里评价。"],
    [{ code: "MEMORY_WRITE_FAILED", message: "disk full" }, "没能写进磁盘"],
  ] as [WireError, string][])(
    "what was not written down is not shown as said, and says why: %o",
    async (error, words) => {
      await openWhy();
      w.backend.fail("memory:trace:feedback", error);
      await say("老周每次开口", "wrong");
      await expect.element(item("老周每次开口").getByTestId("verdict-problem")).toHaveTextContent(words);
      await expect.element(item("老周每次开口").getByTestId("verdict-wrong")).toHaveAttribute("aria-pressed", "false");
      await say("老周每次开口", "wrong");
      await expect.element(said("老周每次开口")).toHaveTextContent("把握降到 0.67");
      await gone("verdict-problem");
    },
  );

  test("by keyboard alone, without losing the place", async () => {
    await openWhy();
    const right = item("对白里的句子要短").getByTestId("verdict-right").element() as HTMLElement;
    right.focus();
    await w.press("{Tab}{Tab}{Enter}");
    await expect.element(said("对白里的句子要短")).toHaveTextContent("不再带上它");
    await expect.element(item("对白里的句子要短").getByTestId("verdict-notHere")).toHaveFocus();
  });
});

describe("why, in the writer's words", () => {
  const of = (id: string, text = "老周每次开口") => item(text).getByTestId(id);
  const verdict = async (said: "right" | "wrong" | "notHere", options: FakeOptions = {}) => {
    await openWhy(options);
    await of(`verdict-${said}`).click();
    await expect.element(of("verdict-said")).toHaveTextContent("已记录");
  };

  test("is optional after a negative verdict, and not offered after a positive one", async () => {
    await verdict("right");
    expect(of("verdict-note").elements()).toEqual([]);
    await of("verdict-notHere").click();
    await expect.element(of("verdict-note-open")).toHaveTextContent("说说为什么");
    expect(of("verdict-note-text").elements()).toEqual([]);
    await expect
      .poll(() => w.backend.callsOf("memory:trace:feedback").map(({ note }) => note))
      .toEqual([undefined, undefined]);
  });

  test("is stored with the verdict without counting again, and is shown when reopened", async () => {
    await verdict("wrong");
    const { confidence, wrongCount } = rule("老周每次开口");
    await of("verdict-note-open").click();
    await of("verdict-note-text").fill("  他在船上话多。 ");
    await of("verdict-note-keep").click();
    await expect.element(of("verdict-note-kept")).toHaveTextContent(/^他在船上话多。$/);
    await expect
      .poll(() => w.backend.callsOf("memory:trace:feedback").at(-1))
      .toMatchObject({
        verdict: "wrong",
        note: "他在船上话多。",
      });
    expect(rule("老周每次开口")).toMatchObject({ confidence, wrongCount });
    await w.id("why-close").click();
    await gone("why-panel");
    await w.id("origin-mark").first().click();
    await expect.element(of("verdict-note-kept")).toHaveTextContent("他在船上话多。");
    await of("verdict-note-open").click();
    await expect.element(of("verdict-note-text")).toHaveValue("他在船上话多。");
    expect(await faults()).toEqual([]);
  });

  test("that was not stored is reported, and stays in its field", async () => {
    await verdict("notHere");
    w.backend.provenance.keepsNotes = false;
    await of("verdict-note-open").click();
    await of("verdict-note-text").fill("这里要慢。");
    await of("verdict-note-keep").click();
    await expect.element(of("verdict-note-problem")).toHaveTextContent("这句话没有保存。前面的回答仍然有效。");
    await expect.element(of("verdict-note-text")).toHaveValue("这里要慢。");
    expect(of("verdict-note-kept").elements()).toEqual([]);
    w.backend.provenance.keepsNotes = true;
    w.backend.fail("memory:trace:feedback", { code: "MEMORY_STORE_UNAVAILABLE", message: "locked" });
    await of("verdict-note-keep").click();
    await expect.element(of("verdict-note-problem")).not.toHaveTextContent("这句话没有保存");
    await of("verdict-note-keep").click();
    await expect.element(of("verdict-note-kept")).toHaveTextContent("这里要慢。");
  });

  test("by keyboard: Enter keeps it, Escape leaves it, and no key of an input method does either", async () => {
    await verdict("wrong");
    (of("verdict-note-open").element() as HTMLElement).focus();
    await w.press("{Enter}");
    await expect.poll(() => document.activeElement).toBe(of("verdict-note-text").element());
    await ime.compose("huaduo");
    await ime.allKeys();
    await expect.poll(() => w.backend.callsOf("memory:trace:feedback")).toHaveLength(1);
    await ime.commit("话多");
    lateKeys(of("verdict-note-text").element());
    await expect.element(of("verdict-note-text")).toHaveValue("话多");
    await w.press("{Escape}");
    await expect.poll(() => document.activeElement).toBe(of("verdict-note-open").element());
    await expect.element(w.id("why-panel")).toBeVisible();
    await expect.poll(() => w.backend.callsOf("memory:trace:feedback")).toHaveLength(1);
    await w.press("{Enter}");
    await expect.poll(() => document.activeElement).toBe(of("verdict-note-text").element());
    await w.press("他在船上话多。{Enter}");
    await expect.element(of("verdict-note-kept")).toHaveTextContent("他在船上话多。");
    await expect.poll(() => document.activeElement).toBe(of("verdict-note-open").element());
  });

  test("is removed with its verdict when another one replaces it", async () => {
    await verdict("wrong");
    await of("verdict-note-open").click();
    await of("verdict-note-text").fill("他在船上话多。");
    await of("verdict-note-keep").click();
    await expect.element(of("verdict-note-kept")).toBeVisible();
    await of("verdict-notHere").click();
    await expect.element(of("verdict-note-open")).toHaveTextContent("说说为什么");
    expect(of("verdict-note-kept").elements()).toEqual([]);
  });
});
