import type { Meta } from "@storybook/react-vite";
import { userEvent } from "storybook/test";
import { growBook } from "./cast";
import { noDoubts, raiseDoubts, raiseLooseEnds, withPairs } from "./continuity";
import { CLEARING, NEVER, steps, Window, type Scenario, type Stage } from "./stage";

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
      stage.backend.fail("story:continuity:list", CLEARING, 99);
      stage.backend.fail("knowledge:study:get", CLEARING, 99);
      stage.backend.fail("knowledge:record:list", CLEARING, 99);
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

/** Shows the line about pairs, below the doubts. */
const seePairs = async (w: Stage, issues: number, ...testIds: string[]) => {
  await openPage(w, issues);
  for (const testId of testIds) await w.see(testId);
  (await w.see("continuity-pairs"))[0]!.scrollIntoView({ block: "center" });
};

export const ModelSays: Scenario = {
  name: "Found by a model, with its own words on it",
  play: steps(async (w) => {
    await openPage(w, 5);
    (await w.see("continuity-why"))[0]!.scrollIntoView({ block: "center" });
  }),
};

export const LooseEnds: Scenario = {
  name: "A thread that nothing touches with its one passage, and people and places that do not agree",
  args: { chapter: 11, before: raiseLooseEnds },
  play: steps((w) => openPage(w, 4)),
};

export const PairsWait: Scenario = {
  name: "Pairs of sentences wait for a model elsewhere that was agreed to",
  args: { before: withPairs({ waiting: 3 }, "remote") },
  play: steps((w) => seePairs(w, 5, "continuity-compare", "continuity-compare-sends")),
};

export const PairsWaitHere: Scenario = {
  name: "Pairs of sentences wait for a model of this machine, and nothing else is found",
  args: { before: withPairs({ waiting: 1, unclear: 2 }, "local", {}, false) },
  play: steps((w) => seePairs(w, 0, "continuity-compare", "continuity-compare-sends")),
};

export const PairsOff: Scenario = {
  name: "Pairs of sentences wait, and the study is off",
  args: { before: withPairs({ waiting: 3 }, "notAgreed", {}, false) },
  play: steps((w) => seePairs(w, 0, "continuity-open-study")),
};

export const PairsStudy: Scenario = {
  name: "Pairs of sentences wait, and what the study would take is open below",
  args: { before: withPairs({ waiting: 3 }, "notAgreed", {}, false) },
  play: steps(async (w) => {
    await seePairs(w, 0, "continuity-open-study");
    await w.press("continuity-open-study");
    await w.see("study-pairs");
  }),
};

export const PairsNoModel: Scenario = {
  name: "Pairs of sentences wait, and no model is chosen",
  args: { before: withPairs({ waiting: 3 }, "none") },
  play: steps((w) => seePairs(w, 5, "continuity-open-study")),
};

export const Comparing: Scenario = {
  name: "A model compares two sentences",
  args: { before: withPairs({ waiting: 2, conflicts: 1 }, "local", { currentPhase: "comparing" }) },
  play: steps((w) => seePairs(w, 5, "continuity-compare-stop", "study-status")),
};

export const ComparingStudy: Scenario = {
  name: "A model compares two sentences, in the tray of the study",
  args: { before: withPairs({ waiting: 2, conflicts: 1 }, "local", { currentPhase: "comparing" }, false) },
  play: steps(async (w) => {
    await seePairs(w, 0, "continuity-compare-stop");
    await w.press("study-open");
    await w.see("study-comparing");
  }),
};

export const AfterQuestion: Scenario = {
  name: "A comparison that was asked for follows the question at work",
  args: { before: withPairs({ waiting: 3 }, "local", { currentPhase: "exploring", questionId: "question-0" }) },
  play: steps(async (w) => {
    await seePairs(w, 5, "continuity-compare");
    await w.press("continuity-compare");
    await w.reads("手上这一问问完就比。", "after the question at work");
  }),
};

export const AfterOther: Scenario = {
  name: "A comparison that was asked for follows the study of another book",
  args: { before: withPairs({ waiting: 3 }, "local", { isComparisonWaiting: true }) },
  play: steps(async (w) => {
    await w.press("story-page-continuity");
    await w.reads("另一本书正在自读", "Another book is being studied");
  }),
};

export const Compared: Scenario = {
  name: "All pairs were compared, and what the model said of them",
  args: { before: withPairs({ conflicts: 3, changes: 2, unclear: 7 }, "local") },
  play: steps((w) => seePairs(w, 5)),
};

export const ComparedWell: Scenario = {
  name: "All pairs were compared, and nothing contradicts itself",
  args: { before: withPairs({ changes: 1, unclear: 4 }, "local", {}, false) },
  play: steps((w) => seePairs(w, 0)),
};

export const NotCompared: Scenario = {
  name: "A comparison was refused, and says why",
  args: { before: withPairs({ waiting: 3 }, "remote") },
  play: steps(async (w) => {
    await seePairs(w, 5, "continuity-compare");
    w.backend.fail("story:continuity:compare", { code: "MEMORY_MODEL_UNAVAILABLE", message: "no model" });
    await w.press("continuity-compare");
    await w.see("continuity-compare-problem");
  }),
};
