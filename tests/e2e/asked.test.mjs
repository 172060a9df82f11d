// Questions to a model in the real window, in both languages: the answer brings its passage, a sentence without one is
// struck, the passage lights on the page, the answer is put into the chapter, and once the sentence is edited, the
// answer says so and is not served again. The model is a scripted one on loopback.

import assert from "node:assert/strict";
import { after, before, describe } from "node:test";

import { App, at, discard, freshFolder, Key, until } from "./driver.mjs";
import { ScriptedModel } from "./model.mjs";
import { Page, steps } from "./page.mjs";

const BOOKS = {
  zh: {
    locale: "zh_CN.UTF-8",
    question: "纪伯那年在哪里？",
    quote: "腿断了，在县里躺了三个月",
    answer: "那年纪伯不在屋里：他腿断了，在县里躺了三个月，水位是她一个人记的。",
    invented: "他还在县里结了婚。",
    craft: "怎么写好一段对话？",
    advice: "让每个人都有想要的东西，话只说一半。",
    edit: "，养着",
  },
  en: {
    locale: "en_GB.UTF-8",
    question: "Where was Uncle Ji that year?",
    quote: "I was three months on my back in the county hospital",
    answer: "He was three months on his back in the county hospital.",
    invented: "He also married in the county town.",
    craft: "How do I write a good dialogue?",
    advice: "Let everybody want something, and say only half of it.",
    edit: " and more",
  },
};

for (const [language, words] of Object.entries(BOOKS)) {
  const name = `asked-${language}`;
  describe(`answers of a model (${name})`, () => {
    let folder;
    let app;
    let model;
    let page;
    let book;

    before(async () => {
      folder = await freshFolder(name);
      model = await ScriptedModel.start();
      app = await App.start({ dataDir: folder, locale: words.locale });
      page = new Page(app);
      await app.see(at("chapter-item"), 60_000);
      book = await page.book();
      const provider = { kind: "openAi", name: "at home", baseUrl: model.url };
      const { providerId } = await page.ask("ai:provider:save", provider);
      await page.ask("ai:purpose:set", { purpose: "asking", providerId, model: "tide-1" });
    });

    after(async () => {
      await app?.close();
      await model?.stop();
      discard(folder);
    });

    const step = steps(name, () => app);
    const lit = () =>
      app.run(() => [...document.querySelectorAll(".cm-sought")].map((span) => span.textContent).join(""));
    const bare = (text) => text.replaceAll(/\s/g, "");
    const answers = async () => (await page.ask("answer:list", { projectId: book.projectId })).answers;

    step("a sentence that the book says has its passage, and an invented one is struck", async () => {
      model.drafts = [`${words.answer} [P1 "${words.quote}"] ${words.invented} [P1 "${words.invented}"]`];
      await page.openChapter(book.chapters[2].chapterId);
      await page.caretAtEnd();
      await app.press([Key.control, Key.shift, Key.enter]);
      await until("the field has the keyboard", () => app.stands(at("ask-field")));
      await app.fill(at("ask-field"), words.question);
      await app.press(Key.enter);
      await app.see(at("ask-card", { "data-state": "finished" }), 60_000);
      assert.equal((await app.texts(at("ask-chip"))).length, 1);
      assert.ok((await app.text(at("ask-struck"))).includes(words.invented));
      assert.ok((await app.text(at("ask-passage"))).includes(words.quote.slice(0, 8)));
      const [kept] = await answers();
      assert.deepEqual([kept.question, kept.citations.length], [words.question, 1]);
      assert.ok(!kept.answer.includes(words.invented), kept.answer);
      await app.screenshot(name);
    });

    step("its number lights the passage on the page, and Escape leads back", async () => {
      await app.click(at("ask-chip"));
      await until("the passage is lit", async () => {
        const shown = bare(await lit());
        return shown !== "" && bare(words.quote).includes(shown.slice(0, 6));
      });
      await app.screenshot(`${name}-lit`);
      await app.press(Key.escape);
      await until("nothing is lit", async () => (await lit()) === "");
    });

    step("advice on writing is put into the chapter", async () => {
      model.drafts = [words.advice];
      await app.fill(at("ask-field"), words.craft);
      await app.press(Key.enter);
      await app.see(at("ask-insert"), 60_000);
      await app.click(at("ask-insert"));
      await page.holds(words.advice);
      await page.saved();
    });

    step("once its sentence is edited, the answer says so and is not served again", async () => {
      await page.openChapter(book.chapters[1].chapterId);
      await page.caretAfter(words.quote.slice(0, -1));
      await page.write(words.edit);
      await page.saved();
      await until("the answer is stale", async () =>
        (await answers()).some((one) => one.question === words.question && one.staleness === "stale"),
      );
      await page.openMemory();
      await app.click(at("memory-page-answers"));
      await app.see(at("answer-stale"));
      await app.screenshot(`${name}-stale`);
      const asked = { projectId: book.projectId, query: words.question };
      assert.equal((await page.ask("answer:prepare", asked)).served, null);
    });
  });
}
