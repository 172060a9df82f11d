import { userEvent } from "vitest/browser";
import { afterEach, describe, expect, test } from "vitest";
import { FAKE_DRAFTS } from "../../src/backend/fake/sample";
import { openWindow, type Window } from "./openWindow";

let w: Window;
afterEach(() => w.close());

const DRAFTS = FAKE_DRAFTS.zh.slice(0, 3);

async function ready(skill = "continue") {
  await w.id(`skill-${skill}`).click();
  await w.id("run").click();
  await expect.poll(() => w.id("candidate").elements().length).toBe(3);
  w.backend.advance();
  await expect.element(w.id("candidate").first()).toHaveAttribute("data-state", "ready");
}

const cards = () => w.id("candidate").elements();
const states = () => cards().map((card) => card.getAttribute("data-state"));
const shown = () => cards().map((card) => card.querySelector("p")?.textContent);

describe("a run", () => {
  test("asks with the passage around the caret", async () => {
    w = await openWindow();
    await w.openChapter(2);
    await w.toEnd();
    await w.id("wish").fill("写得短一点");
    await ready();
    const [run] = w.backend.callsOf("ai:skill:run");
    expect(run).toMatchObject({
      projectId: w.projectId(),
      chapterId: w.file(2).info.chapterId,
      skill: "continue",
      sceneType: null,
      selection: null,
      instruction: "写得短一点",
    });
    expect(run?.before.endsWith("“差了两指。”我说。")).toBe(true);
    expect(run?.after).toBe("\n");
  });

  test("names the program's own rules apart from those of the writer", async () => {
    w = await openWindow({ rules: false });
    w.backend.hasBuiltInRules = true;
    await w.toEnd();
    await ready();
    await expect.element(w.id("brought")).toHaveTextContent(/^带上 3 条自带的规则$/);
    await w.close();
    w = await openWindow();
    await w.toEnd();
    await ready();
    const own = w.backend.rules.length;
    await expect
      .element(w.id("brought"))
      .toHaveTextContent(new RegExp(`^带上 ${Math.min(own, 5)} 条规则[和、]1 段往事$`));
  });

  test("streams into its cards by place, and they keep it", async () => {
    w = await openWindow();
    await w.toEnd();
    await w.id("run").click();
    await expect.poll(() => cards().length).toBe(3);
    w.backend.advance(1);
    await expect.poll(() => shown()[0]).toBe("老周没接话。".slice(0, 6));
    expect(cards().map((card) => [card.getAttribute("data-index"), card.getAttribute("data-state")])).toEqual([
      ["0", "writing"],
      ["1", "writing"],
      ["2", "writing"],
    ]);
    const [first] = cards();
    w.backend.advance();
    await expect.element(w.id("candidate").first()).toHaveAttribute("data-state", "ready");
    expect(cards()[0]).toBe(first);
    await expect.poll(shown).toEqual(DRAFTS);
  });

  test("pieces that come before the answer are not lost", async () => {
    w = await openWindow();
    w.backend.waits.delay("ai:skill:run", 0);
    await w.toEnd();
    const invoke = w.backend.invoke.bind(w.backend);
    w.backend.invoke = async (name, args) => {
      const answer = await invoke(name, args);
      if (name === "ai:skill:run") {
        w.backend.advance();
        await w.backend.idle();
      }
      return answer;
    };
    await w.id("run").click();
    await expect.poll(() => shown()).toEqual(DRAFTS);
  });

  test("stops on Escape and keeps what there is", async () => {
    w = await openWindow();
    await w.toEnd();
    await w.id("run").click();
    await expect.poll(() => cards().length).toBe(3);
    w.backend.advance(1);
    await w.press("{Escape}");
    await expect.element(w.id("candidate").first()).toHaveAttribute("data-state", "ready");
    await expect.poll(() => w.backend.callsOf("ai:skill:cancel")).toHaveLength(1);
    expect(shown()[0]).toBe("老周没接话。");
  });

  test("polishing needs a selection, and says so plainly", async () => {
    w = await openWindow();
    await w.toEnd();
    await w.id("skill-polish").click();
    await w.id("run").click();
    await expect.poll(() => document.body.textContent).toContain("先在正文里选一段");
    expect(w.backend.callsOf("ai:skill:run")).toEqual([]);
  });

  test("that the model refuses says why, and what still works", async () => {
    w = await openWindow();
    w.backend.fail("ai:skill:run", { code: "MEMORY_MODEL_UNAVAILABLE", message: "401" });
    await w.toEnd();
    await w.id("run").click();
    await expect.poll(() => document.body.textContent).toContain("模型没有回应。写作和记忆不受影响。");
    await expect.element(w.id("run")).toBeEnabled();
  });

  test("a draft that has ended is ready while the others are still being written", async () => {
    w = await openWindow();
    await w.toEnd();
    await w.id("run").click();
    await expect.poll(() => cards().length).toBe(3);
    w.backend.advance(1);
    w.backend.finishCandidate(1);
    await expect.poll(() => states()).toEqual(["writing", "ready", "writing"]);
    expect(shown()[1]).toBe(DRAFTS[1]);
    await w.id("candidate").nth(1).getByTestId("take").click();
    await expect.poll(() => w.text).toContain(DRAFTS[1]);
    await expect.poll(() => w.backend.callsOf("ai:skill:cancel")).toHaveLength(1);
    // A partial draft was no alternative: nothing is learned from it.
    await expect
      .poll(() => w.backend.callsOf("memory:episode:record"))
      .toMatchObject([{ candidates: [DRAFTS[1]], selectedIndex: 0, finalText: DRAFTS[1] }]);
    await w.backend.idle();
    expect(cards()).toEqual([]);
  });

  test("changing a draft goes on undisturbed while the others are written", async () => {
    w = await openWindow();
    await w.toEnd();
    await w.id("run").click();
    await expect.poll(() => cards().length).toBe(3);
    w.backend.finishCandidate(0);
    await w.id("candidate").first().getByTestId("edit-first").click();
    await w.id("edit-text").fill("我改的。");
    w.backend.advance();
    await expect.poll(() => states()).toEqual(["ready", "ready", "ready"]);
    await expect.element(w.id("edit-text")).toHaveValue("我改的。");
    await w.id("edit-take").click();
    await expect
      .poll(() => w.backend.callsOf("memory:episode:record"))
      .toMatchObject([{ candidates: DRAFTS, selectedIndex: 0, finalText: "我改的。" }]);
  });

  test("a draft that fails says why on its own card; what it had written stays and can be taken", async () => {
    w = await openWindow();
    await w.toEnd();
    await w.id("run").click();
    await expect.poll(() => cards().length).toBe(3);
    w.backend.advance(1);
    w.backend.endCandidate(2, {
      code: "MEMORY_MODEL_UNAVAILABLE",
      message: "broke off",
      details: { reason: "interrupted" },
    });
    await expect.poll(() => states()).toEqual(["writing", "writing", "failed"]);
    w.backend.advance();
    await expect.poll(() => states()).toEqual(["ready", "ready", "failed"]);
    await expect.element(w.id("candidate-problem")).toHaveTextContent("写到一半，服务那边出了错。已经写出来的还在");
    expect(w.id("run-problem").elements()).toEqual([]);
    const left = shown()[2]!;
    expect(left.length).toBeGreaterThan(0);
    await w.id("candidate").nth(2).getByTestId("take").click();
    await expect.poll(() => w.text).toContain(left);
    await expect
      .poll(() => w.backend.callsOf("memory:episode:record")[0])
      .toMatchObject({
        candidates: [...DRAFTS.slice(0, 2), left],
        selectedIndex: 2,
      });
  });

  test("a draft that failed empty-handed has no buttons, and is no candidate of the episode", async () => {
    w = await openWindow();
    await w.toEnd();
    await w.id("run").click();
    await expect.poll(() => cards().length).toBe(3);
    w.backend.endCandidate(0, {
      code: "MEMORY_MODEL_UNAVAILABLE",
      message: "429",
      details: { reason: "rateLimited", retryAfterSeconds: 7 },
    });
    w.backend.advance();
    await expect.poll(() => states()).toEqual(["failed", "ready", "ready"]);
    await expect.element(w.id("candidate-problem")).toHaveTextContent("请求太频繁，服务要求等待 7 秒。到时候再试。");
    expect(w.id("candidate").first().getByTestId("take").elements()).toEqual([]);
    await w.id("candidate").nth(1).getByTestId("take").click();
    await expect
      .poll(() => w.backend.callsOf("memory:episode:record"))
      .toMatchObject([{ candidates: DRAFTS.slice(1), selectedIndex: 0 }]);
  });

  test("a run that fails in the middle keeps every draft as far as it came", async () => {
    w = await openWindow();
    await w.toEnd();
    await w.id("run").click();
    await expect.poll(() => cards().length).toBe(3);
    w.backend.advance(1);
    w.backend.end("failed", { code: "MEMORY_MODEL_UNAVAILABLE", message: "gone", details: { reason: "timeout" } });
    await expect.poll(() => states()).toEqual(["failed", "failed", "failed"]);
    expect(shown()[0]).toBe("老周没接话。");
    expect(w.backend.callsOf("chapter:write")).toEqual([]);
    await w.id("reject-all").click();
    await w.backend.idle();
    // Rejecting incomplete drafts says nothing about the writer.
    expect(w.backend.callsOf("memory:episode:record")).toEqual([]);
    expect(cards()).toEqual([]);
  });

  test("whose prompt was shortened shows a notice and the corrected context", async () => {
    w = await openWindow();
    await w.toEnd();
    await w.id("run").click();
    await expect.poll(() => cards().length).toBe(3);
    w.backend.trim(4_096);
    await expect
      .element(w.id("trimmed"))
      .toHaveTextContent("这个模型一次最多读 4,096 词元，所以只发送了 2,048 词元，有 1 项没有带上。");
    await expect.poll(() => document.body.textContent).toContain("带上 1 条规则");
  });
});

describe("what the writer does with it", () => {
  test("taking writes it at the caret, marks it, saves, and records the episode", async () => {
    w = await openWindow();
    await w.openChapter(2);
    await w.toEnd();
    await ready();
    await w.id("candidate").nth(1).getByTestId("take").click();
    await expect.poll(() => w.backend.callsOf("memory:episode:record").length).toBe(1);
    const [record] = w.backend.callsOf("memory:episode:record");
    const generationId = [...w.backend.traces.keys()].at(-1);
    expect(record).toMatchObject({
      projectId: w.projectId(),
      chapterId: w.file(2).info.chapterId,
      skillUsed: "continue",
      sceneType: "dialogue",
      candidates: DRAFTS,
      selectedIndex: 1,
      finalText: DRAFTS[1],
      generationId,
    });
    expect(record?.inputContext.length).toBeLessThanOrEqual(1_200);
    expect(record?.inputContext.endsWith("“差了两指。”我说。")).toBe(true);
    await w.saved();
    const mark = w.file(2).origins.find((origin) => origin.generationId === generationId);
    await expect.poll(() => w.file(2).text.slice(mark?.from, mark?.to)).toBe(DRAFTS[1]);
    expect(cards()).toEqual([]);
    await expect.poll(() => w.content()).toBe(document.activeElement);
  });

  test("is one step to undo, and one to bring back with its mark", async () => {
    w = await openWindow();
    await w.toEnd();
    const before = w.text;
    await ready();
    await w.id("take").first().click();
    await expect.poll(() => w.text).toContain(DRAFTS[0]);
    await w.press("{Control>}z{/Control}");
    await expect.poll(() => w.text).toBe(before);
    expect(w.id("origin-mark").elements()).toHaveLength(0);
    await w.press("{Control>}y{/Control}");
    await expect.poll(() => w.text).toContain(DRAFTS[0]);
    await expect.poll(() => w.id("origin-mark").elements()).toHaveLength(1);
  });

  test("undoing it is recorded, unless it is redone at once", async () => {
    w = await openWindow();
    await w.toEnd();
    await ready();
    await w.id("take").first().click();
    await w.saved();
    await w.press("{Control>}z{/Control}");
    await w.press("{Control>}y{/Control}");
    await w.openChapter(2); // leaving the page settles what was undone on it
    expect(w.backend.callsOf("memory:episode:feedback")).toEqual([]);
    await w.openChapter(1);
    await w.toEnd();
    await ready();
    await w.id("take").first().click();
    await w.saved();
    await w.press("{Control>}z{/Control}");
    await w.openChapter(2);
    await expect
      .poll(() => w.backend.callsOf("memory:episode:feedback"))
      .toMatchObject([{ signal: "undo", projectId: w.projectId(), episodeId: w.backend.episodes.at(-1)?.id }]);
  });

  test("changing it first: only what is still the assistant's is marked", async () => {
    w = await openWindow();
    await w.toEnd();
    await ready();
    await w.id("edit-first").first().click();
    await w.id("edit-text").fill("老周没接话。我也没有。“那年的水，不该到这儿。”他说。");
    await w.id("edit-take").click();
    await w.saved();
    const [record] = w.backend.callsOf("memory:episode:record");
    expect(record).toMatchObject({
      selectedIndex: 0,
      finalText: "老周没接话。我也没有。“那年的水，不该到这儿。”他说。",
      candidates: DRAFTS,
    });
    const { text, origins } = w.file(0);
    expect(origins.map(({ from, to }) => text.slice(from, to)).join("|")).toContain("老周没接话。");
    expect(origins.map(({ from, to }) => text.slice(from, to)).join("")).not.toContain("我也没有");
  });

  test("a rewrite replaces the selection, and nothing else", async () => {
    w = await openWindow();
    await w.openChapter(2);
    const { text } = w.file(2);
    const selected = "我在马扎上坐下来。海在屋子的另一面，听得见，看不见。";
    const from = text.indexOf(selected);
    const view = w.program.editor.surface.view!;
    view.focus();
    view.dispatch({ selection: { anchor: from, head: from + selected.length } });
    await ready("rewrite");
    await expect
      .poll(() => w.backend.callsOf("ai:skill:run")[0])
      .toMatchObject({ skill: "rewrite", selection: selected });
    await w.id("take").first().click();
    await w.saved();
    await expect.poll(() => w.file(2).text).toBe(text.replace(selected, DRAFTS[0]!));
    await expect.poll(() => w.backend.callsOf("memory:episode:record")[0]?.inputContext.endsWith(selected)).toBe(true);
  });

  test("rejecting all is recorded as that", async () => {
    w = await openWindow();
    await w.toEnd();
    const before = w.text;
    await ready();
    await w.id("reject-all").click();
    await expect
      .poll(() => w.backend.callsOf("memory:episode:record"))
      .toMatchObject([{ selectedIndex: -1, finalText: "", candidates: DRAFTS }]);
    await expect.poll(() => w.text).toBe(before);
    expect(cards()).toEqual([]);
  });

  test("asking again, or walking away to another chapter, is no episode", async () => {
    w = await openWindow();
    await w.toEnd();
    await ready();
    await w.id("again").click();
    await expect.poll(() => w.backend.callsOf("ai:skill:run").length).toBe(2);
    w.backend.advance();
    await w.openChapter(1);
    expect(cards()).toEqual([]);
    expect(w.backend.callsOf("memory:episode:record")).toEqual([]);
  });

  test("a failed record is reported, the text stays, and it can be retried", async () => {
    w = await openWindow();
    await w.toEnd();
    await ready();
    w.backend.fail("memory:episode:record", { code: "MEMORY_STORE_UNAVAILABLE", message: "locked" });
    await w.id("take").first().click();
    await expect.poll(() => document.body.textContent).toContain("文字已写进正文，但没能记录这次取舍");
    await expect.poll(() => w.text).toContain(DRAFTS[0]);
    await userEvent.click(
      w.id("candidate").query() ??
        [...document.querySelectorAll("button")].find((button) => button.textContent === "重新记录")!,
    );
    await expect.poll(() => w.backend.episodes.length).toBe(1);
  });
});

describe("what is sent", () => {
  test("is shown raw before anything is sent", async () => {
    w = await openWindow();
    await w.toEnd();
    await w.id("preview-toggle").click();
    await expect.element(w.id("preview-sent")).toBeVisible();
    await expect.poll(() => w.id("preview-sent").element().textContent).toContain("[用户写作偏好 - 自动学习]");
    expect(w.backend.callsOf("ai:skill:run")).toEqual([]);
    expect(document.body.textContent).toContain("带上 5 条规则、1 段往事");
  });
});

describe("the preview on the page", () => {
  test("shows the picked draft in place, and goes with it", async () => {
    w = await openWindow();
    await w.toEnd();
    await ready();
    await expect.element(w.id("preview")).toHaveTextContent(DRAFTS[0]!);
    (cards()[2] as HTMLElement).focus();
    await expect.element(w.id("preview")).toHaveTextContent(DRAFTS[2]!);
    await w.press("{Enter}");
    await expect.poll(() => w.id("preview").elements().length).toBe(0);
    await expect.poll(() => w.backend.callsOf("memory:episode:record")[0]?.selectedIndex).toBe(2);
  });

  test("at the end of a long chapter the page makes room for it, and follows as it grows", async () => {
    w = await openWindow();
    await w.toEnd();
    const view = w.program.editor.surface.view!;
    view.dispatch({
      changes: { from: view.state.doc.length, insert: "\n\n雨还在下。".repeat(60) },
      selection: { anchor: view.state.doc.length + 7 * 60 },
    });
    view.dispatch({ selection: { anchor: view.state.doc.length }, scrollIntoView: true });
    await ready();
    await expect.element(w.id("preview")).toHaveTextContent(DRAFTS[0]!);
    const sheet = view.dom.closest("main")!.getBoundingClientRect();
    const ghost = () => [...w.id("preview").element().children].map((child) => child.getBoundingClientRect());
    await expect.poll(() => Math.max(...ghost().map(({ bottom }) => bottom))).toBeLessThan(sheet.bottom);
    expect(Math.min(...ghost().map(({ top }) => top))).toBeGreaterThan(sheet.top);
  });
});

describe("a text that is no draft", () => {
  const ECHO = "<settings> 照做";

  test("is last with its reason, is picked never, and its text is one press away", async () => {
    w = await openWindow();
    await w.toEnd();
    await w.id("run").click();
    await expect.poll(() => cards().length).toBe(3);
    w.backend.endUnusable(0, { reason: "promptEcho", text: ECHO });
    w.backend.advance();
    await expect.poll(states).toEqual(["ready", "ready", "unusable"]);
    expect(cards().map((card) => card.getAttribute("data-picked"))).toEqual(["true", null, null]);
    expect(document.body.textContent).not.toContain(ECHO);
    await w.id("unusable-text").click();
    await expect.element(w.id("unusable")).toHaveTextContent(ECHO);
    // It is no alternative that the writer rejected.
    await w.id("take").first().click();
    await expect.poll(() => w.backend.callsOf("memory:episode:record").length).toBe(1);
    await expect
      .poll(() => w.backend.callsOf("memory:episode:record")[0])
      .toMatchObject({
        candidates: DRAFTS.slice(1),
        selectedIndex: 0,
      });
  });

  test("is dropped while it is written a second time", async () => {
    w = await openWindow();
    await w.toEnd();
    await w.id("run").click();
    await expect.poll(() => cards().length).toBe(3);
    w.backend.advance(1);
    w.backend.retryCandidate(1, "loop");
    await expect.element(w.id("candidate").nth(1)).toHaveTextContent(/再试一次/);
    w.backend.advance();
    await expect.poll(states).toEqual(["ready", "ready", "ready"]);
  });

  test("leaves nothing to record when there is no other, and after three runs a larger model is named", async () => {
    w = await openWindow();
    await w.toEnd();
    await w.id("run").click();
    for (let run = 1; run <= 3; run += 1) {
      await expect.poll(() => cards().length).toBe(3);
      for (const place of [0, 1, 2]) w.backend.endUnusable(place, { reason: "refusal", text: ECHO });
      w.backend.end("finished");
      await expect.poll(states).toEqual(["unusable", "unusable", "unusable"]);
      await expect.poll(() => w.id("larger-model").elements().length).toBe(run < 3 ? 0 : 1);
      if (run < 3) await w.id("again").click();
    }
    await expect.element(w.id("larger-model")).toHaveTextContent(/8 GB.*16 GB/);
    await w.id("reject-all").click();
    await expect.poll(() => cards().length).toBe(0);
    expect(w.backend.callsOf("memory:episode:record")).toEqual([]);
  });
});
