// A book is put in order in the real window, in both languages: a chapter is deleted and restored, split at the caret,
// merged with the next one, and each is undone.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe } from "node:test";

import { chooseFile } from "./display.mjs";
import { App, at, discard, freshFolder, Key, until } from "./driver.mjs";
import { CONTENT, Page, steps } from "./page.mjs";

const LANGUAGES = [
  {
    name: "chapters-zh",
    locale: "zh_CN.UTF-8",
    files: [
      ["01-渡船.md", "# 第一章 渡船\n\n渡船靠岸时，灯已经亮了。\n\n她推开门，门后没有人。\n"],
      ["02-簿子.md", "# 第二章 簿子\n\n簿子摊在桌上，没有人看。\n"],
      ["03-尾声.md", "# 尾声\n\n船开了。\n"],
    ],
    before: "她推开门",
    title: "门后",
    suggested: "第一章 渡船（二）",
    guessed: "推测",
  },
  {
    name: "chapters-en",
    locale: "en_GB.UTF-8",
    files: [
      [
        "01 Ferry.md",
        "# Chapter 1\n\nThe ferry landed, and the lamp was lit.\n\nShe opened the door on an empty room.\n",
      ],
      ["02 Ledger.md", "# Chapter 2\n\nThe ledger lay open on the table.\n"],
      ["03 End.md", "# Epilogue\n\nThe boat left.\n"],
    ],
    before: "She opened",
    title: "The Door",
    suggested: "Chapter 1 (2)",
    guessed: "guess",
  },
];

for (const { name, locale, files, before: words, title, suggested, guessed } of LANGUAGES) {
  describe(`a book is put in order (${name})`, () => {
    let folder;
    let book;
    let app;
    let page;

    before(async () => {
      folder = await freshFolder(name);
      book = join(folder, "book");
      mkdirSync(book);
      for (const [file, text] of files) writeFileSync(join(book, file), text);
      app = await App.start({ dataDir: join(folder, "data"), locale });
      page = new Page(app);
    });

    after(async () => {
      await app?.close();
      discard(folder);
    });

    const step = steps(name, () => app);
    const onDisk = () =>
      readdirSync(book)
        .filter((file) => file.endsWith(".md"))
        .sort()
        .flatMap((file) => {
          try {
            return [[file, readFileSync(join(book, file), "utf8")]];
          } catch (error) {
            // The program may remove a file after it was listed.
            if (error.code === "ENOENT") return [];
            throw error;
          }
        });
    const titles = async () => (await page.book()).chapters.map((chapter) => chapter.title);
    const own = files.map(([, text]) => /^# (.*)/.exec(text)[1]);
    /** Chooses an action of the menu of a chapter. */
    const act = async (index, action) => {
      const { chapterId } = (await page.book()).chapters[index];
      await app.tabTo(at("chapter-item", { "data-chapter-id": chapterId }));
      await app.press(Key.tab);
      await app.press(Key.tab);
      await app.press(Key.enter);
      await app.click(at(`chapter-menu-${action}`));
    };
    const isAsBefore = () => until("the files are as before", () => JSON.stringify(onDisk()) === JSON.stringify(files));

    step("a folder is opened, and no title that has its own number gets another one", async () => {
      await app.see(at("chapter-item"), 60_000);
      await chooseFile(app, () => app.click(at("open-folder")), book);
      const { chapterId } = await until("the book is open", async () => {
        const { path, chapters } = await page.book();
        return path === book && chapters[0];
      });
      await app.see(at("chapter-item", { "data-chapter-id": chapterId }));
      const shown = await app.texts(at("chapter-item"));
      for (const [index, text] of shown.entries()) assert.ok(text.trim().startsWith(own[index]), text);
      await app.screenshot(`${name}-list`);
    });

    step("the scene of the passage at the caret is guessed before any run", async () => {
      await page.openChapter((await page.book()).chapters[0].chapterId);
      await until("it is shown", async () => (await app.text(at("scene-select"))).includes(guessed));
      await app.screenshot(`${name}-scene`);
    });

    step("a deleted chapter leaves the folder, and undo puts it back as it was", async () => {
      await act(1, "delete");
      await until("it is gone", async () => onDisk().length === files.length - 1);
      await app.screenshot(`${name}-deleted`);
      await app.click(at("toast-action"));
      await isAsBefore();
      assert.deepEqual(await titles(), own);
    });

    step("a deleted chapter is restored from the list after the window was closed", async () => {
      await act(2, "delete");
      await until("it is gone", async () => onDisk().length === files.length - 1);
      await app.close();
      app = await App.start({ dataDir: join(folder, "data"), locale });
      page = new Page(app);
      await app.click(at("deleted-open"), 60_000);
      await app.see(at("deleted-chapter"));
      await app.screenshot(`${name}-deleted-list`);
      await app.click(at("deleted-restore"));
      await isAsBefore();
      assert.deepEqual(await titles(), own);
    });

    step("a chapter is split at the caret under a title, and undo makes it one again", async () => {
      await page.openChapter((await page.book()).chapters[0].chapterId);
      await app.click(CONTENT);
      await app.press([Key.control, Key.home]);
      await until("the caret is before the words", async () => {
        await app.press(Key.down);
        return (
          await app.run(() => getSelection().anchorNode.parentElement.closest(".cm-line").textContent)
        ).startsWith(words);
      });
      await app.press(Key.home);
      await act(0, "split");
      await app.see(at("split-title"));
      assert.equal(await app.value(at("split-title")), suggested);
      await app.screenshot(`${name}-split`);
      await app.fill(at("split-title"), title);
      await app.click(at("split-go"));
      await app.gone(at("split"));
      await until("there is one more", async () => onDisk().length === files.length + 1);
      assert.deepEqual(await titles(), [own[0], title, ...own.slice(1)]);
      assert.ok(
        onDisk()[1][1].startsWith(`# ${title}\n\n${words}`) || onDisk()[0][1].startsWith(`# ${title}\n\n${words}`),
      );
      await page.holds(words);
      await app.screenshot(`${name}-after-split`);
      await app.click(at("toast-action"));
      await isAsBefore();
      assert.deepEqual(await titles(), own);
    });

    step("two chapters are merged, and undo parts them", async () => {
      await act(0, "merge");
      await until("there is one less", async () => onDisk().length === files.length - 1);
      assert.match(onDisk()[0][1], new RegExp(`\n\n## ${own[1]}\n\n`));
      await app.screenshot(`${name}-merged`);
      await app.click(at("toast-action"));
      await isAsBefore();
      assert.deepEqual(await titles(), own);
    });
  });
}
