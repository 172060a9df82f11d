// Hostile texts, in the real window: a manuscript, rules, a memory, a service and its models, a model's answers and its
// refusals. They are shown as text: nothing runs, nothing is requested, nothing leaves its place, and the window
// continues to work.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe } from "node:test";

import { App, at, discard, freshFolder, until } from "./driver.mjs";
import { ScriptedModel } from "./model.mjs";
import { candidate, Page, steps } from "./page.mjs";

const OVERRIDE = "\u202e";
const UNSEEN = "\u200b\u200d\ufeff\u2060\u00ad";
const TAGS = [
  "<script>globalThis.ran = 1</script>",
  '<img src=x onerror="globalThis.ran = 2">',
  '<svg onload="globalThis.ran = 3"><use href="data:image/svg+xml,x#a"/></svg>',
  '<iframe srcdoc="<script>parent.ran = 4</script>"></iframe>',
  '<a href="javascript:globalThis.ran=5">here</a> [here](javascript:globalThis.ran=6) ![x](http://127.0.0.1:9/pixel.png)',
  '<style>*{display:none}</style><base href="http://127.0.0.1:9/"><meta http-equiv="refresh" content="0;url=http://127.0.0.1:9/">',
  '${globalThis.ran = 7} {{constructor.constructor("globalThis.ran = 8")()}} {0} {title} <0>x</0> %s',
].join("\n");
const MARKS = `a${"\u0301".repeat(3_000)}b`;
const HARM = `${OVERRIDE}turned ${UNSEEN} ${MARKS}\n${TAGS}\n\u0001\u0007\u001b[31m\u2028\u2029\u0085 end of harm`;
/** Hostile text on one line, as in a name. */
const NAME = `${OVERRIDE}<img src=x onerror="globalThis.ran = 9">${UNSEEN}》${"long ".repeat(20)}`;

describe("texts that were written to do harm", () => {
  let folder;
  let app;
  let page;
  let model;
  let book;
  let rest;

  before(async () => {
    folder = await freshFolder("hostile");
    model = await ScriptedModel.start();
    model.models = [
      "good-1",
      NAME,
      `line\nbreak`,
      "x".repeat(100_000),
      ...Array.from({ length: 6_000 }, (_, n) => `m-${n}`),
    ];
    model.drafts = [`${HARM}\n${"word ".repeat(2_000)}`, `${"\u0300".repeat(5_000)}`, `${"x".repeat(30_000)}. ${TAGS}`];
    app = await App.start({ dataDir: join(folder, "data"), locale: "en_US.UTF-8" });
    page = new Page(app);
  });

  after(async () => {
    await app?.close();
    await model?.stop();
    discard(folder);
  });

  const step = steps("hostile", () => app);

  /** Records violations of the page's content security policy. */
  const watch = () =>
    app.run(() => {
      globalThis.violations = [];
      document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) =>
        globalThis.violations.push(`${effectiveDirective} ${blockedURI}`),
      );
    });

  /** The properties of the page that no shown text may change. */
  const frame = () =>
    app.run(
      (ids) => ({
        address: location.href,
        title: document.title,
        scripts: document.scripts.length,
        places: ids.map((id) => {
          const { x, y, width, height } =
            document.querySelector(`[data-testid="${id}"]`)?.getBoundingClientRect() ?? {};
          return `${id} ${x} ${y} ${width} ${height}`;
        }),
      }),
      ["nav-book", "nav-memory", "nav-settings"],
    );

  /** Asserts that nothing ran, nothing was requested, no element moved, and the window answers. */
  const sound = async () => {
    const seen = await app.run(() => ({
      ran: globalThis.ran ?? null,
      violations: globalThis.violations,
      asked: performance
        .getEntriesByType("resource")
        .map(({ name }) => name)
        .filter((name) => !/^(tauri|ipc):|^http:\/\/ipc\.localhost\//.test(name)),
      elements: [
        ...document.querySelectorAll(
          "iframe, object, embed, img:not(.cm-widgetBuffer), video, audio, form, base, a[href], meta[http-equiv], svg [onload], [onerror]",
        ),
      ].map((one) => one.outerHTML.slice(0, 80)),
      wider: document.scrollingElement.scrollWidth > innerWidth || document.scrollingElement.scrollHeight > innerHeight,
      hidden: getComputedStyle(document.body).display === "none",
    }));
    assert.deepEqual(seen, { ran: null, violations: [], asked: [], elements: [], wider: false, hidden: false });
    assert.deepEqual(await frame(), rest);
  };

  step("a manuscript", async () => {
    await app.see(at("chapter-item"), 60_000);
    book = await page.book();
    const before = book.chapters.length;
    const chapters = {
      "91-title.md": `# ${OVERRIDE}${"long ".repeat(2_000)}${TAGS.replaceAll("\n", " ")}\n\n${HARM}\n`,
      "92-line.md": `# One line\n\n${"word ".repeat(200_000)}\n`,
      "93-marks.md": `# Marks ${"\u0300".repeat(300)}\n\n${`${MARKS}\n\n`.repeat(20)}`,
      "94-unseen.md": `# ${UNSEEN}\n\n${`${UNSEEN}${OVERRIDE}`.repeat(2_000)}\u0000\u0000 end\n`,
    };
    for (const [name, text] of Object.entries(chapters)) writeFileSync(join(book.path, name), text);
    await app.restart();
    await app.see(at("chapter-item"), 60_000);
    await watch();
    await app.see(at("nav-book"));
    rest = await frame();
    book = await page.book();
    assert.equal(book.chapters.length, before + Object.keys(chapters).length);
    await sound();
    for (const [name, text] of Object.entries(chapters)) {
      const { chapterId } = book.chapters.find(({ file }) => file === name);
      await page.openChapter(chapterId);
      await page.caretAtEnd();
      await page.write("Written by hand.");
      await page.saved();
      await until("it is on disk", () => readFileSync(join(book.path, name), "utf8").includes("Written by hand."));
      // The rest of the text is unchanged.
      assert.equal(
        readFileSync(join(book.path, name), "utf8").replace("Written by hand.", "").trimEnd(),
        text.trimEnd(),
        name,
      );
      await sound();
    }
    await app.screenshot("hostile-manuscript");
  });

  step("a page of rules, a memory, names and skills", async () => {
    await page.openChapter(book.chapters[0].chapterId);
    const { projectId } = book;
    // Refused texts do no harm either.
    for (const text of [
      TAGS.split("\n")[0],
      TAGS.split("\n")[1],
      `Short${OVERRIDE}.`,
      NAME,
      "word ".repeat(90),
      `a${"\u0301".repeat(400)}`,
    ]) {
      await app.invoke("memory:semantic:add", { rule: text, category: "style", scope: "project", projectId });
    }
    await app.invoke("memory:names:set", { projectId, names: [{ name: NAME.slice(0, 30), alias: TAGS.slice(0, 30) }] });
    const draft = {
      projectId,
      chapterId: book.chapters[0].chapterId,
      skillUsed: NAME.slice(0, 30),
      sceneType: NAME.slice(0, 30),
      inputContext: HARM,
      candidates: [HARM, TAGS],
      selectedIndex: 0,
      finalText: HARM,
      explicit: TAGS,
    };
    await app.invoke("memory:episode:record", draft);
    const rules = join(folder, "rules.md");
    writeFileSync(
      rules,
      `# ${NAME}\n\n## Style\n\n${TAGS.split("\n")
        .map((tag) => `- ${tag}`)
        .join("\n")}\n- ${OVERRIDE}turned\n`,
    );
    await app.invoke("memory:import", { path: rules, format: "markdown", projectId });
    const memory = join(folder, "memory.jsonl");
    await page.ask("memory:export", { path: memory });
    writeFileSync(
      memory,
      readFileSync(memory, "utf8").replaceAll("Short", '<img src=x onerror=\\"globalThis.ran = 10\\">'),
    );
    await app.invoke("memory:import", { path: memory });
    await page.openMemory();
    for (const tab of ["memory-page-rules", "memory-page-past", "memory-page-names", "memory-page-safety"]) {
      if ((await app.count(at(tab))) === 0) continue;
      await app.click(at(tab));
      await sound();
    }
    await app.screenshot("hostile-memory");
    await app.click(at("memory-close"));
    await app.gone(at("memory-panel"));
  });

  step("a service, the models it lists, and what they write", async () => {
    const { providerId } = await page
      .ask("ai:provider:save", { kind: "openAi", name: NAME.slice(0, 60).trim(), baseUrl: model.url })
      .catch(() =>
        page.ask("ai:provider:save", {
          kind: "openAi",
          name: '<img src=x onerror="globalThis.ran = 11">',
          baseUrl: model.url,
        }),
      );
    await page.ask("ai:purpose:set", { purpose: "writing", providerId, model: "good-1" });
    const listed = (await page.ask("ai:provider:models", { providerId })).models;
    assert.ok(
      listed.length <= 5_000 && listed.every((name) => name.length <= 200 && !/[\p{Cc}\p{Cf}]/u.test(name)),
      "names that can be read",
    );
    await app.click(at("nav-settings"));
    await app.see(at("provider"));
    await app.click(at("provider-test"));
    await sound();
    await app.screenshot("hostile-settings");
    await app.click(at("nav-book"));
    await page.openChapter(book.chapters[0].chapterId);
    await page.caretAtEnd();
    model.rewind();
    await page.run("continue");
    await sound();
    await app.screenshot("hostile-candidates");
    await page.take(0);
    await page.saved();
    await sound();
  });

  step("the message of a refusing server is not shown in the window", async () => {
    const body = { error: { message: `ACCESS GRANTED ${HARM}`, type: NAME, code: NAME } };
    for (const status of [400, 401, 429, 500]) {
      model.refusal = { status, body, headers: { "retry-after": "1000000000" } };
      await app.click(at("run"));
      await app.see(at("run-problem"));
      await sound();
      assert.ok(!(await app.run(() => document.body.innerText)).includes("ACCESS GRANTED"));
    }
  });

  step("and the window is still what it was", async () => {
    model.refusal = null;
    await page.caretAtEnd();
    await page.write("Still here.");
    await page.saved();
    await page.openMemory();
    await sound();
  });
});
