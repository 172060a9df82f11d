import { afterEach, describe, expect, test } from "vitest";
import { faults } from "../../testing/axe";
import { openWindow, type Window } from "./openWindow";

let w: Window;
afterEach(() => w.close());

const NOON = "2026-03-15T12:00:00.000Z";

/** A window with entries of two days, the earlier one without a chapter; the journal is open. */
async function open() {
  w = await openWindow({
    past: true,
    before: (backend) => {
      const book = backend.books[0]!;
      const { projectId } = book.project;
      const generationId = [...backend.traces.keys()][0]!;
      const chapterId = book.files[1]!.info.chapterId;
      const add = (content: string, timestamp: string, more = {}) =>
        backend.journal.add({ projectId, content, timestamp, ...more });
      add("阿满的卡上添了一条。", "2026-03-14T12:00:00.000Z");
      add("《旧水尺》，续写。三稿中取第二稿。", NOON, { kind: "skill", chapterId, generationId });
      add("写了 20 分钟。", "2026-03-15T12:20:00.000Z", { kind: "session" });
    },
  });
  await w.id("nav-memory").click();
  await w.id("memory-page-journal").click();
  await expect.poll(() => entries().length).toBe(3);
}

const entries = () => w.id("journal-entry").elements();
const texts = () => entries().map((one) => one.querySelector("p")?.textContent);

describe("the journal of a book", () => {
  test("is a list by day, the latest first, with the proof of its chain", async () => {
    await open();
    await expect.poll(texts).toEqual(["写了 20 分钟。", "《旧水尺》，续写。三稿中取第二稿。", "阿满的卡上添了一条。"]);
    await expect.poll(() => w.id("journal-day").elements().length).toBe(2);
    await expect.element(w.id("journal-check")).toHaveTextContent("3 条，链完整。");
    w.backend.journal.brokenAt = w.backend.journal.entries[1]!.id;
    await w.id("journal-verify").click();
    await expect.element(w.id("journal-check")).toHaveTextContent("链断了");
  });

  test("says how many entries are missing, and how many a backup did not have", async () => {
    await open();
    w.backend.journal.missing = 2;
    await w.id("journal-verify").click();
    await expect.element(w.id("journal-check")).toHaveTextContent("3 条，少了至少 2 条");
    w.backend.journal.missing = 0;
    w.backend.journal.leftBehind = 24;
    await w.id("journal-verify").click();
    await expect.element(w.id("journal-check")).toHaveTextContent("3 条，链完整。");
    await expect.element(w.id("journal-left-behind")).toHaveTextContent("至少 24 条不在备份里");
  });

  test("has a new entry as soon as the writer has decided on a draft", async () => {
    await open();
    await w.backend.invoke("memory:episode:record", {
      projectId: w.projectId(),
      chapterId: w.file(0).info.chapterId,
      skillUsed: "continue",
      inputContext: "",
      candidates: ["船来了。", "船没有来。"],
      selectedIndex: 1,
      finalText: "船没有来。",
    });
    await expect.poll(() => texts()).toContain("《渡船》，续写。2 稿中取第 2 稿。");
  });

  test("is searched, and of one kind alone", async () => {
    await open();
    await w.id("journal-search").fill("水尺");
    await expect.poll(() => texts()).toEqual(["《旧水尺》，续写。三稿中取第二稿。"]);
    await w.id("journal-search").fill("灯塔");
    await expect.element(w.id("journal-nothing")).toHaveTextContent("没有找到");
    await w.id("journal-search").fill("");
    await w.id("journal-kind").click();
    await w.id("journal-kind-session").click();
    await expect.poll(() => texts()).toEqual(["写了 20 分钟。"]);
  });

  test("leads from an entry to its chapter, and to why the passage was written", async () => {
    await open();
    const act = (testId: string) => (w.id(testId).element() as HTMLElement).click();
    await expect.poll(() => w.id("journal-why").elements().length).toBe(1);
    act("journal-chapter");
    await expect.poll(() => w.program.editor.state.getState().chapter?.chapterId).toBe(w.file(1).info.chapterId);
    act("journal-why");
    await expect.poll(() => w.program.window.getState().why).toBe(w.backend.journal.entries[1]!.generationId);
  });

  test("leads from an entry to its passage, which is selected in its chapter", async () => {
    await open();
    const { chapterId, generationId } = w.backend.journal.entries[1]!;
    const text = w.file(1).text;
    const mark = { generationId: generationId!, skill: "continue", from: 2, to: 9, quoteHash: "" };
    w.file(1).origins = [mark];
    (w.id("journal-chapter").element() as HTMLElement).click();
    await expect.poll(() => w.program.editor.state.getState().chapter?.chapterId).toBe(chapterId);
    await expect.poll(() => getSelection()?.toString()).toBe(text.slice(mark.from, mark.to));
  });

  test("leads from a question to its answer, which is shown first and has the focus", async () => {
    await open();
    const projectId = w.projectId();
    const kept = w.backend.answers.add({ projectId, question: "谁改了水尺？", answer: "是老周。", origin: "asked" });
    w.backend.answers.add({ projectId, question: "船在哪里？", answer: "在渡口。", origin: "asked" });
    w.backend.journal.add({
      projectId,
      content: "问了一句。",
      kind: "ask",
      answerId: kept.answerId,
      timestamp: "2026-03-15T12:40:00.000Z",
    });
    w.backend.emit("memory:changed", { projectId, what: ["journal", "answers"] });
    await expect.element(w.id("journal-answer")).toBeInTheDocument();
    (w.id("journal-answer").element() as HTMLElement).click();
    await expect.poll(() => document.activeElement?.getAttribute("data-answer")).toBe(kept.answerId);
    await expect.poll(() => w.id("answer-card").elements()[0]!.getAttribute("data-answer")).toBe(kept.answerId);
  });

  test("has a hole where an entry was redacted, by keyboard and only after a second answer", async () => {
    await open();
    const redact = () => w.id("journal-redact").nth(1).element() as HTMLElement;
    redact().focus();
    await w.press("{Enter}");
    await expect.element(w.id("journal-confirm-cancel")).toHaveFocus();
    await w.press("{Escape}");
    await expect.poll(() => w.id("journal-confirm-confirm").elements().length).toBe(0);
    expect(w.backend.callsOf("journal:redact")).toEqual([]);
    redact().focus();
    await w.press("{Enter}");
    await w.id("journal-confirm-confirm").click();
    await expect.element(w.id("journal-hole")).toHaveTextContent("这一条你抹去了");
    await expect
      .poll(() => w.backend.callsOf("journal:redact"))
      .toEqual([{ projectId: w.projectId(), entryId: w.backend.journal.entries[1]!.id, confirmed: true }]);
    await expect.element(w.id("journal-check")).toHaveTextContent("3 条，链完整；其中 1 条你抹去了。");
    expect(texts().length).toBe(2);
  });

  test("can be switched off for the book, and keeps what it has", async () => {
    await open();
    await w.id("journal-keep").click();
    await expect.element(w.id("journal-off")).toBeVisible();
    expect(entries().length).toBe(3);
    await w.id("journal-keep").click();
    await expect.poll(() => w.id("journal-off").elements().length).toBe(0);
  });

  test("goes into a file and comes out of one after a preview", async () => {
    await open();
    w.backend.savePath = "/home/writer/entries.json";
    await w.id("journal-export").click();
    await expect.element(w.id("journal-done")).toHaveTextContent("已导出 3 条。");
    await expect
      .poll(() => w.backend.callsOf("journal:export"))
      .toEqual([{ projectId: w.projectId(), path: "/home/writer/entries.json", format: "entries" }]);
    w.backend.chosenFile = "/home/writer/entries.json";
    await w.id("journal-import").click();
    await expect.element(w.id("journal-incoming-verdict")).toHaveTextContent("会添上 12 条");
    await w.id("journal-incoming-confirm").click();
    await expect.element(w.id("journal-done")).toHaveTextContent("已导入 12 条。");
    await expect.poll(() => entries().length).toBe(15);
  });

  test("of hundreds of entries is shown page by page", async () => {
    await open();
    for (let n = 0; n < 100; n += 1)
      w.backend.journal.add({ projectId: w.projectId(), content: `第 ${n} 条`, timestamp: "2026-03-13T12:00:00.000Z" });
    w.backend.emit("memory:changed", { projectId: w.projectId(), what: ["journal"] });
    await expect.poll(() => entries().length).toBe(60);
    await w.id("journal-more").click();
    await expect.poll(() => entries().length).toBe(103);
    expect(w.id("journal-more").elements()).toEqual([]);
    expect(await faults()).toEqual([]);
  });
});
