import { afterEach, describe, expect, test } from "vitest";
import { faults } from "../../testing/axe";
import { card, gone, openRules, rule, w } from "./rulesPage";

afterEach(() => w.close());

describe("the state of a rule", () => {
  test("one that is proposed is a question: confirmed it is in force", async () => {
    await openRules({ learned: true });
    const proposed = card("好像要让回忆不超过三句");
    await expect.element(proposed).toHaveTextContent("等你确认，还没用");
    await expect.element(proposed.getByTestId("rule-question")).toHaveTextContent("这条规则对吗？确认后才会使用。");
    await proposed.getByTestId("rule-confirm").click();
    await expect.element(proposed).toHaveTextContent("已确认");
    await expect.poll(() => proposed.getByTestId("rule-question").elements().length).toBe(0);
  });

  test("stepped back, suspended and challenged each in their words", async () => {
    await openRules({ learned: true });
    await expect.element(card("光影和颜色")).toHaveTextContent("近来不符，已停用");
    await expect.element(card("用“了”“过”")).toHaveTextContent("你两次说它不对，已停用。还要用吗？");
    await expect.element(card("问句要少")).toHaveTextContent("你确认过，但近来的取舍常和它相反。");
    await card("问句要少").getByTestId("rule-confirm").click();
    await expect.poll(() => rule("问句要少").challenged).toBe(false);
    expect(await faults()).toEqual([]);
  });

  test("confidence is shown in words, as a number and with the count; its lower bound in a tooltip", async () => {
    await openRules({ learned: true });
    await expect
      .element(card("对白里的句子要短").getByTestId("rule-confidence"))
      .toHaveAttribute("data-tooltip", "至少 0.79");
    expect(card("章末好像爱停在").getByTestId("rule-confidence").element().getAttribute("data-tooltip")).toBeNull();
  });

  test("shows what it rests on: the clearest for it, and everything against it, as before and after", async () => {
    await openRules({ learned: true });
    await card("对白里的句子要短").click();
    await w.id("rule-evidence").click();
    await expect.element(w.id("evidence-for")).toHaveTextContent("4 次里最近的 3 次");
    const first = w.id("evidence-for").getByTestId("rule-episode").first();
    await expect.element(first).toHaveTextContent("每句 22 → 6 字");
    expect(first.element().querySelector("del")?.textContent).toContain("你知不知道");
    await w.id("evidence-for-all").click();
    await expect.poll(() => w.id("evidence-for").getByTestId("rule-episode").elements().length).toBe(4);
    await expect.element(w.id("evidence-against")).toHaveTextContent("全部 2 次");
    await expect.element(w.id("evidence-against")).toHaveTextContent("这段往事已经不在，只留下数字。");
    expect(
      w.id("evidence-against").getByTestId("rule-episode").first().element().querySelector("ins")?.textContent,
    ).toContain("灶上炖着汤");
    await expect
      .poll(() => w.backend.callsOf("memory:semantic:evidence"))
      .toContainEqual({
        ruleId: rule("对白里的句子要短").id,
        projectId: w.projectId(),
      });
    expect(await faults()).toEqual([]);
  });

  test("of a choice that was not edited, shows the drafts left, which the numbers are against", async () => {
    await openRules({ learned: true });
    const [first, ...others] = w.backend.learning.evidence.get(rule("对白里的句子要短").id)!;
    w.backend.learning.evidence.set(rule("对白里的句子要短").id, [
      {
        ...first!,
        before: "“没人。风刮的。”",
        after: "“没人。风刮的。”",
        passedOver: ["“外面一个人也没有。”"],
        measured: [54, 19],
      },
      ...others,
    ]);
    await card("对白里的句子要短").click();
    await w.id("rule-evidence").click();
    const [chosen, edited] = [
      w.id("evidence-for").getByTestId("rule-episode").first(),
      w.id("evidence-for").getByTestId("rule-episode").nth(1),
    ];
    await expect.element(chosen).toHaveTextContent("每句 54 → 19 字");
    await expect
      .element(chosen.getByTestId("rule-episode-chosen"))
      .toHaveTextContent("没有修改，是从几稿里选的。数字是没选的稿和它的比较。");
    await expect
      .element(chosen.getByTestId("rule-episode-passed-over"))
      .toHaveTextContent("没选的：“外面一个人也没有。”");
    expect(edited.getByTestId("rule-episode-chosen").elements()).toEqual([]);
  });

  test("keeps every version, says who made it, and goes back to the one before", async () => {
    await openRules();
    await card("老周每次开口").click();
    await w.id("rule-edit").click();
    await w.id("rule-text").fill("老周只说半句。");
    await w.id("rule-save").click();
    await expect.element(card("老周只说半句。")).toBeVisible();
    await w.id("rule-history").click();
    await expect
      .poll(() =>
        w
          .id("rule-version")
          .elements()
          .map((one) => one.getAttribute("data-by")),
      )
      .toEqual(["writer", "run"]);
    await expect.element(w.id("rule-version").first()).toHaveTextContent("你改写");
    await expect.element(w.id("rule-version").nth(1)).toHaveTextContent("更新时学到");
    await expect
      .poll(() => w.id("rule-version").nth(1).element().querySelector("s")?.textContent)
      .toContain("老周每次开口");
    expect(await faults()).toEqual([]);
    await w.id("rule-undo").click();
    await expect.element(card("老周每次开口")).toBeVisible();
    await expect.poll(() => w.id("rule-version").elements().length).toBe(3);
  });

  test("deleted after it was confirmed is gone at once, and can be brought back", async () => {
    await openRules();
    await card("章末好像爱停在").click();
    await w.id("rule-delete").click();
    expect(w.backend.callsOf("memory:semantic:delete")).toEqual([]);
    await expect.element(w.id("rule-delete-cancel")).toHaveFocus();
    await w.press("{Escape}");
    await expect.element(w.id("rule-delete")).toHaveFocus();
    await w.id("rule-delete").click();
    await w.id("rule-delete-confirm").click();
    await expect.poll(() => card("章末好像爱停在").elements().length).toBe(0);
    await expect.element(w.id("rule-gone")).toHaveTextContent("已删除“章末好像爱停在一件东西上”，以后不会再学到。");
    await w.id("rule-gone-undo").click();
    await expect.element(card("章末好像爱停在")).toBeVisible();
    await gone("rule-gone");
    await expect.poll(() => w.backend.callsOf("memory:semantic:undo")).toHaveLength(1);
  });

  test("deleted with its words everywhere cannot be restored, and the places of the words are listed", async () => {
    await openRules();
    await card("章末好像爱停在").click();
    await w.id("rule-delete").click();
    await w.id("rule-delete-everywhere").click();
    await w.id("rule-delete-confirm").click();
    await expect.poll(() => card("章末好像爱停在").elements().length).toBe(0);
    await expect.element(w.id("erased-words")).toHaveTextContent("已删除，文字也已清除");
    expect(w.id("rule-gone").elements()).toEqual([]);
    await expect.poll(() => w.backend.callsOf("memory:semantic:delete")).toMatchObject([{ everywhere: true }]);
  });
});

describe("what a rule is about", () => {
  test("is derived from its words when it is added, and shown", async () => {
    await openRules();
    await w.id("rule-add").click();
    await w.id("rule-text").fill("所有角色对白不使用感叹号");
    await w.id("rule-save").click();
    await expect.element(w.id("rule-understood")).toHaveTextContent("理解为：感叹号·偏少（按字面判断）");
    expect(w.backend.callsOf("memory:semantic:add")[0]).not.toHaveProperty("dimension");
  });

  test("is what the writer says, when the writer says so", async () => {
    await openRules();
    await w.id("rule-add").click();
    await w.id("rule-text").fill("老周话少");
    await w.id("rule-dimension").click();
    await w.id("rule-dimension-dialogueShare").click();
    await w.id("rule-direction-less").click();
    expect(await faults()).toEqual([]);
    await w.id("rule-save").click();
    await expect
      .poll(() => w.backend.callsOf("memory:semantic:add")[0])
      .toMatchObject({ dimension: { pattern: { feature: "dialogueShare", direction: -1, threshold: null } } });
    await expect.element(w.id("rule-understood")).toHaveTextContent("理解为：对话的比重·偏少（你指定）");
  });

  test("can be put right, and taken away", async () => {
    await openRules({ learned: true });
    await card("问句要少").click();
    await expect.element(w.id("rule-understood")).toHaveTextContent("理解为：问句·偏少（按字面判断）");
    await w.id("rule-edit").click();
    await w.id("rule-direction-more").click();
    await w.id("rule-save").click();
    await expect.element(w.id("rule-understood")).toHaveTextContent("理解为：问句·偏多（你指定）");
    await w.id("rule-edit").click();
    await w.id("rule-dimension").click();
    await w.id("rule-dimension-nothing").click();
    await w.id("rule-save").click();
    await expect.element(w.id("rule-understood")).toHaveTextContent("说的是无法测量的事（你指定的），仍会使用。");
    await expect
      .poll(() => w.backend.callsOf("memory:semantic:update").map(({ dimension }) => dimension))
      .toEqual([{ pattern: { feature: "questions", direction: 1, threshold: null } }, { pattern: null }]);
  });
});
