// The main path, end to end, in the real window: a chapter on the page, an episode on disk, a memory in the next
// prompt, and the answer to "why was this written?". Once in Chinese, once in English.

import assert from "node:assert/strict";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";

import { App, at, discard, freshFolder, until } from "./driver.mjs";
import { Page } from "./page.mjs";

const WORDS = {
  zh: {
    locale: "zh_CN.UTF-8",
    provider: /样例|示例/,
    written: "潮水退下去了。他站在堤上，看着验潮所的灯。",
    more: "没有人说话。",
    edited: "风停了。",
    rule: "不用感叹号。",
    sentRule: /\[用户写作偏好 - 自动学习\][^]*不用感叹号。（置信度: 1\.00，用户已确认）/,
    task: "[任务] 续写",
    polishTask: "[任务] 润色",
    toPolish: "看着验潮所的灯",
    last: "夜里又涨潮了。",
    outside: "这一行是在别处写的。",
    theirs: "那边的字。",
  },
  en: {
    locale: "en_US.UTF-8",
    provider: /sample/i,
    written: "The tide had gone out. He stood on the wall and watched the lamp in the gauge house.",
    more: " Nobody spoke.",
    edited: " The wind had dropped.",
    rule: "No exclamation marks.",
    sentRule:
      /\[Writer's preferences - learned\][^]*No exclamation marks\. \(confidence: 1\.00, confirmed by the writer\)/,
    task: "[Task] continue",
    polishTask: "[Task] polish",
    toPolish: "watched the lamp in the gauge house",
    last: " At night the tide came back.",
    outside: "This line was written elsewhere.",
    theirs: "Their words.",
  },
};

for (const [language, words] of Object.entries(WORDS)) {
  describe(`the main path, ${language}`, () => {
    let dataDir;
    let app;
    let page;
    let book;
    let chapter;
    let file;
    let broken = false;

    before(async () => {
      dataDir = await freshFolder(language);
      app = await App.start({ dataDir, locale: words.locale });
      page = new Page(app);
    });

    after(async () => {
      await app?.close();
      discard(dataDir);
    });

    /** A step depends on the one before it: after the first failure the others are skipped. */
    const step = (name, body) =>
      test(name, async (t) => {
        if (broken) return t.skip("an earlier step failed");
        try {
          await body();
        } catch (error) {
          broken = true;
          await app.screenshot(`failed-${language}`).catch(() => {});
          throw error;
        }
      });

    step("the first start opens the sample book in the language of the system", async () => {
      await app.see(at("chapter-item"), 60_000);
      assert.equal(await app.count(at("chapter-item")), 3);
      book = await page.book();
      assert.equal(book.language, language);
      assert.match(await app.run(() => document.documentElement.lang), new RegExp(`^${language}`));
      [chapter] = book.chapters;
      file = join(book.path, chapter.file);
      await page.openChapter(chapter.chapterId);
      assert.ok((await page.text()).length > 20, "the chapter has text");
    });

    step("what is written is on disk", async () => {
      await page.caretAtEnd();
      await page.write(`\n\n${words.written}`);
      await page.holds(words.written);
      await page.saved();
      assert.ok(readFileSync(file, "utf8").includes(words.written));
    });

    let first;
    step("three candidates stream; the one that is taken gets a mark and an episode", async () => {
      await page.caretAtEnd();
      const { seen, count } = await page.run("continue");
      assert.equal(count, 3);
      assert.equal(seen.writing, 3, "all three were seen while they were being written");
      assert.ok(new Set(seen.lengths).size > 1, "their text grew while we looked");
      assert.match(await app.text(at("provider-label")), words.provider);
      await app.screenshot(`candidates-${language}`);
      await page.take(0);
      [first] = await page.episodes(book.projectId, 1);
      assert.equal(first.skillUsed, "continue");
      assert.equal(first.implicit, "strongPositive");
      assert.equal(first.editDistance, 0);
      assert.equal(first.candidates.length, 3);
      assert.equal(first.candidates[first.selectedIndex], first.finalText);
      await page.holds(first.finalText.split("\n")[0]);
      await page.saved();
      assert.ok(readFileSync(file, "utf8").includes(first.finalText));
      assert.deepEqual(await page.marks(), [first.generationId]);
    });

    let second;
    step("one that is changed first is recorded with its distance, and recalls the first", async () => {
      await page.caretAtEnd();
      await page.write(words.more);
      await page.run("continue");
      const { draft, final } = await page.takeEdited(1, (text) => text + words.edited);
      [second] = await page.episodes(book.projectId, 2);
      assert.equal(second.finalText, final);
      assert.equal(second.candidates[second.selectedIndex], draft);
      assert.ok(second.editDistance > 0 && second.editDistance < 1, `distance ${second.editDistance}`);
      await page.saved();
      const { episode, sent } = await page.why(second.generationId);
      assert.ok(episode.length > 0, "the first run is among the memories of the second");
      assert.ok(sent.includes(words.task));
      await page.closeWhy();
    });

    step("all can be rejected", async () => {
      const was = readFileSync(file, "utf8");
      await page.caretAtEnd();
      const end = await page.text();
      await page.run("continue");
      await page.rejectAll();
      const [rejected] = await page.episodes(book.projectId, 3);
      assert.equal(rejected.selectedIndex, -1);
      assert.equal(rejected.implicit, "strongNegative");
      assert.equal(rejected.editDistance, null);
      assert.equal(await page.text(), end, "the page is as it was");
      await page.saved();
      assert.equal(readFileSync(file, "utf8"), was, "and so is the file");
    });

    step("a rule added by hand is in the next prompt at once", async () => {
      await page.openMemory();
      await page.addRule(words.rule);
      await page.openBook();
      await page.openChapter(chapter.chapterId);
      await page.caretAtEnd();
      assert.match(await page.preview(), words.sentRule);
    });

    let third;
    step("the mark opens why: rules, episodes, and the prompt as it was sent", async () => {
      await page.caretAtEnd();
      await page.run("continue");
      await page.take(2);
      [third] = await page.episodes(book.projectId, 4);
      await page.saved();
      assert.doesNotMatch(third.finalText, /[!！]/, "the sample provider obeys the rule it reads");
      const { rule, episode, sent } = await page.why(third.generationId);
      assert.ok(
        rule.some((text) => text.includes(words.rule)),
        rule.join("\n"),
      );
      assert.ok(episode.length > 0, "past runs are listed");
      assert.match(sent, words.sentRule);
      await app.screenshot(`why-${language}`);
      await page.closeWhy();
    });

    step("a selection is polished, and nothing else", async () => {
      await page.select(words.toPolish);
      await page.run("polish");
      await page.take(0);
      const [polished] = await page.episodes(book.projectId, 5);
      assert.equal(polished.skillUsed, "polish");
      await page.saved();
      const text = readFileSync(file, "utf8");
      assert.ok(text.includes(polished.finalText));
      assert.ok(text.includes(words.written.split(words.toPolish)[0]), "what stood before the selection is untouched");
      const { sent } = await page.why(polished.generationId);
      assert.ok(sent.includes(words.polishTask));
      await page.closeWhy();
    });

    step("after a restart text, marks and why are still there", async () => {
      await page.caretAtEnd();
      const marks = await page.marks();
      assert.ok(marks.length >= 3);
      const why = await page.why(third.generationId);
      await page.closeWhy();
      await page.caretAtEnd();
      // The window is closed immediately: text typed a moment ago is saved on closing.
      await page.write(words.last);
      await app.leave();
      assert.ok(readFileSync(file, "utf8").includes(words.last), "the last words are on disk");
      await app.restart();
      await app.see(at("chapter-item"), 60_000);
      await page.openChapter(chapter.chapterId);
      await page.caretAtEnd();
      await page.holds(words.last);
      assert.deepEqual(await page.marks(), marks);
      assert.deepEqual(await page.why(third.generationId), why);
      await page.closeWhy();
    });

    step("a change from outside comes onto a clean page, marks and all", async () => {
      await page.saved();
      const marks = await page.marks();
      writeFileSync(file, `${readFileSync(file, "utf8").trimEnd()}\n\n${words.outside}\n`);
      await app.see(at("outside-change"));
      await page.holds(words.outside);
      assert.deepEqual(await page.marks(), marks);
      assert.equal(await app.attribute(at("save-state"), "data-state"), "saved");
    });

    /** Changes page and file at the same time, until the window detects the conflict. */
    const disagree = async (theirs) => {
      await page.caretAtEnd();
      await until("page and file disagree", async () => {
        if ((await app.attribute(at("save-state"), "data-state")) === "conflict") return true;
        await page.write("x");
        writeFileSync(file, `${theirs}\n`);
        return until(
          "conflict",
          async () => (await app.attribute(at("save-state"), "data-state")) === "conflict",
          3_000,
        ).catch(() => false);
      });
      await app.see(at("outside-keep-mine"));
      assert.equal(readFileSync(file, "utf8"), `${theirs}\n`, "nothing is overwritten before the writer has chosen");
    };

    step("a conflict is asked about: mine stays", async () => {
      await disagree(words.theirs);
      // Closing now would lose one of the two: the window stays open, and the question remains.
      await app.askToClose();
      await assert.rejects(until("the program ends", () => app.pid === null, 2_000));
      await app.click(at("outside-keep-mine"));
      await page.saved();
      assert.ok(readFileSync(file, "utf8").includes(words.outside));
      assert.equal(await app.count(at("outside-keep-mine")), 0);
    });

    step("a conflict is asked about: theirs comes", async () => {
      const mine = readFileSync(file, "utf8");
      await disagree(words.theirs);
      await app.click(at("outside-take-theirs"));
      await page.saved();
      // The editor draws the replaced page slightly after it is loaded.
      await until("their words are on the page", async () => (await page.text()).trim() === words.theirs);
      // Another program restores the earlier text, and the passages are reanchored by their text.
      writeFileSync(file, mine);
      await until("the earlier text is back", async () => {
        await page.caretAtEnd();
        return (await page.text()).includes(words.outside);
      });
      await until("the marks are back", async () => (await page.marks()).includes(third.generationId));
    });

    step("a renamed file keeps its chapter and its history", async () => {
      await page.saved();
      const renamed = join(dirname(file), `renamed-${basename(file)}`);
      renameSync(file, renamed);
      await until("the new name is known", async () =>
        (await page.book()).chapters.some(
          ({ chapterId, file: name }) => chapterId === chapter.chapterId && name === basename(renamed),
        ),
      );
      await app.see(at("chapter-item", { "data-chapter-id": chapter.chapterId }));
      const [other] = book.chapters.slice(1);
      await page.openChapter(other.chapterId);
      assert.deepEqual(await page.marks(), []);
      await page.openChapter(chapter.chapterId);
      await page.caretAtEnd();
      await page.holds(words.outside);
      assert.ok((await page.marks()).includes(third.generationId));
      assert.match((await page.why(third.generationId)).sent, words.sentRule);
      await page.closeWhy();
    });
  });
}
