// A model configured by the writer, end to end, in the real window: set up in the settings, tested, writing candidates,
// refused, and corrected. Once in Chinese, once in English.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { App, at, discard, freshFolder, until } from "./driver.mjs";
import { ScriptedModel } from "./model.mjs";
import { candidate, Page } from "./page.mjs";

const KEY = "sk-e2e-7f3a91c4";

const WORDS = {
  zh: {
    locale: "zh_CN.UTF-8",
    sample: /示例模型·内置句子，不联网/,
    nothingLeaves: /文字不离开这台电脑/,
    noKeychain: /没有钥匙串/,
    answers: /连接成功，有 2 个模型/,
    writes: /选中的能写作/,
    here: /tide-1·本机/,
    used: /请求了 [1-9]\d* 次/,
    refused: /服务不认这个密钥。到设置里换一个/,
    untouched: /正文没有变/,
    broke: /写到一半，服务那边出了错。已经写出来的还在/,
    written: "潮水退下去了。",
    drafts: ["老周没有说话，把水尺靠在门框上。", "灯亮了一下，又暗了，谁也没去看。", "风从南边来，带着漆味。"],
    second: ["渡船靠了岸，没有人下来。", "他收了伞，立在门后面。", "远处响了一声汽笛，很短。"],
    third: ["屋檐滴着水，滴了一夜。", "信在桌上，还没有拆开。", "码头那边有人喊他的名字。"],
    refusal: "抱歉，我无法协助完成这个请求。",
    fourth: ["纸船漂过了石桥。", "伙计在账本上记了一笔。", "雾散了，船才开。"],
    secondTry: /第二次才写成的/,
    firstTry: /有几稿用不了/,
  },
  en: {
    locale: "en_US.UTF-8",
    sample: /sample model/i,
    nothingLeaves: /No text leaves this machine/,
    noKeychain: /no keychain/,
    answers: /It answers with 2 models/,
    writes: /the chosen one writes/,
    here: /tide-1 · this machine/,
    used: /[1-9]\d* requests?/,
    refused: /The service refused the key\. Change it in the settings/,
    untouched: /your text is as it was/,
    broke: /The service failed half-way\. What it had written is still here/,
    written: "The tide had gone out.",
    drafts: [
      "Zhou said nothing, and stood the gauge against the door.",
      "The lamp came up, then sank, and nobody looked.",
      "The wind was in the south, and smelled of paint.",
    ],
    second: [
      "A ferry bell rang twice.",
      "She folded the letter and burned it.",
      "Boots crossed the yard, then stopped.",
    ],
    third: [
      "Water dripped from the eaves, all night.",
      "Nobody had opened the parcel.",
      "Somewhere a dog began to bark.",
    ],
    refusal: "I'm sorry, but I can't assist with that.",
    fourth: ["A paper boat went under the bridge.", "The clerk made an entry.", "When the fog rose, they sailed."],
    secondTry: /Written at the second try/,
    firstTry: /Some drafts couldn’t be used/,
  },
};

for (const [language, words] of Object.entries(WORDS)) {
  describe(`a model of one's own, ${language}`, () => {
    let dataDir;
    let app;
    let page;
    let model;
    let book;
    let file;
    let broken = false;

    before(async () => {
      dataDir = await freshFolder(`models-${language}`);
      model = await ScriptedModel.start();
      model.drafts = words.drafts;
      app = await App.start({ dataDir, locale: words.locale });
      page = new Page(app);
    });

    after(async () => {
      await app?.close();
      await model?.stop();
      discard(dataDir);
    });

    /** A step depends on the one before it: after the first failure the others are skipped. */
    const step = (name, body) =>
      test(name, async (t) => {
        if (broken) return t.skip("an earlier step failed");
        try {
          await body();
        } catch (error) {
          broken = true;
          await app.screenshot(`failed-models-${language}`).catch(() => {});
          throw error;
        }
      });

    const reads = (selector, pattern) =>
      until(`${selector} reads ${pattern}`, async () => {
        const texts = await app.texts(selector);
        return texts.some((text) => pattern.test(text));
      });

    step("the model and that nothing is sent are shown before a request", async () => {
      await app.see(at("chapter-item"), 60_000);
      book = await page.book();
      file = join(book.path, book.chapters[0].file);
      await page.openChapter(book.chapters[0].chapterId);
      await reads(at("provider-label"), words.sample);
      await app.click(at("nav-settings"));
      await reads(at("what-leaves"), words.nothingLeaves);
      assert.deepEqual(model.asked, []);
    });

    step("a provider is added; the place of its key is shown, and the key is not", async () => {
      await reads(at("no-keychain"), words.noKeychain);
      await app.click(at("provider-add"));
      await app.see(at("provider-form"));
      await page.choose("provider-preset", "llamacpp");
      await app.fill(at("provider-url"), model.url);
      await app.fill(at("provider-key"), KEY);
      await app.screenshot(`models-form-${language}`);
      await app.click(at("provider-save"));
      await app.see(at("provider"));
      assert.equal(await app.attribute(at("provider-at"), "data-key"), "session");
      const html = await app.run(() => document.documentElement.outerHTML);
      assert.ok(!html.includes(KEY));
    });

    step("the connection is tested", async () => {
      await app.click(at("provider-test"));
      await app.see(at("provider-tested", { "data-state": "ok" }));
      assert.match(await app.text(at("provider-tested")), words.answers);
      assert.ok(model.asked.length > 0);
      assert.ok(model.asked.every(({ authorization }) => authorization === `Bearer ${KEY}`));
    });

    step("its model is chosen for writing, and writes a word when it is tested again", async () => {
      const [provider] = (await page.ask("ai:provider:list", {})).providers;
      await page.choose("purpose-writing-provider", provider.providerId);
      await app.fill(at("purpose-writing-model"), "tide-1");
      await app.press("\uE007");
      await reads(at("provider-label"), words.here);
      await app.click(at("provider-test"));
      await reads(at("provider-tested"), words.writes);
      await app.screenshot(`models-settings-${language}`);
    });

    let text;
    step("its drafts stream into three cards; one is taken, and what was sent is what the trace shows", async () => {
      await app.click(at("settings-close"));
      await page.caretAtEnd();
      await page.write(`\n\n${words.written}`);
      // Each draft stops after its first phrase until it is released.
      model.rewind({ held: [0, 1, 2] });
      const before = model.runs.length;
      await app.click(at("skill-continue"));
      await app.click(at("run"));
      const writing = at("candidate", { "data-state": "writing" });
      const begun = async () => (await app.texts(`${writing} p`)).filter((one) => one !== "").length;
      await until("all three show their first phrase", async () => (await begun()) === 3);
      model.release();
      await app.see(at("candidate", { "data-state": "ready" }));
      await app.gone(writing);
      assert.equal(await app.count(at("candidate")), 3);
      await page.take(0);
      const [episode] = await page.episodes(book.projectId, 1);
      assert.ok(
        words.drafts.some((draft) => draft.trim() === episode.finalText.trim()),
        episode.finalText,
      );
      assert.deepEqual(
        episode.candidates.map((one) => one.trim()).toSorted(),
        words.drafts.map((one) => one.trim()).toSorted(),
      );
      await page.saved();
      assert.ok(readFileSync(file, "utf8").includes(episode.finalText.trim()));
      const trace = await page.ask("memory:trace:get", {
        projectId: book.projectId,
        generationId: episode.generationId,
      });
      for (const { body } of model.runs.slice(before)) {
        assert.equal(body.model, "tide-1");
        assert.deepEqual(body.messages, trace.messages);
      }
      assert.equal(trace.provider.model, "tide-1");
      assert.equal(trace.provider.sample, false);
    });

    step("a draft that is whole can be taken while the others are still being written", async () => {
      await page.caretAtEnd();
      // A draft that repeats the page would be none.
      model.drafts = words.second;
      model.rewind({ held: [1, 2] });
      await app.click(at("run"));
      const ready = at("candidate", { "data-state": "ready" });
      await app.see(ready);
      await until(
        "the others are being written",
        async () => (await app.count(at("candidate", { "data-state": "writing" }))) === 2,
      );
      await app.click(`${ready} ${at("take")}`);
      await app.gone(at("candidate"));
      const [episode] = await page.episodes(book.projectId, 2);
      assert.deepEqual(
        episode.candidates.map((one) => one.trim()),
        [words.second[0].trim()],
        "half a draft was no choice",
      );
      await until("the requests of the others are given up", () => model.left > 0);
      await page.saved();
    });

    step("a draft that breaks off is reported on its own card; the others are complete", async () => {
      await page.caretAtEnd();
      model.drafts = words.third;
      model.rewind({ breaks: [2] });
      await app.click(at("run"));
      await app.see(at("candidate", { "data-state": "failed" }));
      await app.gone(at("candidate", { "data-state": "writing" }));
      assert.equal(await app.count(at("candidate", { "data-state": "ready" })), 2);
      assert.match(await app.text(at("candidate-problem")), words.broke);
      await app.screenshot(`models-broke-${language}`);
      await page.rejectAll();
      await page.episodes(book.projectId, 3);
      model.drafts = words.drafts;
    });

    step("a text that is no draft is asked for once more, and Why leads to both prompts", async () => {
      await page.caretAtEnd();
      model.drafts = [words.refusal, ...words.fourth];
      model.rewind();
      await app.click(at("run"));
      const ready = at("candidate", { "data-state": "ready" });
      await until("three drafts", async () => (await app.count(ready)) === 3);
      const texts = await app.texts(`${ready} p`);
      assert.deepEqual(texts.map((one) => one.trim()).toSorted(), words.fourth.toSorted());
      const { messages } = model.runs.at(-1).body;
      assert.deepEqual(
        messages.map(({ role }) => role),
        ["system", "user", "assistant"],
        "the end of the text is the beginning of the answer",
      );
      // The fourth text of the server is that of the second try.
      const cards = await Promise.all([0, 1, 2].map((index) => app.text(candidate(index))));
      await page.take(cards.findIndex((card) => card.includes(words.fourth[2])));
      const [episode] = await page.episodes(book.projectId, 4);
      assert.equal(episode.finalText.trim(), words.fourth[2]);
      await page.saved();
      await page.why(episode.generationId);
      await reads(at("why-other-try"), words.secondTry);
      await app.screenshot(`models-second-try-${language}`);
      await app.click(at("why-show-try"));
      await reads(at("why-other-try"), words.firstTry);
      await app.click(at("why-close"));
      model.drafts = words.drafts;
    });

    step("a refused key is reported with a remedy, and the page does not change", async () => {
      await page.saved();
      const was = readFileSync(file, "utf8");
      model.refusal = {
        status: 401,
        body: { error: { message: `Incorrect API key provided: ${KEY}`, code: "invalid_api_key" } },
      };
      await page.caretAtEnd();
      text = await page.text();
      await app.click(at("run"));
      await app.see(at("run-problem"));
      const said = await app.text(at("run-problem"));
      assert.match(said, words.refused);
      assert.match(said, words.untouched);
      assert.ok(!said.includes(KEY));
      assert.equal(await page.text(), text);
      await page.saved();
      assert.equal(readFileSync(file, "utf8"), was);
      await app.screenshot(`models-refused-${language}`);
    });

    step("the way to the settings is there; what was used today is counted", async () => {
      await app.click(at("to-settings"));
      await reads(at("usage-requests"), words.used);
      await app.click(at("provider-test"));
      await app.see(at("provider-tested", { "data-state": "failed" }));
      assert.match(await app.text(at("provider-tested")), words.refused);
    });

    step("deleting the service goes back to the built-in model", async () => {
      await app.click(at("provider-delete"));
      await app.click(at("provider-delete-confirm"));
      await app.gone(at("provider"));
      await reads(at("provider-label"), words.sample);
      await app.click(at("settings-close"));
      const asked = model.asked.length;
      await page.caretAtEnd();
      await page.run("continue");
      await app.click(candidate(0));
      assert.equal(model.asked.length, asked);
      await page.rejectAll();
    });

    step("the key is in no file of the program", async () => {
      await app.leave();
      const found = readdirSync(dataDir, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
        .filter((path) => readFileSync(path).includes(KEY));
      assert.deepEqual(found, []);
    });
  });
}
