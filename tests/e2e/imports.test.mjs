// A novel as it lies on a disk, in the real window: wrapped lines, titles without the word chapter, a publisher's
// notice; the writer chooses the chapters, and undoes the import. Also a chapter that another editor wraps.

import assert from "node:assert/strict";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe } from "node:test";

import { chooseFile } from "./display.mjs";
import { App, at, discard, freshFolder, Key, until } from "./driver.mjs";
import { CONTENT, Page, steps } from "./page.mjs";

const F9 = "\uE039";

const BOOKS = {
  zh: {
    locale: "zh_CN.UTF-8",
    titles: ["鸭的喜剧", "白光", "旧灯塔"],
    notes: "□注释",
    renamed: "白光（改）",
    part: "旧灯塔，第二夜",
    wrapped: [
      "　　俄国的盲诗人带了他那六弦琴到北京之后不久，便向人诉苦说，寂寞呀，寂寞呀，在沙漠上似的寂寞",
      "呀。这应该是真实的，但在别人却未曾感得；住得久了，入芝兰之室，久而不闻其香，只以为很是嚷嚷罢",
      "了。然而所谓嚷嚷，或者也就是寂寞罢。",
    ],
    joint: "",
    number: /4 处在段落中间换行|6 处在段落中间换行/,
    undone: /已撤销导入，移走了 3 章/,
    typed: "雨停了。",
    meant: "A blind Russian poet is lonely in the city",
  },
  en: {
    locale: "en_US.UTF-8",
    titles: ["The Ferry", "The Old Lamp", "The Ledger"],
    notes: "Notes",
    renamed: "The Old Lamp, again",
    part: "The Ledger, second night",
    wrapped: [
      "Sir Walter Elliot, of Kellynch Hall, in Somersetshire, was a man who,",
      "for his own amusement, never took up any book but the Baronetage;",
      "there he found occupation for an idle hour.",
    ],
    joint: " ",
    number: /6 line ends are inside a paragraph/,
    undone: /Import undone: 3 chapters removed/,
    typed: " It rained.",
    meant: "一个只爱读贵族名录的男人",
  },
};

for (const [language, words] of Object.entries(BOOKS)) {
  const { titles, wrapped, joint } = words;
  const whole = wrapped.map((line) => line.replace(/^　+/, "")).join(joint);
  const page = wrapped.join("\n");
  const short = language === "zh" ? "他等着。\n\n“谁？”\n\n“我。”他说。" : 'He waited.\n\n"Who?"\n\n"I am," he said.';
  // The first chapter is longer than the page.
  const many = Array(30).fill(short).join("\n\n");
  const manuscript = `The Project Gutenberg Etext\n\n${titles
    .map(
      (title, index) =>
        `            ${title}\n\n\n${page}\n\n${index === 0 ? many : short}\n${index === 1 ? `\n${words.notes}\n\n${short}\n` : ""}\n\n`,
    )
    .join("")}End of the Project Gutenberg Etext\n`;

  describe(`a novel comes in as it is meant, ${language}`, () => {
    let folder;
    let app;
    let window;
    let book;

    before(async () => {
      folder = await freshFolder(`imports-${language}`);
      app = await App.start({ dataDir: join(folder, "data"), locale: words.locale });
      window = new Page(app);
    });

    after(async () => {
      await app?.close();
      discard(folder);
    });

    const step = steps(`imports-${language}`, () => app);
    const row = (index, id) => `li[data-use]:nth-child(${index + 1}) ${at(id)}`;
    const uses = () => app.attributes("li[data-use]", "data-use");
    const chapters = async () => (await window.book()).chapters.map(({ title }) => title);
    const files = () => readdirSync(book.path).filter((name) => name.endsWith(".md"));
    const said = (pattern) =>
      until(`it says ${pattern}`, async () => pattern.test(await app.run(() => document.body.innerText)));

    let own;
    step("the lines that may begin chapters are shown, and what is joined is said", async () => {
      await app.see(at("chapter-item"), 60_000);
      book = await window.book();
      own = await chapters();
      writeFileSync(join(folder, "novel.txt"), manuscript);
      await chooseFile(app, () => app.click(at("import-open")), join(folder, "novel.txt"));
      await app.see("li[data-use]");
      assert.deepEqual(await uses(), ["omit", "chapter", "chapter", "continue", "chapter", "omit"]);
      assert.match(await app.text(at("import")), words.number);
      await app.screenshot(`imports-shown-${language}`);
    });

    step("the writer renames, leaves out, merges and splits before anything is written", async () => {
      await app.click(row(3, "import-omit"));
      await app.click(row(2, "import-rename"));
      await app.fill(at("import-title"), words.renamed);
      await app.press(Key.enter);
      await app.click(row(4, "import-tick"));
      assert.deepEqual(await uses(), ["omit", "chapter", "chapter", "omit", "continue", "omit"]);
      await app.click(row(4, "import-split"));
      await app.see(at("import-paragraph"));
      await app.screenshot(`imports-split-${language}`);
      const paragraphs = await app.texts(at("import-paragraph"));
      assert.deepEqual(paragraphs, short.split("\n\n"), "all paragraphs of the section but the first");
      // The list of paragraphs is the next row.
      await app.click(`${at("import-split-panel")} li:nth-child(2) ${at("import-paragraph")}`);
      await app.fill(at("import-title"), words.part);
      await app.press(Key.enter);
      assert.deepEqual(await uses(), ["omit", "chapter", "chapter", "omit", "continue", "chapter", "omit"]);
      await app.screenshot(`imports-chosen-${language}`);
      assert.deepEqual(await chapters(), own, "shown is not taken");
      await app.click(at("import-go"));
      await app.gone(at("import"));
      assert.deepEqual(await chapters(), [...own, titles[0], words.renamed, words.part]);
      const file = readdirSync(book.path).find((name) => name.includes(titles[0]));
      const text = readFileSync(join(book.path, file), "utf8");
      assert.ok(text.startsWith(`# ${titles[0]}\n\n${whole}\n\n`), "its lines are joined");
      const merged = readdirSync(book.path).find((name) => name.includes(titles[1]));
      const rest = readFileSync(join(book.path, merged), "utf8");
      assert.ok(rest.startsWith(`# ${words.renamed}\n\n`), "it has the title of the writer");
      assert.ok(rest.includes(`\n\n${titles[2]}\n\n`) && !rest.includes(words.notes), "merged, without the notes");
      const part = readdirSync(book.path).find((name) => name.includes(words.part.slice(0, 10)));
      const split = readFileSync(join(book.path, part), "utf8");
      assert.equal(split, `# ${words.part}\n\n${short.split("\n\n").slice(1).join("\n\n")}\n`, "split at a paragraph");
      await window.holds(language === "zh" ? "寂寞呀。这应该" : "a man who,");
      await app.screenshot(`imports-done-${language}`);
    });

    step("the import is undone as a whole", async () => {
      await app.click(at("import-undo"));
      await said(words.undone);
      assert.deepEqual(await chapters(), own);
      assert.equal(files().length, own.length);
      await app.gone(at("import-undo"));
      await app.see(at("chapter-item", { "aria-current": "page" }));
    });

    step("an import of which a chapter was changed is not undone", async () => {
      await chooseFile(app, () => app.click(at("import-open")), join(folder, "novel.txt"));
      await app.see("li[data-use]");
      await app.click(at("import-go"));
      await app.gone(at("import"));
      await app.see(at("import-undo"));
      await until("the first chapter is open", async () => (await app.text(CONTENT)).includes(titles[0]));
      // It opens at its start, in view and for the caret.
      assert.equal(await app.run((css) => document.querySelector(css).closest("main").scrollTop, CONTENT), 0);
      await app.run((css) => document.querySelector(css).focus(), CONTENT);
      await app.press(..."9 ");
      await window.saved();
      const first = readdirSync(book.path).find((name) => name.includes(titles[0]));
      assert.ok(readFileSync(join(book.path, first), "utf8").startsWith(`# ${titles[0]}\n\n9 ${whole}`));
      await app.gone(at("import-undo-offer"));
      assert.equal((await window.ask("project:import:last", { projectId: book.projectId })).last, null);
      assert.equal((await chapters()).length, own.length + 3);
    });

    step("a passage is found by its meaning, in the other language, and opens selected", async () => {
      const search = { projectId: book.projectId, queryText: words.meant };
      await until("the passages have their vectors", async () => {
        const { passages } = await window.ask("story:find", search);
        return passages.some(({ matchedBy, passage }) => matchedBy.includes("meaning") && passage.text.includes(whole));
      });
      await app.press(F9);
      await app.fill(at("book-find"), words.meant);
      await app.see(at("alike-open"));
      await app.screenshot(`imports-meaning-${language}`);
      await app.click(at("alike-open"));
      await until("the passage is selected", async () =>
        (await app.run(() => getSelection().toString())).includes(whole.slice(0, 20)),
      );
      await app.click(at("find-panel-close"));
    });

    step("a chapter that another editor wraps is shown by paragraphs, and its line ends stay in the file", async () => {
      const file = join(book.path, "zz.md");
      writeFileSync(file, `# Wrapped\n\n${page}\n\n${page}\n`);
      await until("it is in the list", async () =>
        (await app.texts(at("chapter-item"))).some((text) => text.includes("Wrapped")),
      );
      const { chapterId } = (await window.book()).chapters.find(({ title }) => title === "Wrapped");
      await window.openChapter(chapterId);
      await until(
        "a line of the page is a paragraph",
        async () =>
          (await app.texts(`${CONTENT} .cm-line`)).filter((line) => line.trim().length > whole.length - 2).length === 2,
      );
      await app.screenshot(`imports-wrapped-${language}`);
      await window.caretAtEnd();
      await app.type(CONTENT, words.typed);
      await window.saved();
      assert.equal(readFileSync(file, "utf8"), `# Wrapped\n\n${page}\n\n${page}\n${words.typed}`);
    });
  });
}
