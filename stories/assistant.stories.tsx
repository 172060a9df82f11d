import type { Meta } from "@storybook/react-vite";
import { NEVER, shows, steps, Window, type Scenario, type Stage } from "./stage";
import { LONG } from "./words";

export default { title: "Assistant", component: Window, args: { chapter: 2 } } satisfies Meta<typeof Window>;

/** A text that is no draft. */
const ADVICE = "To polish the passage, we need to ensure that the tone is consistent.";

/** Runs a skill and streams `pieces` pieces of each candidate. */
async function draft(w: Stage, pieces: number) {
  await w.toEnd();
  await w.press("run");
  await w.see("candidate", 3);
  w.backend.advance(pieces);
}

async function ready(w: Stage) {
  await draft(w, Infinity);
  await w.see("reject-all");
}

export const Rest: Scenario = { name: "Before anything is asked", play: shows("run", "preview-toggle") };

export const Assembling: Scenario = {
  name: "While the prompt is put together",
  args: { before: ({ backend }) => backend.waits.delay("ai:skill:run", NEVER) },
  play: steps(async (w) => {
    await w.press("run");
    await w.see("stop");
  }),
};

export const Streaming: Scenario = {
  name: "Three drafts as they are written",
  play: steps(async (w) => {
    await draft(w, 3);
    await w.see("preview");
  }),
};

export const OneReady: Scenario = {
  name: "One draft is ready, the others are still written",
  play: steps(async (w) => {
    await draft(w, 2);
    w.backend.finishCandidate(1);
    await w.see("edit-first", 3);
  }),
};

export const Ready: Scenario = { name: "Three drafts to choose from", play: steps(ready) };

export const Compared: Scenario = {
  name: "Three drafts side by side, what differs marked",
  play: steps(async (w) => {
    await ready(w);
    await w.press("compare-open");
    await w.see("compare-columns");
  }),
};

export const ComparedStreaming: Scenario = {
  name: "Side by side while they are written: one still grows",
  play: steps(async (w) => {
    await draft(w, 2);
    await w.press("compare-open");
    w.backend.finishCandidate(0);
    w.backend.finishCandidate(1);
    await w.see("compare-columns");
  }),
};

export const ComparedRewrite: Scenario = {
  name: "Side by side with the passage as it was",
  play: steps(async (w) => {
    w.select(w.say("我在马扎上坐下来。海在屋子的另一面，听得见，看不见。", "In the flood of ninety-eight I was nine."));
    await w.press("skill-polish");
    await w.press("run");
    await w.see("candidate", 3);
    const drafts = w.say(
      "我在马扎上坐下。海在屋子另一面，听得见，看不见。|我坐下来。海在屋子的另一面，只听得见。|我在马扎上坐下来，听海在屋子的另一面。看不见。",
      "In the flood of ninety-eight I was nine years old.|I was nine the year of the flood.|The flood of ninety-eight: I was nine.",
    );
    w.write(...drafts.split("|"));
    await w.see("reject-all");
    await w.press("compare-open");
    await w.see("compare-before");
  }),
};

export const ComparedEditing: Scenario = {
  name: "Side by side, one being changed before it is taken",
  play: steps(async (w) => {
    await ready(w);
    await w.press("compare-open");
    await w.see("compare-columns");
    await w.press("edit-first", 1);
    await w.see("edit-take");
  }),
};

export const ComparedLong: Scenario = {
  name: "Side by side, long drafts: each column scrolls by itself",
  play: steps(async (w) => {
    await draft(w, 0);
    const [sentence, gap] = [LONG[w.language], "\n\n"];
    w.write(sentence + gap + sentence, sentence.slice(0, 200) + gap + sentence, sentence + gap + sentence.slice(60));
    await w.see("reject-all");
    await w.press("compare-open");
    await w.see("compare-columns");
  }),
};

export const Editing: Scenario = {
  name: "A draft changed before it is taken",
  play: steps(async (w) => {
    await ready(w);
    await w.press("edit-first", 1);
    await w.see("edit-take");
  }),
};

export const BrokenOff: Scenario = {
  name: "One draft broke off, what it had written stays",
  play: steps(async (w) => {
    await draft(w, 2);
    w.backend.endCandidate(2, {
      code: "MEMORY_MODEL_UNAVAILABLE",
      message: "broke off",
      details: { reason: "interrupted" },
    });
    w.backend.advance();
    await w.see("candidate-problem");
    await w.see("reject-all");
  }),
};

export const TooMany: Scenario = {
  name: "One draft failed with empty hands: the service asks to wait",
  play: steps(async (w) => {
    await draft(w, 0);
    w.backend.endCandidate(0, {
      code: "MEMORY_MODEL_UNAVAILABLE",
      message: "429",
      details: { reason: "rateLimited", retryAfterSeconds: 7 },
    });
    w.backend.advance();
    await w.see("candidate-problem");
    await w.see("reject-all");
  }),
};

export const Unusable: Scenario = {
  name: "One text is no draft: it is last, with its reason",
  play: steps(async (w) => {
    await draft(w, 2);
    w.backend.endUnusable(0, { reason: "advice", text: ADVICE });
    w.backend.advance();
    await w.press("unusable-text");
    await w.see("reject-all");
  }),
};

export const SecondTry: Scenario = {
  name: "A text that was no draft is written once more",
  play: steps(async (w) => {
    await draft(w, 2);
    w.backend.retryCandidate(1, "promptEcho");
    await w.see("candidate", 3);
  }),
};

export const NoneUsable: Scenario = {
  name: "No draft in three runs: a larger model is named",
  play: steps(async (w) => {
    for (let run = 0; run < 3; run += 1) {
      if (run > 0) await w.press("again");
      else await w.press("run");
      await w.see("candidate", 3);
      w.backend.endUnusable(0, { reason: "promptEcho", text: ADVICE });
      w.backend.endUnusable(1, { reason: "refusal", text: ADVICE });
      w.backend.endUnusable(2, { reason: "repeatsPassage", text: ADVICE });
      w.backend.end("finished");
      await w.see("reject-all");
    }
    await w.see("larger-model");
  }),
};

export const AllBrokenOff: Scenario = {
  name: "A run that broke off as a whole",
  play: steps(async (w) => {
    await draft(w, 2);
    w.backend.end("failed", { code: "MEMORY_MODEL_UNAVAILABLE", message: "gone", details: { reason: "timeout" } });
    await w.see("reject-all");
  }),
};

export const Offline: Scenario = {
  name: "Offline: no server at the address",
  args: {
    before: ({ backend }) =>
      backend.fail("ai:skill:run", {
        code: "MEMORY_MODEL_UNAVAILABLE",
        message: "refused",
        details: { reason: "unreachable" },
      }),
  },
  play: steps(async (w) => {
    await w.press("run");
    await w.see("run-problem");
    await w.see("to-settings");
  }),
};

export const KeyRefused: Scenario = {
  name: "The service does not take the key",
  play: steps(async (w) => {
    await draft(w, 0);
    w.backend.end("failed", { code: "MEMORY_MODEL_UNAVAILABLE", message: "401", details: { reason: "keyRefused" } });
    await w.see("run-problem");
  }),
};

export const Cancelled: Scenario = {
  name: "Stopped in the middle: what there is can be taken",
  play: steps(async (w) => {
    await draft(w, 2);
    await w.press("stop");
    await w.see("reject-all");
  }),
};

export const Trimmed: Scenario = {
  name: "The model could not read all of it",
  play: steps(async (w) => {
    await draft(w, 1);
    w.backend.trim(4_096);
    await w.see("trimmed");
  }),
};

export const NoSelection: Scenario = {
  name: "Polishing without a selection",
  play: steps(async (w) => {
    await w.press("skill-polish");
    await w.press("run");
    await w.reads("先在正文里选一段", "Select a passage on the page first");
  }),
};

export const Sent: Scenario = {
  name: "What would be sent, before anything is",
  play: steps(async (w) => {
    await w.press("preview-toggle");
    await w.see("preview-sent");
  }),
};

export const Taken: Scenario = {
  name: "A draft is taken: on the page, marked, remembered",
  play: steps(async (w) => {
    await ready(w);
    await w.press("take", 1);
    await w.see("origin-mark", 3);
  }),
};

export const Unrecorded: Scenario = {
  name: "A draft is taken, and could not be remembered",
  play: steps(async (w) => {
    await ready(w);
    w.backend.fail("memory:episode:record", { code: "MEMORY_WRITE_FAILED", message: "disk full" });
    await w.press("take");
    await w.see("origin-mark", 3);
  }),
};

export const TurnedDown: Scenario = {
  name: "All turned down, and remembered as that",
  play: steps(async (w) => {
    await ready(w);
    await w.press("reject-all");
    await w.reads("都没要，已记录", "None taken, and remembered");
  }),
};

export const Degraded: Scenario = {
  name: "With several parts of the memory missing",
  args: { before: ({ backend }) => backend.degrade("rules", "embedder", "maintenance") },
  play: shows("assistant-degraded", "degraded-notice"),
};

export const NoMemory: Scenario = {
  name: "Without any memory: drafts come nevertheless",
  args: { before: ({ backend }) => backend.degrade("rules", "episodes") },
  play: steps(ready),
};

export const Long: Scenario = {
  name: "A long wish, and long drafts",
  play: steps(async (w) => {
    await w.fill("wish", LONG[w.language]);
    await draft(w, 0);
    const long = LONG[w.language].repeat(2);
    w.write(long, long, long);
    await w.see("reject-all");
  }),
};
