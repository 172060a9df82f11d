import type { Meta } from "@storybook/react-vite";
import { shows, steps, Window, type Scenario, type Stage } from "./stage";

export default {
  title: "Find in the book",
  component: Window,
  args: { memory: { past: true }, chapter: 2, panel: "find" },
} satisfies Meta<typeof Window>;

async function find(w: Stage, zh: string, en: string): Promise<void> {
  await w.fill("book-find", w.say(zh, en));
  await w.see("book-find-state");
}

export const Both: Scenario = {
  name: "In the chapters, and in past passages",
  play: steps(async (w) => {
    await find(w, "刻度", "scale");
    await w.see("found-place");
    await w.see("found-past", 6);
  }),
};

export const Alike: Scenario = {
  name: "Passages close in meaning",
  play: steps(async (w) => {
    const { files } = w.backend.books[0]!;
    w.backend.story.found = [1, 2].map((index) => {
      const { info, text } = files[index]!;
      const [, words = ""] = text.split("\n\n");
      const from = text.indexOf(words);
      const passage = {
        passageId: `passage-${index}`,
        chapterId: info.chapterId,
        from,
        to: from + words.length,
        text: words,
      };
      return { passage, group: "found" as const, score: 0.5, matchedBy: ["meaning"] };
    });
    await find(w, "a cabinet full of notebooks", "where he kept his records");
    await w.see("alike-passage", 2);
  }),
};

export const Opened: Scenario = {
  name: "A past passage opened from a search: its card, among the same results",
  play: steps(async (w) => {
    await find(w, "刻度", "scale");
    await w.see("found-past", 6);
    await w.press("found-past-open", 1);
    await w.see("past-perhaps");
  }),
};

export const PastOnly: Scenario = {
  name: "In no chapter, and nothing close in the past: the nearest",
  play: steps(async (w) => {
    await find(w, "人忘了水", "people remember water");
    await w.see("found-past-perhaps");
  }),
};

export const PastDown: Scenario = {
  name: "Past passages cannot be read: the chapters are searched",
  args: { before: ({ backend }) => backend.degrade("episodes") },
  play: steps(async (w) => {
    await find(w, "刻度", "scale");
    await w.see("found-place");
    await w.see("found-past-unavailable");
  }),
};

export const PastFailed: Scenario = {
  name: "The search in the past fails: the chapters are searched",
  args: {
    before: ({ backend }) =>
      backend.fail("memory:episode:query", { code: "MEMORY_STORE_UNAVAILABLE", message: "failed" }, 99),
  },
  play: steps(async (w) => {
    await find(w, "刻度", "scale");
    await w.see("found-place");
    await w.see("found-past-failed");
  }),
};

export const ChaptersFailed: Scenario = {
  name: "The chapters cannot be searched: past passages are",
  args: {
    before: ({ backend }) => backend.fail("chapter:list", { code: "BOOK_UNREADABLE", message: "no" } as never, 99),
  },
  play: steps(async (w) => {
    await find(w, "刻度", "scale");
    await w.see("found-past", 6);
  }),
};

export const Empty: Scenario = {
  name: "Before the first search",
  play: shows("book-find"),
};
