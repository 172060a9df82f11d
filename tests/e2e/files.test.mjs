// Import and export of files, in the real window: a manuscript, the book, the rules and the whole memory. Also the
// operations on chapters.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe } from "node:test";

import { HANDS, chooseFile, drag } from "./display.mjs";
import { App, at, discard, freshFolder, Key, until } from "./driver.mjs";
import { candidate, CONTENT, Page, steps } from "./page.mjs";

const [ALT, F7, F9] = ["\uE00A", "\uE037", "\uE039"];

/** The encoding in which many Chinese editors save text. */
function gb18030(text) {
  const decoder = new TextDecoder("gb18030");
  const codes = new Map();
  for (let lead = 0x81; lead <= 0xfe; lead += 1) {
    for (let trail = 0x40; trail <= 0xfe; trail += 1) {
      const character = decoder.decode(Uint8Array.of(lead, trail));
      if (trail !== 0x7f && character.length === 1 && !codes.has(character)) codes.set(character, [lead, trail]);
    }
  }
  return Buffer.from([...text].flatMap((character) => codes.get(character) ?? [character.charCodeAt(0)]));
}

const MANUSCRIPT =
  "第一章 雾中的渡口\r\n\r\n渡船没有来。他在棚子下面等到天黑，听见对岸有人喊他的名字。\r\n\r\n第二章 旧灯塔\r\n\r\n灯塔的门锁着，锁是新的。他绕着它走了一圈，又喊了一声名字。\r\n";
const RULE = "对白不用“他说道”";

describe("files that come and go", () => {
  let folder;
  let app;
  let page;
  let book;

  before(async () => {
    folder = await freshFolder("files");
    app = await App.start({ dataDir: join(folder, "data"), locale: "zh_CN.UTF-8" });
    page = new Page(app);
  });

  after(async () => {
    await app?.close();
    discard(folder);
  });

  const step = steps("files", () => app);
  const place = (name) => join(folder, name);
  const choose = (button, name) => chooseFile(app, () => app.click(at(button)), name && place(name));
  const titles = async () => (await page.book()).chapters.map(({ title }) => title);
  const said = (text) =>
    until(`it says ${text}`, async () => (await app.run(() => document.body.innerText)).includes(text));

  let own;
  step("a dialog that is sent away changes nothing", async () => {
    await app.see(at("chapter-item"), 60_000);
    book = await page.book();
    own = await titles();
    await choose("import-open", null);
    await app.see(`${at("import-open")}:not([disabled])`);
    assert.equal(await app.count(at("import")), 0);
    assert.deepEqual(await titles(), own);
  });

  step("a manuscript in GB18030 is shown before it comes in, and its chapters follow those of the book", async () => {
    writeFileSync(place("manuscript.txt"), gb18030(MANUSCRIPT));
    assert.equal(await choose("import-open", "manuscript.txt"), "选择要导入的文件");
    await until("both chapters are shown", async () => (await app.count(at("import-chapter"))) === 2);
    const shown = await app.text(at("import"));
    assert.match(shown, /GB18030/);
    assert.match(shown, /旧灯塔/);
    assert.deepEqual(await titles(), own, "shown is not taken");
    await app.screenshot("files-import");
    await app.click(at("import-go"));
    await app.gone(at("import"));
    await page.holds("渡船没有来。");
    const now = await titles();
    assert.deepEqual(now.slice(0, own.length), own);
    assert.equal(now.length, own.length + 2);
    assert.match(now.at(-1), /旧灯塔/);
  });

  step("a chapter goes up by the keyboard, which stays on it", async () => {
    const last = (await page.book()).chapters.at(-1);
    await app.tabTo(at("chapter-item", { "data-chapter-id": last.chapterId }));
    await app.press([ALT, Key.up]);
    await until("it is the last but one", async () => (await page.book()).chapters.at(-2).chapterId === last.chapterId);
    await until("the keyboard is on it", () => app.stands(at("chapter-item", { "data-chapter-id": last.chapterId })));
  });

  step("a word is found in the chapter, and in the whole book", async () => {
    await app.click(CONTENT);
    await app.press([Key.control, "f"]);
    await app.fill(at("find-text"), "名字");
    await until("it is counted", async () => /1/.test(await app.text(at("find-count"))));
    await app.press(F9);
    await until("both chapters have it", async () => (await app.count(at("found-chapter"))) >= 2);
    await until("each place is shown with the word", async () =>
      (await app.texts(at("found-place"))).every((text) => text.includes("名字")),
    );
    await app.screenshot("files-found");
    await app.click(at("find-panel-close"));
  });

  step("a chapter gets a scene type with a name of the writer’s", async () => {
    await app.click(at("scene-select"));
    await app.click(at("scene-select- other"));
    await app.fill(at("scene-name"), "梦境");
    await app.press(Key.enter);
    await app.see(at("scene-select", { "data-value": "梦境" }));
    await until("it is kept", async () => (await page.book()).chapters.some(({ sceneType }) => sceneType === "梦境"));
  });

  step("the book goes out as Markdown and as Word, in its order, and comes back as it was", async () => {
    const order = await titles();
    for (const [format, ending] of [
      ["docx", "docx"],
      ["markdown", "md"],
    ]) {
      await app.click(at("export-open"));
      await page.choose("export-format", format);
      assert.equal(await choose("export-go", `book.${ending}`), "导出到哪里");
      await app.gone(at("export"));
      await said(`已导出 book.${ending}`);
      const back = await page.ask("project:import", {
        projectId: book.projectId,
        path: place(`book.${ending}`),
        dryRun: true,
      });
      assert.deepEqual(
        back.chapters.map(({ title }) => title),
        order,
      );
    }
    assert.match(readFileSync(place("book.md"), "utf8"), /渡船没有来。/);
  });

  step("drafts stand side by side below the page, and one is taken from there", async () => {
    await page.caretAtEnd();
    const { count } = await page.run("continue");
    assert.ok(count >= 2);
    await app.press(F7);
    await app.see(at("compare"));
    assert.equal(await app.count(`${at("compare")} ${at("candidate")}`), count);
    await app.screenshot("files-compare");
    await app.click(`${candidate(1)} ${at("take")}`);
    await app.gone(at("compare"));
    await page.saved();
    assert.equal((await page.marks()).length, 1);
  });

  step("the rules go out as a page, and what is written into that page comes in", async () => {
    await page.openMemory();
    await page.addRule(RULE);
    await app.click(at("memory-page-safety"));
    assert.equal(await choose("rules-out", "rules.md"), "导出规则");
    await app.text(at("exchanged"));
    await said("已导出“rules.md”");
    const sheet = readFileSync(place("rules.md"), "utf8");
    assert.ok(sheet.includes(RULE), sheet);
    writeFileSync(place("rules.md"), `${sheet.trimEnd()}\n\n## 节奏\n\n- 章末收在动作上\n`);
    assert.equal(await choose("rules-in", "rules.md"), "导入规则");
    await app.see(at("incoming-table"));
    await app.screenshot("files-rules-in");
    await app.click(at("incoming-confirm"));
    await app.gone(at("incoming-dialog"));
    const rules = await page.rules(book.projectId);
    assert.ok(rules.some(({ rule }) => rule === "章末收在动作上"));
  });

  step("the whole memory goes out, and where all of it is already, there is nothing to bring in", async () => {
    assert.equal(await choose("all-out", "memory.jsonl"), "导出全部记忆");
    await said("已导出“memory.jsonl”");
    assert.ok(readFileSync(place("memory.jsonl"), "utf8").includes(RULE));
    assert.equal(await choose("all-in", "memory.jsonl"), "导入记忆");
    assert.match(await app.text(at("incoming-verdict")), /不用导入/);
    await app.click(at("incoming-cancel"));
    await app.gone(at("incoming-dialog"));
  });

  if (HANDS)
    step("a chapter is dragged to where it belongs", async () => {
      // The last step, because a drag may grab the keyboard of a display that has no window manager.
      await page.openBook();
      const { chapters } = await page.book();
      const item = ({ chapterId }) => at("chapter-item", { "data-chapter-id": chapterId });
      await until("the last chapter is the first", async () => {
        await drag(app, item(chapters.at(-1)), item(chapters[0]));
        return until(
          "it is",
          async () => (await page.book()).chapters[0].chapterId === chapters.at(-1).chapterId,
          3_000,
        ).catch(() => false);
      });
      await app.screenshot("files-dragged");
    });
});
