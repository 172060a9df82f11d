// The whole path of a writer without a pointer: text written, continued, edited and taken, undone; preferences updated,
// one rule confirmed, another deleted; *why*, and the verdict that it is wrong; and a restart. No step clicks, and
// after every key that has an effect the focus is on an element and not lost.

import assert from "node:assert/strict";
import { after, before, describe } from "node:test";

import { App, at, discard, freshFolder, Key, until } from "./driver.mjs";
import { Life } from "./life.mjs";
import { CONTENT, candidate, Page, rule, steps } from "./page.mjs";

const WORDS = {
  written: "潮水退下去了。",
  edited: "风停了。",
  learned: /^更新完成：新学到 \d+ 条/,
  wrong: /这条你确认过，照旧在用/,
};

describe("by keyboard alone", () => {
  let dataDir;
  let app;
  let page;
  let book;
  let life;

  before(async () => {
    dataDir = await freshFolder("keyboard");
    app = await App.start({ dataDir, locale: "zh_CN.UTF-8" });
    app.click = () => {
      throw new Error("there is no pointer");
    };
    page = new Page(app);
  });

  after(async () => {
    await app?.close();
    discard(dataDir);
  });

  const step = steps("keyboard", () => app);

  /** Moves the focus to an element and presses a key on it. */
  const use = async (selector, { key = Key.enter, ...way } = {}) => {
    await app.tabTo(selector, way);
    await app.press(key);
  };
  /** Waits until the focus is on an element. */
  const held = (where = ":not(body)") => until(`the keyboard stands on ${where}`, () => app.stands(where), 2_000);
  /** Moves the focus into the text, and the caret to its end. */
  const toPage = async (way) => {
    await app.tabTo(CONTENT, way);
    await app.press([Key.control, Key.end]);
  };
  const drafted = async () => {
    await app.see(at("candidate", { "data-state": "ready" }));
    await app.gone(at("candidate", { "data-state": "writing" }));
  };

  let item;
  let first;
  step("a chapter is opened, written in and continued; a draft is chosen, changed and taken", async () => {
    await app.see(at("chapter-item"), 60_000);
    book = await page.book();
    const [, chapter] = book.chapters;
    life = new Life("zh", book.projectId, chapter.chapterId);
    item = at("chapter-item", { "data-chapter-id": chapter.chapterId });
    await use(item);
    await app.see(`${item}[aria-current="page"]`);
    await held();
    await toPage();
    await page.write(`\n${WORDS.written}`);
    await page.holds(WORDS.written);
    await app.press([Key.control, Key.enter]);
    await drafted();
    await held(CONTENT);
    await app.tabTo(candidate(0));
    await app.press(Key.down);
    await held(candidate(1));
    await app.press(Key.up);
    await held(candidate(0));
    await app.press("e");
    await held(at("edit-text"));
    await app.press(Key.escape);
    await held(candidate(0));
    await app.press("e");
    await held(at("edit-text"));
    await app.press([Key.control, Key.end], ...WORDS.edited);
    await app.press([Key.control, Key.enter]);
    await app.gone(at("candidate"));
    await held(CONTENT);
    [first] = await page.episodes(book.projectId, 1);
    assert.ok(first.finalText.endsWith(WORDS.edited));
    await page.saved();
  });

  step("undoing it is recorded by the memory", async () => {
    await app.press([Key.control, "z"]);
    await until("the passage is gone", async () => !(await page.text()).includes(WORDS.edited));
    await until(
      "the undo is recorded",
      async () => (await page.episodes(book.projectId, 1))[0].implicit === "delayedNegative",
    );
    await held(CONTENT);
  });

  let kept;
  let dropped;
  step("the preferences are updated, one rule is confirmed, another deleted, brought back and deleted", async () => {
    await page.record(Array.from({ length: 44 }, () => life.next()));
    await use(at("nav-memory"), { back: true });
    await app.see(at("memory-panel"));
    await until("they are counted", async () => (await app.attribute(at("episodes-recorded"), "data-count")) === "45");
    const { said } = await page.learn(book.projectId, () => use(at("learn-now")));
    assert.match(said, WORDS.learned);
    await held();
    const learned = (await page.rules(book.projectId)).filter(({ origin }) => origin === "distilled");
    [kept, dropped] = ["length", "exclamations"].map((feature) =>
      learned.find(({ pattern }) => pattern.feature === feature),
    );
    const face = ({ id }) => `${rule(id)} [role="button"]`;
    await use(face(kept), { back: true });
    await use(`${rule(kept.id)} ${at("rule-confirm")}`);
    await app.see(`${rule(kept.id)}[data-confirmed]`);
    await held();
    await use(face(dropped), { back: !(await app.stands(`${rule(kept.id)} *`)) });
    await use(`${rule(dropped.id)} ${at("rule-delete")}`);
    await use(`${rule(dropped.id)} ${at("rule-delete-confirm")}`, { back: true });
    await app.gone(rule(dropped.id));
    await held(at("rule-gone-undo"));
    await app.press(Key.enter);
    await app.see(rule(dropped.id));
    await held(`${rule(dropped.id)} *`);
    await use(`${rule(dropped.id)} ${at("rule-delete")}`);
    await use(`${rule(dropped.id)} ${at("rule-delete-confirm")}`, { back: true });
    await app.gone(rule(dropped.id));
    await held(at("rule-gone-undo"));
  });

  step("every page of the memory is reached, and the way back is to the page", async () => {
    await app.tabTo(at("memory-page-rules"), { back: true });
    for (const [name, place] of [
      ["past", "past-card"],
      ["journal", "journal-check"],
      ["answers", "answers-empty"],
      ["style", "style-page"],
      ["names", "names-explain"],
      ["safety", "safety-page"],
    ]) {
      await app.press(Key.right);
      await held(at(`memory-page-${name}`));
      await app.see(at(place));
    }
    await use(at("memory-close"));
    await app.gone(at("memory-panel"));
    await held();
  });

  let last;
  step(
    "the kind of scene is chosen, the next draft is taken, and why it reads so is opened from its mark",
    async () => {
      await app.tabTo(at("scene-select"));
      await app.press(Key.enter);
      await app.see(at("scene-select-action"));
      await until("the list is at the scene", async () => {
        if (await app.stands(at("scene-select-action"))) return true;
        await app.press(Key.down);
        return false;
      });
      await app.press(Key.enter);
      await app.see(at("scene-select", { "data-value": "action" }));
      await held();
      await toPage();
      await app.press([Key.control, Key.enter]);
      await drafted();
      await app.tabTo(candidate(0));
      await app.press(Key.enter);
      await app.gone(at("candidate"));
      await held(CONTENT);
      await until("it is recorded", async () => {
        [last] = await page.episodes(book.projectId, 1);
        return last.generationId && last.generationId !== first.generationId;
      });
      assert.equal(last.sceneType, "action");
      await page.saved();
      await use(at("origin-mark", { "data-generation": last.generationId }), { back: true });
      await app.see(at("why-sent-toggle"));
      await held();
    },
  );

  step("a memory is called wrong, what was sent is read, and Escape leads back", async () => {
    const memories = await app.texts(`${at("why-reference")} p`);
    const [reference] = (await app.attributes(at("why-reference"), "data-reference")).slice(
      memories.findIndex((text) => text.includes(kept.rule)),
    );
    const place = at("why-reference", { "data-reference": reference });
    await use(`${place} ${at("verdict-wrong")}`);
    await until("it is noted", async () => WORDS.wrong.test(await app.text(`${place} ${at("verdict-said")}`)));
    await held(`${place} *`);
    await use(at("why-sent-toggle"));
    await app.tabTo(at("why-sent"));
    await app.press(Key.escape);
    await app.gone(at("why-panel"));
    await held(`${at("editor")} *`);
  });

  step("after a restart all of it is still there", async () => {
    await app.leave();
    await app.restart();
    await app.see(at("chapter-item"), 60_000);
    await use(item);
    await app.see(`${item}[aria-current="page"]`);
    await toPage();
    await until("the mark is there", async () => (await page.marks()).includes(last.generationId));
    await use(at("nav-memory"), { back: true });
    await app.see(`${rule(kept.id)}[data-confirmed] ${at("rule-question")}`);
    assert.equal(await app.count(rule(dropped.id)), 0);
  });
});
