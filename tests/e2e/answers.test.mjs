// Answers in the real window, in both languages: an answer that rests on a sentence of the sample book is judged, the
// verdict is undone, the edited sentence makes it stale on the card and in prompts, and a deletion outlives a restart.

import assert from "node:assert/strict";
import { after, before, describe } from "node:test";

import { App, at, discard, freshFolder, until } from "./driver.mjs";
import { Page, steps } from "./page.mjs";

const BOOKS = {
  zh: {
    locale: "zh_CN.UTF-8",
    quote: "腿断了",
    question: "纪伯的腿怎么了？",
    answer: "那年断过。",
    edit: "，养着",
    untried: "还没试过",
  },
  en: {
    locale: "en_GB.UTF-8",
    quote: "I broke my leg",
    question: "What happened to Uncle Ji’s leg?",
    answer: "It was broken that year.",
    edit: ", badly, ",
    untried: "Not tried yet",
  },
};

for (const [language, { locale, quote, question, answer, edit, untried }] of Object.entries(BOOKS)) {
  const name = `answers-${language}`;
  describe(`answers (${name})`, () => {
    let folder;
    let app;
    let page;
    let book;
    let answerId;

    const start = async () => {
      app = await App.start({ dataDir: folder, locale });
      page = new Page(app);
      await app.see(at("chapter-item"), 60_000);
    };

    before(async () => {
      folder = await freshFolder(name);
      await start();
      book = await page.book();
    });

    after(async () => {
      await app?.close();
      discard(folder);
    });

    const step = steps(name, () => app);
    const open = async () => {
      await page.openMemory();
      await app.click(at("memory-page-answers"));
    };
    const card = () => `[data-answer="${answerId}"]`;
    const get = () => page.ask("answer:get", { projectId: book.projectId, answerId });

    step("an answer that another program records is on the page with its sentence", async () => {
      await page.openChapter(book.chapters[1].chapterId);
      await open();
      await app.see(at("answers-empty"));
      const citations = [{ chapterId: book.chapters[1].chapterId, quote, from: 0 }];
      const recorded = await page.ask("answer:record", { projectId: book.projectId, question, answer, citations });
      ({ answerId } = recorded.answer);
      await app.see(card());
      const standing = await app.texts(at("answer-standing"));
      assert.ok(standing[0].includes(untried), standing[0]);
      await app.screenshot(name);
    });

    step("a verdict raises it, and is undone at once", async () => {
      await app.click(at("answer-useful"));
      await until("it has passed", async () => (await get()).validationLevel === 1);
      await app.click(at("toast-action"));
      await until("the verdict is undone", async () => (await get()).validationLevel === 0);
      await app.click(at("answer-useful"));
      await until("it has passed again", async () => (await get()).validationLevel === 1);
      const prepared = await page.ask("answer:prepare", { projectId: book.projectId, query: question });
      assert.equal(prepared.served.answerId, answerId);
    });

    step("its number opens the sentence on the page", async () => {
      await app.click(at("answer-citation"));
      await until("the chapter is open", async () => (await page.text()).includes(quote));
    });

    step("once the sentence is edited, the card says so and no prompt has it", async () => {
      await page.caretAfter(quote.slice(0, -1));
      await page.write(edit);
      await page.saved();
      await until("the answer is stale", async () => (await get()).staleness === "stale");
      await app.see(at("answer-stale"));
      await app.screenshot(`${name}-stale`);
      const prepared = await page.ask("answer:prepare", { projectId: book.projectId, query: question });
      assert.deepEqual([prepared.injected, prepared.leftOut[0].why, prepared.served], [[], "changed", null]);
    });

    step("deleted, it stays away after a restart", async () => {
      await app.click(at("answer-delete"));
      await app.click(at("answer-delete-confirm"));
      await app.see(at("answers-empty"));
      await app.close();
      await start();
      await open();
      await app.see(at("answers-empty"));
    });
  });
}
