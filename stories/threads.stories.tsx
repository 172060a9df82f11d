import type { Meta } from "@storybook/react-vite";
import { takeIn } from "./cast";
import { editPlot, writePlot } from "./facts";
import { steps, Window, type Scenario, type Stage } from "./stage";

export default {
  title: "Threads",
  component: Window,
  args: { chapter: 8, panel: "story", before: writePlot },
} satisfies Meta<typeof Window>;

const openPage = async (w: Stage, threads: number) => {
  await w.press("story-page-threads");
  await w.see("thread", threads);
};

/** Opens a thread by its name. */
async function openThread(w: Stage, zh: string, en: string): Promise<void> {
  await openPage(w, 9);
  const all = await w.see("thread", 9);
  const row = all.find(({ textContent }) => textContent?.includes(w.say(zh, en)));
  if (!row) throw new Error(`no thread: ${en}`);
  row.click();
  await w.see("fact-card");
}

export const Plot: Scenario = {
  name: "Threads and time as far as the caret, over the same chapters",
  play: steps(async (w) => {
    await openPage(w, 9);
    await w.see("event", 7);
  }),
};

export const Thread: Scenario = {
  name: "A thread open: its steps, and the answers to it",
  play: steps((w) => openThread(w, "一只发夹", "A hairpin")),
};

export const Paid: Scenario = {
  name: "A thread is paid here, in one line",
  play: steps(async (w) => {
    await openThread(w, "谁在数贝壳", "Who counts the shells");
    await w.press("thread-paid");
    await w.see("fact-form");
  }),
};

export const WholeBook: Scenario = {
  name: "The whole book: later steps and events are listed",
  play: steps(async (w) => {
    await openPage(w, 9);
    await w.press("as-of-all");
    await w.see("thread", 10);
    await w.see("event", 8);
  }),
};

export const AsTold: Scenario = {
  name: "Time as the book tells it",
  play: steps(async (w) => {
    await openPage(w, 9);
    await w.press("events-told");
  }),
};

export const Stale: Scenario = {
  name: "The sentence of an event was edited",
  args: { before: editPlot },
  play: steps(async (w) => {
    await openPage(w, 9);
    await w.see("event-stale");
  }),
};

export const None: Scenario = {
  name: "No threads and no events yet",
  args: { before: takeIn },
  play: steps(async (w) => {
    await w.press("story-page-threads");
    await w.see("threads-none");
    await w.see("events-none");
  }),
};

export const Timed: Scenario = {
  name: "A fact with its time in the story",
  play: steps(async (w) => {
    const rows = await w.see("story-row", 5);
    rows.find(({ textContent }) => textContent?.includes(w.say("阿满", "Aman")))!.click();
    await w.see("fact-times");
    await w.press("fact-open");
    await w.press("fact-edit");
    await w.see("fact-time-fields");
  }),
};
