// Doubts and the study of a book in the real window, in both languages: two places that do not agree stand side by side,
// a verdict and its undo hold, a passage lights on the page; a study is off until the writer agrees, then finds an answer
// with its sentence, drops the invented one, and the writer keeps it. The model is a scripted one on loopback.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe } from "node:test";

import { chooseFile } from "./display.mjs";
import { App, at, discard, freshFolder, until } from "./driver.mjs";
import { ScriptedModel } from "./model.mjs";
import { Page, steps } from "./page.mjs";

const F4 = "\uE034";

const BOOKS = {
  zh: {
    locale: "zh_CN.UTF-8",
    chapters: [
      "# 渡口\n\n“你来早了。”周明远说。周明远解开缆绳，李秋水笑了。“真冷。”李秋水说。\n\n一九○○年，周明远三十岁。周明远和李秋水是在青石镇认识的。\n\n“签字吧。”陈德厚说。李秋水看了看陈德厚。\n",
      "# 账本\n\n周明远等着李秋水。陈德厚当夜就死了，大家把他抬上了山。\n\n那是一九一○年，周明远刚满四十四岁。\n",
    ],
    question: "周明远和李秋水在哪里认识？",
    answer: "周明远是在青石镇认识李秋水的。",
    quote: "周明远和李秋水是在青石镇认识的",
    invented: "周明远后来娶了李秋水。",
  },
  en: {
    locale: "en_GB.UTF-8",
    chapters: [
      "# The Ferry\n\n“You are early,” said Mara Venn. Mara Venn took the rope, and Tobias laughed. “It is cold,” said Tobias.\n\nIn 1900 Mara Venn was thirty years old. Mara Venn and Tobias had met in Harwick by the sea.\n\n“Sign it,” said Aldous Pike. Tobias looked at Aldous Pike.\n",
      "# The Ledger\n\nMara Venn waited for Tobias. Aldous Pike died in the night, and they carried him to the hill.\n\nIt was 1910, and Mara Venn was just forty-four.\n",
    ],
    question: "Where did Mara Venn and Tobias meet?",
    answer: "They met in Harwick.",
    quote: "Mara Venn and Tobias had met in Harwick by the sea",
    invented: "They married in spring.",
  },
};

for (const [language, { locale, chapters, ...words }] of Object.entries(BOOKS)) {
  const name = `study-${language}`;
  describe(`doubts and study (${name})`, () => {
    let folder;
    let app;
    let model;
    let page;
    let book;

    before(async () => {
      folder = await freshFolder(name);
      mkdirSync(join(folder, "book"));
      for (const [index, text] of chapters.entries()) writeFileSync(join(folder, "book", `0${index + 1}.md`), text);
      model = await ScriptedModel.start();
      app = await App.start({ dataDir: join(folder, "data"), locale });
      page = new Page(app);
    });

    after(async () => {
      await app?.close();
      await model?.stop();
      discard(folder);
    });

    const step = steps(name, () => app);
    const lit = () =>
      app.run(() => [...document.querySelectorAll(".cm-sought")].map((span) => span.textContent).join(""));
    const issues = async () => (await page.ask("story:continuity:list", { projectId: book.projectId })).issues;
    const records = async () => (await page.ask("knowledge:record:list", { projectId: book.projectId })).records;

    step("two places that do not agree stand side by side, as far as the caret", async () => {
      await app.see(at("chapter-item"), 60_000);
      await chooseFile(app, () => app.click(at("open-folder")), join(folder, "book"));
      await until("the book is open", async () => {
        book = await page.book();
        return book.chapters.length === chapters.length && book.path === join(folder, "book");
      });
      await page.openChapter(book.chapters[1].chapterId);
      await page.caretAtEnd();
      await app.press(F4);
      await app.click(at("story-page-continuity"));
      await app.see(at("continuity-issue"), 60_000);
      assert.equal((await app.texts(at("continuity-passage"))).length, 2);
      await app.screenshot(`${name}-doubts`);
    });

    step("its passage lights on the page", async () => {
      await app.click(at("continuity-passage"));
      await until("the passage is lit", async () => (await lit()) !== "");
    });

    step("a verdict settles it, and its undo opens it again", async () => {
      await app.click(at("continuity-intended"));
      await until("it is settled", async () => (await issues())[0].verdict === "intended");
      await app.click(at("continuity-undo"));
      await until("it is open again", async () => (await issues())[0].verdict === null);
      await app.see(at("continuity-issue"));
    });

    step("a study is off until the writer agrees to its estimate", async () => {
      const provider = { kind: "openAi", name: "at home", baseUrl: model.url };
      const { providerId } = await page.ask("ai:provider:save", provider);
      await page.ask("ai:purpose:set", { purpose: "studying", providerId, model: "tide-1" });
      model.reply = (body) => {
        const schema = JSON.stringify(body.response_format ?? body.tools);
        if (schema.includes("questions")) {
          return { questions: [{ gap: "G1", question: words.question, type: "relationship", priority: 8 }] };
        }
        if (schema.includes("statements")) {
          const statement = (text, quote) => ({ text, passage: "P1", quote });
          const statements = [statement(words.answer, words.quote), statement(words.invented, words.invented)];
          return { statements, facts: [], unanswerable: false };
        }
        return { kind: "stop" };
      };
      await app.click(at("study-open"));
      await app.see(at("study-estimate"), 60_000);
      assert.ok((await app.text(at("study-leaves"))).length > 0);
      await app.screenshot(`${name}-off`);
      assert.equal(model.asked.filter(({ path }) => path.endsWith("/chat/completions")).length, 0);
      await app.click(at("study-on"));
      await until("it is on", async () => {
        const { isEnabled } = await page.ask("knowledge:study:get", { projectId: book.projectId });
        return isEnabled;
      });
    });

    step("what it found is shown with its sentence, and nothing invented is", async () => {
      await app.click(at("study-run"));
      await app.see(at("study-record"), 60_000);
      await until("a record is listed", async () => (await records()).length === 1);
      const [record] = await records();
      assert.equal(record.question, words.question);
      assert.ok(!record.answer.includes(words.invented), record.answer);
      assert.equal(record.citations[0].quote, words.quote);
      await app.screenshot(`${name}-on`);
    });

    step("the writer keeps it", async () => {
      await app.click(at("study-keep"));
      await until("it is the writer's", async () => (await records())[0].userConfirmed);
    });
  });
}
