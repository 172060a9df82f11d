// The window as a writer uses it: the page, the assistant, the memory, and *why*.

import { test } from "node:test";

import { at, Key, until } from "./driver.mjs";

export const CONTENT = `${at("editor")} .cm-content`;
export const candidate = (index) => at("candidate", { "data-index": index });

export const rule = (ruleId) => at("rule-card", { "data-rule-id": ruleId });

/**
 * Dependent steps: after the first failure the others are skipped. `name` is a part of the name of the failure's
 * picture.
 */
export function steps(name, window) {
  let broken = false;
  return (what, body) =>
    test(what, async (t) => {
      if (broken) return t.skip("an earlier step failed");
      try {
        await body();
      } catch (error) {
        broken = true;
        await window()
          .screenshot(`failed-${name}`)
          .catch(() => {});
        throw error;
      }
    });
}

export class Page {
  constructor(app) {
    this.app = app;
  }

  // ---- the book ----

  /** The open book, with its chapters. */
  async book() {
    const { projects } = await this.ask("project:list", {});
    const [project] = projects;
    const { chapters } = await this.ask("chapter:list", { projectId: project.projectId });
    return { ...project, chapters };
  }

  /** Calls a command that must succeed, and returns its answer. */
  async ask(name, args) {
    const { ok, error } = await this.app.invoke(name, args);
    if (error) throw new Error(`${name}: ${JSON.stringify(error)}`);
    return ok;
  }

  async openChapter(chapterId) {
    const item = at("chapter-item", { "data-chapter-id": chapterId });
    await this.app.click(item);
    await until("the chapter is open", async () => {
      const current = await this.app.attribute(item, "aria-current");
      return current !== null && current !== "false";
    });
    await this.app.see(CONTENT);
  }

  // ---- the page ----

  /** The text of the open chapter in the editor's state (the page has no elements for lines that are out of sight). */
  text() {
    return this.app.run(
      (css) =>
        [...document.querySelectorAll(`${css} .cm-line`)]
          .map((line) => {
            const copy = line.cloneNode(true);
            for (const widget of copy.querySelectorAll('[contenteditable="false"]')) widget.remove();
            return copy.textContent;
          })
          .join("\n"),
      CONTENT,
    );
  }

  holds(text) {
    return until(`the page holds ${JSON.stringify(text.slice(0, 30))}`, async () => (await this.text()).includes(text));
  }

  async caretAtEnd() {
    await this.app.click(CONTENT);
    await this.app.press([Key.control, Key.end]);
  }

  /**
   * Puts the caret behind the first occurrence of `text`. The page has no elements for lines that are out of sight: it
   * is scrolled until they are there.
   */
  async caretAfter(text) {
    await until(`the caret is behind ${JSON.stringify(text)}`, () =>
      this.app.run(
        (css, wanted) => {
          const content = document.querySelector(css);
          content.focus();
          for (const line of content.querySelectorAll(".cm-line")) {
            const start = line.textContent.indexOf(wanted);
            if (start < 0) continue;
            const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
            let left = start + wanted.length;
            for (let node = walker.nextNode(); node; node = walker.nextNode()) {
              if (left <= node.length) {
                getSelection().collapse(node, left);
                return true;
              }
              left -= node.length;
            }
          }
          let scroller = content;
          while (!/scroll|auto/.test(getComputedStyle(scroller).overflowY)) scroller = scroller.parentElement;
          const isAtEnd = scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 1;
          scroller.scrollTop = isAtEnd ? 0 : scroller.scrollTop + scroller.clientHeight / 2;
          return false;
        },
        CONTENT,
        text,
      ),
    );
  }

  /**
   * Selects the first occurrence of `text`, from its end, with the keyboard, so that the editor knows of it at once.
   */
  async select(text) {
    await this.caretAfter(text);
    await this.app.press(...Array(text.length).fill([Key.shift, Key.left]));
    await until(
      `${JSON.stringify(text)} is selected`,
      async () => (await this.app.run(() => getSelection().toString())) === text,
    );
  }

  /** Types at the caret. */
  async write(text) {
    await this.app.press(...text.replaceAll("\n", Key.enter));
  }

  /** Waits until everything is saved on disk. */
  saved() {
    return this.saveState("saved");
  }

  saveState(state) {
    return until(
      `the page is ${state}`,
      async () => (await this.app.attribute(at("save-state"), "data-state")) === state,
    );
  }

  /** The generations that have marks in the margin. */
  marks() {
    return this.app.attributes(at("origin-mark"), "data-generation");
  }

  // ---- the assistant ----

  /**
   * Runs a skill at the caret or selection, waits for complete candidates, and returns the observed progress and the
   * count.
   */
  async run(skill) {
    await this.app.click(at(`skill-${skill}`));
    await this.app.run((css) => {
      globalThis.seen = { writing: 0, lengths: [] };
      const look = () => {
        const cards = [...document.querySelectorAll(css)];
        if (cards.some((card) => card.dataset.state === "writing")) {
          globalThis.seen.writing = Math.max(globalThis.seen.writing, cards.length);
          globalThis.seen.lengths.push(cards.reduce((sum, card) => sum + card.textContent.length, 0));
        }
      };
      globalThis.seenBy?.disconnect();
      globalThis.seenBy = new MutationObserver(look);
      globalThis.seenBy.observe(document.body, {
        subtree: true,
        childList: true,
        characterData: true,
        attributes: true,
      });
    }, at("candidate"));
    await this.app.click(at("run"));
    await this.app.see(at("candidate", { "data-state": "ready" }));
    await this.app.gone(at("candidate", { "data-state": "writing" }));
    const seen = await this.app.run(() => {
      globalThis.seenBy.disconnect();
      return globalThis.seen;
    });
    return { seen, count: await this.app.count(at("candidate")) };
  }

  /** Requests new candidates at the same position, and waits for them. */
  async again() {
    await this.app.click(at("again"));
    await this.app.gone(at("candidate", { "data-state": "ready" }));
    await this.app.see(at("candidate", { "data-state": "ready" }));
    await this.app.gone(at("candidate", { "data-state": "writing" }));
  }

  /** The index of the shortest candidate. */
  async shortest() {
    const texts = await this.app.texts(`${at("candidate")} p`);
    return texts.reduce((best, text, index) => (text.length < texts[best].length ? index : best), 0);
  }

  async take(index) {
    // A card may show its actions only while it is selected.
    await this.app.click(candidate(index));
    await this.app.click(`${candidate(index)} ${at("take")}`);
    await this.app.gone(at("candidate"));
  }

  /** Edits a candidate and takes it; `change` maps the draft to the final text. */
  async takeEdited(index, change) {
    await this.app.click(candidate(index));
    await this.app.click(`${candidate(index)} ${at("edit-first")}`);
    await this.app.see(at("edit-text"));
    const draft = await this.app.value(at("edit-text"));
    const final = change(draft);
    // As a writer types: deletes from the end back to the first change, and types the rest.
    let same = 0;
    while (same < draft.length && draft[same] === final[same]) same += 1;
    await this.app.click(at("edit-text"));
    await this.app.press([Key.control, Key.end]);
    await this.app.press(
      ...Array(draft.length - same).fill(Key.backspace),
      ...final.slice(same).replaceAll("\n", Key.enter),
    );
    await until("the draft is changed", async () => (await this.app.value(at("edit-text"))) === final);
    await this.app.click(at("edit-take"));
    await this.app.gone(at("candidate"));
    return { draft, final };
  }

  async rejectAll() {
    await this.app.click(at("reject-all"));
    await this.app.gone(at("candidate"));
  }

  /** The text of the request that would be sent now. */
  async preview() {
    await this.app.click(at("preview-toggle"));
    const sent = await this.app.text(at("preview-sent"));
    await this.app.click(at("preview-toggle"));
    await this.app.gone(at("preview-sent"));
    return sent;
  }

  /** Waits until `count` episodes are in the memory, and returns them, newest first. */
  async episodes(projectId, count) {
    return until(`${count} episodes are recorded`, async () => {
      const { episodes } = await this.ask("memory:episode:query", { projectId, limit: 50 });
      if (episodes.length < count) return null;
      return episodes.map(({ episode }) => episode).toSorted((a, b) => b.createdAt.localeCompare(a.createdAt));
    });
  }

  /** Records drafts of episodes one after another, as an editor would. */
  async record(drafts) {
    // In batches, because a script in the page has a time limit.
    for (let from = 0; from < drafts.length; from += 10) {
      await this.app.runAsync(
        async (lot) => {
          for (const draft of lot) await globalThis.__TAURI_INTERNALS__.invoke("memory:episode:record", draft);
        },
        drafts.slice(from, from + 10),
      );
    }
  }

  // ---- the memory ----

  /** All rules that apply in the book, as the program returns them. */
  async rules(projectId) {
    return (await this.ask("memory:semantic:list", { projectId })).rules;
  }

  /** The visible rules. */
  cards() {
    return this.app.run(
      (css) =>
        [...document.querySelectorAll(css)].map((card) => ({
          id: card.dataset.ruleId,
          text: card.querySelector("p")?.innerText ?? "",
          confirmed: card.dataset.confirmed === "true",
        })),
      at("rule-card"),
    );
  }

  /** Starts recording the events of a run of learning, and the progress shown in the page. */
  async watchLearning() {
    await this.app.runAsync(async (css) => {
      const tauri = globalThis.__TAURI_INTERNALS__;
      if (!globalThis.heard) {
        const handler = tauri.transformCallback(({ payload }) => globalThis.heard.push(payload.stage));
        await tauri.invoke("plugin:event|listen", {
          event: "memory:distill:progress",
          target: { kind: "Any" },
          handler,
        });
      }
      globalThis.heard = [];
      globalThis.stageTexts = [];
      const look = () => {
        const text = document.querySelector(css)?.innerText;
        if (text && text !== globalThis.stageTexts.at(-1)) globalThis.stageTexts.push(text);
      };
      globalThis.stageObserver?.disconnect();
      globalThis.stageObserver = new MutationObserver(look);
      globalThis.stageObserver.observe(document.body, { subtree: true, childList: true, characterData: true });
    }, at("learning-progress"));
  }

  /**
   * Calls `begin`, which starts a run of learning, and waits for its end. Returns the run, the stages of its events,
   * the progress shown (a run without a model may end before the page is drawn), and the outcome shown.
   */
  async learn(projectId, begin = () => this.app.click(at("learn-now"))) {
    const runs = async () => (await this.ask("memory:distill:list", { projectId })).runs;
    const earlier = (await runs()).length;
    await this.watchLearning();
    await begin();
    const run = await until("the run has ended", async () => {
      const [latest, ...others] = await runs();
      return latest && others.length === earlier && latest.status !== "running" && latest;
    });
    await this.app.gone(at("learning-progress"));
    await this.app.see(`${at("learn-now")}:not([disabled])`);
    const said = await this.app.text(at("learning-outcome"));
    return {
      run,
      said,
      ...(await this.app.run(() => ({ heard: [...new Set(globalThis.heard)], stageTexts: globalThis.stageTexts }))),
    };
  }

  async openMemory() {
    await this.app.click(at("nav-memory"));
    await this.app.see(at("memory-panel"));
  }

  async openBook() {
    await this.app.click(at("nav-book"));
    await this.app.see(at("chapter-item"));
  }

  /** Adds a rule by hand, in the form. */
  async addRule(text, { category = "style", scope = "project" } = {}) {
    await this.app.click(at("rule-add"));
    await this.app.see(at("rule-form"));
    await this.app.fill(at("rule-text"), text);
    await this.choose("rule-category", category);
    await this.choose("rule-scope", scope);
    await this.app.click(at("rule-save"));
    await this.app.gone(at("rule-form"));
    await this.app.click(at(`memory-tab-${scope}`));
    await until("the rule is listed", async () =>
      (await this.app.texts(at("rule-card"))).some((card) => card.includes(text)),
    );
  }

  /** Chooses an option: from a list behind a button, or from a row of buttons. */
  async choose(id, key) {
    if ((await this.app.attribute(at(id), "data-value")) === key) return;
    const option = at(`${id}-${key}`);
    if ((await this.app.count(option)) === 0) await this.app.click(at(id));
    await this.app.click(option);
    await until(`${id} is ${key}`, async () => (await this.app.attribute(at(id), "data-value")) === key);
  }

  // ---- why ----

  /** Opens *why* from the mark in the margin and reads it. */
  async why(generationId) {
    const panel = at("why-panel", { "data-generation": generationId });
    await until("why opens", async () => {
      // The page may still move under the pointer after a change; then the click is repeated.
      await this.app.click(at("origin-mark", { "data-generation": generationId }));
      return this.app.see(panel, 3_000).catch(() => false);
    });
    await this.app.see(at("why-sent-toggle"));
    const group = (kind) => this.app.texts(`${at(`why-group-${kind}`)} ${at("why-reference")}`);
    const groups = {
      rule: await group("rule"),
      entity: await group("entity"),
      episode: await group("episode"),
      working: await group("working"),
    };
    await this.app.click(at("why-sent-toggle"));
    const sent = await this.app.text(at("why-sent"));
    return { ...groups, sent };
  }

  /** The weight of each memory, as the open panel shows it. */
  weights() {
    return this.app.run(
      (reference, rest) => {
        const percent = (place) => Number(/(\d+)%/.exec(place?.innerText ?? "")?.[1] ?? Number.NaN);
        const textIn = (place, id) => place.querySelector(`[data-testid="${id}"]`)?.innerText ?? null;
        return {
          tier: document.querySelector('[data-testid="why-tier"]').dataset.tier,
          words: document.querySelector('[data-testid="why-tier"]').innerText,
          groups: [...document.querySelectorAll('[data-testid^="why-group-"] h3 b')].map(percent),
          rest: percent(document.querySelector(`${rest} h3 b`)),
          memories: [...document.querySelectorAll(reference)].map((place) => ({
            text: place.querySelector("p").innerText,
            grade: place.dataset.grade,
            weight: textIn(place, "why-weight"),
            followed: textIn(place, "why-followed"),
            meter: place.querySelector('[role="meter"]')?.getAttribute("aria-valuetext") ?? null,
            verdict: place.querySelector('[aria-pressed="true"]')?.dataset.testid ?? null,
            said: textIn(place, "verdict-said"),
          })),
        };
      },
      at("why-reference"),
      at("why-rest"),
    );
  }

  async closeWhy() {
    await this.app.click(at("why-close"));
    await this.app.gone(at("why-panel"));
  }
}
