// The journal in the real window, in both languages: a draft that is taken leaves an entry, which leads to why it was
// written; an entry that is redacted leaves a hole, also after a restart.

import assert from "node:assert/strict";
import { after, before, describe } from "node:test";

import { App, at, discard, freshFolder, until } from "./driver.mjs";
import { Page, steps } from "./page.mjs";

const WORDS = {
  zh: {
    locale: "zh_CN.UTF-8",
    taken: /^《.+》，续写.*三稿中取第二稿，一字没改。/,
    rejected: /几稿都没要/,
    session: /^写了/,
  },
  en: {
    locale: "en_US.UTF-8",
    taken: /^“.+”: continue.*Draft 2 of 3 was taken, unchanged\./,
    rejected: /All drafts were rejected/,
    session: /^A session of/,
  },
};

for (const [language, words] of Object.entries(WORDS)) {
  const name = `journal-${language}`;
  describe(`the journal (${name})`, () => {
    let folder;
    let app;
    let page;
    let book;

    const start = async () => {
      app = await App.start({ dataDir: folder, locale: words.locale });
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
      await app.click(at("memory-page-journal"));
    };
    const contents = () => app.texts(`${at("journal-entry")} p`);
    const listed = (count) =>
      until(`${count} entries are listed`, async () => {
        const all = await contents();
        return all.length === count && all;
      });

    step("a draft that is taken, and all that are rejected, leave an entry each", async () => {
      await page.openChapter(book.chapters[0].chapterId);
      await page.caretAtEnd();
      await page.run("continue");
      await page.take(1);
      await page.episodes(book.projectId, 1);
      await page.caretAtEnd();
      await page.run("continue");
      await page.rejectAll();
      await page.episodes(book.projectId, 2);
      await open();
      const [latest, first] = await listed(2);
      assert.match(latest, words.rejected);
      assert.match(first, words.taken);
      await app.screenshot(name);
    });

    step("an entry leads to why the passage was written", async () => {
      await app.click(at("journal-why"));
      await app.see(at("why-panel"));
      await page.closeWhy();
    });

    step("an entry leads to the passage, selected in its chapter", async () => {
      await page.openBook();
      await page.openChapter(book.chapters.at(-1).chapterId);
      await open();
      await listed(2);
      const { finalText } = (await page.episodes(book.projectId, 2)).find((one) => one.finalText !== "");
      await app.click(`${at("journal-entry")}:last-child ${at("journal-chapter")}`);
      await until(
        "the passage is selected",
        async () => (await app.run(() => getSelection().toString().trim())) === finalText.trim(),
      );
    });

    step("an entry that is redacted is a hole, and the chain is whole", async () => {
      await listed(2);
      await app.click(at("journal-redact"));
      await app.click(at("journal-confirm-confirm"));
      await app.see(at("journal-hole"));
      await app.click(at("journal-verify"));
      const check = await page.ask("journal:verify", { projectId: book.projectId });
      assert.deepEqual([check.entries, check.redacted, check.isWhole], [2, 1, true]);
      await app.screenshot(`${name}-redacted`);
    });

    step("after a restart the hole is still there, and the session that has ended has its entry", async () => {
      await app.close();
      await start();
      await open();
      const [latest] = await listed(2);
      assert.match(latest, words.session);
      await app.see(at("journal-hole"));
    });
  });
}
