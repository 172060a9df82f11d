import { afterEach, describe, expect, test } from "vitest";
import { faults } from "../../testing/axe";
import { composition, fakeClock, openWindow, type Window } from "./openWindow";

let w: Window;
afterEach(() => w.close());

async function open(page: "past" | "names") {
  await w.id("nav-memory").click();
  await w.id(`memory-page-${page}`).click();
}

const cards = () => w.id("past-card").elements();
const card = (index: number) => w.id("past-card").nth(index);
const queries = () => w.backend.callsOf("memory:episode:query");
const groups = () => cards().map((one) => one.getAttribute("data-group"));
const search = (text: string) => w.id("past-search").fill(text);
const marks = (index: number) => [...cards()[index]!.querySelectorAll("mark")].map(({ textContent }) => textContent);
const matched = () =>
  w
    .id("past-matched")
    .elements()
    .map(({ textContent }) => textContent);

/** The fields of an episode that its card shows; the input context, the largest of all, is not among them. */
const FIELDS = [
  "chapterId",
  "createdAt",
  "skillUsed",
  "sceneType",
  "candidates",
  "selectedIndex",
  "finalText",
  "explicit",
  "implicit",
  "editDistance",
  "recallCount",
  "userConfirmed",
  "compressed",
  "summary",
];

describe("the past of a book", () => {
  test("is a list, the latest first: chapter, skill, scene, what was changed, what was done", async () => {
    w = await openWindow({ past: true });
    await open("past");
    await expect.poll(() => cards().length).toBe(6);
    await expect
      .poll(queries)
      .toEqual([
        { projectId: w.projectId(), purpose: "search", queryText: null, sceneType: null, limit: 50, fields: FIELDS },
      ]);
    await expect.poll(groups).toEqual(Array(6).fill("found"));
    expect(w.id("past-perhaps").elements()).toEqual([]);
    expect(matched()).toEqual([]);
    expect(document.body.textContent).toContain("这里列出最近的，更早的可以在上面查找。在这里查看不算想起。");
    await expect.element(card(0)).toHaveTextContent("旧水尺续写·对话");
    await expect.element(card(0)).toHaveTextContent("采用，改了 62%想起过 3 次");
    await expect.element(card(0)).toHaveTextContent("你说：“问话要短，他不会一口气说这么多”");
    const text = card(0).getByTestId("past-text").element();
    expect([...text.querySelectorAll("del")].map(({ textContent }) => textContent)).toEqual([
      "你知不知道这根水尺我爸到底",
      "它是想要",
    ]);
    expect([...text.querySelectorAll("ins")].map(({ textContent }) => textContent)).toEqual(["他"]);
    const deeds = w
      .id("past-deed")
      .elements()
      .map(({ textContent }) => textContent);
    expect(deeds).toEqual([
      "采用，改了 62%",
      "原样采用",
      "采用，改了 31%",
      "都没要",
      "采用以后又撤回",
      "采用，改了 12%",
    ]);
    await expect.element(card(1)).toHaveTextContent("核心设定");
    await expect.element(card(5)).toHaveTextContent("只留摘要");
    await expect.element(card(5)).toHaveTextContent("偏少：比喻");
  });

  test("is searched while typing, once the typing rests: what is found, and under a line what may be related", async () => {
    w = await openWindow({ past: true });
    await open("past");
    await expect.poll(() => cards().length).toBe(6);
    await search("簿子");
    await expect.element(w.id("past-perhaps")).toHaveTextContent("也许相关");
    expect(queries().at(-1)).toEqual({
      projectId: w.projectId(),
      purpose: "search",
      queryText: "簿子",
      sceneType: null,
      limit: 8,
      fields: FIELDS,
    });
    await expect.poll(groups).toEqual(["found", "perhaps", "perhaps", "perhaps", "perhaps", "perhaps"]);
    await expect.element(card(0)).toHaveTextContent("四十四本簿子");
    const [line, first, second] = [w.id("past-perhaps").element(), cards()[0]!, cards()[1]!];
    expect(first.compareDocumentPosition(line)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    expect(line.compareDocumentPosition(second)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    expect(document.body.textContent).not.toContain("这里列出最近的");
    expect(document.body.textContent).toContain("越接近的越靠前。在这里查看不算想起。");
    await w.id("past-search").click();
    await w.press("{Escape}");
    await expect.poll(() => w.id("past-perhaps").elements()).toEqual([]);
    await expect.poll(groups).toEqual(Array(6).fill("found"));
  });

  test("with nothing close says so, and shows the nearest", async () => {
    w = await openWindow({ past: true });
    await open("past");
    await expect.poll(() => cards().length).toBe(6);
    await search("人忘了水");
    await expect.element(w.id("past-perhaps")).toHaveTextContent("没有很接近的。最接近的是：");
    await expect.poll(groups).toEqual(Array(6).fill("perhaps"));
    await expect.element(card(0)).toHaveTextContent("“水记得，”他说，“是人忘了。”");
    // It matches by its meaning, so its words have no marks.
    expect(matched()[0]).toBe("对得上的：意思");
    expect(document.querySelectorAll("mark")).toHaveLength(0);
    expect(w.id("past-nothing").elements()).toEqual([]);
  });

  test("each card of a search says what matches, and words that match are marked", async () => {
    w = await openWindow({ past: true });
    await open("past");
    await expect.poll(() => cards().length).toBe(6);
    await search("四十四本簿子");
    await expect.poll(matched).toEqual(["对得上的：用词", "对得上的：意思"]);
    expect(marks(0)).toEqual(["四十四本簿子"]);
    expect(document.querySelectorAll("mark")).toHaveLength(1);
    await w.id("past-search").click();
    await w.press("{Escape}");
    await expect.poll(matched).toEqual([]);
    expect(document.querySelectorAll("mark")).toHaveLength(0);
  });

  test("words that match are marked in a changed text, the deleted and the inserted ones", async () => {
    w = await openWindow({
      past: true,
      before: ({ episodes }) =>
        void Object.assign(episodes[0]!, {
          candidates: ["他一直拿着水尺。"],
          finalText: "水尺，他一直拿着。",
        }),
    });
    await open("past");
    await search("水尺");
    const kinds = () => [...cards()[0]!.querySelectorAll("mark")].map((one) => one.parentElement!.localName);
    await expect.poll(() => marks(0).join("")).toBe("水尺水尺");
    await expect.poll(kinds).toContain("del");
    await expect.poll(kinds).toContain("ins");
  });

  test("a compressed passage is found by its summary, and still says that only that is left", async () => {
    w = await openWindow({ past: true });
    await open("past");
    await search("头班渡船");
    await expect.poll(() => marks(0)).toEqual(["头班渡船"]);
    await expect.element(card(0)).toHaveTextContent("只留摘要");
    expect(matched()[0]).toBe("对得上的：用词");
  });

  test("a scene filters, also a search; the cards say that it matches", async () => {
    w = await openWindow({ past: true });
    await open("past");
    await expect.poll(() => cards().length).toBe(6);
    await w.id("past-scene").click();
    await w.id("past-scene-dialogue").click();
    await expect.poll(() => cards().length).toBe(2);
    expect(queries().at(-1)).toMatchObject({ purpose: "search", queryText: null, sceneType: "dialogue", limit: 50 });
    await expect.poll(matched).toEqual(["对得上的：场景", "对得上的：场景"]);
    await search("水记得");
    await expect.poll(groups).toEqual(["found", "perhaps"]);
    expect(matched()[0]).toBe("对得上的：用词、场景");
    expect(queries().at(-1)).toMatchObject({ queryText: "水记得", sceneType: "dialogue", limit: 8 });
    await w.id("past-scene").click();
    await w.id("past-scene-monologue").click();
    await expect.element(w.id("past-nothing")).toHaveTextContent("没有这种场景的往事。换个场景看看。");
  });

  test("with more matches than are shown offers all of them", async () => {
    w = await openWindow({
      past: true,
      before: ({ episodes }) => {
        const [first] = episodes;
        for (let n = 0; n < 9; n += 1) episodes.push({ ...first!, id: `more-${n}`, finalText: `第 ${n} 盏灯塔。` });
      },
    });
    await open("past");
    await search("灯塔");
    await expect.poll(groups).toEqual(Array(8).fill("found"));
    await w.id("past-more").click();
    await expect.poll(() => cards().length).toBe(9);
    expect(queries().at(-1)).toMatchObject({ queryText: "灯塔", limit: 50 });
    await expect.poll(groups).toEqual(Array(9).fill("found"));
    expect(w.id("past-more").elements()).toEqual([]);
    await search("灯塔。");
    await expect.poll(() => cards().length).toBe(8);
  });

  test("a long text begins at its first match, until it is shown as a whole", async () => {
    w = await openWindow({
      past: true,
      before: ({ episodes }) => {
        const text = `${"海上什么也没有。".repeat(50)}灯塔亮了。`;
        Object.assign(episodes[1]!, { candidates: [text], finalText: text });
      },
    });
    await open("past");
    await search("灯塔");
    await expect.poll(() => marks(0)).toEqual(["灯塔"]);
    const text = () => card(0).getByTestId("past-text").element().textContent!;
    await expect.poll(text).toMatch(/^….{40}灯塔亮了。$/u);
    await card(0).getByRole("button", { name: "看全部" }).click();
    await expect.poll(text).toHaveLength(405);
    expect(marks(0)).toEqual(["灯塔"]);
  });

  test("a search that fails is reported, and can be repeated", async () => {
    w = await openWindow({ past: true });
    await open("past");
    await expect.poll(() => cards().length).toBe(6);
    w.backend.fail("memory:episode:query", { code: "MEMORY_STORE_UNAVAILABLE", message: "locked" });
    await search("簿子");
    const again = w.id("memory-panel").getByText("重新读取");
    await expect.element(again).toBeVisible();
    expect(cards()).toEqual([]);
    await again.click();
    await expect.element(w.id("past-perhaps")).toBeVisible();
  });

  test("is not searched for half of what an input method composes", async () => {
    w = await openWindow({ past: true });
    const pass = fakeClock();
    await open("past");
    await expect.poll(() => cards().length).toBe(6);
    const field = w.id("past-search").element() as HTMLInputElement;
    const ime = composition(field);
    ime.begin();
    await w.id("past-search").fill("bu zi");
    ime.key("Enter");
    await pass(400);
    await expect.poll(queries).toHaveLength(1);
    await w.id("past-search").fill("簿子");
    ime.end("簿子");
    ime.lateKey("Enter");
    await expect.poll(() => groups()[1]).toBe("perhaps");
    expect(queries().map(({ queryText }) => queryText)).toEqual([null, "簿子"]);
  });

  test("pins an episode, and unpins it again", async () => {
    w = await openWindow({ past: true });
    await open("past");
    await card(2).getByTestId("past-keep").click();
    await expect.element(card(2)).toHaveTextContent("采用，改了 31%核心设定取消核心设定");
    await expect
      .poll(() => w.backend.callsOf("memory:episode:confirm"))
      .toEqual([{ projectId: w.projectId(), episodeId: "past-3", userConfirmed: true }]);
    await card(2).getByTestId("past-keep").click();
    await expect.element(card(2)).toHaveTextContent("设为核心设定");
    await expect.poll(() => w.backend.callsOf("memory:episode:confirm").at(-1)).toMatchObject({ userConfirmed: false });
  });

  test("deletes an episode only after an inline confirmation; Escape cancels", async () => {
    w = await openWindow({ past: true });
    await open("past");
    await card(3).getByTestId("past-delete").click();
    await expect
      .element(card(3))
      .toHaveTextContent("删除后不会再想起，流水里说到它的也会抹去，恢复备份也不会回来。正文不变。");
    await expect.element(w.id("past-delete-cancel")).toHaveFocus();
    await expect.element(card(3).getByRole("group", { name: "删除这一段往事" })).toBeVisible();
    await w.press("{Escape}");
    await expect.poll(() => w.id("past-delete-confirm").elements().length).toBe(0);
    await expect.element(card(3).getByTestId("past-delete")).toHaveFocus();
    expect(w.backend.callsOf("memory:episode:delete")).toEqual([]);
    await card(3).getByTestId("past-delete").click();
    await w.id("past-delete-confirm").click();
    await expect.poll(() => cards().length).toBe(5);
    await expect
      .poll(() => w.backend.callsOf("memory:episode:delete"))
      .toEqual([{ projectId: w.projectId(), episodeId: "past-4" }]);
  });

  test("its words are erased everywhere only if that is ticked; both choices are explained, and remaining copies are listed afterwards", async () => {
    w = await openWindow({ past: true });
    await open("past");
    await card(3).getByTestId("past-delete").click();
    await expect.element(card(3)).toHaveTextContent("不选的话，文字还留在以前的提示词、历史、备份和导出的文件里。");
    await expect
      .element(card(3).getByRole("checkbox", { name: "同时清除提示词、历史和备份里的文字" }))
      .not.toBeChecked();
    await w.id("past-delete-everywhere").click();
    await expect.element(card(3)).toHaveTextContent("带过它的提示词会整个清空");
    await w.id("past-delete-confirm").click();
    await expect.poll(() => cards().length).toBe(5);
    await expect
      .poll(() => w.backend.callsOf("memory:episode:delete"))
      .toEqual([{ projectId: w.projectId(), episodeId: "past-4", everywhere: true }]);
    await expect.element(w.id("erased-words")).toHaveTextContent("相同的句子还在：1 段往事。没有改动。");
    await w.id("erased-done").click();
    await expect.poll(() => w.id("erased-words").elements().length).toBe(0);
  });

  test("a failed write is reported on its own card, and the card stays", async () => {
    w = await openWindow({ past: true });
    await open("past");
    w.backend.fail("memory:episode:delete", { code: "MEMORY_WRITE_FAILED", message: "disk full" });
    await card(0).getByTestId("past-delete").click();
    await w.id("past-delete-confirm").click();
    await expect.element(card(0).getByTestId("past-problem")).toHaveTextContent("没能写进磁盘");
    await expect.poll(cards).toHaveLength(6);
  });

  test("leads to the chapter it happened in", async () => {
    w = await openWindow({ past: true });
    await open("past");
    await card(0).getByRole("button", { name: "旧水尺" }).click();
    await expect.poll(() => w.program.editor.state.getState().chapter?.title).toBe("旧水尺");
  });

  test("that cannot be read is reported in words, and returns automatically", async () => {
    w = await openWindow({ past: true });
    w.backend.degrade("episodes");
    await open("past");
    await expect.element(w.id("missing-episodes")).toHaveTextContent("过往示例暂不可用");
    expect(cards()).toEqual([]);
    expect(document.body.textContent).not.toContain("还没有往事");
    w.backend.degrade();
    await expect.poll(() => cards().length).toBe(6);
  });

  test("that has nothing in it yet says how it begins", async () => {
    w = await openWindow();
    await open("past");
    await expect.element(w.id("past-nothing")).toHaveTextContent("还没有往事。让助手写一次，采用或都不要以后就有了。");
    await search("簿子");
    await expect.poll(() => queries().length).toBe(2);
    await w.backend.idle();
    await expect.element(w.id("past-nothing")).toHaveTextContent("还没有往事。让助手写一次，采用或都不要以后就有了。");
  });
});

describe("names that stay at home", () => {
  const rows = () =>
    w
      .id("name-row")
      .elements()
      .map((row) => [...row.querySelectorAll("b, b + span")].map(({ textContent }) => textContent));

  async function hide(name: string, alias?: string) {
    await w.id("name-add").click();
    await w.id("name-name").fill(name);
    if (alias !== undefined) await w.id("name-alias").fill(alias);
    await w.id("name-save").click();
    await expect.poll(() => w.id("name-form").elements().length).toBe(0);
  }

  test("one sentence says what it does; a stand-in is offered; the list says who is called what", async () => {
    w = await openWindow();
    await open("names");
    await expect
      .element(w.id("names-explain"))
      .toHaveTextContent("写在这里的名字不会发给模型：模型读到的是化名，返回的稿子里再换成本名。");
    await hide("老周");
    await hide("验潮所", "观测站");
    await expect.poll(rows).toEqual([
      ["老周", "闻人甲"],
      ["验潮所", "观测站"],
    ]);
    await expect
      .poll(() => w.backend.callsOf("memory:names:set"))
      .toEqual([
        { projectId: w.projectId(), names: [{ name: "老周", alias: "闻人甲" }] },
        {
          projectId: w.projectId(),
          names: [
            { name: "老周", alias: "闻人甲" },
            { name: "验潮所", alias: "观测站" },
          ],
        },
      ]);
  });

  test("is changed in place, and deleted", async () => {
    w = await openWindow();
    await open("names");
    await hide("老周");
    await hide("父亲");
    await w.id("name-edit").first().click();
    await expect.element(w.id("name-alias")).toHaveValue("闻人甲");
    await w.id("name-alias").fill("老吴");
    await w.press("{Enter}");
    await expect.poll(rows).toEqual([
      ["老周", "老吴"],
      ["父亲", "闻人乙"],
    ]);
    await w.id("name-remove").first().click();
    await expect.poll(rows).toEqual([["父亲", "闻人乙"]]);
  });

  test("invalid input is reported before it is sent", async () => {
    w = await openWindow();
    await open("names");
    await hide("老周");
    await w.id("name-add").click();
    await w.id("name-name").fill("老周");
    await expect.element(w.id("name-form")).toHaveTextContent("这个名字已经在上面了。");
    await w.id("name-name").fill("船老大");
    await w.id("name-alias").fill("老周二");
    await expect.element(w.id("name-form")).toHaveTextContent("化名里含有本名，起不到隐藏的作用。");
    await expect.element(w.id("name-save")).toBeDisabled();
    await w.press("{Enter}");
    await w.press("{Escape}");
    await expect.poll(() => w.id("name-form").elements().length).toBe(0);
    await expect.poll(() => w.backend.callsOf("memory:names:set")).toHaveLength(1);
  });

  test("a failed save is reported at the form, which keeps the input", async () => {
    w = await openWindow();
    await open("names");
    w.backend.fail("memory:names:set", { code: "MEMORY_STORE_UNAVAILABLE", message: "locked" });
    await w.id("name-add").click();
    await w.id("name-name").fill("老周");
    await w.id("name-save").click();
    await expect.element(w.id("name-problem")).toHaveTextContent("记忆库打不开。写作不受影响。");
    await expect.element(w.id("name-name")).toHaveValue("老周");
    await w.id("name-save").click();
    await expect.poll(rows).toEqual([["老周", "闻人甲"]]);
  });

  test("that cannot be read block sending, with an explanation, and none can be added meanwhile", async () => {
    w = await openWindow();
    w.backend.fail("memory:names:list", {
      code: "MEMORY_STORE_UNAVAILABLE",
      message: "damaged",
      details: { reason: "damaged" },
    });
    await open("names");
    await expect.poll(() => document.body.textContent).toContain("读不出来的时候，不让别处的模型写作，以免泄露名字。");
    await expect.element(w.id("name-add")).toBeDisabled();
    expect(document.body.textContent).not.toContain("现在没有隐藏的名字");
    await w.id("memory-panel").getByText("重新读取").click();
    await expect.element(w.id("name-add")).toBeEnabled();
  });

  test("a name that is an everyday word asks once whether its lower case is hidden too", async () => {
    w = await openWindow();
    await open("names");
    await hide("Will", "Quentin");
    await expect.element(w.id("name-lower-case")).toHaveTextContent("“will”也是常用词。小写的也隐藏吗？现在不隐藏。");
    await w.id("name-lower-case-hidden").click();
    await expect.poll(() => w.id("name-lower-case").elements().length).toBe(0);
    await expect
      .poll(() => w.backend.callsOf("memory:names:set").at(-1))
      .toEqual({
        projectId: w.projectId(),
        names: [{ name: "Will", alias: "Quentin", lowerCase: "hidden" }],
      });
  });

  test("forms that stand in the book are offered with their counts, and one press adds a line", async () => {
    w = await openWindow();
    w.backend.life.nameForms = [
      { name: "周海生", form: "老周", count: 12 },
      { name: "周海生", form: "海生", count: 3 },
    ];
    await open("names");
    expect(w.id("name-forms").elements()).toEqual([]);
    await hide("周海生");
    await expect.element(w.id("name-forms")).toHaveTextContent("12 处，像是“周海生”");
    await w.id("name-form-add").first().click();
    await expect.poll(rows).toEqual([
      ["周海生", "闻人甲"],
      ["老周", "闻人乙"],
    ]);
    await expect.poll(() => w.id("name-form-found").elements().length).toBe(1);
  });

  test("characters that cannot be seen are refused with a sentence of their own", async () => {
    w = await openWindow();
    await open("names");
    w.backend.fail("memory:names:set", {
      code: "MEMORY_INVALID_ARGUMENT",
      message: "names[0].name: unseen",
      details: { field: "names[0].name", reason: "invisibleCharacters" },
    });
    await w.id("name-add").click();
    await w.id("name-name").fill("老\u200b周");
    await w.id("name-save").click();
    await expect.element(w.id("name-problem")).toHaveTextContent("里面有看不见的字符，模型会读到。");
  });

  test("Enter that belongs to an input method saves nothing", async () => {
    w = await openWindow();
    await open("names");
    await w.id("name-add").click();
    await w.id("name-name").fill("老周");
    const ime = composition(w.id("name-name").element() as HTMLElement);
    ime.begin();
    ime.key("Enter");
    ime.end("老周");
    ime.lateKey("Enter");
    await w.backend.idle();
    expect(w.backend.callsOf("memory:names:set")).toEqual([]);
    await expect.element(w.id("name-form")).toBeVisible();
  });
});

describe("the skills on offer", () => {
  const tabs = () => [...document.querySelectorAll('[data-testid^="skill-"]')].map(({ textContent }) => textContent);

  test("stand in the order the writer uses them in this kind of scene; what this window cannot run is left out", async () => {
    w = await openWindow();
    w.backend.life.skills = [
      ["polish", 0.3],
      ["continue", 0.1],
      ["stage-directions", 0.1],
      ["rewrite", 0],
      ["ask", 0],
    ].map(([skill, weight]) => ({ skill: String(skill), weight: Number(weight) }));
    await expect.poll(tabs).toEqual(["续写", "润色", "改写", "扩写", "缩写"]);
    await w.id("scene-select").click();
    await w.id("scene-select-dialogue").click();
    await expect.poll(tabs).toEqual(["润色", "续写", "改写", "扩写", "缩写"]);
    await expect
      .poll(() => w.backend.callsOf("memory:skills:order").at(-1))
      .toEqual({
        projectId: w.projectId(),
        sceneType: "dialogue",
      });
  });

  test("do not move under the hand when a choice was recorded", async () => {
    w = await openWindow();
    await expect.poll(() => w.backend.callsOf("memory:skills:order").length).toBe(1);
    await w.backend.idle();
    w.backend.life.skills = [{ skill: "condense", weight: 0.5 }];
    w.backend.emit("memory:changed", { projectId: w.projectId(), what: ["episodes"] });
    await w.backend.idle();
    await expect.poll(tabs).toEqual(["续写", "润色", "改写", "扩写", "缩写"]);
    await w.openChapter(1);
    await expect.poll(tabs).toEqual(["缩写", "续写", "润色", "改写", "扩写"]);
  });
});

describe("nothing is in the way of anybody", () => {
  test.each(["light", "dark"] as const)("axe finds nothing wrong with past and names, %s", async (theme) => {
    w = await openWindow({ past: true, settings: { interfaceLanguage: "zh-CN", theme } });
    await open("past");
    await expect.poll(() => cards().length).toBe(6);
    await card(0).getByTestId("past-delete").click();
    expect(await faults()).toEqual([]);
    await search("簿子");
    await expect.element(w.id("past-perhaps")).toBeVisible();
    expect(await faults()).toEqual([]);
    await w.id("memory-page-names").click();
    await w.id("name-add").click();
    await w.id("name-name").fill("老周");
    expect(await faults()).toEqual([]);
    await w.id("name-save").click();
    await expect.poll(() => w.id("name-row").elements().length).toBe(1);
    expect(await faults()).toEqual([]);
  });
});
