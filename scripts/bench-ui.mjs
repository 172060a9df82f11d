// npm run bench:ui [-- keys why paint rules size]: the figures that the design promises for the window, in Chromium.
//
// The interface is built as it ships, except for the backend in memory (`--mode fake`): the figures exclude the engine,
// which has its own benchmarks. The script time of a keystroke is read from the browser's trace: on the thread that
// handled the key, all time in which scripts ran (for events, timers, frames, microtasks, observers; with the layout
// they forced, and their garbage collection) from that key to the next. Time outside scripts, which is the browser's
// own insertion of the letter and the layout of the line, is reported separately. No measurement code runs in the page
// meanwhile.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { gzipSync } from "node:zlib";

import { chromium } from "playwright";

import { must, npm } from "./run.mjs";
import { print, row } from "./table.mjs";

const ALL = ["keys", "why", "paint", "rules", "size"];
const asked = process.argv.slice(2);
const wanted = asked.length > 0 ? asked : ALL;
if (wanted.some((name) => !ALL.includes(name))) {
  console.error(`One or several of: ${ALL.join(" ")}`);
  process.exit(1);
}

const LETTERS = 50_000;
const TRACES = 500;
const RULES = 500;
/** Rounds that alternate a figure and its floor, so that a slow second of the machine affects both. */
const ROUNDS = 12;
/** Keys per round: 600 in all. */
const KEYS = 50;
/** Milliseconds between two keys: longer than the immediate work of one key. */
const BETWEEN = 60;
const OPENINGS = 60;
const PAINTS = 20;

const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".woff2": "font/woff2",
  ".svg": "image/svg+xml",
};

/** Trace events during which scripts run. */
const SCRIPT = new Set([
  "FunctionCall",
  "TimerFire",
  "FireAnimationFrame",
  "FireIdleCallback",
  "RunMicrotasks",
  "EvaluateScript",
  "v8.run",
  "V8.GC_MC_BACKGROUND_MARKING",
  "MinorGC",
  "MajorGC",
]);
/** The same and the dispatch of events, which includes the browser's own part. */
const WHOLE = new Set([...SCRIPT, "EventDispatch"]);

const folder = mkdtempSync(join(tmpdir(), "palimpsest-bench-ui-"));

try {
  if (wanted.includes("size")) size(build("shipped"));
  if (wanted.some((name) => name !== "size")) {
    const server = await serve(build("fake", "--mode", "fake"));
    const browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox", "--disable-gpu"],
    });
    try {
      const context = await browser.newContext({
        viewport: { width: 1280, height: 800 },
        locale: "zh-CN",
        reducedMotion: "reduce",
      });
      const open = async () => {
        const page = await context.newPage();
        await page.goto(`${server.address}/?host=fake&past=none`);
        await page.locator(".cm-content").waitFor();
        return page;
      };
      if (wanted.includes("keys")) await keys(browser, await open());
      if (wanted.includes("why")) await why(await open());
      if (wanted.includes("paint")) await paint(context, server.address);
      if (wanted.includes("rules")) await rules(await open());
    } finally {
      await browser.close();
      server.close();
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
print();

// ---- measurements ----

/**
 * The script time of a key in a long chapter full of marks, and in an empty one. Reported for all rounds, and for the
 * half in which the empty chapter was faster: that selection depends on the floor and not on the figure, and excludes
 * rounds in which other processes slowed the machine.
 */
async function keys(browser, page) {
  await page.evaluate(fill, { letters: LETTERS, traces: TRACES });
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const parts = {};
    for (const [name, chapter] of [
      ["long", 2],
      ["empty", 3],
    ]) {
      await page.getByTestId("chapter-item").nth(chapter).click();
      await page.locator(`[data-testid="chapter-item"][aria-current]`).nth(0).waitFor();
      await wait(700);
      await toMiddle(page);
      const events = await traced(browser, page, async () => {
        for (let key = 0; key < KEYS; key += 1) {
          await page.keyboard.press(key % 6 === 5 ? "Space" : "abcdefghij"[key % 10]);
          await wait(BETWEEN);
        }
      });
      parts[name] = { script: afterKeys(events, SCRIPT), whole: afterKeys(events, WHOLE) };
      await wait(1_200); // the text is saved before the next chapter
    }
    rounds.push(parts);
  }
  const marks = await page.evaluate(() => window.fake.books[0].files[2].origins.length);
  const chapters = {
    long: `${LETTERS.toLocaleString("en")} characters, ${marks} marks`,
    empty: "empty chapter (floor)",
  };
  const sum = ({ empty }) => empty.script.reduce((all, { wall }) => all + wall, 0);
  const quick = rounds.toSorted((one, other) => sum(one) - sum(other)).slice(0, ROUNDS / 2);
  const tell = (what, of, kind, clock, must) => {
    for (const [name, chapter] of Object.entries(chapters)) {
      row(
        `${what}: ${chapter}`,
        of.flatMap((round) => round[name][kind].map((key) => key[clock])),
        name === "long" ? must : {},
      );
    }
  };
  tell("script of a key, ms, the half with the quicker floor", quick, "script", "wall", { must: 8 });
  tell("script of a key, ms, all", rounds, "script", "wall", { must: 8 });
  // CPU time excludes other processes on the machine.
  tell("of it on the processor, ms, all", rounds, "script", "cpu", { must: 8 });
  tell("with the browser’s own putting in of the letter, ms, all", rounds, "whole", "wall", {});
}

/** The time from the click on a mark to the frame with the complete *why* panel; every repetition has another mark. */
async function why(page) {
  await page.evaluate(fill, { letters: LETTERS, traces: TRACES });
  await page.getByTestId("chapter-item").nth(2).click();
  await page.getByTestId("origin-mark").first().waitFor();
  await page.evaluate(watch);
  const [opened, floor] = [[], []];
  for (let turn = 0; turn < OPENINGS; turn += 1) {
    await page.evaluate((part) => {
      const sheet = [...document.querySelectorAll("main div")].find((one) =>
        /auto|scroll/.test(getComputedStyle(one).overflowY),
      );
      sheet.scrollTop = part * (sheet.scrollHeight - 2 * sheet.clientHeight);
    }, turn / OPENINGS);
    await wait(250);
    const mark = await page.evaluate(() => {
      const all = [...document.querySelectorAll('[data-testid="origin-mark"]')];
      const places = all.map((one) => one.getBoundingClientRect());
      const at = places.find(({ top, bottom }) => top > 80 && bottom < innerHeight - 80);
      return at ? { x: at.x + at.width / 2, y: at.y + at.height / 2 } : null;
    });
    if (!mark) continue;
    opened.push(await clicked(page, mark, '[data-testid="why-tier"]'));
    await page.keyboard.press("Escape");
    await page.getByTestId("why-panel").waitFor({ state: "detached" });
    await wait(100);
    // The same measurement of a click without effect: the time to the next frame.
    floor.push(await clicked(page, { x: 640, y: 22 }, "body"));
  }
  row("why, click to picture, ms", opened, { must: 150 });
  row("a click that does nothing, to the next picture, ms (floor)", floor);
}

/** The time to the first contentful paint, with all files in the browser's cache. */
async function paint(context, address) {
  const [ours, floor] = [[], []];
  const page = await context.newPage();
  for (let turn = 0; turn <= PAINTS; turn += 1) {
    for (const [path, into] of [
      ["/?host=fake&past=none", ours],
      ["/nothing.html", floor],
    ]) {
      await page.goto(address + path);
      if (into === ours) await page.locator(".cm-content .cm-line").first().waitFor();
      const first = await page.evaluate(async () => {
        const paintedAt = () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
        while (paintedAt() === undefined) await new Promise((resolve) => setTimeout(resolve, 20));
        return paintedAt();
      });
      // The first visit is cold and does not count.
      if (turn > 0) into.push(first);
    }
  }
  row("first paint, warm, ms", ours, { must: 1_000 });
  row("first paint of a page with one word in it, warm, ms (floor)", floor);
}

/** The maximum number of rule cards in the page while all rules scroll by, one screen in three frames. */
async function rules(page) {
  await page.evaluate((many) => {
    const { rules: all, books } = window.fake;
    const { projectId } = books[0].project;
    const categories = ["style", "structure", "character", "pacing", "vocabulary"];
    for (let index = all.length; index < many + 2; index += 1) {
      all.push({
        ...all[0],
        id: `bench-${index}`,
        rule: `第 ${index} 条：对白里的句子要短，不用“仿佛”。`.repeat(1 + (index % 3)),
        category: categories[index % 5],
        scope: "project",
        projectId,
      });
    }
    window.fake.emit("memory:changed", { projectId: null, what: ["rules"] });
  }, RULES);
  await page.getByTestId("nav-memory").click();
  await page.getByTestId("rule-card").first().waitFor();
  await wait(500);
  const mounted = await page.evaluate(async () => {
    const list = document.querySelector('[data-testid="rules"]');
    const counts = [];
    const seen = new Set();
    for (const step of [260, -900]) {
      for (let last = -1; last !== list.scrollTop;) {
        last = list.scrollTop;
        list.scrollTop += step;
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        const cards = document.querySelectorAll('[data-testid="rule-card"]');
        for (const card of cards) seen.add(card.dataset.ruleId);
        counts.push(cards.length);
      }
    }
    return { counts, seen: seen.size };
  });
  row(`rule cards mounted while scrolling (${mounted.seen} of ${RULES} came by)`, mounted.counts, {
    must: 60,
    at: "most",
  });
}

/** The gzip sizes of the scripts and styles of a shipped build, in KB of 1024 bytes. */
function size(built) {
  const weigh = (end) => {
    const files = readdirSync(join(built, "assets")).filter((name) => name.endsWith(end));
    return (
      files.reduce((sum, name) => sum + gzipSync(readFileSync(join(built, "assets", name)), { level: 9 }).length, 0) /
      1024
    );
  };
  row("JS shipped, gzip, KB", [weigh(".js")], { must: 900, at: "most" });
  row("CSS shipped, gzip, KB", [weigh(".css")]);
}

// ---- in the page ----

/**
 * Fills one chapter with this many characters and marks, each mark of its own generation, and one with its title alone.
 */
function fill({ letters, traces }) {
  const { fake } = window;
  const [{ files }] = fake.books;
  const [long, empty] = [files[2], files[3]];
  const sentence = "潮水退下去了，他站在堤上看着验潮所的灯，簿子还摊在桌上，翻在九八年那一页。";
  const paragraphs = [];
  for (let length = 0; length < letters; length += paragraphs.at(-1).length)
    paragraphs.push(sentence.repeat(1 + (paragraphs.length % 4)));
  long.text = `# ${long.info.title}\n\n${paragraphs.join("\n\n")}\n`;
  long.hash = "bench-long";
  const pattern = fake.traces.get("gen-a");
  const apart = Math.floor((long.text.length - 100) / traces);
  long.origins = Array.from({ length: traces }, (_, index) => {
    const generationId = `bench-${index}`;
    fake.traces.set(generationId, { ...pattern, generationId });
    const from = 50 + index * apart;
    return { generationId, skill: "continue", from, to: from + 18, quoteHash: "" };
  });
  // Measures the window's part of saving, without the work that the backend in memory does on the same thread.
  const invoke = fake.invoke.bind(fake);
  let writes = 0;
  fake.invoke = async (name, args) =>
    name === "chapter:write"
      ? {
          contentHash: `bench-${JSON.stringify(args).length}-${(writes += 1)}`,
          words: 0,
          originsSaved: true,
          snapshotsSaved: true,
        }
      : invoke(name, args);
  empty.text = `# ${empty.info.title}\n\n`;
  empty.hash = "bench-empty";
  empty.origins = [];
}

/** `window.pictured(selector)`: milliseconds from the next click to the end of the frame that contains the selector. */
function watch() {
  window.pictured = (selector) =>
    new Promise((resolve) => {
      addEventListener(
        "click",
        ({ timeStamp }) => {
          const look = () => {
            if (!document.querySelector(selector)) return false;
            observer.disconnect();
            requestAnimationFrame(() => {
              const { port1, port2 } = new MessageChannel();
              port1.onmessage = () => resolve(performance.now() - timeStamp);
              port2.postMessage(null);
            });
            return true;
          };
          const observer = new MutationObserver(look);
          if (!look()) observer.observe(document.body, { subtree: true, childList: true });
        },
        { capture: true, once: true },
      );
    });
}

async function clicked(page, { x, y }, selector) {
  await page.mouse.move(x, y);
  await wait(60);
  await page.evaluate((what) => void (window.picture = window.pictured(what)), selector);
  await page.mouse.click(x, y);
  return page.evaluate(() => window.picture);
}

/** Puts the caret in the middle of the text, with marks above and below. */
async function toMiddle(page) {
  const at = await page.evaluate(async () => {
    const sheet = [...document.querySelectorAll("main div")].find((one) =>
      /auto|scroll/.test(getComputedStyle(one).overflowY),
    );
    sheet.scrollTop = sheet.scrollHeight / 2;
    await new Promise((resolve) => setTimeout(resolve, 300));
    const lines = [...document.querySelectorAll(".cm-line")].map((line) => line.getBoundingClientRect());
    const line = lines.findLast(({ top, bottom }) => top > 80 && bottom < innerHeight - 120) ?? lines.at(-1);
    return { x: line.x + Math.min(line.width, 500) / 2, y: line.y + line.height / 2 };
  });
  await page.mouse.click(at.x, at.y);
  await wait(300);
}

// ---- the browser's trace ----

async function traced(browser, page, work) {
  await browser.startTracing(page, { categories: ["devtools.timeline", "v8.execute"] });
  await work();
  return JSON.parse((await browser.stopTracing()).toString()).traceEvents;
}

/**
 * Milliseconds spent in the counted events from each key to the next, nested events counted once: wall time and CPU
 * time.
 */
function afterKeys(events, counted) {
  const isKey = ({ name, args }) => name === "EventDispatch" && args?.data?.type === "keydown";
  const { pid, tid } = events.find(isKey);
  const ours = events
    .filter((event) => event.pid === pid && event.tid === tid && event.ph === "X")
    .toSorted((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0));
  const begins = ours.filter(isKey).map(({ ts }) => ts);
  const sums = begins.map(() => ({ wall: 0, cpu: 0 }));
  let [key, done] = [-1, 0];
  for (const { name, ts, dur = 0, tdur } of ours) {
    while (key + 1 < begins.length && begins[key + 1] <= ts) key += 1;
    if (key < 0 || !counted.has(name) || ts < done) continue;
    sums[key].wall += dur / 1_000;
    sums[key].cpu += (tdur ?? NaN) / 1_000;
    done = ts + dur;
  }
  // The last key has no next one, so its sum is incomplete.
  return sums.slice(0, -1);
}

// ---- build and server ----

function build(name, ...args) {
  const out = join(folder, name);
  must([...npm("run", "--silent", "ui:build"), "--", "--outDir", out, "--emptyOutDir", "--logLevel", "error", ...args]);
  return out;
}

/** Serves the built files with headers that let the browser cache them, as a program's own files. */
async function serve(root) {
  const nothing = "<!doctype html><title>nothing</title><p>word</p>";
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://localhost").pathname;
    try {
      const body = path === "/nothing.html" ? nothing : readFileSync(join(root, path === "/" ? "index.html" : path));
      response.writeHead(200, {
        "content-type": TYPES[extname(path)] ?? "text/html",
        "cache-control": path.startsWith("/assets/") ? "max-age=31536000, immutable" : "no-cache",
      });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
