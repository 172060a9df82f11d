// The story panel: who and what the book names as far as the caret, and what the writer says of it. The caret of the
// writer stays where it is while the panel opens passages.

import { afterEach, describe, expect, test } from "vitest";
import type { Entity } from "../../src/backend";
import { faults } from "../../testing/axe";
import { fakeClock } from "./openWindow";
import {
  accept,
  at,
  chapterId,
  names,
  openStory,
  openedChapter,
  proposals,
  row,
  rows,
  selected,
  texts,
  times,
  w,
} from "./storyPanel";

afterEach(() => w.close());

describe("the panel", () => {
  test("opens by F4 with the names as far as the caret; F4 and Escape go back to the text", async () => {
    await openStory();
    await rows("老周", "小满");
    await proposals("阿满", "老纪", "船老大");
    await expect.poll(at).toBe(w.id("story-panel").element());
    expect(texts("story-row")[1]).toContain("在场·写明是本人说的 1 句");
    expect(row("老周").querySelector("svg[role=img]")!.getAttribute("aria-label")).toBe("出现在第 1–3 章");
    expect(document.body.textContent).not.toContain("孟书记");
    await expect.element(w.id("nav-story")).toHaveAttribute("aria-current", "true");
    expect(await faults()).toEqual([]);
    await w.press("{F4}");
    await expect.poll(() => at()).toBe(w.content());
    expect(w.id("story-panel").elements()).toEqual([]);
    await w.press("{F4}");
    await expect.element(w.id("story-panel")).toBeVisible();
    await w.press("{Escape}");
    await expect.poll(() => at()).toBe(w.content());
  });

  test("lists places and things on a page of their own", async () => {
    await openStory({ chapter: 0, before: accept("验潮屋") });
    await w.id("story-page-places").click();
    await rows("验潮屋");
    expect(texts("story-row")[0]).toContain("这一章里 3 处");
  });

  test("finds a name by a part of any of its forms", async () => {
    await openStory();
    await rows("老周", "小满");
    await w.id("story-search").fill("女人");
    await rows();
    await proposals("阿满");
  });

  test("lists five thousand names without rendering them all", async () => {
    const range = { chapterId: "chapter", from: 0, to: 1 };
    await openStory({
      before: (backend) => {
        const entities = Array.from({ length: 5_000 }, (_, index): Entity => ({
          entityId: `many-${index}`,
          kind: "character",
          name: `名${index}`,
          aliases: [],
          standing: index % 2 === 0 ? "accepted" : "detected",
          version: index % 2 === 0 ? 1 : null,
          mentions: 5,
          presence: [{ chapter: 0, mentions: 5 }],
          first: range,
          last: range,
          sentence: "一句。",
          taggedSpeeches: 0,
          firstFact: null,
          misspellings: [],
        }));
        backend.entities.list = {
          entities,
          possibleMerges: [],
          unnamed: [],
          degraded: false,
          chapters: ["one", "two"],
          method: "tagger",
        };
      },
    });
    await expect.poll(() => w.id("story-row").elements().length).toBeGreaterThan(5);
    await expect.poll(() => w.id("story-row").elements().length).toBeLessThan(60);
    await expect.poll(() => w.id("story-proposal").elements().length).toBeLessThan(60);
    await expect.poll(() => w.id("story-group").first().element().querySelectorAll("li")).toHaveLength(2_500);
  });
});

describe("a proposal", () => {
  test("is taken in: its row is ink, the next takes its place under the focus, and it can be undone", async () => {
    await openStory();
    await proposals("阿满", "老纪", "船老大");
    await expect.poll(() => w.id("proposal-accept").elements()).toHaveLength(1);
    (w.id("proposal-accept").element() as HTMLElement).focus();
    await w.press("{Enter}");
    await proposals("老纪", "船老大");
    await rows("老周", "小满", "阿满");
    expect(row("阿满").dataset["standing"]).toBe("accepted");
    expect(row("老周").dataset["standing"]).toBe("detected");
    await expect.poll(at).toBe(w.id("proposal-accept").element());
    await expect.element(w.id("toast")).toHaveTextContent("收下了“阿满”");
    await w.id("toast-action").click();
    await proposals("阿满", "老纪", "船老大");
    await rows("老周", "小满");
  });

  test("leaves its buttons under the pointer for the next one, in a list that scrolls", async () => {
    const all = Array.from({ length: 40 }, (_, index) => `人物${String.fromCharCode(0x4e00 + index)}`);
    await openStory({
      chapter: 1,
      before: (backend) => {
        const { files, project } = backend.books[0]!;
        files[0]!.text += all.map((name) => `${name}来了。\n\n`).join("");
        backend.entities.casts.set(
          project.projectId,
          all.map((name) => ({ kind: "character", forms: [name] })),
        );
        accept(...all.slice(0, 30))(backend);
      },
    });
    await expect.poll(() => names("story-proposal")[0]).toBe(all[30]);
    const top = () => w.id("proposal-accept").element().getBoundingClientRect().top;
    w.id("proposal-accept").element().scrollIntoView({ block: "center" });
    await w.backend.idle();
    const before = top();
    (w.id("proposal-accept").element() as HTMLElement).click();
    await expect.poll(() => names("story-proposal")[0]).toBe(all[31]);
    await w.backend.idle();
    expect(Math.abs(top() - before)).toBeLessThanOrEqual(1);
  });

  test("is taken in as another kind, and moves to that page", async () => {
    await openStory();
    await proposals("阿满", "老纪", "船老大");
    await w.id("proposal-kind").click();
    await w.id("proposal-kind-place").click();
    await w.id("proposal-accept").click();
    await proposals("老纪", "船老大");
    await w.id("story-page-places").click();
    await rows("阿满");
  });

  test("is no name: it is not listed any more, until that is undone", async () => {
    await openStory();
    await w.id("proposal-dismiss").click();
    await proposals("老纪", "船老大");
    await rows("老周", "小满");
    await expect
      .poll(() => w.backend.callsOf("story:entity:dismiss"))
      .toMatchObject([{ at: { chapterId: chapterId(2) } }]);
    await w.id("toast-action").click();
    await proposals("阿满", "老纪", "船老大");
  });

  test("is the same as another one, found by a part of its name", async () => {
    await openStory();
    await w.id("proposal-same").click();
    await expect.poll(() => at()).toBe(w.id("story-merge-name").element());
    await w.id("story-merge-name").fill("周");
    await expect.poll(() => texts("story-merge-other").length).toBe(1);
    await w.press("{Enter}");
    await proposals("老纪", "船老大");
    await expect.element(w.id("toast")).toHaveTextContent("“阿满”并入“老周”");
    expect(row("老周").textContent).toContain("阿满");
    await w.id("toast-action").click();
    await proposals("阿满", "老纪", "船老大");
  });

  test("may be another one: it is asked, and nothing is merged without an answer", async () => {
    await openStory({
      before: (backend) => {
        backend.entities.possibleMerges = [["老周", "老纪"]];
      },
    });
    await proposals("阿满", "老纪", "船老大");
    expect(w.id("story-question").elements()).toEqual([]);
    await w.id("proposal-dismiss").click();
    await expect.element(w.id("story-question")).toHaveTextContent("像是老周");
    await w.id("story-question-no").click();
    await expect.poll(() => w.id("story-question").elements()).toEqual([]);
    await proposals("老纪", "船老大");
    await w.id("toast-action").click();
    await w.id("story-question-yes").click();
    await proposals("船老大");
    expect(row("老周").textContent).toContain("老纪");
  });

  test("with ten places or more is taken in together with all such", async () => {
    await openStory({
      before: ({ books }) => {
        books[0]!.files[0]!.text += `${times(12, "船老大在船上。").join("\n\n")}\n`;
      },
    });
    await proposals("船老大", "阿满", "老纪");
    await expect.element(w.id("story-accept-all")).toHaveTextContent("出现 10 次以上的都收下");
    await w.id("story-accept-all").click();
    await rows("老周", "小满", "船老大");
    await proposals("阿满", "老纪");
    await expect.poll(() => w.backend.callsOf("story:entity:accept")[0]!.entityIds).toHaveLength(2);
    await expect.element(w.id("toast")).toHaveTextContent("收下了 2 个名字");
    await w.id("toast-action").click();
    await proposals("船老大", "阿满", "老纪");
  });
});

describe("the details of a name", () => {
  const openDetail = async (name: string) => {
    await expect.poll(() => row(name)).toBeDefined();
    row(name).click();
    await expect.element(w.id("story-detail")).toBeVisible();
  };

  test("list each place; a press lights it in the text, and focus and position stay", async () => {
    await openStory({ before: accept("阿满") });
    await openDetail("阿满");
    await expect
      .poll(() => texts("story-mention"))
      .toEqual([
        "阿满写的是铅笔字。第 2 章",
        "阿满写的是铅笔字。第 2 章",
        "阿满写的是铅笔字。第 2 章",
        "是我女人看的。第 2 章",
      ]);
    const line = w.id("story-mention").nth(3).element() as HTMLElement;
    line.focus();
    await w.press("{Enter}");
    await expect.poll(openedChapter).toBe(chapterId(1));
    await expect.poll(selected).toBe("我女人");
    await expect.poll(() => document.querySelector(".cm-sought")?.textContent).toBe("我女人");
    await expect.poll(at).toBe(line);
    await w.backend.idle();
    await expect.element(w.id("as-of-caret")).toHaveTextContent("跟着光标·到第 3 章");
    await rows("老周", "小满", "阿满");
    // Escape goes back to the writer's caret first, then to the row, then to the text.
    await w.press("{Escape}");
    await expect.poll(openedChapter).toBe(chapterId(2));
    expect(w.id("story-back").elements()).toEqual([]);
    await w.press("{Escape}");
    await expect.poll(() => at()).toBe(row("阿满"));
    await w.press("{Escape}");
    await expect.poll(() => at()).toBe(w.content());
  });

  test("after a passage was opened, the page's head leads back to where the writer was", async () => {
    await openStory({ before: accept("老周") });
    await openDetail("老周");
    await w.id("story-mention").first().click();
    await expect.poll(openedChapter).toBe(chapterId(0));
    await expect.element(w.id("story-back")).toHaveTextContent("回到第 3 章");
    await w.id("story-back").click();
    await expect.poll(openedChapter).toBe(chapterId(2));
    await expect.poll(() => at()).toBe(w.content());
    await expect.poll(() => w.program.editor.passage().after.trim()).toBe("");
  });

  test("writing at an opened passage makes that the position", async () => {
    await openStory({ before: accept("老周") });
    await openDetail("老周");
    await w.id("story-mention").first().click();
    await expect.poll(openedChapter).toBe(chapterId(0));
    const advance = fakeClock();
    w.content().focus();
    await w.press("{ArrowRight}写");
    await advance(1_100);
    await expect.element(w.id("as-of-caret")).toHaveTextContent("跟着光标·到第 1 章");
  });

  test("list fifty places at first, and more when asked", async () => {
    await openStory({
      before: ({ books }) => {
        books[0]!.files[0]!.text += `${times(60, "老周在看潮。").join("\n\n")}\n`;
      },
    });
    await openDetail("老周");
    await expect.poll(() => texts("story-mention").length).toBe(50);
    await w.id("story-mentions-more").click();
    await expect.poll(() => texts("story-mention").length).toBe(73);
    expect(w.id("story-mentions-more").elements()).toEqual([]);
  });

  test("split a form off as someone else, and back", async () => {
    await openStory({ before: accept("阿满") });
    await openDetail("阿满");
    await w.id("story-split").click();
    await rows("老周", "小满", "阿满", "我女人");
    await expect.poll(() => w.id("story-alias").elements()).toEqual([]);
    await w.id("toast-action").click();
    await rows("老周", "小满", "阿满");
    await expect.element(w.id("story-alias")).toBeVisible();
  });

  test("change kind and name, and each can be undone", async () => {
    await openStory({ before: accept("阿满") });
    await openDetail("阿满");
    await w.id("story-rename").click();
    await w.id("story-name").fill("纪阿满");
    await w.press("{Enter}");
    await rows("老周", "小满", "纪阿满");
    await w.id("toast-action").click();
    await rows("老周", "小满", "阿满");
    await w.id("story-kind").click();
    await w.id("story-kind-thing").click();
    await rows("老周", "小满");
    await w.id("toast-action").click();
    await rows("老周", "小满", "阿满");
  });

  test("a change of what was changed elsewhere is refused and said, and the present state is shown", async () => {
    await openStory({ before: accept("阿满") });
    await openDetail("阿满");
    const projectId = w.projectId();
    const entityId = w.backend.entities.idOf(projectId, "阿满");
    // Without its event, as when the event is still on its way.
    const release = w.backend.waits.hold("story:entity:list");
    await w.backend.invoke("story:entity:accept", { projectId, entityIds: [entityId], version: 1, name: "满" });
    await w.id("story-rename").click();
    await w.id("story-name").fill("纪阿满");
    await w.press("{Enter}");
    await expect.element(w.id("story-problem")).toHaveTextContent("它刚刚在别处改过");
    release();
    await rows("老周", "小满", "满");
  });

  test("a name that is probably misspelt leads to its place", async () => {
    await openStory({
      before: (backend) => {
        const { files, project } = backend.books[0]!;
        files[1]!.text += "\n阿漫也在。\n";
        const [first, second, ...rest] = backend.entities.casts.get(project.projectId)!;
        backend.entities.casts.set(project.projectId, [first!, { ...second!, misspelt: ["阿漫"] }, ...rest]);
        accept("阿满")(backend);
      },
    });
    await openDetail("阿满");
    await expect.element(w.id("story-misspelling")).toHaveTextContent("可能写错：阿漫（第 2 章）");
    await w.id("story-misspelling-open").click();
    await expect.poll(selected).toBe("阿漫");
  });
});
