import { afterEach, describe, expect, test } from "vitest";
import type { EntityChange, FactChange, ThreadList } from "../../src/backend";
import type { FakeBackend } from "../../src/backend/fake";
import { faults } from "../../testing/axe";
import { accept, at, chapterId, openedChapter, openStory, selected, texts, w } from "./storyPanel";

afterEach(() => w.close());

interface Written {
  name: string;
  /** Attributes of the steps, with the indexes of their chapters and their sentences. */
  steps: [kind: "planted" | "touched" | "paid" | "leftOpen", chapter: number, quote?: string][];
}

/** Writes threads beforehand. */
const threads =
  (...written: Written[]) =>
  async (backend: FakeBackend) => {
    const { projectId } = backend.books[0]!.project;
    const { attributes } = (await backend.invoke("story:threads", { projectId })) as ThreadList;
    for (const { name, steps } of written) {
      const saved = (await backend.invoke("story:entity:save", { projectId, kind: "thread", name })) as EntityChange;
      for (const [kind, chapter, quote] of steps) {
        const { info, text } = backend.books[0]!.files[chapter]!;
        const from = quote ? text.indexOf(quote) : 0;
        await backend.invoke("story:fact:save", {
          projectId,
          entityId: saved.entityIds[0]!,
          attribute: attributes[kind],
          value: `${name}：${kind}`,
          ...(quote
            ? { citation: { chapterId: info.chapterId, from, quote } }
            : { toldAt: { chapterId: info.chapterId, offset: 0 } }),
        });
      }
    }
  };

const LAMP: Written = {
  name: "验潮屋的灯",
  steps: [
    ["planted", 0, "验潮屋的灯亮着。"],
    ["paid", 3],
  ],
};
const PENCIL: Written = {
  name: "谁的铅笔字",
  steps: [
    ["planted", 1, "阿满写的是铅笔字。"],
    ["touched", 2],
  ],
};

async function openThreads(options: { chapter?: number; before?: (backend: FakeBackend) => unknown } = {}) {
  const { before, ...rest } = options;
  await openStory({ ...rest, before: (backend) => void before?.(backend) });
  await w.id("story-page-threads").click();
}

const list = (testId: string) =>
  w
    .id(testId)
    .elements()
    .flatMap((one) =>
      [...one.querySelectorAll("[data-testid=thread]")].map((row) => row.firstElementChild?.textContent),
    );
const open = (...names: string[]) => expect.poll(() => list("threads-open")).toEqual(names);
const paid = (...names: string[]) => expect.poll(() => list("threads-paid")).toEqual(names);
const thread = (name: string) =>
  w
    .id("thread")
    .elements()
    .find((one) => one.textContent?.includes(name)) as HTMLElement;
/** The steps on the strip of a thread; polled, since a thread is listed before its first step is written. */
const strip = (name: string, expected: string) =>
  expect.poll(() => thread(name)?.querySelector("[data-testid=plot-strip]")?.getAttribute("aria-label")).toBe(expected);

/** Selects words in the text as a writer does. */
function select(quote: string) {
  const { editor } = w.program;
  editor.selectText(quote, editor.text.indexOf(quote), false);
}

describe("threads", () => {
  test("are open from where they are planted until they are paid, as far as the caret", async () => {
    await openThreads({ before: threads(LAMP, PENCIL) });
    await open("验潮屋的灯", "谁的铅笔字");
    await expect.poll(() => texts("thread-untouched")).toEqual(["2 章", "这一章"]);
    await strip("铅笔", "第 2 章埋下·第 3 章提到·还开着");
    expect(w.id("threads-paid").elements()).toEqual([]);
    expect(await faults()).toEqual([]);

    w.program.story.session.pin(chapterId(0));
    await open("验潮屋的灯");
    await expect.poll(() => texts("thread-untouched")).toEqual(["新"]);
    w.program.story.session.showWhole();
    await open("谁的铅笔字");
    await paid("验潮屋的灯");
    await strip("灯", "第 1 章埋下·第 4 章收回");
    await w.id("threads-fold").click();
    expect(w.id("threads-paid").elements()).toEqual([]);
  });

  test("open to their steps, and a sentence of a step opens in the text", async () => {
    await openThreads({ before: threads(LAMP, PENCIL) });
    await open("验潮屋的灯", "谁的铅笔字");
    thread("灯").focus();
    await w.press("{ArrowRight}");
    await expect.element(w.id("fact-quote")).toHaveTextContent("验潮屋的灯亮着。");
    await w.id("fact-quote").click();
    await expect.poll(openedChapter).toBe(chapterId(0));
    await expect.poll(selected).toBe("验潮屋的灯亮着。");
    await open("验潮屋的灯", "谁的铅笔字");
    await w.id("story-back").click();
    await expect.poll(openedChapter).toBe(chapterId(2));
    thread("灯").focus();
    await w.press("{ArrowLeft}");
    await expect.poll(() => w.id("story-detail").elements()).toEqual([]);
    await expect.poll(at).toBe(thread("灯"));
    await w.press("{ArrowDown}");
    await expect.poll(at).toBe(thread("铅笔"));
  });

  test("are paid by a sentence that is selected, and open again when that is undone", async () => {
    await openThreads({ before: threads(PENCIL) });
    await open("谁的铅笔字");
    thread("铅笔").click();
    await expect.element(w.id("fact-card")).toBeVisible();
    select("小满拿着鞋。");
    await w.id("thread-paid").click();
    await expect.element(w.id("fact-cited")).toHaveTextContent("小满拿着鞋。");
    await w.id("fact-value").fill("是小满的");
    await w.id("fact-save").click();
    await paid("谁的铅笔字");
    const { citation, attribute } = w.backend.callsOf("story:fact:save").at(-1)!;
    expect([attribute, citation?.quote]).toEqual(["收回", "小满拿着鞋。"]);
    await w.id("toast-action").click();
    await open("谁的铅笔字");
  });

  test("are touched at the caret where no words are selected", async () => {
    await openThreads({ before: threads(LAMP) });
    await open("验潮屋的灯");
    thread("灯").click();
    await w.id("thread-touched").click();
    await w.id("fact-value").fill("远远看见");
    await w.id("fact-save").click();
    await strip("灯", "第 1 章埋下·第 3 章提到·还开着");
    await expect.poll(() => texts("thread-untouched")).toEqual(["这一章"]);
    await expect.poll(() => texts("fact-known-from")).toEqual(["第 3 章起"]);
  });

  test("are left open on purpose, and are still to be paid when the writer says so", async () => {
    await openThreads({ before: threads(LAMP) });
    await open("验潮屋的灯");
    thread("灯").click();
    await w.id("thread-leave-open").click();
    await expect.poll(() => list("threads-left-open")).toEqual(["验潮屋的灯"]);
    await expect.element(w.id("threads-none")).toHaveTextContent("没有开着的线索");
    await expect.poll(() => texts("thread-untouched")).toEqual([""]);
    await w.id("thread-reopen").click();
    await open("验潮屋的灯");
  });

  test("are written down at the caret, renamed, and forgotten", async () => {
    await openThreads();
    await expect.element(w.id("threads-none")).toHaveTextContent("记成一条线索");
    await w.id("write-down").click();
    await w.id("write-name").fill("鞋是谁的");
    await w.press("{Enter}");
    await open("鞋是谁的");
    await expect.poll(() => texts("thread-untouched")).toEqual(["还没埋下"]);
    w.program.story.session.pin(chapterId(1));
    await open();
    w.program.story.session.unpin();
    await open("鞋是谁的");
    thread("鞋").click();
    await w.id("story-rename").click();
    await w.id("story-name").fill("鞋是谁的鞋");
    await w.press("{Enter}");
    await open("鞋是谁的鞋");
    await w.id("card-forget").click();
    await w.id("card-forget-confirm").click();
    await open();
  });

  test("are planted by a sentence that is selected, and both are undone at once", async () => {
    await openThreads();
    await expect.element(w.id("threads-none")).toBeVisible();
    select("老纪在门口。");
    await w.id("write-down").click();
    await expect.element(w.id("write-cited")).toHaveTextContent("老纪在门口。");
    await w.id("write-name").fill("老纪在等谁");
    await w.press("{Enter}");
    await open("老纪在等谁");
    await strip("等谁", "第 3 章埋下·还开着");
    await w.id("toast-action").click();
    await open();
    w.program.story.session.showWhole();
    await open();
  });

  test("begin at selected words through F2 too, on whatever page", async () => {
    await openStory();
    select("老纪在门口。");
    w.content().focus();
    await w.press("{F2}");
    await w.id("remember-thread").click();
    await w.id("remember-thread-name").fill("老纪在等谁");
    await w.press("{Enter}");
    await open("老纪在等谁");
    await expect.element(w.id("fact-card")).toBeVisible();
    expect(w.id("remember").elements()).toEqual([]);
  });

  test("are not changed while the writer's file can only be read", async () => {
    await openThreads({
      before: async (backend) => {
        await threads(LAMP)(backend);
        backend.degrade("rules");
      },
    });
    await open("验潮屋的灯");
    thread("灯").click();
    await expect.element(w.id("fact-card")).toBeVisible();
    for (const id of ["thread-paid", "thread-leave-open", "story-rename", "write-down"])
      expect(w.id(id).elements()).toEqual([]);
  });
});

/** Writes events beforehand: name, time, and the index of the chapter that tells it. */
const events =
  (...written: [name: string, when: string | null, chapter: number][]) =>
  async (backend: FakeBackend) => {
    const { projectId } = backend.books[0]!.project;
    for (const [name, validFrom, chapter] of written) {
      const saved = (await backend.invoke("story:entity:save", { projectId, kind: "event", name })) as EntityChange;
      const toldAt = { chapterId: backend.books[0]!.files[chapter]!.info.chapterId, offset: 0 };
      const args = { projectId, entityId: saved.entityIds[0]!, attribute: "经过", value: name, validFrom, toldAt };
      (await backend.invoke("story:fact:save", args)) as FactChange;
    }
  };

const rows = () =>
  w
    .id("event")
    .elements()
    .map((row) => row.querySelector("[data-testid=event-when] + span")?.textContent);

describe("events", () => {
  test("stand in either order, and not before the book has come to them", async () => {
    await openThreads({
      before: events(["公函到了", "2014年", 3], ["停电", "第三天", 1], ["老周上岛", "1971年6月", 2]),
    });
    await expect.poll(rows).toEqual(["老周上岛", "停电"]);
    expect(texts("event-when")).toEqual(["1971年6月", "第三天"]);
    await w.id("events-told").click();
    await expect.poll(rows).toEqual(["停电", "老周上岛"]);
    w.program.story.session.showWhole();
    await expect.poll(rows).toEqual(["停电", "老周上岛", "公函到了"]);
    await w.id("events-happened").click();
    await expect.poll(rows).toEqual(["老周上岛", "公函到了", "停电"]);
    expect(await faults()).toEqual([]);
  });

  test("are facts with a time too, which open the card that has them", async () => {
    await openStory({ before: accept("老周") });
    await w.id("story-row").first().click();
    await w.id("fact-add").click();
    await w.id("fact-attribute").fill("来历");
    await w.id("fact-value").fill("坐船上岛");
    await w.id("fact-times-add").click();
    await w.id("fact-from").fill("1971年6月");
    await w.id("fact-until").fill("1983年");
    await w.id("fact-save").click();
    await expect.element(w.id("fact-times")).toHaveTextContent("1971年6月 到 1983年");
    await w.id("story-page-threads").click();
    await expect.poll(rows).toEqual(["老周坐船上岛"]);
    expect(texts("event-when")).toEqual(["1971年6月–1983年"]);
    await w.id("event").click();
    await expect.element(w.id("fact-times")).toBeVisible();
    expect(at().dataset["entity"]).toBe(w.backend.entities.idOf(w.projectId(), "老周"));
    await w.id("fact-open").click();
    await w.id("fact-edit").click();
    await w.id("fact-until").fill("");
    await w.id("fact-save").click();
    await expect.element(w.id("fact-times")).toHaveTextContent("1971年6月 起");
  });

  test("are written down with their time at once", async () => {
    await openThreads();
    await expect.element(w.id("events-none")).toBeVisible();
    await w.id("write-kind").click();
    await w.id("write-kind-event").click();
    await w.id("write-down").click();
    await w.id("write-name").fill("停电");
    await w.press("{Enter}");
    await expect.poll(rows).toEqual(["停电"]);
    expect(texts("event-when")).toEqual(["没有写明"]);
    await w.id("event").click();
    await w.id("fact-add").click();
    await w.id("fact-attribute").fill("经过");
    await w.id("fact-value").fill("后半夜");
    await w.id("fact-from").fill("第三天夜里");
    await w.id("fact-save").click();
    await expect.poll(() => texts("event-when")).toEqual(["第三天夜里"]);
  });
});
