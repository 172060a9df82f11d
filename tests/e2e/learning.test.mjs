// Learning of rules from a writer's actions, in the real window: text written, continued, edited and taken, undone;
// fifty choices later the preferences are updated, one rule is confirmed and another deleted; *why* of the next passage
// names its reasons, and the writer marks one as wrong; and all of it is still there after a restart.

import assert from "node:assert/strict";
import { after, before, describe } from "node:test";

import { App, at, discard, freshFolder, Key, until } from "./driver.mjs";
import { Life } from "./life.mjs";
import { Page, rule, steps } from "./page.mjs";

const WORDS = {
  zh: {
    locale: "zh_CN.UTF-8",
    written: "潮水退下去了。他站在堤上，看着验潮所的灯。",
    edited: "风停了。",
    takenBack: "采用以后又撤回",
    stages: /^正在更新偏好/,
    learned: /^更新完成：新学到 (\d+) 条/,
    deleted: /^已删除“(.+)”，以后不会再学到。/,
    nothingNew: /没有新的取舍，规则没有变/,
    estimate: /^估计[^]*不是实测/,
    followed: ["照做了", "部分照做", "没照做"],
    wrong: /这条你确认过，照旧在用；记忆面板里会再问你一次/,
    asked: /近来的取舍常和它相反。还要用吗/,
    byClick: /手动/,
  },
  en: {
    locale: "en_US.UTF-8",
    written: "The tide had gone out. He stood on the wall and watched the lamp in the gauge house.",
    edited: " The wind had dropped.",
    takenBack: "taken, then undone",
    stages: /^Updating preferences/,
    learned: /^Updated: (\d+) learned/,
    deleted: /^Deleted “(.+)”\. It won’t be learned again\./,
    nothingNew: /rules/,
    estimate: /^Estimated[^]*Not measured/,
    followed: ["followed", "partly followed", "not followed"],
    wrong: /You confirmed this rule, so it stays in use; the memory panel will ask you again/,
    asked: /Does it still hold/,
    byClick: /you asked/,
  },
};

for (const [language, words] of Object.entries(WORDS)) {
  describe(`learning, ${language}`, () => {
    let dataDir;
    let app;
    let page;
    let book;
    let chapter;
    let life;

    before(async () => {
      dataDir = await freshFolder(`learning-${language}`);
      app = await App.start({ dataDir, locale: words.locale });
      page = new Page(app);
    });

    after(async () => {
      await app?.close();
      discard(dataDir);
    });

    const step = steps(`learning-${language}`, () => app);

    let first;
    step("a passage is written, continued, changed and taken", async () => {
      await app.see(at("chapter-item"), 60_000);
      book = await page.book();
      [chapter] = book.chapters;
      life = new Life(language, book.projectId, chapter.chapterId);
      await page.openChapter(chapter.chapterId);
      await page.caretAtEnd();
      await page.write(`\n\n${words.written}`);
      await page.holds(words.written);
      await page.run("continue");
      await page.takeEdited(0, (text) => text + words.edited);
      [first] = await page.episodes(book.projectId, 1);
      assert.ok(first.finalText.endsWith(words.edited));
      assert.ok(first.editDistance > 0);
      await page.saved();
    });

    step("undone on the page, it is gone from there, and the memory knows", async () => {
      assert.deepEqual(await page.marks(), [first.generationId]);
      await app.press([Key.control, "z"]);
      await until("the passage is gone", async () => !(await page.text()).includes(words.edited.trim()));
      await page.holds(words.written);
      assert.deepEqual(await page.marks(), []);
      await until(
        "the undo is recorded",
        async () => (await page.episodes(book.projectId, 1))[0].implicit === "delayedNegative",
      );
      await page.saved();
      await page.openMemory();
      await app.click(at("memory-page-past"));
      await until("it is said there", async () => (await app.texts(at("past-deed"))).join().includes(words.takenBack));
    });

    let learned;
    step("after dozens of choices an update shows its progress and outcome, and lists the rules", async () => {
      // At fifty in all a run would begin by itself; here the writer starts one before.
      await page.record(Array.from({ length: 44 }, () => life.next()));
      await app.click(at("memory-page-rules"));
      await until(
        "they are counted",
        async () => (await app.attribute(at("episodes-recorded"), "data-count")) === "45",
      );
      const { run, heard, stageTexts, said } = await page.learn(book.projectId);
      assert.equal(run.status, "committed", JSON.stringify(run.reason));
      assert.deepEqual(heard, ["gathering", "testing", "wording", "reconciling", "committing", "done"]);
      assert.ok(
        stageTexts.every((text) => words.stages.test(text)),
        stageTexts.join(" | "),
      );
      const number = Number(words.learned.exec(said)?.[1]);
      learned = (await page.rules(book.projectId)).filter(({ origin }) => origin === "distilled");
      assert.equal(number, learned.length, said);
      assert.ok(learned.length >= 2, JSON.stringify(learned.map((one) => one.rule)));
      const cards = await page.cards();
      assert.deepEqual(cards.map(({ text }) => text).toSorted(), learned.map((one) => one.rule).toSorted());
      assert.ok(cards.every(({ confirmed }) => !confirmed));
    });

    let kept;
    let dropped;
    step("one rule is confirmed; another is deleted, brought back, and deleted for good", async () => {
      const about = (feature) => learned.find(({ pattern }) => pattern.feature === feature);
      [kept, dropped] = [about("length"), about("exclamations")];
      assert.ok(kept && dropped, JSON.stringify(learned.map(({ pattern }) => pattern)));
      await app.click(`${rule(kept.id)} [role="button"]`);
      await app.click(`${rule(kept.id)} ${at("rule-confirm")}`);
      await app.see(`${rule(kept.id)}[data-confirmed]`);
      const open = () => app.click(`${rule(dropped.id)} [role="button"]`);
      await open();
      await app.click(`${rule(dropped.id)} ${at("rule-delete")}`);
      await app.click(`${rule(dropped.id)} ${at("rule-delete-confirm")}`);
      await app.gone(rule(dropped.id));
      assert.equal(words.deleted.exec(await app.text(`${at("rule-gone")} p`))?.[1], dropped.rule.replace(/[。.]$/, ""));
      await app.click(at("rule-gone-undo"));
      await app.see(`${rule(dropped.id)}[data-open]`);
      await app.gone(at("rule-gone"));
      await app.click(`${rule(dropped.id)} ${at("rule-delete")}`);
      await app.click(`${rule(dropped.id)} ${at("rule-delete-confirm")}`);
      await app.gone(rule(dropped.id));
      await app.see(at("rule-gone"));
      await app.screenshot(`learning-memory-${language}`);
    });

    step("what is chosen the same way again does not bring it back", async () => {
      await page.record(Array.from({ length: 6 }, () => life.next()));
      const { said } = await page.learn(book.projectId);
      assert.ok(said.length > 0);
      const now = await page.rules(book.projectId);
      assert.equal(now.find(({ id }) => id === kept.id).userConfirmed, true);
      assert.ok(now.every(({ id, pattern }) => id !== dropped.id && pattern?.feature !== "exclamations"));
      assert.ok(!(await page.cards()).some(({ text }) => text === dropped.rule));
    });

    let last;
    let shownWeights;
    step("the next passage shows its references and their weights", async () => {
      await page.openBook();
      await page.openChapter(chapter.chapterId);
      await page.caretAtEnd();
      await page.choose("scene-select", "action");
      await page.caretAtEnd();
      // The degree to which a draft follows a rule is measured against other drafts, of which there must be some.
      await page.run("continue");
      for (let more = 0; more < 3; more += 1) await page.again();
      await page.take(await page.shortest());
      await until("it is recorded", async () => {
        [last] = await page.episodes(book.projectId, 1);
        return last.generationId && last.generationId !== first.generationId;
      });
      assert.equal(last.sceneType, "action");
      await page.saved();
      const why = await page.why(last.generationId);
      assert.ok(
        why.rule.some((text) => text.includes(kept.rule)),
        why.rule.join("\n"),
      );
      assert.ok(!why.rule.some((text) => text.includes(dropped.rule)), why.rule.join("\n"));
      assert.ok(why.episode.length > 0, "past choices are among it");
      assert.ok(why.sent.includes(kept.rule));
      assert.ok(!why.sent.includes(dropped.rule));
      shownWeights = await page.weights();
      assert.equal(shownWeights.tier, "compliance");
      assert.match(shownWeights.words, words.estimate);
      assert.equal(
        shownWeights.groups.reduce((sum, one) => sum + one, shownWeights.rest),
        100,
        JSON.stringify(shownWeights),
      );
      for (const { text, grade, weight, meter } of shownWeights.memories) {
        assert.ok(weight?.includes("%"), `${text} has no weight`);
        assert.equal(meter !== null, grade === "weighs", text);
      }
      const own = shownWeights.memories.find(({ text }) => text.includes(kept.rule));
      assert.ok(words.followed.includes(own.followed?.trim()), own.followed);
      await app.screenshot(`learning-why-${language}`);
    });

    const judged = async () => (await page.weights()).memories.find(({ text }) => text.includes(kept.rule));
    step("a rule judged wrong shows the effect of the verdict", async () => {
      const index = shownWeights.memories.findIndex(({ text }) => text.includes(kept.rule));
      const [reference] = (await app.attributes(at("why-reference"), "data-reference")).slice(index);
      await app.click(`${at("why-reference", { "data-reference": reference })} ${at("verdict-wrong")}`);
      await until("it is noted", async () => words.wrong.test((await judged()).said));
      assert.equal((await judged()).verdict, "verdict-wrong");
      const { feedback } = await page.ask("memory:trace:get", {
        projectId: book.projectId,
        generationId: last.generationId,
      });
      assert.deepEqual(
        feedback.map(({ referenceId, verdict }) => [referenceId, verdict]),
        [[reference, "wrong"]],
      );
      await page.closeWhy();
    });

    step("after a restart all of it is still there", async () => {
      const marks = await page.marks();
      const rules = await page.rules(book.projectId);
      await app.leave();
      await app.restart();
      await app.see(at("chapter-item"), 60_000);
      await page.openChapter(chapter.chapterId);
      await page.caretAtEnd();
      await page.holds(last.finalText.split("\n")[0]);
      assert.deepEqual(await page.marks(), marks);
      assert.deepEqual(await page.rules(book.projectId), rules);
      await page.openMemory();
      await app.see(`${rule(kept.id)}[data-confirmed]`);
      assert.match(await app.text(`${rule(kept.id)} ${at("rule-question")}`), words.asked);
      assert.equal(await app.count(rule(dropped.id)), 0);
      await app.click(at("learning-history"));
      await app.see(at("learning-run"));
      assert.ok((await app.texts(at("learning-run"))).every((text) => words.byClick.test(text)));
      await app.click(at("learning-back"));
      await page.openBook();
      await page.openChapter(chapter.chapterId);
      await page.caretAtEnd();
      await page.why(last.generationId);
      const { memories, ...sums } = await page.weights();
      assert.deepEqual(sums, {
        tier: shownWeights.tier,
        words: shownWeights.words,
        groups: shownWeights.groups,
        rest: shownWeights.rest,
      });
      assert.deepEqual(
        memories.map(({ text, weight }) => [text, weight]),
        shownWeights.memories.map(({ text, weight }) => [text, weight]),
      );
      assert.equal((await judged()).verdict, "verdict-wrong");
      assert.match((await judged()).said, words.wrong);
      await page.closeWhy();
    });
  });
}
