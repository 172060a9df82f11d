import { afterEach, describe, expect, test } from "vitest";
import type { CutReason, EntityChange, Error as WireError, Tier, Trace } from "../../src/backend";
import { faults } from "../../testing/axe";
import { change, gone, item, numbers, openBook, openWhy, rule, trace, w } from "./whyPanel";

afterEach(() => w.close());

/** The trace after its words were erased. */
function blanked(): Partial<Trace> {
  const { memoryReferences, cut, messages } = trace();
  const wordless = <T extends { text: string }>(parts: T[]) => parts.map((part) => ({ ...part, text: "" }));
  return {
    blankedAt: "2026-03-15T21:00:00Z",
    memoryReferences: wordless(memoryReferences),
    cut: wordless(cut),
    messages: messages.map((message) => ({ ...message, content: "" })),
  };
}

describe("words that were erased", () => {
  test("are shown as erased: references and weights stay, nothing is measured, and nothing is quoted", async () => {
    await openWhy({}, () => change(blanked()));
    await expect.element(w.id("why-blanked")).toHaveTextContent("它的文字已按你的要求清除");
    await expect.element(w.id("why-reference").first()).toHaveTextContent("文字已清除");
    await expect.element(w.id("why-weight").first()).toBeVisible();
    expect(w.id("why-measure").elements()).toEqual([]);
    await w.id("why-sent-toggle").click();
    await expect.element(w.id("why-sent")).toHaveTextContent("当时发送的文字已按你的要求清除。");
    expect(await faults()).toEqual([]);
  });
});

describe("a card of the story", () => {
  const VALUE = "九八年记的数他改过";
  const QUOTE = "“你随便抽一本。”";

  /** Writes a fact that cites a sentence, and puts its card into the prompt. */
  const withCard = async () => {
    const [book] = w.backend.books;
    const { projectId } = book!.project;
    const file = book!.files[1]!;
    const saved = { projectId, kind: "character" as const, name: "老周" };
    const { entityIds } = (await w.backend.invoke("story:entity:save", saved)) as EntityChange;
    const [entityId] = entityIds;
    const citation = { chapterId: file.info.chapterId, from: file.text.indexOf(QUOTE), quote: QUOTE };
    const fact = { projectId, entityId: entityId!, attribute: "做过", value: VALUE, citation };
    await w.backend.invoke("story:fact:save", fact);
    await w.backend.invoke("story:fact:save", { ...fact, value: "没有带上的" });
    const [first] = trace().memoryReferences;
    const card = { ...first!, referenceId: `entity:${entityId}`, id: entityId!, kind: "entity" as const };
    const reference = { ...card, text: `- 老周：做过 ${VALUE}`, matchedBy: ["named"], score: null };
    change({ memoryReferences: [reference], influenceWeights: [] });
  };

  test("has the sentences of its facts with their chapters, each of which opens in the text", async () => {
    await openBook();
    await withCard();
    await w.id("origin-mark").first().click();
    await expect.element(item(VALUE)).toHaveTextContent("上文点了名");
    await expect.element(w.id("why-source")).toHaveTextContent(`${QUOTE}第 2 章`);
    expect(await faults()).toEqual([]);
    await w.id("why-source-open").click();
    await expect.poll(() => w.program.editor.passage().selection).toBe(QUOTE);
    await expect.element(w.id("why-panel")).toBeVisible();
    await w.id("story-back").click();
    await expect.poll(() => w.program.editor.chapterRef?.chapterId).toBe(w.file(2).info.chapterId);
  });

  test("whose sentence was edited has it struck", async () => {
    await openBook();
    await withCard();
    const file = w.backend.books[0]!.files[1]!;
    file.text = file.text.replace(QUOTE, "“你抽一本。”");
    w.program.openWhy("gen-a");
    await expect.element(w.id("why-source")).toHaveTextContent(QUOTE);
    await expect.poll(() => w.id("why-source").element().querySelector("del")?.textContent).toBe(QUOTE);
    expect(w.id("why-source-open").elements()).toEqual([]);
  });
});

describe("weights", () => {
  test("stand beside each memory as bar and number, by kind, heaviest first, and with the rest make a hundred", async () => {
    await openWhy();
    const group = w.id("why-group-rule");
    await expect.element(group.getByTestId("why-reference").first()).toHaveTextContent("对白里的句子要短");
    await expect.element(item("对白里的句子要短").getByTestId("why-weight")).toHaveTextContent("约 23%");
    const meter = item("对白里的句子要短").getByRole("meter");
    await expect.element(meter).toHaveAttribute("aria-valuetext", "23%");
    const [bar, track] = [
      meter.element().firstElementChild!.getBoundingClientRect(),
      meter.element().getBoundingClientRect(),
    ];
    expect(bar.width / track.width).toBeCloseTo(0.231, 2);
    await expect.element(item("柜子缺一条腿").getByTestId("why-weight")).toHaveTextContent("约 9%");
    await expect.element(w.id("why-rest")).toHaveTextContent("其余上文本身和模型，不属于任何记忆约 55%");
    const sum = [...numbers("why-weight"), ...numbers("why-rest")].reduce((all, one) => all + one, 0);
    expect(sum).toBe(100);
    await expect.element(w.id("why-split")).toHaveAttribute("aria-label", "规则 36%、往事 9%、本次写作 0%、其余 55%");
  });

  test("put the heaviest of a kind first, wherever it stood in the prompt", async () => {
    await openWhy({}, () => {
      const [one] = trace().influenceWeights;
      const [first, second, ...others] = one!.weights;
      const swapped = [{ ...first!, weight: second!.weight }, { ...second!, weight: first!.weight }, ...others];
      change({ influenceWeights: [{ ...one!, weights: swapped }] });
    });
    await expect.element(w.id("why-group-rule").getByTestId("why-reference").first()).toHaveTextContent("描写少用比喻");
  });

  test("that were estimated say so, of which draft, and are marked on every number", async () => {
    await openWhy();
    await expect.element(w.id("why-tier")).toHaveAttribute("data-tier", "compliance");
    await expect
      .element(w.id("why-tier"))
      .toHaveTextContent("估计按这一稿照做的程度，和近来的稿子比较后估计，不是实测。");
    expect(w.id("why-tier").element().textContent).not.toContain("测量的是");
    const shown = w
      .id("why-weight")
      .elements()
      .map(({ textContent }) => textContent);
    expect(shown.filter((text) => /[1-9]\d*%/.test(text ?? "")).every((text) => text?.startsWith("约 "))).toBe(true);
  });

  test("of a draft that was not taken name the draft", async () => {
    await openWhy({}, () =>
      change({
        outcome: { selectedIndex: -1, editDistance: null },
        influenceWeights: [{ ...trace().influenceWeights[0]!, candidate: 0 }],
      }),
    );
    await expect.element(w.id("why-tier")).toHaveTextContent("测量的是第 1 稿。");
  });

  test("that were measured stand plain, beside the estimate and not over it", async () => {
    await openWhy({}, () =>
      change({
        influenceWeights: [...trace().influenceWeights, { ...trace().influenceWeights[0]!, tier: "masked" as Tier }],
      }),
    );
    await expect.element(w.id("why-tier")).toHaveAttribute("data-tier", "masked");
    await expect.element(w.id("why-tier")).toHaveTextContent("实测去掉部分记忆重写，比较得出。");
    await expect.element(item("对白里的句子要短").getByTestId("why-weight")).toHaveTextContent(/^23%$/);
    await w.id("why-tier").getByRole("radio", { name: "估计" }).click();
    await expect.element(item("对白里的句子要短").getByTestId("why-weight")).toHaveTextContent("约 23%");
  });

  test("that were not measured are not invented: only references and their relevance are shown", async () => {
    await openWhy({}, () => change({ influenceWeights: [] }));
    await expect.element(w.id("why-tier")).toHaveAttribute("data-tier", "retrieval");
    await expect
      .element(w.id("why-tier"))
      .toHaveTextContent("没有测量只能看到带上了哪些、是否适用；各占多少没有测量。");
    await expect.element(w.id("why-group-episode")).toHaveTextContent("适用度 0.74");
    expect(w.id("why-weight").elements()).toEqual([]);
    expect(w.id("why-rest").elements()).toEqual([]);
    expect(w.id("why-panel").getByRole("meter").elements()).toEqual([]);
    await expect.element(w.id("why-panel")).toHaveTextContent("其余的来自上文本身和模型，不属于任何记忆。");
  });

  test("of what could not be measured, and of what did nothing, are nothing, each in its own words", async () => {
    await openWhy();
    await expect.element(item("老周每次开口")).toHaveAttribute("data-grade", "unmeasured");
    await expect.element(item("老周每次开口").getByTestId("why-weight")).toHaveTextContent("0%·无法测量");
    expect(item("老周每次开口").getByRole("meter").elements()).toEqual([]);
    await expect.element(item("始终用第一人称")).toHaveAttribute("data-grade", "inert");
    await expect.element(item("始终用第一人称").getByTestId("why-weight")).toHaveTextContent("0%·看不出影响");
    expect(item("始终用第一人称").getByRole("meter").elements()).toEqual([]);
    // Followed, but possibly by chance.
    await expect.element(item("动作一句一件事").getByTestId("why-weight")).toHaveTextContent("0%·看不出影响");
    await expect.element(item("动作一句一件事").getByTestId("why-followed")).toHaveTextContent("照做了");
  });

  test("of what weighed nothing stand where the others stand, and take no line more", async () => {
    await openWhy({}, () =>
      change({
        memoryReferences: trace().memoryReferences.map((reference) =>
          reference.kind === "rule" ? { ...reference, text: "一句短的。", matchedBy: ["project"] } : reference,
        ),
      }),
    );
    const rows = w.id("why-group-rule").getByTestId("why-reference");
    const heights = rows.elements().map((row) => Math.round(row.getBoundingClientRect().height));
    const weighing = rows
      .elements()
      .flatMap((row, index) => ((row as HTMLElement).dataset["grade"] === "weighs" ? [heights[index]!] : []));
    expect(weighing.length).toBeGreaterThan(0);
    expect(Math.max(...heights)).toBeLessThanOrEqual(Math.max(...weighing));
  });

  test("under half a percent are something nevertheless", async () => {
    await openWhy({}, () => {
      const [one] = trace().influenceWeights;
      const weights = one!.weights.map((weight, index) => ({
        ...weight,
        effect: index === 0 ? 0.002 : 0,
        weight: index === 0 ? 0.002 : 0,
      }));
      change({ influenceWeights: [{ ...one!, weights, remainder: 0.998 }] });
    });
    await expect.element(item("对白里的句子要短").getByTestId("why-weight")).toHaveTextContent("不到 1%");
  });
});

describe("a rule that went in", () => {
  test("was followed, partly, or not; unknown results are left out", async () => {
    await openWhy();
    await expect.element(item("对白里的句子要短").getByTestId("why-followed")).toHaveTextContent(/^照做了$/);
    await expect.element(item("描写少用比喻").getByTestId("why-followed")).toHaveTextContent(/^部分照做$/);
    await expect.element(item("始终用第一人称").getByTestId("why-followed")).toHaveTextContent(/^没照做$/);
    expect(item("老周每次开口").getByTestId("why-followed").elements()).toEqual([]);
    expect(item("柜子缺一条腿").getByTestId("why-followed").elements()).toEqual([]);
  });

  test("stands in the words it had then; one that was edited or deleted since says so, and what it is now on demand", async () => {
    await openBook();
    const [edited, deleted] = [rule("对白里的句子要短"), rule("描写少用比喻")];
    await w.backend.invoke("memory:semantic:update", {
      ruleId: edited.id,
      version: edited.version,
      rule: "对白一句话说完。",
    });
    await w.backend.invoke("memory:semantic:delete", { ruleId: deleted.id });
    await w.id("origin-mark").first().click();
    await expect
      .element(item("对白里的句子要短，平均不超过十五字。").getByTestId("why-since"))
      .toHaveTextContent("后来改过");
    await expect.element(item("描写少用比喻").getByTestId("why-since")).toHaveTextContent("后来删除了");
    expect(item("始终用第一人称").getByTestId("why-since").elements()).toEqual([]);
    expect(w.id("why-now").elements()).toEqual([]);
    await item("对白里的句子要短").getByTestId("why-since").click();
    await expect.element(w.id("why-now")).toHaveTextContent("现在是对白一句话说完。");
    expect(await faults()).toEqual([]);
  });

  test("is not called edited when only its confidence has changed, or when a name stood in for another", async () => {
    await openWhy({}, () => {
      const masked = rule("老周每次开口");
      masked.version += 1;
      change({
        memoryReferences: trace().memoryReferences.map((one) =>
          one.id === masked.id ? { ...one, text: one.text.replace("老周", "闻人甲") } : one,
        ),
      });
      w.backend.emit("memory:changed", { projectId: null, what: ["rules"] });
    });
    await expect.poll(() => w.backend.callsOf("memory:semantic:history").length).toBe(1);
    await expect.element(item("闻人甲每次开口")).toBeVisible();
    expect(w.id("why-since").elements()).toEqual([]);
  });

  test("that an old backup does not have is not called deleted", async () => {
    await openBook({ past: true });
    w.backend.rules.splice(w.backend.rules.indexOf(rule("描写少用比喻")), 1);
    w.backend.degrade("rules");
    w.backend.emit("memory:changed", { projectId: null, what: ["rules"] });
    await expect.element(w.id("degraded-notice")).toBeVisible();
    await w.id("origin-mark").first().click();
    await expect.element(item("描写少用比喻")).toBeVisible();
    expect(w.id("why-since").elements()).toEqual([]);
  });

  test("that is the program's own is not called deleted", async () => {
    await openWhy({ rules: false }, () => {
      const voice: Trace["memoryReferences"][number] = {
        referenceId: "rule:builtin:voice",
        kind: "rule",
        id: "builtin:voice",
        version: 1,
        layer: "settings",
        text: "- 承接上文的人称、时态和语气",
        score: null,
        matchedBy: [],
      };
      change({ memoryReferences: [voice], influenceWeights: [] });
    });
    await expect.element(item("承接上文的人称")).toBeVisible();
    expect(w.id("why-since").elements()).toEqual([]);
    await item("承接上文的人称").getByTestId("verdict-wrong").click();
    await expect.element(item("承接上文的人称").getByTestId("verdict-said")).toHaveTextContent("它是自带的");
  });
});

describe("what was sent, and what was not", () => {
  test("is shown verbatim, message by message, after a summary of what was left out", async () => {
    await openWhy();
    await expect.element(w.id("why-sent-toggle")).toHaveTextContent("1,840 词元·有 1 条没带上");
    await w.id("why-sent-toggle").click();
    const shown = [...w.id("why-sent").element().querySelectorAll("pre")].map(({ textContent }) => textContent);
    expect(shown).toEqual(trace().messages.map(({ content }) => content));
    expect(await faults()).toEqual([]);
  });

  test("every reason has its own words, a part of the passage too", async () => {
    const cut = (kind: string, id: string, text: string, reason: CutReason) => ({
      kind,
      id,
      layer: "settings" as const,
      text,
      tokens: 20,
      reason,
    });
    await openWhy({}, () =>
      change({
        cut: [
          cut("episode", "e", "南风一来，墙就出汗。", "budget"),
          cut("rule", "r", "- 用第三人称。", "overruled"),
          cut("rule", "s", "- 多用比喻。", "notHere"),
          cut("before", "", "", "budget"),
          cut("episode", "f", "他像一头鹿。", "notHere"),
          cut("episode", "g", "走廊里的灯又灭了。", "alike"),
          cut("episode", "h", "码头上没有人。", "notOutstanding"),
        ],
      }),
    );
    const items = w.id("why-cut-item");
    await expect.element(items.nth(0)).toHaveTextContent("南风一来，墙就出汗。放不下");
    await expect.element(items.nth(1)).toHaveTextContent("用第三人称。本书的规则优先");
    await expect.element(items.nth(2)).toHaveTextContent("多用比喻。你说过这里不该用");
    await expect.element(items.nth(3)).toHaveTextContent("上文中离得远的部分放不下");
    await expect.element(items.nth(4)).toHaveTextContent("他像一头鹿。你说过不要用它");
    await expect.element(items.nth(5)).toHaveTextContent("走廊里的灯又灭了。同一场的例子已经有了");
    await expect.element(items.nth(6)).toHaveTextContent("码头上没有人。最接近的一段，但不比别处更像");
  });
});

describe("states", () => {
  test("while it is looked up the places are already there, and nothing moves when it comes", async () => {
    await openBook();
    const release = w.backend.waits.hold("memory:trace:get");
    await w.id("origin-mark").first().click();
    await expect.element(w.id("why-loading")).toHaveTextContent("正在读取……");
    const box = (element: Element) => element.getBoundingClientRect();
    const before = {
      panel: box(w.id("why-panel").element()),
      body: box(w.id("why-loading").element()),
      page: box(w.content()),
    };
    expect(await faults()).toEqual([]);
    release();
    await expect.element(w.id("why-tier")).toBeVisible();
    expect(box(w.id("why-panel").element())).toEqual(before.panel);
    expect(box(w.id("why-split").element().parentElement!)).toEqual(before.body);
    expect(box(w.content())).toEqual(before.page);
  });

  test("without any memory it says so, and what was sent can still be read", async () => {
    await openWhy({ rules: false });
    await expect.element(w.id("why-none")).toHaveTextContent("这一段没有用到任何记忆，只凭上文和模型。");
    expect(w.id("why-split").elements()).toEqual([]);
    await w.id("why-sent-toggle").click();
    await expect.element(w.id("why-sent")).toHaveTextContent("[任务] 续写");
    expect(await faults()).toEqual([]);
  });

  test("what was written while a part of the memory was missing says so", async () => {
    await openWhy({}, () =>
      change({
        memoryDegraded: true,
        degradedReasons: [{ code: "pastUnavailable", message: "past examples unavailable" }],
      }),
    );
    await expect.element(w.id("why-degraded")).toHaveTextContent("写这一段时，记忆不全");
    expect(await faults()).toEqual([]);
  });

  test("a passage of a second try leads to the first one and back", async () => {
    await openWhy({}, () => {
      w.backend.traces.set("first", { ...trace(), generationId: "first", totalTokens: 2_345, secondTry: "gen-a" });
      change({ firstTry: "first", memoryReferences: [], influenceWeights: [] });
    });
    await expect.element(w.id("why-other-try")).toHaveTextContent("第二次才写成的");
    expect(await faults()).toEqual([]);
    await w.id("why-show-try").click();
    await expect.element(w.id("why-other-try")).toHaveTextContent("有几稿用不了");
    await expect.element(w.id("why-sent-toggle")).toHaveTextContent("2,345");
    await w.id("why-show-try").click();
    await expect.element(w.id("why-other-try")).toHaveTextContent("第二次才写成的");
    // Another passage shows its own.
    await w.id("why-show-try").click();
    await w.id("origin-mark").nth(1).click();
    await expect.poll(() => w.id("why-other-try").elements().length).toBe(0);
  });

  test.each([
    ["MEMORY_TRACE_MISMATCH", "这份来历前后不一致", "不可信"],
    ["MEMORY_SCOPE_DENIED", "这一段的来历在另一本书里", "到那本书里才能看"],
    ["MEMORY_NOT_FOUND", "查不到这一段的来历", "可能已经删除"],
  ] as const)("%s has its own words, and is not tried in vain", async (code, title, words) => {
    await openWhy({}, () => w.backend.fail("memory:trace:get", { code, message: "no" }));
    await expect.element(w.id("why-problem")).toHaveTextContent(title);
    await expect.element(w.id("why-problem")).toHaveTextContent(words);
    expect(w.id("why-again").elements()).toEqual([]);
    expect(await faults()).toEqual([]);
  });

  test("a store that cannot be read may be tried again, and then it is all there", async () => {
    await openWhy({}, () =>
      w.backend.fail("memory:trace:get", { code: "MEMORY_STORE_UNAVAILABLE", message: "damaged" }),
    );
    await expect.element(w.id("why-problem")).toHaveTextContent("来历暂时看不了正文和规则不受影响。");
    await w.id("why-again").click();
    await expect.element(w.id("why-tier")).toBeVisible();
  });

  test.each([
    ["zh", "light"],
    ["zh", "dark"],
    ["en", "light"],
    ["en", "dark"],
  ] as const)("nothing wrong for axe with everything in sight: %s, %s", async (language, theme) => {
    await openWhy({ language, settings: { theme, interfaceLanguage: language === "en" ? "en" : "zh-CN" } });
    await expect.poll(() => document.documentElement.dataset["theme"]).toBe(theme);
    await w.id("verdict-wrong").nth(1).click();
    await expect.element(w.id("verdict-said").nth(1)).toHaveTextContent(language === "en" ? "four" : "四次");
    expect(await faults()).toEqual([]);
    await expect.poll(() => w.id("why-panel").element().scrollWidth).toBe(w.id("why-panel").element().clientWidth);
    // The writer's text stays in its language; everything else is in the window's.
    const panel = w.id("why-panel").element().cloneNode(true) as Element;
    for (const written of panel.querySelectorAll("[lang]")) written.remove();
    if (language === "en") expect(panel.textContent).not.toMatch(/\p{Script=Han}/u);
  });
});

describe("measured on demand", () => {
  const measure = () => w.id("why-measure").click();
  const asked = () => w.backend.callsOf("memory:trace:measure");
  const of = () => ({ projectId: w.projectId(), generationId: "gen-a", tier: "masked" });

  test("says what it costs before anything is sent, and without a yes sends nothing", async () => {
    await openWhy();
    w.backend.provenance.cost = {
      ...w.backend.provenance.cost,
      regenerations: 20,
      requestsLeft: 21,
      provider: { provider: "openAi", model: "scribe", sample: false },
    };
    await measure();
    await expect
      .element(w.id("measure-cost"))
      .toHaveTextContent("去掉一部分记忆，把这一段另写 20 稿，比较后删除，正文不变。");
    await expect.element(w.id("measure-cost")).toHaveTextContent("约发送 58,880 词元，最多返回 32,000 词元");
    await expect.element(w.id("measure-cost")).toHaveTextContent("今天的上限还剩 21 次请求，这要用 20 次。");
    expect(await faults()).toEqual([]);
    await w.id("measure-dismiss").click();
    await gone("measure-cost");
    await expect.poll(asked).toEqual([of()]);
    await expect.element(w.id("why-tier")).toHaveAttribute("data-tier", "compliance");
  });

  test("shows how far it is, and then stands beside the estimate with its interval", async () => {
    await openWhy();
    await measure();
    await expect.element(w.id("measure-cost")).toHaveTextContent("自带的模型，不花钱。");
    await w.id("measure-start").click();
    await expect.element(w.id("measure-progress")).toHaveTextContent("正在重写：0 / 32 稿");
    w.backend.provenance.measure(12);
    await expect.element(w.id("measure-progress")).toHaveTextContent("正在重写：12 / 32 稿");
    expect(await faults()).toEqual([]);
    w.backend.provenance.measure(20);
    await expect.element(w.id("why-tier")).toHaveAttribute("data-tier", "masked");
    await expect.element(w.id("why-tier")).toHaveTextContent("去掉部分记忆重写 32 稿，比较得出。");
    await expect.element(item("对白里的句子要短").getByTestId("why-weight")).toHaveTextContent(/^20%$/);
    await expect
      .element(item("对白里的句子要短").getByTestId("why-change"))
      .toHaveTextContent("带上它 +1.2（九成在 +0.6 到 +1.9）");
    await expect.element(item("描写少用比喻").getByTestId("why-weight")).toHaveTextContent("0%·看不出影响");
    await expect.element(item("描写少用比喻").getByTestId("why-change")).toHaveTextContent("-0.4");
    await expect.element(item("老周每次开口").getByTestId("why-weight")).toHaveTextContent("0%·无法测量");
    expect(w.id("why-measure").elements()).toEqual([]);
    await w.id("why-tier").getByRole("radio", { name: "估计" }).click();
    await expect.element(item("对白里的句子要短").getByTestId("why-weight")).toHaveTextContent("约 23%");
    expect(item("对白里的句子要短").getByTestId("why-change").elements()).toEqual([]);
    await expect.poll(asked).toEqual([of(), { ...of(), confirmed: true }]);
    expect(await faults()).toEqual([]);
  });

  test("can be stopped, and leaves nothing", async () => {
    await openWhy();
    await measure();
    await w.id("measure-start").click();
    await expect.element(w.id("measure-progress")).toBeVisible();
    w.backend.provenance.measure(3);
    await w.id("measure-cancel").click();
    await expect.element(w.id("measure-said")).toHaveTextContent("已停止，什么也没有保留。");
    await expect.element(w.id("why-measure")).toBeVisible();
    await expect.element(w.id("why-tier")).toHaveAttribute("data-tier", "compliance");
  });

  test("goes on while something else is looked at, and is found again; another one has to wait", async () => {
    await openWhy();
    await measure();
    await w.id("measure-start").click();
    await expect.element(w.id("measure-progress")).toBeVisible();
    await w.id("origin-mark").nth(1).click();
    await expect.element(w.id("why-panel")).toHaveAttribute("data-generation", "gen-b");
    await measure();
    await expect.element(w.id("measure-said")).toHaveTextContent("另一段正在实测，等它完成再试。");
    w.backend.provenance.measure(5);
    await w.id("origin-mark").first().click();
    await expect.element(w.id("measure-progress")).toHaveTextContent("正在重写：5 / 32 稿");
  });

  test.each([
    [
      { code: "MEMORY_MODEL_UNAVAILABLE", message: "another", details: { reason: "otherModel" } },
      "这一段是另一个模型写的，现在选的不是它。",
    ],
    [
      {
        code: "MEMORY_INVALID_ARGUMENT",
        message: "none",
        details: { field: "generationId", reason: "nothingToMeasure" },
      },
      "没有一条可以测量。",
    ],
    [
      { code: "MEMORY_INVALID_ARGUMENT", message: "gone", details: { field: "generationId", reason: "draftGone" } },
      "这一稿已经不在了，无法测量。",
    ],
  ] as [WireError, string][])("says why it cannot be: %o", async (error, words) => {
    await openWhy();
    w.backend.fail("memory:trace:measure", error);
    await measure();
    await expect.element(w.id("measure-problem")).toHaveTextContent(words);
  });

  test("that fails says why, and can be asked for again", async () => {
    await openWhy();
    await measure();
    await w.id("measure-start").click();
    await expect.element(w.id("measure-progress")).toBeVisible();
    w.backend.provenance.endMeasuring({
      kind: "failed",
      error: { code: "MEMORY_MODEL_UNAVAILABLE", message: "no", details: { reason: "keyRefused" } },
    });
    await expect.element(w.id("measure-problem")).toHaveTextContent("服务不认这个密钥。");
    await measure();
    await expect.element(w.id("measure-cost")).toBeVisible();
    await gone("measure-problem");
  });
});
