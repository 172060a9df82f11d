// No written text is lost, in the real window: the text of a chapter before the assistant wrote into it, and words that
// could not be saved when the program was killed.

import assert from "node:assert/strict";
import { appendFileSync, chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe } from "node:test";

import { App, at, discard, freshFolder, until } from "./driver.mjs";
import { Page, steps } from "./page.mjs";

const F6 = "\uE036";

const WORDS = {
  zh: {
    locale: "zh_CN.UTF-8",
    written: "潮水退下去了。",
    unsaved: "这一句还没有存好。",
    quarrel: "两边都改了。",
    outside: "\n别处写的一句。\n",
    kept: /未保存的文字也另外存了一份/,
    left: /上次未保存的文字还在/,
  },
  en: {
    locale: "en_US.UTF-8",
    written: "The tide had gone out.",
    unsaved: " This was not saved.",
    quarrel: " Both were changed.",
    outside: "\nWritten elsewhere.\n",
    kept: /kept aside as well/,
    left: /couldn’t be saved last time/,
  },
};

for (const [language, words] of Object.entries(WORDS)) {
  describe(`nothing is lost, ${language}`, () => {
    let dataDir;
    let app;
    let page;
    let chapter;
    let file;

    before(async () => {
      dataDir = await freshFolder(`drafts-${language}`);
      app = await App.start({ dataDir, locale: words.locale });
      page = new Page(app);
    });

    after(async () => {
      await app?.close();
      discard(dataDir);
    });

    const step = steps(`drafts-${language}`, () => app);
    const saved = () => readFileSync(file, "utf8");
    const kept = async () => {
      const { projectId } = await page.book();
      return (await page.ask("chapter:read", { projectId, chapterId: chapter.chapterId })).kept.map(({ text }) => text);
    };
    const read = (selector, pattern) =>
      until(`${selector} reads ${pattern}`, async () => (await app.texts(selector)).some((text) => pattern.test(text)));
    /** Sends `kill -9` to all processes at once, and starts again. */
    const killed = async (meanwhile = () => {}) => {
      await app.kill();
      meanwhile();
      await app.restart();
      await app.see(at("chapter-item"), 60_000);
      await page.openChapter(chapter.chapterId);
    };

    let first;
    step("what was there before a draft is listed, looked at and put back", async () => {
      await app.see(at("chapter-item"), 60_000);
      const book = await page.book();
      [chapter] = book.chapters;
      file = join(book.path, chapter.file);
      await page.openChapter(chapter.chapterId);
      await page.caretAtEnd();
      await page.write(`\n\n${words.written}`);
      await page.saved();
      first = saved();
      await page.run("continue");
      await page.take(0);
      await page.saved();
      assert.notEqual(saved(), first);
      await app.press(F6);
      await app.see(`${at("old-draft")}[aria-selected="true"]`);
      await app.see(`${at("old-draft-beside")} ins`);
      await app.screenshot(`drafts-list-${language}`);
      await app.click(at("old-draft-take"));
      await app.gone(at("old-drafts"));
      await page.saved();
      assert.equal(saved(), first);
    });

    step("killed while no save can be made, the words are there at the next start, and go back", async () => {
      chmodSync(file, 0o444);
      await page.caretAtEnd();
      await page.write(words.unsaved);
      await until("it is kept beside the book", async () =>
        (await kept()).some((text) => text.includes(words.unsaved.trim())),
      );
      await read("main", words.kept);
      assert.equal(saved(), first);
      await killed(() => chmodSync(file, 0o644));
      await read(at("left-over"), words.left);
      assert.equal(saved(), first, "nothing is put anywhere unasked");
      await app.screenshot(`drafts-left-${language}`);
      await app.click(at("left-over-back"));
      await page.holds(words.unsaved.trim());
      await page.saved();
      assert.ok(saved().includes(words.unsaved.trim()));
      assert.deepEqual(await kept(), []);
    });

    step("killed while two texts claim the chapter, the writer decides after it", async () => {
      await page.caretAtEnd();
      await page.write(words.quarrel);
      appendFileSync(file, words.outside);
      await app.see(at("outside-keep-mine"));
      await until("it is kept beside the book", async () =>
        (await kept()).some((text) => text.includes(words.quarrel.trim())),
      );
      await killed();
      await app.click(at("left-over-back"));
      await app.click(at("outside-keep-mine"));
      await page.saved();
      const now = saved();
      assert.ok(now.includes(words.quarrel.trim()) && !now.includes(words.outside.trim()));
      assert.deepEqual(await kept(), []);
      // The text written by another program is among the earlier drafts.
      const { projectId } = await page.book();
      const of = { projectId, chapterId: chapter.chapterId };
      const { snapshots } = await page.ask("chapter:snapshot:list", of);
      const { snapshotId } = snapshots.find(({ reason }) => reason === "setAside");
      assert.ok((await page.ask("chapter:snapshot:read", { ...of, snapshotId })).text.includes(words.outside.trim()));
    });

    step(
      "closed with words that cannot be saved, it holds once, says they are kept, and has them at the next start",
      async () => {
        chmodSync(file, 0o444);
        await page.caretAtEnd();
        await page.write(words.unsaved);
        await app.askToClose();
        await app.see(at("problem"));
        assert.notEqual(app.pid, null);
        await app.leave();
        chmodSync(file, 0o644);
        await app.restart();
        await read(at("left-over"), words.left);
        await app.click(at("left-over-drop"));
        await app.click(at("left-over-let-go"));
        await app.gone(at("left-over"));
        await app.gone(at("left-over-sure"));
        assert.deepEqual(await kept(), []);
      },
    );
  });
}
