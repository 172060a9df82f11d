// Questions in the real window, in both languages, with the sample model only: the book answers with its passages,
// nothing is sent, a passage lights in the text and in the margin, and the caret stays. The question in the field
// outlives another mode and another panel.

import assert from "node:assert/strict";
import { after, before, describe } from "node:test";

import { App, at, discard, freshFolder, Key, until } from "./driver.mjs";
import { Page, steps } from "./page.mjs";

const BOOKS = {
  zh: {
    locale: "zh_CN.UTF-8",
    question: "墙上那道线是谁划的？",
    asOf: "到第 3 章为止",
    asOfFirst: "到第 1 章为止",
    leaves: "什么也不发出去",
    says: "书里这样写到",
    back: "回到第 3 章",
  },
  en: {
    locale: "en_GB.UTF-8",
    question: "Who made the line on the wall?",
    asOf: "As of chapter 3",
    asOfFirst: "As of chapter 1",
    leaves: "Nothing leaves",
    says: "The book says",
    back: "Back to chapter 3",
  },
};

for (const [language, words] of Object.entries(BOOKS)) {
  const name = `ask-${language}`;
  describe(`questions (${name})`, () => {
    let folder;
    let app;
    let page;
    let book;

    before(async () => {
      folder = await freshFolder(name);
      app = await App.start({ dataDir: folder, locale: words.locale });
      page = new Page(app);
      await app.see(at("chapter-item"), 60_000);
      book = await page.book();
    });

    after(async () => {
      await app?.close();
      discard(folder);
    });

    const step = steps(name, () => app);
    const chapter = (index) => book.chapters[index].chapterId;
    const lit = () =>
      app.run(() => [...document.querySelectorAll(".cm-sought")].map((span) => span.textContent).join(""));
    const bare = (text) => text.replaceAll(/\s/g, "");

    step("the field opens by its keys, and says what leaves before anything is asked", async () => {
      await page.openChapter(chapter(2));
      await page.caretAtEnd();
      await app.press([Key.control, Key.shift, Key.enter]);
      await until("the field has the keyboard", () => app.stands(at("ask-field")));
      await app.see(at("ask-no-model"));
      await until("what leaves is said", async () => (await app.text(at("ask-leaves"))).includes(words.leaves));
      await until("the position is the caret's", async () => (await app.text(at("ask-as-of"))).includes(words.asOf));
    });

    step("the question stays in its field through another mode and another panel", async () => {
      await app.fill(at("ask-field"), words.question);
      await app.click(at("mode-write"));
      await app.see(at("wish"));
      await page.openMemory();
      await app.click(at("nav-book"));
      await app.click(at("mode-ask"));
      assert.equal(await app.value(at("ask-field")), words.question);
    });

    step("without a model the book says, and nothing is sent", async () => {
      await app.click(at("ask-run"));
      await app.see(at("ask-card", { "data-state": "finished" }), 60_000);
      await app.see(at("ask-passage"));
      assert.ok((await app.text(at("ask-of-book"))).includes(words.says));
      assert.equal(await app.value(at("ask-field")), "");
      assert.equal((await page.ask("ai:usage:get", {})).requests, 0);
      await app.screenshot(name);
    });

    step("a passage lights in the text and in the margin, and Escape leads back to the caret", async () => {
      const [quote] = await app.texts(`${at("ask-passage")} q`);
      await app.click(at("ask-passage"));
      await until("the passage is lit", async () => {
        const shown = bare(await lit());
        return shown !== "" && bare(quote).startsWith(shown.slice(0, 12));
      });
      await app.see(`${at("cited-mark")}[aria-pressed="true"]`);
      assert.ok((await app.text(at("story-back"))).includes(words.back));
      await app.screenshot(`${name}-lit`);
      await app.press(Key.escape);
      await app.gone(at("story-back"));
      await until("nothing is lit", async () => (await lit()) === "");
    });

    step("as of the first chapter, no later passage is found", async () => {
      await app.click(at("ask-as-of"));
      await app.click(at(`ask-as-of-pin:${chapter(0)}`));
      await until("it is pinned", async () => (await app.text(at("ask-as-of"))).includes(words.asOfFirst));
      await app.fill(at("ask-field"), words.question);
      await app.press(Key.enter);
      await app.see(at("ask-card", { "data-state": "finished" }), 60_000);
      const places = await app.texts(`${at("ask-passage")} small`);
      for (const place of places) assert.match(place, /1/);
    });
  });
}
