import type { Meta } from "@storybook/react-vite";
import { shows, steps, Window, type Scenario, type Stage } from "./stage";

export default { title: "Earlier drafts", component: Window, args: { chapter: 2 } } satisfies Meta<typeof Window>;

const open = ({ backend }: Stage) => backend.books[0]!.files[2]!;

/** Adds three snapshots to the chapter. */
function was(w: Stage): void {
  const { info, text } = open(w);
  const without = (words: string) => text.replace(words, "");
  const lines = text.split("\n\n");
  w.backend.drafts.storeSnapshots(info.chapterId, [
    { text: `${lines.slice(0, 3).join("\n\n")}\n`, reason: "beforeInsertion", generationId: "gen-b" },
    { text: without(lines[2]!.slice(0, 9)), reason: "setAside" },
    { text: text.replace(lines.at(-1)!, w.say("她没有回头。\n", "She did not look back.\n")), reason: "beforeRestore" },
    {
      text: text.replace(lines[1]!, lines[1]!.slice(0, -12) + w.say("，像是谁在等。", ", as if someone waited.")),
      reason: "beforeInsertion",
      generationId: "gen-a",
    },
  ]);
}

/** Adds a recovery copy, of the file as it is or as it was. */
function left(w: Stage, base?: string): void {
  const { info, text, hash } = open(w);
  const more = w.say("上回写到这里，断了电。\n", "Then the power went.\n");
  w.backend.drafts.recoveryCopies.set(info.chapterId, [
    {
      keptId: "kept",
      chapterId: info.chapterId,
      at: "2026-10-20T13:50:00Z",
      baseHash: base ?? hash,
      words: 1_204,
      text: text.trimEnd() + more,
      origins: [],
    },
  ]);
}

export const Listed: Scenario = {
  name: "What the chapter was, beside what it is",
  args: { before: was },
  play: steps(async (w) => {
    await w.press("old-drafts-open");
    await w.see("old-draft", 4);
    await w.see("old-draft-beside");
  }),
};

export const None: Scenario = {
  name: "No earlier draft yet",
  play: steps(async (w) => {
    await w.press("old-drafts-open");
    await w.reads("还没有旧稿", "No earlier drafts yet");
  }),
};

export const Unread: Scenario = {
  name: "An earlier draft that cannot be read",
  args: { before: was },
  play: steps(async (w) => {
    w.backend.fail("chapter:snapshot:read", {
      code: "MEMORY_NOT_FOUND",
      message: "gone",
      details: { field: "snapshotId" },
    });
    await w.press("old-drafts-open");
    await w.reads("找不到了", "no longer there");
  }),
};

export const Left: Scenario = {
  name: "What could not be saved before the program ended",
  args: { before: left },
  play: shows("left-over"),
};

export const LeftSure: Scenario = {
  name: "It is to go: asked once more",
  args: { before: left },
  play: steps(async (w) => {
    await w.press("left-over-drop");
    await w.see("left-over-sure");
  }),
};

export const LeftBeside: Scenario = {
  name: "It is looked at beside the present text",
  args: {
    before: (w) => {
      was(w);
      left(w);
    },
  },
  play: steps(async (w) => {
    await w.press("left-over-look");
    await w.see("old-draft", 5);
    await w.see("old-draft-beside");
  }),
};

export const LeftQuarrel: Scenario = {
  name: "It is put back over a file that was changed since",
  args: { before: (w) => left(w, "another") },
  play: steps(async (w) => {
    await w.press("left-over-back");
    await w.see("outside-keep-mine");
  }),
};

export const LeftAlone: Scenario = {
  name: "Its chapter is gone",
  args: {
    before: ({ backend, language }) =>
      backend.drafts.recoveryCopies.set("gone", [
        {
          keptId: "kept",
          chapterId: "gone",
          at: "2026-10-20T13:50:00Z",
          baseHash: "x",
          words: 318,
          text: language === "zh" ? "# 大潮\n\n水来了。\n" : "# Spring tide\n\nThe water came.\n",
          origins: [],
        },
      ]),
  },
  play: shows("left-over"),
};

export const Unkept: Scenario = {
  name: "The text is saved, and what was there before could not be kept",
  play: steps(async (w) => {
    w.backend.drafts.full = true;
    await w.toEnd();
    await w.press("run");
    await w.see("candidate", 3);
    w.backend.advance();
    await w.press("take");
    await w.see("snapshot-failed");
  }),
};
