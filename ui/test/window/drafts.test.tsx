// No text is lost: snapshots from before an insertion or a restore, and recovery copies of text that could not be
// saved.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { page } from "vitest/browser";
import type { FakeBackend } from "../../src/backend/fake";
import { faults } from "../../testing/axe";
import { fakeClock, openWindow, type Window } from "./openWindow";
import { ime } from "./ime";

let w: Window;
beforeEach(() => page.viewport(1280, 800));
afterEach(() => w.close());

const REFUSED = { code: "MEMORY_WRITE_FAILED", message: "disk" } as const;
const chapterId = () => w.file(0).info.chapterId;
const snapshots = () =>
  (w.backend.drafts.snapshots.get(chapterId()) ?? []).map(({ text, reason, generationId }) => ({
    text,
    reason,
    generationId,
  }));
const kept = () => w.backend.drafts.of(chapterId()).map(({ text }) => text);
const doc = () => w.program.editor.text;

/** Accepts a draft of the assistant. */
async function take(index = 0) {
  await w.id("run").click();
  await expect.poll(() => w.id("candidate").elements().length).toBe(3);
  w.backend.advance();
  await w.id("take").nth(index).click();
}

describe("before the assistant writes", () => {
  test("what was on the page is kept with the save that brings the draft, word for word", async () => {
    w = await openWindow();
    await w.toEnd();
    await w.press("还没存的一句。");
    const before = doc();
    await take();
    await w.saved();
    expect(w.file(0).text).not.toBe(before);
    const [write] = w.backend.callsOf("chapter:write").filter((one) => one.before);
    expect(write!.before).toEqual([{ text: before, reason: "beforeInsertion", generationId: expect.any(String) }]);
    expect(write!.text.startsWith(before.trimEnd())).toBe(true);
    // Reported once.
    await w.press("后来。");
    await w.saved();
    await expect.poll(() => w.backend.callsOf("chapter:write").filter((one) => one.before)).toHaveLength(1);
  });

  test("two drafts taken before one save are two", async () => {
    w = await openWindow();
    await w.toEnd();
    w.backend.fail("chapter:write", REFUSED);
    const before = doc();
    await take();
    const between = doc();
    await take(1);
    await w.press("{Control>}s{/Control}");
    await w.saved();
    expect(snapshots().map(({ text }) => text)).toEqual([between, before]);
  });

  test("a save whose snapshot failed succeeds; the failure is reported, and the snapshot retried with the next save", async () => {
    w = await openWindow();
    await w.toEnd();
    const before = doc();
    w.backend.drafts.full = true;
    await take();
    await w.saved();
    await expect.element(w.id("snapshot-failed")).toHaveTextContent("已保存，但旧稿没能留下");
    await expect.poll(() => w.file(0).text).toBe(doc());
    w.backend.drafts.full = false;
    await w.press("后来。");
    await w.saved();
    expect(snapshots().map(({ text }) => text)).toEqual([before]);
    await expect.poll(() => w.id("snapshot-failed").query()).toBeNull();
  });
});

describe("the earlier texts of a chapter", () => {
  async function opened() {
    w = await openWindow();
    await w.toEnd();
    const first = doc();
    await take();
    await w.saved();
    await w.press("我又写了一句。");
    await w.saved();
    const second = doc();
    await w.press("{F6}");
    await expect.element(w.id("old-draft").first()).toBeVisible();
    return { first, second };
  }

  test("are listed by time, the latest looked at beside the present one with what differs marked", async () => {
    await opened();
    await expect.element(w.id("old-draft").first()).toHaveTextContent("采用 AI 的文字之前");
    await expect.element(w.id("old-draft").first()).toHaveAttribute("aria-selected", "true");
    await expect.element(w.id("old-draft-beside")).toBeVisible();
    const [then, now] = [...w.id("old-draft-beside").element().querySelectorAll("section")];
    expect(then!.querySelectorAll("ins")).toHaveLength(0);
    expect([...now!.querySelectorAll("ins")].map(({ textContent }) => textContent).join("")).toContain(
      "我又写了一句。",
    );
    expect(now!.textContent).toContain("我又写了一句。");
    expect(then!.textContent).not.toContain("我又写了一句。");
    expect(await faults()).toEqual([]);
  });

  test("by keyboard alone: one is put back, undone, and what it replaced is one of them", async () => {
    const { first, second } = await opened();
    await expect.element(w.id("old-draft-take")).toBeEnabled();
    expect(document.activeElement?.getAttribute("data-testid")).toBe("old-draft");
    await w.press("{Tab}{Tab}{Tab}");
    await expect.element(w.id("old-draft-take")).toHaveFocus();
    await w.press("{Enter}");
    await expect.poll(() => w.id("old-drafts").query()).toBeNull();
    await expect.poll(doc).toBe(first);
    await w.saved();
    await expect.poll(() => w.file(0).text).toBe(first);
    await expect
      .poll(snapshots)
      .toEqual([
        { text: second, reason: "beforeRestore", generationId: null },
        expect.objectContaining({ text: first, reason: "beforeInsertion" }),
      ]);
    await expect.poll(() => document.activeElement).toBe(w.content());
    await w.press("{Control>}z{/Control}");
    await expect.poll(doc).toBe(second);
    await w.saved();
    await expect.poll(() => w.id("origin-mark").elements()).toHaveLength(1);
    expect(w.backend.callsOf("memory:episode:feedback")).toEqual([]);
  });

  test("a passage that stands in it too keeps its mark", async () => {
    w = await openWindow();
    await w.openChapter(2);
    const { chapterId: third } = w.file(2).info;
    const [mark] = w.file(2).origins;
    const quote = w.file(2).text.slice(mark!.from, mark!.to);
    w.backend.drafts.storeSnapshots(third, [{ text: `# 旧水尺\n\n很早的一句。${quote}\n`, reason: "beforeInsertion" }]);
    await w.id("old-drafts-open").click();
    await w.id("old-draft-take").click();
    await w.saved();
    expect(
      w.file(2).origins.map(({ generationId, from, to }) => [generationId, w.file(2).text.slice(from, to)]),
    ).toEqual([[mark!.generationId, quote]]);
    await expect.poll(() => w.id("origin-mark").elements()).toHaveLength(1);
  });

  test("undoing the way back is no judgement of a passage that it had brought", async () => {
    w = await openWindow();
    await w.openChapter(2);
    const [{ origins, text, info }] = [w.file(2)];
    const quote = text.slice(origins[0]!.from, origins[0]!.to);
    w.backend.drafts.storeSnapshots(info.chapterId, [
      { text: `# 旧水尺\n\n很早的一句。${quote}\n`, reason: "beforeInsertion" },
    ]);
    // The mark is gone from the text, but the memory has not recorded that yet.
    w.backend.fail("chapter:write", REFUSED, 99);
    w.content().focus();
    await w.press("{Control>}a{/Control}{Backspace}空了。");
    await w.press("{F6}");
    await w.id("old-draft-take").click();
    await expect.poll(doc).toContain(quote);
    await expect.poll(() => w.id("origin-mark").elements().length).toBe(1);
    w.content().focus();
    await w.press("{Control>}z{/Control}");
    expect(doc()).not.toContain(quote);
    w.backend.heal("chapter:write");
    await w.openChapter(1); // what was undone is settled by it
    expect(w.backend.callsOf("memory:episode:feedback")).toEqual([]);
    expect(w.id("regret").query()).toBeNull();
  });

  test("Escape leaves all as it is, and the keyboard goes back where it was", async () => {
    const { second } = await opened();
    await w.press("{Escape}");
    await expect.poll(() => w.id("old-drafts").query()).toBeNull();
    await expect.poll(doc).toBe(second);
    await expect.poll(() => document.activeElement).toBe(w.content());
  });

  test("without any it says when there will be one", async () => {
    w = await openWindow();
    await w.id("old-drafts-open").click();
    await expect.element(w.id("old-drafts")).toHaveTextContent("还没有旧稿");
    expect(await faults()).toEqual([]);
  });
});

describe("a writer who does not pause", () => {
  test("is saved all the same, at the latest after two seconds", async () => {
    w = await openWindow();
    const pass = fakeClock();
    await w.toEnd();
    for (let turn = 0; turn < 12 && w.backend.callsOf("chapter:write").length === 0; turn += 1) {
      await w.press("雨");
      await pass(300);
    }
    const [write] = w.backend.callsOf("chapter:write");
    expect(write?.text).toMatch(/雨雨/);
  });

  test("at a composition nothing is saved in the middle of it, and at once after it when it is late", async () => {
    w = await openWindow();
    const pass = fakeClock();
    await w.toEnd();
    await w.press("先写的。");
    for (let turn = 0; turn < 5; turn += 1) {
      await ime.compose("yu");
      await pass(500);
      await expect.poll(() => w.backend.callsOf("chapter:write").every(({ text }) => !text.includes("yu"))).toBe(true);
      await ime.commit("雨");
      await pass(0); // a save that is due runs before the next composition
    }
    // Without any 800 ms of quiet.
    await expect.poll(() => w.backend.callsOf("chapter:write").length).toBeGreaterThan(0);
    await w.saved();
    await expect.poll(() => w.file(0).text).toContain("先写的。雨雨雨雨雨");
  });
});

describe("what cannot be saved", () => {
  test("gets a recovery copy at once, updated as more is written, and discarded when it is saved", async () => {
    w = await openWindow();
    w.backend.fail("chapter:write", REFUSED, 99);
    await w.toEnd();
    await w.press("还没存好。");
    await expect.poll(kept).toEqual([doc()]);
    await expect.poll(() => document.body.textContent).toContain("未保存的文字也另外存了一份");
    await w.press("又一句。");
    await expect.poll(kept).toEqual([doc()]);
    await expect
      .poll(() => w.backend.callsOf("chapter:keep").map(({ baseHash }) => baseHash))
      .toContain(w.file(0).hash);
    w.backend.heal("chapter:write");
    await w.press("{Control>}s{/Control}");
    await w.saved();
    expect(kept()).toEqual([]);
    await expect.poll(() => w.file(0).text).toContain("还没存好。又一句。");
  });

  test.each([
    ["mine stays", true],
    ["theirs is taken", false],
  ] as const)(
    "keeps its recovery copy during a conflict, until %s; the other text becomes a snapshot",
    async (_, mine) => {
      w = await openWindow();
      fakeClock();
      await w.toEnd();
      await w.press("我的。");
      const here = doc();
      w.backend.changeOutside(chapterId(), "# 渡船\n\n外面写的。\n");
      await expect.poll(kept).toEqual([here]);
      await w.press("还有。");
      await expect.poll(kept).toEqual([doc()]);
      const written = doc();
      await w.id(mine ? "outside-keep-mine" : "outside-take-theirs").click();
      await w.saved();
      await expect.poll(kept).toEqual([]);
      await expect.poll(() => w.file(0).text).toBe(mine ? written : "# 渡船\n\n外面写的。\n");
      await expect
        .poll(snapshots)
        .toEqual([{ text: mine ? "# 渡船\n\n外面写的。\n" : written, reason: "setAside", generationId: null }]);
    },
  );

  test("is kept while a save hangs that may never end", async () => {
    w = await openWindow();
    w.backend.waits.delay("chapter:write", 60_000);
    await w.toEnd();
    await w.press("写到一半，盘没了。");
    await expect.poll(kept).toEqual([doc()]);
  });

  test.each([
    ["while saves fail", () => w.backend.fail("chapter:write", REFUSED, 99), () => {}],
    [
      "while two texts claim the chapter",
      () => {},
      () => w.backend.changeOutside(chapterId(), "# 渡船\n\n外面写的。\n"),
    ],
  ])("never in the middle of a composition, %s", async (_, before, then) => {
    w = await openWindow();
    const pass = fakeClock();
    before();
    await w.toEnd();
    await w.press("先写的。");
    then();
    await expect.poll(kept).toHaveLength(1);
    await ime.compose("yu");
    await pass(2_500);
    expect(kept()[0]).not.toContain("yu");
    await ime.commit("雨");
    await expect.poll(() => kept()[0]).toContain("先写的。雨");
  });

  test("closing says that it is kept, and the second time goes", async () => {
    w = await openWindow();
    w.backend.fail("chapter:write", REFUSED, 99);
    await w.toEnd();
    await w.press("最后一句。");
    expect(await w.backend.close()).toBe(false);
    await expect.element(w.id("problem")).toHaveTextContent("未保存的文字另外存了一份");
    await expect.poll(kept).toEqual([doc()]);
    expect(await w.backend.close()).toBe(true);
  });

  test("and where it cannot be kept either, closing says that it would be gone", async () => {
    w = await openWindow();
    w.backend.fail("chapter:write", REFUSED, 99);
    w.backend.fail("chapter:keep", REFUSED, 99);
    await w.toEnd();
    await w.press("最后一句。");
    expect(await w.backend.close()).toBe(false);
    await expect.element(w.id("problem")).toHaveTextContent("未保存的文字会丢失");
    expect(await w.backend.close()).toBe(true);
  });
});

describe("what could not be saved before the program ended", () => {
  const LOST = "# 渡船\n\n上回写到这里，断了电。\n";

  /** Opens a book with a recovery copy, of the file as it is or as it was. */
  async function again(base?: string) {
    w = await openWindow({
      before: (backend: FakeBackend) => {
        const { info, hash } = backend.books[0]!.files[0]!;
        backend.drafts.recoveryCopies.set(info.chapterId, [
          {
            chapterId: info.chapterId,
            keptId: "kept-0",
            at: "2026-10-20T14:00:00Z",
            baseHash: base ?? hash,
            text: LOST,
            words: 10,
            origins: [{ generationId: "gen-lost", skill: "continue", from: 7, to: 11 }],
          },
        ]);
      },
    });
    await expect.element(w.id("left-over")).toHaveTextContent("上次未保存的文字还在");
    return doc();
  }

  test("is offered when the chapter is opened, and restoring it can be undone", async () => {
    const before = await again();
    await expect.element(w.id("left-over")).toHaveTextContent("10 字");
    expect(await faults()).toEqual([]);
    await w.id("left-over-back").click();
    await expect.poll(doc).toBe(LOST);
    await w.saved();
    await expect.poll(() => w.file(0).text).toBe(LOST);
    expect(kept()).toEqual([]);
    await expect.poll(() => w.file(0).origins.map(({ generationId }) => generationId)).toEqual(["gen-lost"]);
    await expect.poll(snapshots).toEqual([{ text: before, reason: "beforeRestore", generationId: null }]);
    expect(w.id("left-over").query()).toBeNull();
    await w.press("{Control>}z{/Control}");
    await expect.poll(doc).toBe(before);
  });

  test("over a file that was changed since, the writer decides which stays, as always", async () => {
    await again("another");
    const pass = fakeClock();
    const theirs = w.file(0).text;
    await w.id("left-over-back").click();
    await expect.poll(doc).toBe(LOST);
    await expect.element(w.id("outside-keep-mine")).toBeVisible();
    await pass(1_200);
    await expect.poll(() => w.file(0).text).toBe(theirs);
    await w.id("outside-keep-mine").click();
    await w.saved();
    await expect.poll(() => w.file(0).text).toBe(LOST);
    expect(kept()).toEqual([]);
    expect(snapshots().map(({ text }) => text)).toContain(theirs);
  });

  test("writing on without an answer loses nothing of it", async () => {
    await again();
    await w.toEnd();
    await w.press("我先写着。");
    await w.saved();
    await expect.poll(kept).toEqual([LOST]);
    expect(w.id("left-over").query()).not.toBeNull();
    await w.openChapter(1);
    expect(w.id("left-over").query()).toBeNull();
    await w.openChapter(0);
    await expect.element(w.id("left-over")).toBeVisible();
  });

  test("nor does a second text that cannot be saved take its place", async () => {
    await again();
    w.backend.fail("chapter:write", REFUSED, 99);
    await w.toEnd();
    await w.press("又断了。");
    await expect.poll(kept).toEqual([doc(), LOST]);
  });

  test("is discarded after two confirmations", async () => {
    const before = await again();
    await w.id("left-over-drop").click();
    await expect.element(w.id("left-over-sure")).toBeVisible();
    await expect.element(w.id("left-over-stay")).toHaveFocus();
    await w.press("{Enter}");
    await expect.poll(kept).toEqual([LOST]);
    await w.id("left-over-drop").click();
    await w.id("left-over-let-go").click();
    await expect.poll(() => w.id("left-over").query()).toBeNull();
    await expect.poll(() => w.id("left-over-sure").query()).toBeNull();
    expect(kept()).toEqual([]);
    await expect.poll(doc).toBe(before);
  });

  test("of a chapter whose file is gone by now goes into a chapter of its own", async () => {
    w = await openWindow({
      before: ({ drafts }: FakeBackend) =>
        drafts.recoveryCopies.set("gone", [
          {
            chapterId: "gone",
            keptId: "kept-0",
            at: "2026-10-20T14:00:00Z",
            baseHash: "x",
            text: LOST,
            words: 10,
            origins: [],
          },
        ]),
    });
    await expect.element(w.id("left-over")).toHaveTextContent("有一章的文件不见了");
    const before = w.file(0).text;
    await w.id("left-over-back").click();
    await expect.poll(doc).toBe(LOST);
    await w.saved();
    const made = w.backend.books[0]!.files.length - 1;
    await expect.poll(() => w.file(made).text).toBe(LOST);
    await expect.poll(() => w.file(0).text).toBe(before);
    await expect.element(w.id("chapter-item").nth(made)).toHaveAttribute("aria-current", "page");
    await expect.poll(() => w.backend.drafts.of("gone")).toEqual([]);
    expect(w.id("left-over").query()).toBeNull();
  });

  test("is looked at beside the present text, and put back from there", async () => {
    await again();
    await w.id("left-over-look").click();
    await expect.element(w.id("old-draft").first()).toHaveTextContent("上次未保存的文字");
    await expect.element(w.id("old-draft-beside")).toHaveTextContent("断了电");
    await w.id("old-draft-take").click();
    await expect.poll(doc).toBe(LOST);
    await w.saved();
    expect(kept()).toEqual([]);
  });
});
