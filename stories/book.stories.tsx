import type { Meta } from "@storybook/react-vite";
import { NEVER, steps, Window, type Scenario, type Stage } from "./stage";
import { LONG, UNBROKEN } from "./words";

export default { title: "Book", component: Window } satisfies Meta<typeof Window>;

export const Usual: Scenario = { name: "A book and its chapters", play: steps((w) => w.see("chapter-item", 4)) };

export const Empty: Scenario = {
  name: "A book without a chapter",
  args: { before: ({ backend }) => void backend.books[0]!.files.splice(0) },
  play: steps((w) => w.reads("还没有章节。", "No chapters yet.")),
};

async function chapters({ backend, projectId }: Stage, titles: string[]): Promise<void> {
  for (const title of titles) await backend.invoke("chapter:create", { projectId, title });
}

export const Many: Scenario = {
  name: "Two hundred chapters",
  args: { before: (w) => chapters(w, Array.from({ length: 196 }, (_, index) => w.say(`潮位之${index + 1}`, `Tide ${index + 1}`))) },
  play: steps((w) => w.see("chapter-item", 200)),
};

export const Long: Scenario = {
  name: "Titles longer than anybody expects",
  args: {
    before: async (w) => {
      await chapters(w, [LONG[w.language].slice(0, 120), UNBROKEN[w.language]]);
      w.backend.books[0]!.project.title = w.say("验潮所记事并附历年大潮水位与父亲手记", "The Tide House, with the Levels of All Great Floods and My Father’s Notes");
    },
  },
  play: steps((w) => w.see("chapter-item", 6)),
};

export const Others: Scenario = {
  name: "Other books are known",
  args: { before: ({ backend, language }) => backend.invoke("project:create", { title: language === "zh" ? "灯塔" : "The Lighthouse", language, path: "/books/lighthouse" }) },
  play: steps(async (w) => {
    await w.press("book-select");
    await w.see(`book-select-${w.projectId}`);
  }),
};

export const Naming: Scenario = {
  name: "A new chapter is named",
  play: steps(async (w) => {
    await w.press("chapter-add");
    await w.fill("chapter-title", w.say("南风天以后", "After the Southerly"));
  }),
};

export const Renaming: Scenario = {
  name: "A chapter is renamed",
  play: steps(async (w) => {
    await w.press("chapter-rename", 1);
    await w.see("chapter-title");
  }),
};

export const Unmade: Scenario = {
  name: "A chapter that could not be made",
  play: steps(async (w) => {
    w.backend.fail("chapter:create", { code: "MEMORY_INVALID_ARGUMENT", message: "exists", details: { field: "title", reason: "exists" } });
    await w.press("chapter-add");
    await w.fill("chapter-title", w.say("渡船", "The Ferry"));
    (document.activeElement as HTMLElement).blur();
    await w.reads("没有做成", "That didn’t work");
  }),
};

export const Loading: Scenario = {
  name: "While a chapter is read",
  args: { before: ({ backend }) => backend.delay("chapter:read", NEVER) },
  // The window is not open before its chapter is.
  play: ({ loaded }) => (loaded["stage"] as Stage).see("chapter-item", 4).then(() => undefined),
};
