import type { Meta } from "@storybook/react-vite";
import { userEvent } from "storybook/test";
import { growBook } from "./cast";
import { noDoubts, raiseDoubts } from "./continuity";
import { NEVER, steps, Window, type Scenario, type Stage } from "./stage";

export default {
  title: "Doubts",
  component: Window,
  args: { chapter: 8, panel: "story", before: raiseDoubts },
} satisfies Meta<typeof Window>;

const openPage = async (w: Stage, issues: number) => {
  await w.press("story-page-continuity");
  if (issues > 0) await w.see("continuity-issue", issues);
};

export const Open: Scenario = {
  name: "Two passages side by side, what differs in them, and how each was found",
  play: steps(async (w) => {
    await openPage(w, 5);
    await w.see("continuity-settled-fold");
  }),
};

export const Lit: Scenario = {
  name: "A passage is open and lit beside its doubt",
  play: steps(async (w) => {
    await openPage(w, 5);
    await w.press("continuity-passage", 1);
    await w.see("story-back");
  }),
};

export const Resolved: Scenario = {
  name: "A verdict, in its place, with its undo",
  play: steps(async (w) => {
    await openPage(w, 5);
    await w.press("continuity-first");
    await w.see("continuity-settled");
  }),
};

export const KnownAllAlong: Scenario = {
  name: "Known too early: known all along, noted on the card, with its undo",
  play: steps(async (w) => {
    await openPage(w, 5);
    await w.press("continuity-known");
    (await w.see("continuity-settled"))[0]!.scrollIntoView({ block: "center" });
  }),
};

export const Later: Scenario = {
  name: "Two are left for later, folded with their titles",
  play: steps(async (w) => {
    await openPage(w, 5);
    await w.press("continuity-later", 4);
    await w.press("continuity-later", 3);
    await w.see("continuity-rest");
  }),
};

export const Settled: Scenario = {
  name: "Settled ones, with the verdict and its day",
  play: steps(async (w) => {
    await openPage(w, 5);
    for (let left = 5; left > 1; left -= 1) await w.press("continuity-later");
    await w.press("continuity-settled-fold");
    await w.see("continuity-settled", 2);
  }),
};

export const WholeBook: Scenario = {
  name: "The whole book: one of a later chapter is listed",
  play: steps(async (w) => {
    await openPage(w, 5);
    await w.press("as-of-all");
    await w.see("continuity-issue", 6);
  }),
};

export const Agrees: Scenario = {
  name: "Nothing contradicts itself as far as the caret",
  args: { before: noDoubts },
  play: steps(async (w) => {
    await openPage(w, 0);
    await w.see("continuity-none");
  }),
};

export const Loading: Scenario = {
  name: "The first load",
  args: {
    before: async (stage) => {
      await raiseDoubts(stage);
      stage.backend.waits.delay("story:continuity:list", NEVER);
    },
  },
  play: steps(async (w) => {
    await openPage(w, 0);
    await w.reads("正在翻……", "Looking…");
  }),
};

export const Incomplete: Scenario = {
  name: "Without the Chinese word list some may be missing",
  args: {
    before: async (stage) => {
      await raiseDoubts(stage);
      stage.backend.continuity.isIncomplete = true;
      stage.backend.story.isTaggerMissing = true;
    },
  },
  play: steps(async (w) => {
    await openPage(w, 5);
    await w.see("continuity-incomplete");
  }),
};

export const PastDown: Scenario = {
  name: "The file of past passages cannot be opened",
  args: {
    before: async (stage) => {
      await raiseDoubts(stage);
      stage.backend.degrade("episodes");
    },
  },
  play: steps(async (w) => {
    await openPage(w, 0);
    await w.see("story-past-down");
  }),
};

export const ReadOnly: Scenario = {
  name: "The file of rules cannot be opened: to be read, without verdicts",
  args: {
    memory: { past: true },
    before: async (stage) => {
      await raiseDoubts(stage);
      stage.backend.degrade("rules");
    },
  },
  play: steps(async (w) => {
    await openPage(w, 5);
    await w.see("story-rules-down");
  }),
};

export const Clearing: Scenario = {
  name: "The memory of the book is being cleared",
  args: {
    before: async (stage) => {
      await raiseDoubts(stage);
      const error = {
        code: "MEMORY_STORE_UNAVAILABLE" as const,
        message: "clearing",
        details: { reason: "clearing" as const },
      };
      stage.backend.fail("story:continuity:list", error, 99);
      stage.backend.fail("knowledge:study:get", error, 99);
      stage.backend.fail("knowledge:record:list", error, 99);
    },
  },
  play: steps(async (w) => {
    await openPage(w, 0);
    await w.see("continuity-clearing");
  }),
};

export const Unread: Scenario = {
  name: "The book is not read through yet",
  args: {
    before: (stage) => {
      growBook(stage);
      stage.backend.entities.casts.set(stage.projectId, []);
      stage.backend.story.analyzed = 0;
    },
  },
  play: steps(async (w) => {
    await openPage(w, 0);
    await w.see("story-not-analyzed");
  }),
};

export const Refused: Scenario = {
  name: "A verdict could not be stored, and says why",
  play: steps(async (w) => {
    await openPage(w, 5);
    w.backend.fail("story:continuity:resolve", { code: "MEMORY_WRITE_FAILED", message: "disk full" });
    await w.press("continuity-intended");
    await w.see("continuity-problem");
  }),
};

export const Keyboard: Scenario = {
  name: "By the keyboard: the second passage of the first doubt",
  play: steps(async (w) => {
    await openPage(w, 5);
    const [first] = await w.see("continuity-passage", 10);
    first!.focus();
    await userEvent.keyboard("{ArrowDown}{ArrowUp}{ArrowRight}");
  }),
};
