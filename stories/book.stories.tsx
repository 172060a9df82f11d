import type { Meta } from "@storybook/react-vite";
import { userEvent } from "storybook/test";
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
  args: {
    before: (w) =>
      chapters(
        w,
        Array.from({ length: 196 }, (_, index) => w.say(`潮位之${index + 1}`, `Tide ${index + 1}`)),
      ),
  },
  play: steps((w) => w.see("chapter-item", 200)),
};

export const Long: Scenario = {
  name: "Titles longer than anybody expects",
  args: {
    before: async (w) => {
      await chapters(w, [LONG[w.language].slice(0, 120), UNBROKEN[w.language]]);
      w.backend.books[0]!.project.title = w.say(
        "验潮所记事并附历年大潮水位与父亲手记",
        "The Tide House, with the Levels of All Great Floods and My Father’s Notes",
      );
    },
  },
  play: steps((w) => w.see("chapter-item", 6)),
};

export const Others: Scenario = {
  name: "Other books are known",
  args: {
    before: ({ backend, language }) =>
      backend.invoke("project:create", {
        title: language === "zh" ? "灯塔" : "The Lighthouse",
        language,
        path: "/books/lighthouse",
      }),
  },
  play: steps(async (w) => {
    await w.press("book-select");
    await w.see(`book-select-${w.projectId}`);
  }),
};

export const LongOthers: Scenario = {
  name: "A long title beside the plus",
  args: {
    before: async ({ backend, language }) => {
      await backend.invoke("project:create", { title: "Tide", language, path: "/books/tide" });
      backend.books[0]!.project.title =
        language === "zh"
          ? "验潮所记事并附历年大潮水位与父亲手记"
          : "The Tide House, with the Levels of All Great Floods and My Father’s Notes";
    },
  },
  play: steps((w) => w.see("book-select")),
};

export const KnownBooks: Scenario = {
  name: "The list of known books",
  args: Others.args!,
  play: steps(async (w) => {
    await w.press("book-select");
    await w.press("book-select- books");
    await w.see("known-book", 2);
  }),
};

export const Menu: Scenario = {
  name: "What can be done with a chapter",
  play: steps(async (w) => {
    await w.press("chapter-menu", 1);
    await w.see("chapter-menu-delete");
  }),
};

export const Splitting: Scenario = {
  name: "A chapter is split at the caret",
  play: steps(async (w) => {
    const { view } = w.program.editor.surface;
    const text = w.program.editor.text;
    view!.focus();
    view!.dispatch({ selection: { anchor: text.indexOf(text.split("\n\n")[2]!) } });
    await w.press("chapter-menu");
    await w.press("chapter-menu-split");
    await w.see("split-title");
  }),
};

export const Deleting: Scenario = {
  name: "A chapter was deleted",
  play: steps(async (w) => {
    await w.press("chapter-menu", 1);
    await w.press("chapter-menu-delete");
    await w.see("toast-action");
    await w.see("deleted-open");
  }),
};

export const DeletedList: Scenario = {
  name: "The deleted chapters",
  play: steps(async (w) => {
    await w.press("chapter-menu", 1);
    await w.press("chapter-menu-delete");
    await w.press("deleted-open");
    await w.see("deleted-chapter");
  }),
};

export const Numbered: Scenario = {
  name: "Titles that carry their own numbers",
  args: {
    before: ({ backend }) =>
      backend.books[0]!.files.forEach((file, index) => {
        const title = [`第${"一二三四"[index]}章 `, `Chapter ${index + 1}: `][
          backend.books[0]!.project.language === "zh" ? 0 : 1
        ]!;
        file.info = { ...file.info, title: title + file.info.title };
      }),
  },
  play: steps((w) => w.see("chapter-item", 4)),
};

export const Tooltip: Scenario = {
  name: "A tooltip under the pointer",
  play: steps(async (w) => {
    const [item] = await w.see("chapter-item", 4);
    await userEvent.hover(item!);
    await w.see("tooltip");
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
    w.backend.fail("chapter:create", {
      code: "MEMORY_INVALID_ARGUMENT",
      message: "exists",
      details: { field: "title", reason: "exists" },
    });
    await w.press("chapter-add");
    await w.fill("chapter-title", w.say("渡船", "The Ferry"));
    (document.activeElement as HTMLElement).blur();
    await w.reads("没有成功", "That didn’t work");
  }),
};

export const Loading: Scenario = {
  name: "While a chapter is read",
  args: { before: ({ backend }) => backend.waits.delay("chapter:read", NEVER) },
  // The window counts as open only with its chapter.
  play: ({ loaded }) => (loaded["stage"] as Stage).see("chapter-item", 4).then(() => undefined),
};

const MANY = Array.from({ length: 24 }, (_, index) => index + 1);

const OLD = (w: Stage) => `/home/writer/${w.say("旧稿", "Old Draft")}.txt`;
const EPILOGUE = (w: Stage) => `/home/writer/${w.say("尾声", "Epilogue")}.docx`;
const OUTLINE = (w: Stage) => `/home/writer/${w.say("大纲", "Outline")}.doc`;

/** Chooses these files in the system's dialog. */
async function importing(w: Stage, paths: string[]): Promise<void> {
  w.backend.manuscripts.picked = paths;
  await w.press("import-open");
}

const manuscript = (w: Stage) => ({
  encoding: "GB18030",
  unreadable: 1,
  chapters: MANY.map((n) => ({
    title: w.say(`第${n}章 潮位之${n}`, `Chapter ${n}: Tide ${n}`),
    text: w.say("水退下去，留下一道白线。", "The water went down and left a white line. ").repeat(20 + n),
  })),
});

export const Importing: Scenario = {
  name: "What is in the files that come in",
  play: steps(async (w) => {
    w.backend.manuscripts.files.set(OLD(w), manuscript(w));
    w.backend.manuscripts.files.set(EPILOGUE(w), {
      title: w.say("验潮屋", "The Tide House"),
      notes: 2,
      pictures: 1,
      chapters: [{ title: w.say("尾声", "Epilogue"), text: w.say("船开了。", "The boat left.") }],
    });
    await importing(w, [OLD(w), EPILOGUE(w), OUTLINE(w)]);
    await w.see("import-chapter", 25);
  }),
};

/** A file as it lies on a disk: a notice, wrapped lines, and titles without "Chapter". */
const collection = (w: Stage) => {
  const text = w.say("水退下去，留下一道白线。", "The water went down and left a white line. ").repeat(30);
  const of = (zh: string, en: string, more: object) => ({ title: w.say(zh, en), text, ...more });
  return {
    encoding: "UTF-8",
    wrappedLines: 6459,
    chapters: [
      of("呐喊", "Persuasion", { kind: "start" as const, use: "omit" as const }),
      of("版权信息", "Project Gutenberg", { kind: "shortLine" as const, use: "omit" as const }),
      of("鸭的喜剧", "The Ferry", { kind: "centred" as const }),
      of("一", "II", { kind: "numeral" as const, use: "continue" as const }),
      of("头发的故事⑴", "The Old Lamp", { kind: "centred" as const }),
      of("□注释", "Notes", { kind: "shortLine" as const, use: "continue" as const }),
      of("白光", "THE LEDGER", { kind: w.say("centred", "capitals") as "centred" }),
      of("二", "III", { kind: "numeral" as const, use: "continue" as const }),
      of("潮水漫过门槛，水退下…", "The water went down an…", { kind: "ornament" as const, use: "continue" as const }),
      of(LONG.zh, LONG.en, { kind: "shortLine" as const, use: "continue" as const }),
    ],
  };
};

export const ImportChoosing: Scenario = {
  name: "Which lines begin chapters",
  play: steps(async (w) => {
    w.backend.manuscripts.files.set(OLD(w), collection(w));
    await importing(w, [OLD(w)]);
    await w.see("import-section", 7);
    await w.press("import-kind-numeral");
    await w.press("import-omit", 5);
  }),
};

export const ImportSplitting: Scenario = {
  name: "The paragraph at which a chapter is split off",
  play: steps(async (w) => {
    const text = w.say(
      "水退下去，留下一道白线。\n\n“谁？”\n\n第二天没有人来，簿子摊在桌上，最后一页是空的。\n\n灯亮着。",
      "The water went down and left a white line.\n\n“Who?”\n\nNobody came the next day; the ledger lay open on the table at an empty page.\n\nThe lamp was lit.",
    );
    const found = [
      { title: w.say("旧稿", "Old Draft"), text, kind: "start" as const },
      { title: w.say("第二章 簿子", "Chapter 2: The Ledger"), text },
    ];
    w.backend.manuscripts.files.set(OLD(w), { encoding: "UTF-8", chapters: found });
    await importing(w, [OLD(w)]);
    await w.press("import-split", 0);
    await w.see("import-paragraph", 3);
  }),
};

export const ImportUndo: Scenario = {
  name: "An import that can be undone",
  play: steps(async (w) => {
    w.backend.manuscripts.files.set(EPILOGUE(w), {
      chapters: [{ title: w.say("尾声", "Epilogue"), text: w.say("船开了。", "The boat left.") }],
    });
    await importing(w, [EPILOGUE(w)]);
    await w.see("import-chapter");
    await w.press("import-go");
    await w.see("import-undo");
  }),
};

export const ImportReading: Scenario = {
  name: "While the files are read",
  play: steps(async (w) => {
    w.backend.waits.delay("project:import", NEVER);
    await importing(w, [OLD(w)]);
    await w.reads("正在读取文件…", "Reading the files…");
  }),
};

export const ImportNothing: Scenario = {
  name: "Nothing in the files can come in",
  play: steps(async (w) => {
    await importing(w, [OUTLINE(w)]);
    await w.reads("没有可以导入的内容。", "There is nothing here that can be imported.");
  }),
};

export const ImportPutting: Scenario = {
  name: "While the chapters are put in",
  play: steps(async (w) => {
    w.backend.manuscripts.files.set(OLD(w), manuscript(w));
    await importing(w, [OLD(w)]);
    await w.see("import-chapter", 24);
    w.backend.waits.delay("project:import", NEVER);
    await w.press("import-go");
    await w.reads("正在导入…", "Importing…");
  }),
};

export const Exporting: Scenario = {
  name: "The book goes out",
  play: steps(async (w) => {
    await w.press("export-open");
    await w.see("export-go");
  }),
};

export const NotExported: Scenario = {
  name: "The book could not go out",
  play: steps(async (w) => {
    w.backend.fail("project:export", {
      code: "MEMORY_WRITE_FAILED",
      message: "io",
      details: { field: "path", reason: "exportFailed" },
    });
    w.backend.savePath = "/home/writer/book.docx";
    await w.press("export-open");
    await w.press("export-go");
    await w.see("export-problem");
  }),
};

export const Moved: Scenario = {
  name: "A chapter changes places",
  play: steps(async (w) => {
    const [first] = await w.see("chapter-item", 4);
    first!.focus();
    await userEvent.keyboard("{Alt>}{ArrowDown}{/Alt}");
    await w.reads("现在是第 2 章", "is now chapter 2");
  }),
};
