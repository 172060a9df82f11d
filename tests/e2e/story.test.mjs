// The people of a book in the real window, in both languages: found by themselves, never ahead of the caret, taken in
// and undone, and every mention opened on the page.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe } from "node:test";

import { chooseFile } from "./display.mjs";
import { App, at, discard, freshFolder, Key, until } from "./driver.mjs";
import { Page, steps } from "./page.mjs";

const F2 = "\uE032";
const F4 = "\uE034";

const BOOKS = {
  zh: {
    locale: "zh_CN.UTF-8",
    chapters: [
      "# 渡船\n\n“你来早了。”周明说。他看着林晓燕，林晓燕笑了。\n\n周明把绳子扔给林晓燕，说：“冷。”林晓燕没有说话，望着青石镇的灯。周明说：“青石镇到了。”\n",
      "# 簿子\n\n三天后，赵国栋来了。“签字。”赵国栋对周明说。周明看着赵国栋，把笔放下。赵国栋走了。\n",
    ],
    first: "林晓燕",
    later: "赵国栋",
    place: "青石镇",
    sentence: "周明看着赵国栋",
  },
  en: {
    locale: "en_GB.UTF-8",
    chapters: [
      "# The Ferry\n\n“You are early,” said Mara Venn. She looked at Tobias, and Tobias laughed. The lamps of Harwick were lit, and in Harwick there was no noise.\n\n“It is cold,” said Tobias. Mara Venn took the rope. They had met in Harwick, when Tobias was twelve.\n",
      "# The Ledger\n\nThree days later Tobias opened the ledger. “Sign it,” said Aldous Pike. So that was Aldous Pike, thought Tobias, and gave the pen to Aldous Pike.\n",
    ],
    first: "Tobias",
    later: "Aldous Pike",
    place: "Harwick",
    sentence: "So that was Aldous Pike",
  },
};

for (const [language, { locale, chapters, first, later, place, sentence }] of Object.entries(BOOKS)) {
  const name = `story-${language}`;
  describe(`who is in the book (${name})`, () => {
    let folder;
    let app;
    let page;

    before(async () => {
      folder = await freshFolder(name);
      mkdirSync(join(folder, "book"));
      for (const [index, text] of chapters.entries()) writeFileSync(join(folder, "book", `0${index + 1}.md`), text);
      app = await App.start({ dataDir: join(folder, "data"), locale });
      page = new Page(app);
    });

    after(async () => {
      await app?.close();
      discard(folder);
    });

    const step = steps(name, () => app);
    const rows = () => app.texts(`${at("story-row")}, ${at("story-proposal")}`);
    const isListed = async (wanted) => (await rows()).some((row) => row.includes(wanted));
    const row = (entityId) => `[data-entity="${entityId}"]`;
    const idOf = async (wanted) => {
      const { projectId } = await page.book();
      const { entities } = await page.ask("story:entity:list", { projectId });
      return entities.find((entity) => entity.name === wanted).entityId;
    };

    step("the people up to the caret are listed by themselves, and none of a later chapter", async () => {
      await app.see(at("chapter-item"), 60_000);
      await chooseFile(app, () => app.click(at("open-folder")), join(folder, "book"));
      const { chapterId } = await until("the book is open", async () => {
        const book = await page.book();
        return book.chapters.length === chapters.length && book.path === join(folder, "book") && book.chapters[0];
      });
      await page.openChapter(chapterId);
      await page.caretAtEnd();
      await app.press(F4);
      await app.see(at("story-panel"));
      await until("the first chapter's people are listed", () => isListed(first));
      assert.ok(!(await isListed(later)), "someone of the second chapter is listed");
      await app.screenshot(`${name}-people`);
    });

    step("as of the whole book the later people are listed too, and it is said", async () => {
      await app.click(at("as-of-all"));
      await until("the later people are listed", () => isListed(later));
      await app.see(at("as-of-whole-note"));
      await app.screenshot(`${name}-whole`);
    });

    step("a name is taken in, and undo makes it a proposal again", async () => {
      const id = await idOf(later);
      await app.click(row(id));
      await app.see(at("story-detail"));
      await app.click(at("story-accept"));
      const standing = async () => {
        const { projectId } = await page.book();
        const { entities } = await page.ask("story:entity:list", { projectId });
        return entities.find((entity) => entity.entityId === id).standing;
      };
      await until("it is accepted", async () => (await standing()) === "accepted");
      await app.screenshot(`${name}-accepted`);
      await app.click(at("toast-action"));
      await until("it is detected", async () => (await standing()) === "detected");
    });

    step("a mention opens its chapter and is selected on the page", async () => {
      const id = await idOf(later);
      if ((await app.count(at("story-detail"))) === 0) await app.click(row(id));
      await until("the mentions are listed", async () => (await app.count(at("story-mention"))) > 1);
      await app.screenshot(`${name}-mentions`);
      await app.click(at("story-mention"));
      await page.holds(sentence);
    });

    step("places have a page of their own", async () => {
      await app.click(at("story-page-places"));
      await until("the place is listed", () => isListed(place));
      assert.ok(!(await isListed(first)), "a person is listed among the places");
      await app.screenshot(`${name}-places`);
      await app.press(Key.escape);
    });

    step("F2 on a name in the text opens its details", async () => {
      if ((await app.count(at("story-panel"))) > 0) await app.press(F4);
      await app.gone(at("story-panel"));
      await page.openChapter((await page.book()).chapters[0].chapterId);
      await page.caretAfter(first);
      await app.press(F2);
      await app.see(at("story-detail"));
      await until(
        "the row of the name is open",
        async () => (await app.attribute(`[data-entity="${await idOf(first)}"]`, "aria-expanded")) === "true",
      );
    });
  });
}
