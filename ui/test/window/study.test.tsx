import { afterEach, describe, expect, test } from "vitest";
import type { StudyState } from "../../src/backend";
import type { FakeBackend } from "../../src/backend/fake";
import { faults } from "../../testing/axe";
import { ime, lateKeys } from "./ime";
import { composition } from "./openWindow";
import { accept, at, chapterId, openedChapter, openStory, selected, texts, w } from "./storyPanel";

afterEach(() => w.close());

const project = (backend: FakeBackend) => backend.books[0]!.project.projectId;

/** Switches the study on, in a state. */
const on = (part: Partial<StudyState>) => async (backend: FakeBackend) => {
  const projectId = project(backend);
  const agreedHost = backend.study.model!.host;
  await backend.invoke("knowledge:study:set", { projectId, isEnabled: true, agreedHost, version: 0 });
  backend.study.move(projectId, part);
};

/** Adds records: a question, an answer and a sentence of a chapter, the newest last. */
const records = (backend: FakeBackend, facts: Parameters<FakeBackend["knowledge"]["addRecord"]>[1] = []) => {
  const found: [string, string, number, string][] = [
    ["谁看的潮？", "那年是阿满看的。", 1, "是我女人看的。"],
    ["谁拿着鞋？", "是小满拿着。", 2, "小满拿着鞋。"],
  ];
  for (const [question, answer, chapter, quote] of found) {
    const { info, text } = backend.books[0]!.files[chapter]!;
    const from = text.indexOf(quote);
    const citation = { chapterId: info.chapterId, from, to: from + quote.length, quoteHash: quote, quote };
    backend.knowledge.addRecord(
      { projectId: project(backend), question, answer, citations: [{ ...citation, status: "holds" }] },
      facts,
    );
  }
};

async function openStudy(before?: (backend: FakeBackend) => unknown) {
  await openStory({ before: (backend) => void before?.(backend) });
  await w.id("study-open").click();
  await expect.element(w.id("study-tray")).toBeVisible();
}

const mode = () => w.id("study-headline").element().getAttribute("data-mode");
const record = (answer: string) =>
  w
    .id("study-record")
    .elements()
    .find(({ textContent }) => textContent?.includes(answer)) as HTMLElement;
const calls = <K extends Parameters<FakeBackend["callsOf"]>[0]>(name: K) => w.backend.callsOf<K>(name);

describe("a study that is off", () => {
  test("is one line, and shows what it would take before the switch; not now leaves it off", async () => {
    await openStory();
    await expect.element(w.id("study-headline")).toHaveTextContent("关着");
    expect(calls("knowledge:study:estimate")).toEqual([]);
    await w.id("study-open").click();
    await expect.element(w.id("study-estimate")).toBeVisible();
    await expect.poll(() => w.id("study-estimate").element().textContent).toContain("14 处");
    await expect.poll(() => w.id("study-estimate").element().textContent).toContain("最多 8,000 词元10 步，13 次请求");
    await expect.poll(() => w.id("study-estimate").element().textContent).toContain("最多 50 问都用上是 400,000 词元");
    await expect.element(w.id("study-leaves")).toHaveTextContent("问的是本机的 llama3.1:8b，什么也不发出去。");
    expect(await faults()).toEqual([]);
    await w.id("study-not-now").click();
    await expect.poll(() => w.id("study-tray").elements()).toEqual([]);
    expect(calls("knowledge:study:set")).toEqual([]);
  });

  test("says what leaves for a model elsewhere, and agrees to its host alone", async () => {
    await openStudy(({ study }) => {
      study.model = { name: "deepseek-chat", host: "api.deepseek.com", isLocal: false };
    });
    await expect.element(w.id("study-leaves")).toHaveTextContent("问一次，最多 8,000 词元发往 api.deepseek.com");
    await expect.element(w.id("study-leaves")).toHaveTextContent("书里一共 128 段，哪一段都可能发过去。名字换成化名。");
    await w.id("study-on").click();
    await expect.poll(mode).toBe("waiting");
    expect(calls("knowledge:study:set").map(({ agreedHost, isEnabled }) => [isEnabled, agreedHost])).toEqual([
      [true, "api.deepseek.com"],
    ]);
  });

  test("is switched on by the keyboard alone, from the panel", async () => {
    await openStory();
    w.id("story-panel").element().focus();
    for (let step = 0; step < 30 && at().dataset["testid"] !== "study-open"; step += 1) await w.press("{ArrowDown}");
    await w.press("{Enter}");
    await expect.element(w.id("study-on")).toBeVisible();
    for (let step = 0; step < 10 && at().dataset["testid"] !== "study-on"; step += 1) await w.press("{Tab}");
    await w.press("{Enter}");
    await expect.poll(mode).toBe("waiting");
    await w.press("{Escape}");
    await expect.poll(() => w.id("study-tray").elements()).toEqual([]);
    expect(at().dataset["testid"]).toBe("study-open");
    await w.press("{Escape}");
    await expect.poll(() => w.id("story-panel").elements()).toEqual([]);
  });

  test("cannot be switched on without a model, and leads to the settings", async () => {
    await openStudy(({ study }) => void Object.assign(study, { model: null, suggested: ["谁是老周？"] }));
    await expect.element(w.id("study-no-model")).toBeVisible();
    // Fourteen gaps of the book; the writer can think about the first ones.
    await expect.element(w.id("study-gaps")).toHaveTextContent("书里还没有交代的，你自己可以想想谁是老周？");
    await expect.element(w.id("study-gaps")).toHaveTextContent("另外还有 9 处");
    expect(w.id("study-on").elements()).toEqual([]);
    await w.id("study-settings").click();
    await expect.poll(() => w.program.window.getState().panel).toBe("settings");
  });

  test("looks further by its switch, and the estimate follows", async () => {
    await openStudy();
    await expect.element(w.id("study-estimate")).toBeVisible();
    await w.id("study-deep").click();
    await expect.poll(() => w.id("study-estimate").element().textContent).toContain("最多 12,000 词元15 步");
    expect(calls("knowledge:study:set").at(-1)).toMatchObject({ isEnabled: false, isDeep: true, version: 0 });
  });
});

describe("a study at work", () => {
  test("shows the question, the phase and the step as they are reported, and what it found", async () => {
    await openStudy(on({ currentPhase: "generatingQuestion" }));
    await expect.element(w.id("study-working")).toHaveTextContent("想问题");
    await expect.element(w.id("study-headline")).toHaveTextContent("开着·llama3.1:8b，本机");
    const present = () => w.id("study-working").element().querySelector("b")?.textContent;
    await expect.poll(present).toBe("想问题");
    w.backend.study.move(w.projectId(), {
      currentPhase: "exploring",
      questionId: "q",
      question: "谁在门口？",
      step: 4,
      questionsToday: 12,
      explorationsToday: 14,
    });
    await expect.poll(present).toBe("去找");
    await expect.element(w.id("study-working")).toHaveTextContent("谁在门口？");
    await expect.element(w.id("study-step")).toHaveTextContent("第 4 步，最多 10 步");
    await expect.element(w.id("study-today")).toHaveTextContent("今天 12 / 50 问14 / 100 次查找");

    expect(w.id("study-record").elements()).toEqual([]);
    records(w.backend);
    w.backend.study.move(w.projectId(), { currentPhase: "idle", questionId: null, totalQuestionsExplored: 1 });
    await expect.poll(() => w.id("study-record").elements().length).toBe(2);
    expect(await faults()).toEqual([]);
  });

  test("is paused and goes on by a press, and is switched off", async () => {
    await openStudy(on({ currentPhase: "exploring", question: "谁？", questionId: "q" }));
    await w.id("study-stop").click();
    await expect.poll(mode).toBe("stopped");
    await expect.element(w.id("study-user-stopped")).toBeVisible();
    await w.id("study-run").click();
    await expect.poll(mode).toBe("working");
    expect([calls("knowledge:study:stop").length, calls("knowledge:study:run").length]).toEqual([1, 1]);
    await w.id("study-off").click();
    await expect.poll(mode).toBe("off");
    await expect.element(w.id("study-on")).toBeVisible();
  });

  test.each<[string, Partial<StudyState>, string, string]>([
    ["the writer writes", { question: "谁？" }, "开着·你在写，它等着", "study-writing"],
    [
      "learning is paused",
      { currentPhase: "stopped", stopReason: "paused" },
      "学习暂停着，它等着",
      "study-learning-paused",
    ],
    [
      "the questions of the day are used",
      { stopReason: "quota", questionsToday: 50 },
      "50 / 50，零点接着",
      "study-used-up",
    ],
    [
      "the searches of the day are used",
      { stopReason: "quota", explorationsToday: 100 },
      "查找 100 / 100，零点接着",
      "study-used-up",
    ],
    ["nothing is left to ask", { stopReason: "fullyLearned" }, "没有要问的了", "study-nothing-left"],
    ["nothing has changed", { stopReason: "unchanged" }, "没有要问的了", "study-nothing-left"],
    [
      "it failed five times",
      { currentPhase: "stopped", stopReason: "error", consecutiveErrors: 5, lastError: "modelFailed" },
      "停下了",
      "study-stopped",
    ],
    ["the key was refused", { currentPhase: "stopped", stopReason: "noKey" }, "停下了", "study-stopped"],
  ])("says why it waits: %s", async (_, part, headline, testId) => {
    await openStudy(on(part));
    await expect.element(w.id(testId)).toBeVisible();
    await expect.element(w.id("study-headline")).toHaveTextContent(headline);
  });

  test("says when it tries again after an error, and tries at once by a press", async () => {
    const backoffUntil = new Date(Date.now() + 9.5 * 60_000).toISOString();
    await openStudy(on({ currentPhase: "backingOff", consecutiveErrors: 3, lastError: "modelFailed", backoffUntil }));
    await expect.element(w.id("study-headline")).toHaveTextContent("模型没有应声，第 3 次");
    await expect.element(w.id("study-backing-off")).toHaveTextContent("10 分钟后再试");
    await w.id("study-run").click();
    await expect.poll(mode).toBe("working");
  });

  test("asks again before text goes to another host than the one agreed to", async () => {
    await openStudy(async (backend) => {
      await on({})(backend);
      backend.study.model = { name: "deepseek-chat", host: "api.deepseek.com", isLocal: false };
      backend.study.isHidingNames = false;
    });
    await expect.element(w.id("study-other-host")).toHaveTextContent("你说好的是 127.0.0.1:11434");
    await expect.element(w.id("study-leaves")).toHaveTextContent("这本书没有藏着的名字，都照原样发。");
    await w.id("study-agree").click();
    await expect.poll(() => w.id("study-other-host").elements()).toEqual([]);
    expect(calls("knowledge:study:set").at(-1)).toMatchObject({ isEnabled: true, agreedHost: "api.deepseek.com" });
  });
});

describe("what a study found", () => {
  test("is kept by K and refused by R, in its place; a refusal is final and says so", async () => {
    await openStudy((backend) => records(backend));
    await expect.poll(() => w.id("study-record").elements().length).toBe(2);
    record("小满").focus();
    await w.press("k");
    await expect.element(w.id("study-kept")).toHaveTextContent("你认下了");
    expect(record("小满").dataset["kept"]).toBe("true");
    await expect.poll(at).toBe(record("小满"));
    record("阿满").focus();
    await w.press("r");
    await expect.element(w.id("study-refused")).toHaveTextContent("不要了，已经删掉，以后不再提。");
    await expect.poll(() => w.id("study-record").elements()).toHaveLength(2);
    expect(calls("knowledge:record:judge").map(({ verdict }) => verdict)).toEqual(["keep", "refuse"]);
    // The same key once more judges nothing.
    await w.press("r");
    expect(calls("knowledge:record:judge")).toHaveLength(2);
    await expect
      .poll(() => w.backend.answers.studied(w.projectId()).map(({ userConfirmed }) => userConfirmed))
      .toEqual([true]);
  });

  test("is judged once while its verdict is on the way, and the next one can be judged meanwhile", async () => {
    await openStudy((backend) => records(backend));
    await expect.poll(() => w.id("study-record").elements().length).toBe(2);
    const release = w.backend.waits.hold("knowledge:record:judge");
    record("小满").focus();
    await w.press("rr");
    record("阿满").focus();
    await w.press("k");
    release();
    await expect.element(w.id("study-refused")).toBeVisible();
    await expect.element(w.id("study-kept")).toBeVisible();
    expect(calls("knowledge:record:judge").map(({ verdict }) => verdict)).toEqual(["refuse", "keep"]);
    expect(w.id("study-records-problem").elements()).toEqual([]);
  });

  test("is not judged by a letter while an input method composes, nor by one with a modifier", async () => {
    await openStudy((backend) => records(backend));
    await expect.poll(() => w.id("study-record").elements().length).toBe(2);
    record("小满").focus();
    const composed = composition(record("小满"));
    composed.begin();
    composed.key("k");
    composed.key("r");
    composed.end("");
    composed.lateKey("r");
    await w.press("{Control>}k{/Control}");
    expect(calls("knowledge:record:judge")).toEqual([]);
  });

  test("opens its sentence in the text, and Escape returns before it folds the tray", async () => {
    await openStudy((backend) => records(backend));
    await expect.poll(() => w.id("study-record").elements().length).toBe(2);
    const quote = record("阿满").querySelector<HTMLElement>("[data-testid=study-quote]")!;
    quote.focus();
    await w.press("{Enter}");
    await expect.poll(openedChapter).toBe(chapterId(1));
    await expect.poll(selected).toBe("是我女人看的。");
    await expect.poll(at).toBe(quote);
    await w.press("{Escape}");
    await expect.poll(openedChapter).toBe(chapterId(2));
    await expect.poll(() => w.id("study-tray").elements()).toHaveLength(1);
  });

  test("writes its facts on the cards once it is kept, which it says before", async () => {
    await openStudy(async (backend) => {
      await accept("老周")(backend);
      const entityId = backend.entities.idOf(project(backend), "老周");
      records(backend, [{ entityId, entityName: "老周", attribute: "做什么", value: "看潮" }]);
    });
    await expect.poll(() => texts("study-fact")[0]).toMatch(/^认下就记到卡上：老周·做什么 看潮/);
    await w.id("study-keep").nth(0).click();
    await expect.element(w.id("study-kept")).toHaveTextContent("你认下了，卡上添了 1 条");
    await w.id("study-take-off").click();
    await expect.poll(() => calls("story:undo").length).toBe(1);
    await expect.poll(() => w.id("study-take-off").elements()).toEqual([]);
    await expect.element(w.id("study-kept")).toHaveTextContent("你认下了");
  });

  test("writes its facts in the writer's words, and leaves out what is not wanted", async () => {
    await openStudy(async (backend) => {
      await accept("老周")(backend);
      const entityId = backend.entities.idOf(project(backend), "老周");
      const fact = { entityId, entityName: "老周", attribute: "做什么" };
      records(backend, [
        { ...fact, value: "看朝" },
        { ...fact, value: "打鱼" },
      ]);
    });
    await expect.poll(() => texts("study-fact")).toHaveLength(4);
    await w.id("study-fact-leave-out").nth(1).click();
    await expect.poll(() => texts("study-fact")[1]).toBe("不记到卡上：老周·做什么 打鱼还是记");
    await w.id("study-fact-edit").nth(0).click();
    const field = w.id("study-fact-value").element() as HTMLInputElement;
    await expect.poll(at).toBe(field);
    await ime.compose("kan");
    await ime.allKeys();
    await ime.commit("看潮");
    lateKeys(field);
    // The letters that judge a record are letters here.
    await w.press("kr");
    expect(calls("knowledge:record:judge")).toEqual([]);
    await w.id("study-fact-value").fill("看潮");
    await w.press("{Escape}");
    await expect.poll(() => texts("study-fact")[0]).toMatch(/看朝/);
    await w.id("study-fact-edit").nth(0).click();
    await w.id("study-fact-value").fill("看潮");
    await w.press("{Enter}");
    await expect.poll(() => texts("study-fact")[0]).toMatch(/老周·做什么 看潮/);
    expect(await faults()).toEqual([]);
    await w.id("study-keep").nth(0).click();
    await expect.element(w.id("study-kept")).toHaveTextContent("你认下了，卡上添了 1 条");
    const [kept] = calls("knowledge:record:judge") as { facts: { attribute?: string; value?: string }[] }[];
    expect(kept!.facts.map(({ value = null }) => value).toSorted()).toEqual([null, "看潮"]);
  });

  test("says why a verdict was not stored, and can be judged again", async () => {
    await openStudy((backend) => records(backend));
    await expect.poll(() => w.id("study-record").elements().length).toBe(2);
    w.backend.fail("knowledge:record:judge", { code: "MEMORY_STALE_VERSION", message: "changed" });
    await w.id("study-refuse").nth(0).click();
    await expect.element(w.id("study-records-problem")).toHaveTextContent("刚刚在别处改过");
    await expect.poll(() => w.id("study-record").elements()).toHaveLength(2);
    await w.id("study-keep").nth(0).click();
    await expect.element(w.id("study-kept")).toBeVisible();
  });

  test("waits in the line of a folded study, as a number", async () => {
    await openStory({ before: (backend) => records(backend) });
    await expect.element(w.id("study-proposed")).toHaveTextContent("2 条等你看");
  });
});

describe("a question of the writer's", () => {
  test("goes first, is composed without being sent, and can be dropped", async () => {
    await openStudy(async (backend) => {
      await on({})(backend);
      backend.study.addQuestion(project(backend), "谁带大的小满？");
    });
    await expect.poll(() => texts("study-question")).toEqual(["谁带大的小满？"]);
    const field = w.id("study-own").element() as HTMLTextAreaElement;
    field.focus();
    await ime.compose("shui");
    await ime.allKeys();
    expect(calls("knowledge:question:add")).toEqual([]);
    await ime.commit("谁在门口？");
    lateKeys(field);
    expect(field.value).toBe("谁在门口？");
    expect(calls("knowledge:question:add")).toEqual([]);
    // A question that is being written is not thrown away.
    await w.press("{Escape}");
    await expect.poll(() => w.id("study-tray").elements()).toHaveLength(1);
    await w.press("{Enter}");
    await expect.poll(() => texts("study-question")).toEqual(["谁在门口？你问的", "谁带大的小满？"]);
    expect(field.value).toBe("");
    await w.id("study-drop").nth(1).click();
    await expect.poll(() => texts("study-question")).toEqual(["谁在门口？你问的"]);
  });

  test("that was refused stays in the field, with the reason", async () => {
    await openStudy(on({}));
    await w.id("study-own").fill("？？");
    await w.press("{Enter}");
    await expect.element(w.id("study-own-problem")).toHaveTextContent("问题里要有字，也不能太长。");
    await expect.element(w.id("study-own")).toHaveValue("？？");
  });

  test("without a sentence to rest on is shown, and nothing is kept", async () => {
    await openStudy(async (backend) => {
      await on({})(backend);
      backend.study.addQuestion(project(backend), "井口是哪一年加的盖子？", "failed");
    });
    await expect.element(w.id("study-unanswered")).toHaveTextContent("没有一句能当凭据，所以什么也没记");
  });
});

describe("many records", () => {
  const add = (backend: FakeBackend, count: number) => {
    const { info } = backend.books[0]!.files[1]!;
    for (let number = 1; number <= count; number += 1) {
      const quote = "是我女人看的。";
      const citation = { chapterId: info.chapterId, from: 0, to: quote.length, quoteHash: quote, quote };
      backend.knowledge.addRecord({
        projectId: project(backend),
        question: `第 ${number} 问？`,
        answer: `第 ${number} 答。`,
        citations: [{ ...citation, status: "holds" }],
      });
    }
  };

  test("are counted whole, and read in pages to the first one", async () => {
    await openStudy((backend) => add(backend, 30));
    await expect.poll(() => w.id("study-record").elements().length).toBe(3);
    await expect.element(w.id("study-records-all")).toHaveTextContent("一共 30 条");
    await w.id("study-records-all").click();
    await expect.poll(() => w.id("study-record").elements().length).toBe(12);
    await w.id("study-records-more").click();
    await expect.poll(() => w.id("study-record").elements().length).toBe(24);
    await w.id("study-records-more").click();
    await expect.poll(() => w.id("study-record").elements().length).toBe(30);
    expect(texts("study-record").at(-1)).toContain("第 1 问？");
    expect(w.id("study-records-more").elements()).toEqual([]);
    await w.id("study-open").click();
    await expect.element(w.id("study-proposed")).toHaveTextContent("30 条等你看");
  });
});

describe("the writer's own words", () => {
  const written = () => (w.id("study-background").element() as HTMLTextAreaElement).value;

  test("about the book are saved by a press, and taken back", async () => {
    await openStudy();
    expect(w.id("study-background-save").elements()).toEqual([]);
    await w.id("study-background").fill("海岛，一九八三年，看潮的人。");
    await w.id("study-background-save").click();
    await expect.element(w.id("study-notes-saved")).toHaveTextContent("这本书的介绍存好了");
    expect(calls("knowledge:project:update").map(({ background, version }) => [background, version])).toEqual([
      ["海岛，一九八三年，看潮的人。", 0],
    ]);
    expect(await faults()).toEqual([]);
    await w.id("study-notes-undo").click();
    await expect.element(w.id("study-notes-saved")).toHaveTextContent("已撤销，和原来一样");
    await expect.poll(() => written()).toBe("");
    expect(w.id("study-notes-undo").elements()).toEqual([]);
  });

  test("about the book stay in the field where they cannot be saved, with the reason", async () => {
    await openStudy();
    w.backend.fail("knowledge:project:update", { code: "MEMORY_STALE_VERSION", message: "stale" });
    await w.id("study-background").fill("海岛。");
    await w.id("study-background-save").click();
    await expect.element(w.id("study-notes-problem")).toBeVisible();
    await expect.poll(written).toBe("海岛。");
    await w.id("study-background-save").click();
    await expect.element(w.id("study-notes-saved")).toHaveTextContent("这本书的介绍存好了");
  });

  test("about the craft are added, changed and deleted, and each change is taken back", async () => {
    await openStudy();
    await w.id("study-practice-add").click();
    await w.id("study-practice-title").fill("对话里不解释");
    await w.id("study-practice-description").fill("读者猜得到。");
    await w.id("study-practice-save").click();
    const notes = () => texts("study-practice");
    await expect.poll(notes).toEqual(["对话里不解释读者猜得到。"]);
    await expect.element(w.id("study-notes-saved")).toHaveTextContent("写法记下了");

    await w.id("study-practice-edit").click();
    await w.id("study-practice-title").fill("对话里少解释");
    await w.press("{Enter}");
    await expect.poll(notes).toEqual(["对话里少解释读者猜得到。"]);
    await w.id("study-notes-undo").click();
    await expect.poll(notes).toEqual(["对话里不解释读者猜得到。"]);

    await w.id("study-practice-delete").click();
    await expect.poll(notes).toEqual([]);
    await w.id("study-notes-undo").click();
    await expect.poll(notes).toEqual(["对话里不解释读者猜得到。"]);
    expect(await faults()).toEqual([]);
  });

  test("are not left by Escape while they are composed, and Escape leaves the form first", async () => {
    await openStudy();
    await w.id("study-practice-add").click();
    await w.id("study-practice-title").fill("慢");
    await w.press("{Escape}");
    expect(w.id("study-practice-form").elements()).toEqual([]);
    await expect.element(w.id("study-tray")).toBeVisible();
  });
});

test("a study at work is named in the status bar, with its step, and not while it waits", async () => {
  await openStory({
    before: (backend) => void on({ currentPhase: "exploring", question: "谁？", questionId: "q", step: 4 })(backend),
  });
  await expect.element(w.id("study-status")).toHaveTextContent("自读：去找，4 / 10");
  w.backend.study.move(w.projectId(), { currentPhase: "summarizing" });
  await expect.element(w.id("study-status")).toHaveTextContent("自读：归拢");
  w.backend.study.move(w.projectId(), { currentPhase: "idle", questionId: null });
  await expect.poll(() => w.id("study-status").elements()).toEqual([]);
});

test("a study is read and not changed while the writer's file can only be read", async () => {
  await openStudy(async (backend) => {
    await on({ currentPhase: "exploring", question: "谁？", questionId: "q" })(backend);
    records(backend);
    backend.degrade("rules");
  });
  await expect.element(w.id("study-working")).toBeVisible();
  await expect.poll(() => w.id("study-record").elements().length).toBe(2);
  for (const id of [
    "study-stop",
    "study-off",
    "study-keep",
    "study-refuse",
    "study-own",
    "study-deep",
    "study-background",
  ])
    expect(w.id(id).elements()).toEqual([]);
});
