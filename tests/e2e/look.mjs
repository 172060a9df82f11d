// Pictures of the real window for human review: both languages, light and dark, the main views.
//   xvfb-run -a -s "-screen 0 1280x800x24" dbus-run-session -- node tests/e2e/look.mjs
// The files are tests/e2e/out/look-*.png.

import { App, at, discard, freshFolder, Key, until } from "./driver.mjs";
import { Life } from "./life.mjs";
import { ScriptedModel } from "./model.mjs";
import { candidate, Page, rule as card } from "./page.mjs";

const BOOKS = [
  { name: "zh", locale: "zh_CN.UTF-8", written: "潮水退下去了。", rule: "描写少用比喻，一段至多一个。" },
  { name: "en", locale: "en_US.UTF-8", written: "The tide had gone out.", rule: "At most one simile in a paragraph." },
];

/** The models in the settings and in the assistant: one that is tested, one that breaks off, one that refuses. */
async function lookAtModels(app, page, model, name) {
  const picture = (what) => app.screenshot(`look-${name}-${what}`);
  await app.click(at("nav-settings"));
  await app.see(at("language-select"));
  await picture("settings");
  await app.click(at("provider-add"));
  await page.choose("provider-preset", "deepseek");
  await picture("settings-form");
  await page.choose("provider-preset", "llamacpp");
  await app.fill(at("provider-url"), model.url);
  await app.fill(at("provider-key"), "sk-look");
  await app.click(at("provider-save"));
  await app.see(at("provider"));
  const [{ providerId }] = (await page.ask("ai:provider:list", {})).providers;
  await page.choose("purpose-writing-provider", providerId);
  await app.fill(at("purpose-writing-model"), "tide-1");
  await app.press(Key.enter);
  await app.see('[data-testid="provider-label"][title^="tide-1"]');
  await app.click(at("provider-test"));
  await app.see(at("provider-tested", { "data-state": "ok" }));
  await picture("settings-models");
  await app.click(at("provider-delete"));
  await picture("settings-delete");
  await app.click(at("provider-delete-cancel"));
  await app.click(at("settings-close"));
  await page.caretAtEnd();
  model.rewind({ breaks: [1], held: [2] });
  await app.click(at("run"));
  await app.see(at("candidate", { "data-state": "failed" }));
  await app.see(at("candidate", { "data-state": "ready" }));
  await picture("cards-early");
  model.release();
  await app.gone(at("candidate", { "data-state": "writing" }));
  await picture("cards-failed");
  await page.rejectAll();
  model.refusal = { status: 401, body: { error: { code: "invalid_api_key" } } };
  await page.caretAtEnd();
  await app.click(at("run"));
  await app.see(at("run-problem"));
  await picture("refused");
  model.refusal = null;
  await page.ask("ai:provider:delete", { providerId });
}

/** Makes a past with learned rules: two rules, one of them confirmed, and a passage that was written with them. */
async function learn(page, app, book, language) {
  const life = new Life(language, book.projectId, book.chapters[0].chapterId);
  await page.record(Array.from({ length: 44 }, () => life.next()));
  await page.openMemory();
  await page.learn(book.projectId);
  const learned = (await page.rules(book.projectId)).filter(({ origin }) => origin === "distilled");
  await app.click(`${card(learned[0].id)} [role="button"]`);
  await app.click(`${card(learned[0].id)} ${at("rule-confirm")}`);
  await app.see(`${card(learned[0].id)}[data-confirmed]`);
  await page.openBook();
  await page.openChapter(book.chapters[0].chapterId);
  await page.choose("scene-select", "action");
  await page.caretAtEnd();
  await page.run("continue");
  for (let more = 0; more < 3; more += 1) await page.again();
  await page.take(await page.shortest());
  await page.saved();
  return { rules: learned, generationId: (await page.marks()).at(-1) };
}

/** The views of learned rules: the rules, the evidence of one, the runs, and *why*. */
async function lookAtLearning(app, page, { rules: [first, second], generationId }, name) {
  const picture = (what) => app.screenshot(`look-${name}-learned-${what}`);
  await page.openMemory();
  await picture("rules");
  await app.click(`${card(first.id)} [role="button"]`);
  await app.click(`${card(first.id)} ${at("rule-evidence")}`);
  await app.see(at("evidence-for"));
  await picture("evidence");
  await app.click(`${card(second.id)} [role="button"]`);
  await app.click(`${card(second.id)} ${at("rule-delete")}`);
  await app.click(`${card(second.id)} ${at("rule-delete-confirm")}`);
  await app.see(at("rule-gone"));
  await picture("deleted");
  await app.click(at("rule-gone-undo"));
  await app.see(card(second.id));
  await app.click(at("learning-history"));
  await app.see(at("learning-run"));
  await picture("history");
  await app.click(at("memory-page-safety"));
  await app.see(at("safety-page"));
  await picture("safety");
  await app.click(at("memory-page-rules"));
  await page.openBook();
  await page.caretAtEnd();
  await until("why opens", async () => {
    await app.click(at("origin-mark", { "data-generation": generationId }));
    return app.see(at("why-sent-toggle"), 3_000).then(
      () => true,
      () => false,
    );
  });
  await picture("why");
  await page.closeWhy();
}

for (const { name, locale, written, rule } of BOOKS) {
  const model = await ScriptedModel.start();
  const dataDir = await freshFolder(`look-${name}`);
  const app = await App.start({ dataDir, locale });
  const page = new Page(app);
  try {
    await app.see(at("chapter-item"), 60_000);
    const book = await page.book();
    await page.openChapter(book.chapters[0].chapterId);
    await page.openMemory();
    await page.addRule(rule);
    await page.openBook();
    await page.openChapter(book.chapters[0].chapterId);
    await page.caretAtEnd();
    await page.write(`\n\n${written}`);
    // Two past passages: one taken unchanged, one edited.
    await page.run("continue");
    await page.take(0);
    await page.caretAtEnd();
    await page.run("continue");
    await page.takeEdited(1, (text) => `${text.slice(0, -4)}${text.slice(-1)}`);
    const [second] = await page.episodes(book.projectId, 2);
    const learned = await learn(page, app, book, name);
    for (const theme of ["light", "dark"]) {
      await page.ask("settings:set", { theme });
      await app.restart();
      await app.see(at("chapter-item"), 60_000);
      await page.openChapter(book.chapters[0].chapterId);
      await page.caretAtEnd();
      await app.screenshot(`look-${name}-${theme}-page`);
      await page.run("continue");
      await app.click(candidate(1));
      await app.screenshot(`look-${name}-${theme}-writing`);
      await page.rejectAll();
      await page.why(second.generationId);
      await app.screenshot(`look-${name}-${theme}-why`);
      await page.closeWhy();
      await page.openMemory();
      await app.screenshot(`look-${name}-${theme}-memory`);
      await app.click(at("rule-add"));
      await app.see(at("rule-form"));
      await app.screenshot(`look-${name}-${theme}-rule`);
      await page.openBook();
      await lookAtLearning(app, page, learned, `${name}-${theme}`);
      await lookAtModels(app, page, model, `${name}-${theme}`);
    }
  } catch (error) {
    await app.screenshot(`look-${name}-failed`).catch(() => {});
    throw error;
  } finally {
    await app.close();
    await model.stop();
    discard(dataDir);
  }
}
