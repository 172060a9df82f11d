// A fact of the story in the real window, in both languages: written down from a sentence of the sample book, given to
// the model only from that sentence on, shown in *why*, and questioned on its card once the sentence is edited.

import assert from "node:assert/strict";
import { after, before, describe } from "node:test";

import { App, at, discard, freshFolder, Key, until } from "./driver.mjs";
import { Page, steps } from "./page.mjs";

const F2 = "\uE032";
const F4 = "\uE034";

const BOOKS = {
  zh: {
    locale: "zh_CN.UTF-8",
    name: "纪伯",
    quote: "腿断了",
    attribute: "腿",
    value: "那年断过",
    thread: "谁推的",
    early: "岛上的人都叫他纪伯",
    late: "纪伯搬了凳子坐在井边",
    edit: "，养着",
  },
  en: {
    locale: "en_GB.UTF-8",
    name: "Uncle Ji",
    quote: "I broke my leg",
    attribute: "leg",
    value: "was broken that year",
    thread: "Who pushed him",
    early: "The keeper’s name was Ji",
    late: "Uncle Ji brought a stool to the well",
    edit: ", badly, ",
  },
};

for (const [language, { locale, name, quote, attribute, value, thread, early, late, edit }] of Object.entries(BOOKS)) {
  const pictures = `facts-${language}`;
  describe(`a fact of the story (${pictures})`, () => {
    let folder;
    let app;
    let page;
    let book;

    before(async () => {
      folder = await freshFolder(pictures);
      app = await App.start({ dataDir: folder, locale });
      page = new Page(app);
    });

    after(async () => {
      await app?.close();
      discard(folder);
    });

    const step = steps(pictures, () => app);
    const entity = async () => {
      const { entities } = await page.ask("story:entity:list", { projectId: book.projectId });
      return entities.find((one) => one.name === name || one.aliases.includes(name));
    };
    const row = (entityId) => `[data-entity="${entityId}"]`;

    step("a person of the sample book is taken in", async () => {
      await app.see(at("chapter-item"), 60_000);
      book = await page.book();
      await until("the book is read", async () => {
        const status = await page.ask("story:status", { projectId: book.projectId });
        return status.analyzed === 3 && status.untagged === 0;
      });
      await page.openChapter(book.chapters[1].chapterId);
      await page.caretAtEnd();
      await app.press(F4);
      await app.click(at("as-of-all"));
      const { entityId } = await until("the person is found", entity);
      await app.click(row(entityId));
      await app.click(at("story-accept"));
      await until("the person is accepted", async () => (await entity()).standing === "accepted");
      await app.press(Key.escape);
    });

    step("a fact is written down from selected words", async () => {
      if ((await app.count(at("story-panel"))) > 0) await app.press(F4);
      await app.gone(at("story-panel"));
      await page.openChapter(book.chapters[1].chapterId);
      await page.select(quote);
      await app.press(F2);
      await app.see(at("remember"));
      const { entityId } = await entity();
      await page.choose("remember-entity", entityId);
      await app.fill(at("fact-attribute"), attribute);
      await app.fill(at("fact-value"), value);
      await app.screenshot(`${pictures}-remember`);
      await app.click(at("fact-save"));
      await app.gone(at("remember"));
      const card = () => page.ask("story:entity:get", { projectId: book.projectId, entityId });
      const fact = await until("the fact is on the card", async () => (await card()).facts[0]);
      assert.equal(fact.value, value);
      assert.equal(fact.citations[0].quote, quote);
      await app.see(at("fact"));
      await app.screenshot(`${pictures}-card`);
      await app.press(F4);
      await app.gone(at("story-panel"));
    });

    step("a thread is planted by selected words, and is open from there on only", async () => {
      await page.openChapter(book.chapters[1].chapterId);
      await page.select(quote);
      await app.press(F4);
      await app.click(at("story-page-threads"));
      await app.see(at("threads-none"));
      await app.click(at("write-down"));
      await app.see(at("write-cited"));
      await app.fill(at("write-name"), thread);
      await app.press(Key.enter);
      await app.see(at("thread"));
      await app.screenshot(`${pictures}-threads`);
      const { threads } = await page.ask("story:threads", { projectId: book.projectId });
      assert.deepEqual(
        threads.map(({ name: title, status, steps: [step] }) => [title, status, step.fact.citations[0].quote]),
        [[thread, "open", quote]],
      );
      await app.press(F4);
      await app.gone(at("story-panel"));
      await page.openChapter(book.chapters[0].chapterId);
      await page.caretAfter(early);
      await app.press(F4);
      await app.click(at("as-of-caret"));
      await app.see(at("threads-none"));
      await app.gone(at("thread"));
      await app.click(at("as-of-all"));
      await app.see(at("thread"));
      await app.click(at("story-page-people"));
      await app.press(F4);
      await app.gone(at("story-panel"));
    });

    step("a prompt in an earlier chapter does not know it", async () => {
      await page.openChapter(book.chapters[0].chapterId);
      await page.caretAfter(early);
      const sent = await page.preview();
      assert.ok(!sent.includes(value), sent);
    });

    let generationId;
    step("a prompt in a later chapter does, and why shows it", async () => {
      await page.openChapter(book.chapters[2].chapterId);
      await page.caretAfter(late);
      await until("the prompt has the fact", async () => (await page.preview()).includes(`${attribute} ${value}`));
      await page.run("continue");
      await page.take(0);
      [{ generationId }] = await page.episodes(book.projectId, 1);
      const why = await page.why(generationId);
      assert.ok(
        why.entity.some((text) => text.includes(value)),
        why.entity.join("\n"),
      );
      await until("the sentence stands below its card", async () =>
        (await app.texts(at("why-source"))).some((text) => text.includes(quote)),
      );
      await app.screenshot(`${pictures}-why`);
      await page.closeWhy();
      await page.saved();
    });

    step("once the sentence is edited, the card asks and the prompt leaves it out", async () => {
      await page.openChapter(book.chapters[1].chapterId);
      await page.caretAfter(quote.slice(0, -1));
      await page.write(edit);
      await page.saved();
      const { entityId } = await entity();
      await until("the fact is stale", async () => {
        const { facts } = await page.ask("story:entity:get", { projectId: book.projectId, entityId });
        return facts[0].isStale;
      });
      await page.caretAtEnd();
      await app.press(F4);
      await app.click(at("as-of-all"));
      await app.see(row(entityId));
      if ((await app.count(at("story-detail"))) === 0) await app.click(row(entityId));
      await app.see(at("fact-stale"));
      await app.screenshot(`${pictures}-stale`);
      await app.press(F4);
      await page.openChapter(book.chapters[2].chapterId);
      await page.caretAfter(late);
      assert.ok(!(await page.preview()).includes(value));
    });

    step("the writer says that it is still so, and it is in prompts again", async () => {
      await app.press(F4);
      await app.click(at("as-of-all"));
      const { entityId } = await entity();
      await app.see(row(entityId));
      if ((await app.count(at("story-detail"))) === 0) await app.click(row(entityId));
      await app.click(at("stale-confirm"));
      await app.gone(at("fact-stale"));
      await app.press(F4);
      await page.caretAfter(late);
      await until("the prompt has the fact", async () => (await page.preview()).includes(value));
    });
  });
}
