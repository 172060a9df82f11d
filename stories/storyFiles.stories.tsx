import type { Meta } from "@storybook/react-vite";
import { takeIn } from "./cast";
import { steps, Window, type Scenario, type Stage } from "./stage";

export default {
  title: "Story files",
  component: Window,
  args: { chapter: 8, panel: "story", before: takeIn },
} satisfies Meta<typeof Window>;

/** A lorebook from another program beside the book. */
const withFile = async (stage: Stage) => {
  await takeIn(stage);
  const path = "/elsewhere/island.json";
  stage.backend.chosenFile = path;
  stage.backend.entities.lorebooks.files.set(path, {
    entries: [
      {
        kind: "worldRule",
        name: stage.say("潮位", "The tide"),
        facts: [
          [stage.say("设定", "note"), stage.say("一天涨两次。", "It rises twice a day.")],
          [stage.say("基准", "zero"), stage.say("理论最低潮面", "lowest theoretical tide")],
        ],
      },
    ],
    counts: { lostQuotes: 1, leftOut: 2, ignoredFields: 14, sameFacts: 6, changedEntities: 3 },
  });
};

/** Presses an action of the menu. */
async function choose(w: Stage, action: string): Promise<void> {
  await w.press("story-files");
  await w.press(`story-files-${action}`);
}

export const Menu: Scenario = {
  name: "Story notes in and out: a page for people, and files for other programs",
  play: steps(async (w) => {
    await w.press("story-files");
    await w.see("story-files-in");
  }),
};

export const Preview: Scenario = {
  name: "What an import would bring, before anything is changed",
  args: { before: withFile },
  play: steps(async (w) => {
    await choose(w, "in");
    await w.see("story-file-counts");
    await w.see("story-file-left", 3);
  }),
};

export const Imported: Scenario = {
  name: "Story notes are imported, and it can be undone",
  args: { before: withFile },
  play: steps(async (w) => {
    await choose(w, "in");
    await w.press("story-file-confirm");
    await w.see("toast-action");
  }),
};

export const Refused: Scenario = {
  name: "A file with a mistake: its place, and nothing is imported",
  args: {
    before: async (stage: Stage) => {
      await withFile(stage);
      stage.backend.entities.lorebooks.files.set("/elsewhere/island.json", {
        code: "MEMORY_INVALID_ARGUMENT",
        message: "refused",
        details: { reason: "missingField", line: 12 },
      });
    },
  },
  play: steps(async (w) => {
    await choose(w, "in");
    await w.see("story-file-problem");
  }),
};
