// Pictures of the real window for people to look at: both languages, light and dark, the three faces that matter.
//   xvfb-run -a -s "-screen 0 1280x800x24" dbus-run-session -- node tests/e2e/look.mjs
// They land in tests/e2e/out/look-*.png.

import { App, at, discard, freshFolder } from './driver.mjs';
import { candidate, Page } from './page.mjs';

const BOOKS = [
  { name: 'zh', locale: 'zh_CN.UTF-8', written: '潮水退下去了。', rule: '描写少用比喻，一段至多一个。' },
  { name: 'en', locale: 'en_US.UTF-8', written: 'The tide had gone out.', rule: 'At most one simile in a paragraph.' },
];

for (const { name, locale, written, rule } of BOOKS) {
  const dataDir = await freshFolder(`look-${name}`);
  const app = await App.start({ dataDir, locale });
  const page = new Page(app);
  try {
    await app.see(at('chapter-item'), 60_000);
    const book = await page.book();
    await page.openChapter(book.chapters[0].chapterId);
    await page.openMemory();
    await page.addRule(rule);
    await page.openBook();
    await page.openChapter(book.chapters[0].chapterId);
    await page.caretAtEnd();
    await page.write(`\n\n${written}`);
    // A past to show: one taken as it was, one changed.
    await page.run('continue');
    await page.take(0);
    await page.caretAtEnd();
    await page.run('continue');
    await page.takeEdited(1, (text) => `${text.slice(0, -4)}${text.slice(-1)}`);
    const [second] = await page.episodes(book.projectId, 2);
    for (const theme of ['light', 'dark']) {
      await page.ask('settings:set', { theme });
      await app.restart();
      await app.see(at('chapter-item'), 60_000);
      await page.openChapter(book.chapters[0].chapterId);
      await page.caretAtEnd();
      await app.screenshot(`look-${name}-${theme}-page`);
      await page.run('continue');
      await app.click(candidate(1));
      await app.screenshot(`look-${name}-${theme}-writing`);
      await page.rejectAll();
      await page.why(second.generationId);
      await app.screenshot(`look-${name}-${theme}-why`);
      await page.closeWhy();
      await page.openMemory();
      await app.screenshot(`look-${name}-${theme}-memory`);
      await app.click(at('rule-add'));
      await app.see(at('rule-form'));
      await app.screenshot(`look-${name}-${theme}-rule`);
      await app.click(at('nav-settings'));
      await app.see(at('language-select'));
      await app.screenshot(`look-${name}-${theme}-settings`);
    }
  } catch (error) {
    await app.screenshot(`look-${name}-failed`).catch(() => {});
    throw error;
  } finally {
    await app.close();
    discard(dataDir);
  }
}
