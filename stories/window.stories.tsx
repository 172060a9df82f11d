import type { Meta } from "@storybook/react-vite";
import { shows, steps, Window, type Scenario, type Stage } from "./stage";

export default { title: "Window", component: Window, args: { chapter: 2 } } satisfies Meta<typeof Window>;

export const Writing: Scenario = {
  name: "A chapter, and the marks of what the assistant wrote",
  play: steps((w) => w.see("origin-mark", 2)),
};

export const Alone: Scenario = {
  name: "The page alone",
  play: steps(async (w) => {
    await w.press("alone");
    await w.see("alone-leave");
  }),
};

/** Types text that is not saved yet. */
async function write(w: Stage, text: string): Promise<void> {
  await w.toEnd();
  document.execCommand("insertText", false, text);
}

const open = ({ backend }: Stage) => backend.books[0]!.files[2]!;

export const ChangedOutside: Scenario = {
  name: "The chapter was changed elsewhere, and here too",
  play: steps(async (w) => {
    await w.see("origin-mark", 2);
    w.backend.fail("chapter:write", {
      code: "MEMORY_STALE_VERSION",
      message: "changed outside",
      details: { field: "baseHash" },
    });
    await write(w, w.say("海面上起了雾。", " Fog came up."));
    w.backend.changeOutside(open(w).info.chapterId, open(w).text.replace(/\n$/, w.say("天黑了。\n", "It got dark.\n")));
    await w.see("outside-change");
  }),
};

export const Reloaded: Scenario = {
  name: "The chapter was changed elsewhere, and is read again",
  play: steps(async (w) => {
    await w.see("origin-mark", 2);
    w.backend.changeOutside(open(w).info.chapterId, open(w).text.replace(/\n$/, w.say("天黑了。\n", "It got dark.\n")));
    await w.see("outside-change");
  }),
};

export const Unsaved: Scenario = {
  name: "The chapter could not be saved: the text stays in the window",
  play: steps(async (w) => {
    await w.see("origin-mark", 2);
    w.backend.fail("chapter:write", { code: "MEMORY_WRITE_FAILED", message: "disk full" }, 99);
    await write(w, w.say("海面上起了雾。", " Fog came up."));
    await w.program.editor.flush();
    await w.reads("还没有保存", "Not saved yet");
  }),
};

export const Closing: Scenario = {
  name: "The window is to close with text that is not saved",
  play: steps(async (w) => {
    await w.see("origin-mark", 2);
    w.backend.fail("chapter:write", { code: "MEMORY_WRITE_FAILED", message: "disk full" }, 99);
    await write(w, w.say("海面上起了雾。", " Fog came up."));
    await w.backend.close();
    await w.see("problem");
  }),
};

export const Unopened: Scenario = {
  name: "The window could not be opened",
  args: {
    before: ({ backend }) => backend.fail("project:list", { code: "MEMORY_STORE_UNAVAILABLE", message: "locked" }, 99),
  },
  play: shows("problem"),
};

export const Copied: Scenario = {
  name: "A folder that is a copy: the same book, or another?",
  play: steps(async (w) => {
    w.backend.folder = "/books/copy";
    await w.press("open-folder");
    await w.see("copied-new-book");
  }),
};

export const WithoutAFolder: Scenario = {
  name: "A folder that says it is a known book without a folder: the same book, or another?",
  play: steps(async (w) => {
    w.backend.folder = "/books/elsewhere";
    await w.press("open-folder");
    await w.see("copied-new-book");
  }),
};

export const Refused: Scenario = {
  name: "A folder that cannot be opened",
  play: steps(async (w) => {
    w.backend.folder = "/books/any";
    w.backend.fail("project:open", {
      code: "MEMORY_INVALID_ARGUMENT",
      message: "newer",
      details: { reason: "newerFormat" },
    });
    await w.press("open-folder");
    await w.see("problem");
  }),
};

export const NamingAScene: Scenario = {
  name: "A kind of scene gets a name of the writer's",
  play: steps(async (w) => {
    await w.press("scene-select");
    await w.press("scene-select- other");
    await w.see("scene-name");
  }),
};
