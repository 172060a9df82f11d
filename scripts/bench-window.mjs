// npm run bench:window: the figures that the design promises for the window, in the release build of the desktop
// program with its own engine and its own web view. It needs a display.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { TARGET, ask, must, npm } from "./run.mjs";
import { setup } from "./setup.mjs";
import { print, row } from "./table.mjs";

/** Number of warm starts. */
const STARTS = 20;
/** Clock ticks per second, the unit of a process's start time. */
const TICKS = Number(ask("getconf", "CLK_TCK"));
/** Openings of *why*. */
const OPENINGS = 40;

setup("start");
must([...npm("run", "--silent", "ui:build"), "--", "--logLevel", "error"]);
must(["cargo", "build", "--quiet", "--workspace", "--release", "--bin", "palimpsest"]);
process.env.PALIMPSEST_BINARY = join(TARGET, "release", "palimpsest");
// Imported here, because the driver chooses the program when it is loaded.
const { App, at, discard, freshFolder } = await import("../tests/e2e/driver.mjs");
const { Page } = await import("../tests/e2e/page.mjs");

const dataDir = await freshFolder("bench");
const app = await App.start({ dataDir, locale: "en_US.UTF-8" });
try {
  const page = new Page(app);
  await why(page);
  await starts();
} finally {
  await app.close();
  discard(dataDir);
}
print();

/** The time from the start of the process to the first paint of the page, and the page's share of it. */
async function starts() {
  const [whole, own] = [[], []];
  for (let turn = 0; turn < STARTS; turn += 1) {
    await app.restart();
    await app.see(".cm-content .cm-line");
    const { origin, painted } = await app.run(() => ({
      origin: performance.timeOrigin,
      painted: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null,
    }));
    if (painted === null) continue;
    whole.push(origin + painted - begun(app.pid));
    own.push(painted);
  }
  row("first paint, warm, from the start of the process, ms", whole, { must: 1_000 });
  row("of it since the page began to load, ms", own);
}

/** The start time of a process, in milliseconds since 1970, with a resolution of a hundredth of a second. */
function begun(pid) {
  const up = Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]);
  const now = Date.now();
  // The name of the program, in parentheses, may contain any character.
  const after = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ");
  return now - (up - Number(after[19]) / TICKS) * 1_000;
}

/**
 * The time from the click on a mark to the frame with the complete *why* panel, including the engine's read of the
 * trace.
 */
async function why(page) {
  await app.see(".cm-content .cm-line");
  await page.caretAtEnd();
  await page.run("continue");
  await page.take(0);
  const mark = at("origin-mark");
  await app.see(mark);
  const [opened, floor] = [[], []];
  for (let turn = 0; turn < OPENINGS; turn += 1) {
    opened.push(await app.runAsync(pictured, mark, '[data-testid="why-tier"]'));
    await app.click(at("why-close"));
    await app.gone(at("why-panel"));
    floor.push(await app.runAsync(pictured, ".cm-content", "body"));
  }
  row("why, click to picture, ms", opened, { must: 150 });
  row("a click that does nothing, to the next picture, ms (floor)", floor);
}

/** In the page: milliseconds from a click to the end of the frame that contains the selector. */
function pictured(pressed, selector) {
  return new Promise((resolve) => {
    const since = performance.now();
    document.querySelector(pressed).click();
    const look = () => {
      if (!document.querySelector(selector)) return false;
      observer.disconnect();
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve(performance.now() - since);
        port2.postMessage(null);
      });
      return true;
    };
    const observer = new MutationObserver(look);
    if (!look()) observer.observe(document.body, { subtree: true, childList: true });
  });
}
