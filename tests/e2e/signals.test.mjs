// On a signal from its system the program closes as when the writer closes the window, and no question delays it.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe } from "node:test";

import { App, at, discard, freshFolder } from "./driver.mjs";
import { Page, steps } from "./page.mjs";

describe("signals", () => {
  let dataDir;
  let app;
  let page;

  before(async () => {
    dataDir = await freshFolder("signals");
    app = await App.start({ dataDir, locale: "en_US.UTF-8" });
    page = new Page(app);
  });

  after(async () => {
    await app?.close();
    discard(dataDir);
  });

  const step = steps("signals", () => app);

  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) {
    step(`${signal} closes the window with everything on disk`, async () => {
      await app.see(at("chapter-item"), 60_000);
      const book = await page.book();
      const [chapter] = book.chapters;
      await page.openChapter(chapter.chapterId);
      await page.caretAtEnd();
      const words = `Written before ${signal}.`;
      await page.write(` ${words}`);
      await page.holds(words);
      await page.ask("memory:working:put", {
        projectId: book.projectId,
        kind: "signal",
        text: `shorter, ${signal}`,
        weight: 1,
      });
      await app.signal(signal);
      assert.ok(readFileSync(join(book.path, chapter.file), "utf8").includes(words));
      await app.restart();
      await app.see(at("chapter-item"), 60_000);
      const { episodes } = await page.ask("memory:episode:query", { projectId: book.projectId, limit: 50 });
      assert.ok(
        episodes.some(({ episode }) => episode.explicit === `shorter, ${signal}`),
        "what the session added up is kept",
      );
    });
  }

  step("text that cannot be saved holds nothing up, and is there again at the next start", async () => {
    const book = await page.book();
    const [chapter] = book.chapters;
    const file = join(book.path, chapter.file);
    await page.openChapter(chapter.chapterId);
    await page.caretAtEnd();
    // Another program writes into the chapter, so that the page has a question before it can save.
    writeFileSync(file, `${readFileSync(file, "utf8")}\nWritten elsewhere.\n`);
    const words = "Written here.";
    await page.write(` ${words}`);
    await page.saveState("conflict");
    await app.signal("SIGTERM");
    assert.ok(
      readFileSync(file, "utf8").includes("Written elsewhere."),
      "what was written elsewhere is not overwritten",
    );
    await app.restart();
    await app.see(at("chapter-item"), 60_000);
    const read = await page.ask("chapter:read", { projectId: book.projectId, chapterId: chapter.chapterId });
    assert.ok(JSON.stringify(read).includes(words), "a recovery copy holds it");
  });
});
