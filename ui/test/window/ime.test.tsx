// An input method, through the browser's own protocol: its keys trigger nothing during a composition, the composed text
// is whole, and saving, running or closing meanwhile loses no word.

import { afterEach, describe, expect, test } from "vitest";
import { fakeClock, openWindow, type Window } from "./openWindow";
import { ime, KEYS, lateKeys } from "./ime";

let w: Window;
afterEach(() => w.close());

/** Key events the page received, and those that reached the window. */
function hearKeys() {
  const heard: boolean[] = [];
  const passed: string[] = [];
  const capture = (event: KeyboardEvent) => heard.push(event.isComposing);
  const bubble = (event: KeyboardEvent) => passed.push(event.key);
  document.addEventListener("keydown", capture, true);
  addEventListener("keydown", capture, true);
  addEventListener("keydown", bubble);
  return {
    heard,
    passed,
    stop() {
      document.removeEventListener("keydown", capture, true);
      removeEventListener("keydown", capture, true);
      removeEventListener("keydown", bubble);
    },
  };
}

const doc = () => w.program.editor.passage().before;
const asked = () =>
  w.backend.calls.filter(
    ({ name }) => !["memory:editor:activity", "memory:scene:guess", "memory:status"].includes(name),
  ).length;

describe("on the page", () => {
  test("no key does anything but compose, and the text is whole after it", async () => {
    w = await openWindow();
    await w.toEnd();
    await w.press("先写的。");
    await w.saved();
    // Calls after the save are over, and composed text is not saved however long the keys take.
    await w.backend.idle();
    fakeClock();
    const [text, calls] = [doc(), asked()];
    const keys = hearKeys();
    await ime.compose("yu");
    await ime.allKeys();
    expect(keys.heard.length).toBeGreaterThanOrEqual(KEYS.length);
    expect(keys.heard.every(Boolean), "the browser itself says that it composes").toBe(true);
    expect(keys.passed).toEqual([]);
    keys.stop();
    await ime.compose("yuting");
    await expect.poll(doc).toBe(`${text}yuting`);
    await ime.commit("雨停了。");
    lateKeys(w.content());
    await expect.poll(doc).toBe(`${text}雨停了。`);
    await expect.poll(asked).toBe(calls);
    await w.saved();
    await expect.poll(() => w.file(0).text).toContain("先写的。雨停了。");
  });

  test("one that is given up leaves nothing behind", async () => {
    w = await openWindow();
    await w.toEnd();
    const text = doc();
    await ime.compose("yu");
    await ime.key("Escape");
    await ime.compose("");
    lateKeys(w.content());
    await expect.poll(doc).toBe(text);
    await w.press("雨。");
    await w.saved();
    await expect.poll(doc).toBe(`${text}雨。`);
  });

  test("undo takes back a composed phrase as one, and redo brings it", async () => {
    w = await openWindow();
    const pass = fakeClock();
    await w.toEnd();
    await w.press("先写的。");
    await pass(600); // longer than edits of one undo step are apart
    const text = doc();
    for (const part of ["y", "yu", "yut", "yuting"]) await ime.compose(part);
    await ime.commit("雨停了。");
    await expect.poll(doc).toBe(`${text}雨停了。`);
    await w.press("{Control>}z{/Control}");
    await expect.poll(doc).toBe(text);
    await w.press("{Control>}y{/Control}");
    await expect.poll(doc).toBe(`${text}雨停了。`);
  });

  test("the moment of saving passes over a composition, and comes after it", async () => {
    w = await openWindow();
    const pass = fakeClock();
    await w.toEnd();
    await w.press("先写的。");
    await ime.compose("yu");
    await pass(1_100);
    expect(w.backend.callsOf("chapter:write")).toEqual([]);
    await ime.compose("yuting");
    await pass(1_100);
    expect(w.backend.callsOf("chapter:write")).toEqual([]);
    await ime.commit("雨停了。");
    await w.saved();
    await expect.poll(() => w.backend.callsOf("chapter:write")).toHaveLength(1);
    await expect.poll(() => w.file(0).text).toContain("先写的。雨停了。");
  });

  test.each([
    ["closing the window", async () => expect(await w.backend.close()).toBe(true)],
    ["going to another chapter", () => w.openChapter(1)],
  ])("%s in the middle of one loses nothing that was on the page", async (_, leave) => {
    w = await openWindow();
    await w.toEnd();
    await w.press("先写的。");
    await ime.compose("雨ting");
    await leave();
    await expect.poll(() => w.file(0).text).toContain("先写的。雨ting");
  });

  test("a draft that streams in meanwhile waits with its picture, and disturbs no letter", async () => {
    w = await openWindow();
    await w.toEnd();
    await w.id("run").click();
    await expect.poll(() => w.id("candidate").elements().length).toBe(3);
    w.content().focus();
    const text = doc();
    await ime.compose("yu");
    w.backend.advance();
    await expect.element(w.id("candidate").first()).toHaveAttribute("data-state", "ready");
    await ime.compose("yuting");
    await ime.commit("雨停了。");
    await expect.poll(doc).toBe(`${text}雨停了。`);
    await w.id("take").first().click();
    await w.saved();
    await expect.poll(() => w.file(0).text).toContain("雨停了。");
  });

  test("a change from outside in the middle of one is asked about, and both texts stay", async () => {
    w = await openWindow();
    await w.toEnd();
    await ime.compose("yu");
    w.backend.changeOutside(w.file(0).info.chapterId, "# 渡船\n\n外面写的。\n");
    await expect.element(w.id("outside-keep-mine")).toBeVisible();
    await ime.commit("雨。");
    await expect.poll(() => w.text).toContain("雨。");
    await expect.poll(() => w.file(0).text).toBe("# 渡船\n\n外面写的。\n");
  });
});

type Field = [what: string, id: string, open: () => Promise<unknown>];

const memory = (page: string) => async () => {
  await w.id("nav-memory").click();
  await w.id(`memory-page-${page}`).click();
};

/** Enough rules for the search to be shown. */
async function memoryOfMany() {
  const [first] = w.backend.rules;
  for (let index = 0; index < 6; index += 1) w.backend.rules.push({ ...first!, id: `more-${index}` });
  w.backend.emit("memory:changed", { projectId: null, what: ["rules"] });
  await memory("rules")();
}

const FIELDS: Field[] = [
  ["the wish", "wish", () => w.toEnd()],
  [
    "a draft that is changed before it is taken",
    "edit-text",
    async () => {
      await w.id("run").click();
      await expect.poll(() => w.id("candidate").elements().length).toBe(3);
      w.backend.advance();
      await w.id("edit-first").first().click();
    },
  ],
  [
    "a new rule",
    "rule-text",
    async () => {
      await memory("rules")();
      await w.id("rule-add").click();
    },
  ],
  [
    "a rule that is rewritten",
    "rule-text",
    async () => {
      await memory("rules")();
      await w.id("rule-card").first().getByRole("button").first().click();
      await w.id("rule-edit").click();
    },
  ],
  ["what is looked for in the rules", "rule-search", memoryOfMany],
  ["what is looked for in the chapter", "find-text", () => w.id("find-open").click()],
  ["what is looked for in the book", "book-find", () => w.id("nav-find").click()],
  ["what is looked for in the past", "past-search", memory("past")],
  [
    "a name",
    "name-name",
    async () => {
      await memory("names")();
      await w.id("name-add").click();
    },
  ],
  [
    "a stand-in",
    "name-alias",
    async () => {
      await memory("names")();
      await w.id("name-add").click();
    },
  ],
  [
    "the title typed before clearing",
    "clear-title",
    async () => {
      await memory("safety")();
      await w.id("clear-project").click();
    },
  ],
  ["a new chapter", "chapter-title", () => w.id("chapter-add").click()],
  ["a chapter's name", "chapter-title", () => w.id("chapter-rename").first().click()],
  [
    "the name of a service",
    "provider-name",
    async () => {
      await w.id("nav-settings").click();
      await w.id("provider-add").click();
    },
  ],
  [
    "the address of a service",
    "provider-url",
    async () => {
      await w.id("nav-settings").click();
      await w.id("provider-add").click();
    },
  ],
];

describe("in every field", () => {
  test.each(FIELDS)("%s: no key acts until the composition ends, and the text is complete", async (_, id, open) => {
    w = await openWindow({ past: true });
    await open();
    await expect.element(w.id(id)).toBeVisible();
    const field = w.id(id).element() as HTMLInputElement;
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
    const value = field.value;
    const at = await settled();
    const pass = fakeClock();
    await ime.compose("ni");
    await ime.allKeys();
    await ime.compose("nihao");
    await expect.poll(() => w.id(id).element(), { message: "it is still there" }).toBe(field);
    expect(document.activeElement).toBe(field);
    expect(field.value).toBe(`${value}nihao`);
    await pass(400); // longer than every search waits for a pause in typing
    await expect.poll(asked).toBe(at);
    await ime.commit("你好");
    lateKeys(field);
    await expect.poll(() => w.id(id).element()).toBe(field);
    expect(field.value).toBe(`${value}你好`);
  });
});

/** Number of queries, after those of opening are answered. */
async function settled(): Promise<number> {
  let before = -1;
  await expect
    .poll(
      () => {
        const same = before === asked();
        before = asked();
        return same;
      },
      { interval: 150 },
    )
    .toBe(true);
  return before;
}
