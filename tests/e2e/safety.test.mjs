// The safety of the memory, in the real window: backups made and restored, a file that is really damaged, and a new
// empty memory. Whatever happens to the memory, the text remains on the page and writing continues.

import assert from "node:assert/strict";
import { randomFillSync } from "node:crypto";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe } from "node:test";

import { App, at, discard, freshFolder, until } from "./driver.mjs";
import { Page, steps } from "./page.mjs";

const WORDS = {
  zh: {
    locale: "zh_CN.UTF-8",
    rule: "不用感叹号。",
    written: "潮水退下去了。",
    after: "夜里又涨潮了。",
    backedUp: /备份完成，包括两个库/,
    keepsPresent: /会先备份现在的内容/,
    textStays: /正文一个字都不变/,
    missing: /过往示例暂不可用/,
    lends: /会带上适用的规则/,
    onThePage: /文字已写进正文，但没能记录这次取舍/,
    noRecords: /来历暂时看不了/,
    keptAside: /损坏的文件还在，名为 (episodes\.db\.corrupt-\S+?)。/,
    asksAgain: /往事库从空的开始。正文不变/,
  },
  en: {
    locale: "en_US.UTF-8",
    rule: "No exclamation marks.",
    written: "The tide had gone out.",
    after: " At night the tide came back.",
    backedUp: /Backed up, both files/,
    keepsPresent: /The present one is backed up first/,
    textStays: /Not a word of your text changes/,
    missing: /Past examples unavailable/,
    lends: /With the rules that fit/,
    onThePage: /The text is on the page; only this choice couldn’t be recorded/,
    noRecords: /Records can’t be read right now/,
    keptAside: /The damaged file is kept as (episodes\.db\.corrupt-\S+?)\.$/m,
    asksAgain: /the passages file begins empty\. Your text stays as it is/,
  },
};

for (const [language, words] of Object.entries(WORDS)) {
  describe(`safety, ${language}`, () => {
    let dataDir;
    let app;
    let page;
    let book;
    let chapter;

    before(async () => {
      dataDir = await freshFolder(`safety-${language}`);
      app = await App.start({ dataDir, locale: words.locale });
      page = new Page(app);
    });

    after(async () => {
      await app?.close();
      discard(dataDir);
    });

    const step = steps(`safety-${language}`, () => app);
    const reads = (selector, pattern) =>
      until(`${selector} reads ${pattern}`, async () => (await app.texts(selector)).some((text) => pattern.test(text)));

    /** Adds a passage, written by the assistant and taken, and returns its first line. */
    const continued = async () => {
      await page.openChapter(chapter.chapterId);
      await page.caretAtEnd();
      await page.run("continue");
      const [first] = (await app.text(`${at("candidate", { "data-index": "0" })} p`)).split("\n");
      await page.take(0);
      await page.holds(first);
      await page.saved();
      return first;
    };
    const past = async () =>
      (await page.ask("memory:episode:query", { projectId: book.projectId, limit: 50 })).episodes.length;
    const recorded = (count) => until(`${count} are recorded`, async () => (await past()) === count);
    const openSafety = async () => {
      await page.openMemory();
      await app.click(at("memory-page-safety"));
      await app.see(at("safety-page"));
    };
    const leave = async () => {
      await app.click(at("memory-close"));
      await app.gone(at("memory-panel"));
    };
    // In one step, because the notice may disappear between two.
    const kinds = () => app.run((css) => document.querySelector(css)?.dataset.kinds ?? "", at("degraded-notice"));
    const backups = async (file) =>
      (await page.ask("memory:backup:list", {})).backups.filter((backup) => backup.file === file);
    /** Restores a backup by its identity, waits until the dialog closes, and returns the text of the dialog. */
    const putBack = async ({ backupId }) => {
      await app.click(`${at("backup", { "data-backup": backupId })} ${at("backup-restore")}`);
      await app.see(at("restore-dialog"));
      const said = await app.text(at("restore-dialog"));
      await app.click(at("restore-confirm"));
      await app.gone(at("restore-dialog"));
      return said;
    };
    /** Overwrites `episodes.db` with noise while the program is closed. */
    const breakPast = async (also = () => {}) => {
      await app.leave();
      const path = join(dataDir, "episodes.db");
      const noise = randomFillSync(Buffer.alloc(statSync(path).size));
      writeFileSync(path, noise);
      for (const tail of ["-wal", "-shm"]) rmSync(path + tail, { force: true });
      also();
      await app.restart();
      await app.see(at("chapter-item"), 60_000);
      await until("what is missing is said", async () => (await kinds()).split(" ").includes("episodes"));
      await reads(at("degraded-notice"), words.missing);
      return noise;
    };

    let texts;
    let early;
    let marked;
    let unknown;
    step("a backup is made on demand and listed", async () => {
      await app.see(at("chapter-item"), 60_000);
      book = await page.book();
      [chapter] = book.chapters;
      await page.openMemory();
      await page.addRule(words.rule);
      await page.openBook();
      await page.openChapter(chapter.chapterId);
      await page.caretAtEnd();
      await page.write(`\n\n${words.written}`);
      texts = [words.written, await continued()];
      await recorded(1);
      const before = (await backups("episodes")).length;
      await openSafety();
      await app.click(at("backup-now"));
      await reads(at("backup-made"), words.backedUp);
      [early] = await backups("episodes");
      assert.equal((await backups("episodes")).length, before + 1);
      for (const file of ["rules", "episodes"]) {
        const [newest] = await backups(file);
        await app.see(`${at(`backups-${file}`)} ${at("backup", { "data-backup": newest.backupId })}`);
      }
      await leave();
    });

    step("it is put back, and so is what was there before that", async () => {
      texts.push(await continued());
      await recorded(2);
      await openSafety();
      const said = await putBack(early);
      assert.match(said, words.keepsPresent);
      assert.match(said, words.textStays);
      await recorded(1);
      const [present] = await backups("episodes");
      assert.notEqual(present.backupId, early.backupId, "what was there is among the backups");
      await putBack(present);
      await recorded(2);
      await leave();
      for (const text of texts) await page.holds(text);
      marked = await page.marks();
      assert.ok(marked.length > 0);
    });

    step(
      "with the episodes file damaged text and drafts still work, and unavailable functions are reported",
      async () => {
        await breakPast();
        await page.openChapter(chapter.chapterId);
        await page.caretAtEnd();
        for (const text of texts) await page.holds(text);
        await reads("aside", words.lends);
        assert.deepEqual(await page.marks(), [], "whose words are whose stands there too");
        texts.push(await continued());
        await reads("aside", words.onThePage);
        [unknown] = await page.marks();
        await app.click(at("origin-mark", { "data-generation": unknown }));
        await reads(at("why-problem"), words.noRecords);
        await page.closeWhy();
        assert.ok(readFileSync(join(book.path, chapter.file), "utf8").includes(texts.at(-1)));
        await app.screenshot(`safety-broken-${language}`);
      },
    );

    step("its newest backup leads out of it, from the foot of the window; the broken file is kept", async () => {
      await app.click(at("degraded-notice"));
      await app.click(at("mend-episodes-restore"));
      await app.see(at("restore-dialog"));
      await app.click(at("restore-confirm"));
      await app.gone(at("restore-dialog"));
      await reads(at("set-aside"), words.keptAside);
      const [, aside] = words.keptAside.exec(await app.text(at("set-aside")));
      assert.ok(existsSync(join(dataDir, aside)), aside);
      await until("nothing is missing of it", async () => !(await kinds()).includes("episodes"));
      assert.ok((await past()) >= 1);
      await leave();
      // The chapter was opened without the marks; they return, and writing continues with them.
      await until("the earlier marks are back", async () => (await page.marks()).includes(marked[0]));
      await page.caretAtEnd();
      await page.write(words.after);
      await page.saved();
      assert.ok((await page.marks()).includes(unknown));
      await page.why(marked[0]);
      await page.closeWhy();
      const count = await past();
      texts.push(await continued());
      await recorded(count + 1);
    });

    step("without a backup the file is replaced by an empty one after two confirmations", async () => {
      const noise = await breakPast(() => rmSync(join(dataDir, "backups"), { recursive: true, force: true }));
      await app.click(at("degraded-notice"));
      await app.see(at("mend-episodes"));
      assert.equal(await app.count(at("mend-episodes-restore")), 0);
      await app.click(at("anew-episodes"));
      await reads(at("mend-episodes"), words.asksAgain);
      await until("the keyboard stands on the way back", () => app.stands(at("anew-episodes-cancel")));
      await app.screenshot(`safety-anew-${language}`);
      await app.click(at("anew-episodes-cancel"));
      assert.ok(readFileSync(join(dataDir, "episodes.db")).equals(noise), "nothing was touched");
      await app.click(at("anew-episodes"));
      await app.click(at("anew-episodes-confirm"));
      await reads(at("set-aside"), words.keptAside);
      const [, aside] = words.keptAside.exec(await app.text(at("set-aside")));
      assert.ok(readFileSync(join(dataDir, aside)).equals(noise), "the broken one is kept as it was");
      await until("nothing is missing of it", async () => !(await kinds()).includes("episodes"));
      await recorded(0);
      await leave();
    });

    step("afterwards writing continues, is recorded, and survives a restart", async () => {
      texts.push(await continued());
      await recorded(1);
      await page.caretAtEnd();
      await page.write(words.after);
      texts.push(words.after.trim());
      await page.saved();
      await app.leave();
      await app.restart();
      await app.see(at("chapter-item"), 60_000);
      const whole = readFileSync(join(book.path, chapter.file), "utf8");
      for (const text of texts) assert.ok(whole.includes(text), text);
      await recorded(1);
      assert.ok(
        (await page.rules(book.projectId)).some(({ rule }) => rule === words.rule),
        "the rules are as they were",
      );
      assert.equal((await kinds()).includes("episodes"), false);
    });
  });
}
