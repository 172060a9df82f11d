import type { Meta } from "@storybook/react-vite";
import type { Entity } from "../ui/src/backend";
import { growBook, takeIn } from "./cast";
import { NEVER, shows, steps, Window, type Scenario, type Stage } from "./stage";

export default {
  title: "Story",
  component: Window,
  args: { chapter: 8, panel: "story", before: takeIn },
} satisfies Meta<typeof Window>;

const rows = (w: Stage, times: number) => w.see("story-row", times);

/** Opens the details of a name. */
async function open(w: Stage, name: string): Promise<void> {
  const all = await rows(w, 5);
  const row = all.find(({ textContent }) => textContent?.includes(name));
  if (!row) throw new Error(`no row: ${name}`);
  row.click();
  await w.see("story-detail");
}

const none = (stage: Stage) => void stage.backend.entities.casts.set(stage.projectId, []);

export const People: Scenario = {
  name: "People as far as the caret: in this chapter, seen before, and names that are not decided",
  play: steps(async (w) => {
    await rows(w, 5);
    await w.see("story-proposal", 3);
  }),
};

export const First: Scenario = {
  name: "Nothing is taken in yet: those of the chapter, and every other name with a sentence",
  args: { before: growBook },
  play: steps(async (w) => {
    await rows(w, 2);
    await w.see("proposal-accept");
  }),
};

export const Question: Scenario = {
  name: "Perhaps one person: it is asked, and nothing is merged without an answer",
  play: steps(async (w) => {
    await w.see("story-proposal", 3);
    await w.press("proposal-dismiss");
    await w.reads("郑科长", "Section Chief Zheng");
    await w.press("proposal-accept");
    await w.see("story-question");
  }),
};

export const Detail: Scenario = {
  name: "One of them open: other names, a probable slip, and each place in the book",
  play: steps(async (w) => {
    await open(w, w.say("阿满", "Aman"));
    await w.see("story-mention", 10);
    await w.see("story-misspelling");
  }),
};

export const Passage: Scenario = {
  name: "A place in the text: lit, and the way back to where the writer was",
  play: steps(async (w) => {
    await open(w, w.say("老蔡", "Cai"));
    await w.press("story-mention", 5);
    await w.see("story-back");
  }),
};

export const Same: Scenario = {
  name: "The same as another one: found by a part of the name",
  play: steps(async (w) => {
    await open(w, w.say("高工", "Gao"));
    await w.press("story-same");
    await w.see("story-merge-other", 3);
  }),
};

export const Places: Scenario = {
  name: "Places, things, and families or groups",
  play: steps(async (w) => {
    await w.press("story-page-places");
    await w.see("story-row");
    await w.see("story-proposal", 2);
  }),
};

export const Pinned: Scenario = {
  name: "Pinned to an earlier chapter: later ones are not there",
  play: steps(async (w) => {
    await rows(w, 5);
    const { info } = w.backend.books[0]!.files[2]!;
    w.program.story.session.pin(info.chapterId);
    await w.see("as-of-pinned");
    await w.reads("第 3 章里", "In chapter\u00a03");
  }),
};

export const LongTitle: Scenario = {
  name: "Pinned to a chapter with a long title",
  args: {
    before: async (stage) => {
      await takeIn(stage);
      const { info } = stage.backend.books[0]!.files[2]!;
      info.title = stage.say(
        "墙上那道线，以及后来每一个人怎样看它",
        "The Line on the Wall, and How Each of Them Came to See It",
      );
    },
  },
  play: steps(async (w) => {
    await rows(w, 5);
    w.program.story.session.pin(w.backend.books[0]!.files[2]!.info.chapterId);
    await w.see("as-of-chapter");
  }),
};

export const Whole: Scenario = {
  name: "The whole book: later names are listed, and it says so",
  play: steps(async (w) => {
    await rows(w, 5);
    await w.press("as-of-all");
    await w.see("as-of-whole-note");
    await w.reads("孟书记", "Secretary Meng");
  }),
};

export const Changed: Scenario = {
  name: "A name is taken in: the next takes its place, and it can be undone",
  play: steps(async (w) => {
    await w.see("story-proposal", 3);
    await w.press("proposal-accept");
    await w.see("toast-action");
    await rows(w, 6);
  }),
};

export const NotAnalyzed: Scenario = {
  name: "The book is not read through yet",
  args: {
    before: (stage) => {
      growBook(stage);
      none(stage);
      stage.backend.story.analyzed = 0;
    },
  },
  play: shows("story-not-analyzed"),
};

export const Analyzing: Scenario = {
  name: "The book is being read: what is found so far is listed",
  play: steps(async (w) => {
    await rows(w, 5);
    w.backend.emit("story:analyze:progress", { projectId: w.projectId, step: "chapters", done: 4, total: 10 });
    await w.see("story-analyzing");
  }),
};

export const Nothing: Scenario = {
  name: "It is read, and no names are found",
  args: {
    before: (stage) => {
      growBook(stage);
      none(stage);
    },
  },
  play: shows("story-nothing"),
};

export const Surnames: Scenario = {
  name: "The Chinese tagger is missing: only some names are found",
  args: {
    before: async (stage) => {
      await takeIn(stage);
      // An English book needs no tagger; the answer is that of a Chinese one.
      stage.backend.story.isTaggerMissing = true;
      if (stage.language === "en") stage.backend.books[0]!.project.language = "zh";
    },
  },
  play: shows("story-tagger"),
};

export const RulesDown: Scenario = {
  name: "The rules cannot be opened: names can be read, not changed",
  args: {
    memory: { past: true },
    before: async (stage) => {
      await takeIn(stage);
      stage.backend.degrade("rules");
    },
  },
  play: steps(async (w) => {
    await w.see("story-rules-down");
    await rows(w, 5);
  }),
};

export const PastDown: Scenario = {
  name: "The past passages cannot be opened: what goes on, and a new try",
  args: {
    before: async (stage) => {
      await takeIn(stage);
      stage.backend.degrade("episodes");
    },
  },
  play: shows("story-past-down"),
};

export const Loading: Scenario = {
  name: "The first list is on its way",
  args: {
    before: async (stage) => {
      await takeIn(stage);
      stage.backend.waits.delay("story:entity:list", NEVER);
    },
  },
  play: shows("story-body"),
};

export const NoBook: Scenario = {
  name: "No book is open",
  play: steps(async (w) => {
    w.program.window.setState({ project: null });
    await w.see("story-no-book");
  }),
};

/** A list of 5,000 names in a book of 300 chapters. */
function many(stage: Stage): void {
  growBook(stage);
  const { backend, language } = stage;
  const book = backend.books[0]!;
  for (let chapter = 13; chapter <= 300; chapter += 1)
    backend.projects.addFile(book, stage.say(`第 ${chapter} 夜`, `Night ${chapter}`), "# …\n\n");
  const ids = book.files.map(({ info }) => info.chapterId);
  const [family, given] =
    language === "zh"
      ? [[..."赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许"], [..."潮汐波浪岸礁帆桨锚缆灯塔鸥鹭沙石风雨云月"]]
      : [
          ["Ash", "Bell", "Crane", "Dow", "Eller", "Frost", "Gale", "Holm", "Ives", "Kerr"],
          ["Anna", "Ben", "Clara", "Dan", "Edith", "Finn", "Grace", "Hugh", "Ida", "Jonas"],
        ];
  const nameOf = (index: number) => {
    const [first, second] = [family[index % family.length]!, given[Math.floor(index / family.length) % given.length]!];
    const third = given[Math.floor(index / family.length / given.length) % given.length]!;
    return language === "zh" ? `${first}${second}${third}` : `${second} ${third} ${first}`;
  };
  const entities = Array.from({ length: 5_000 }, (_, index): Entity => {
    const [start, step] = [(index * 37) % 200, 1 + (index % 9)];
    const presence = Array.from({ length: 1 + (index % 40) }, (__, at) => start + at * step)
      .filter((chapter) => chapter < 300)
      .map((chapter) => ({ chapter, mentions: 1 + ((chapter * 7 + index) % 5) }));
    const range = { chapterId: ids[start]!, from: 0, to: 1 };
    const name = nameOf(index);
    return {
      entityId: `many-${index}`,
      kind: "character",
      name,
      aliases: [],
      standing: index % 5 < 3 ? "accepted" : "detected",
      version: index % 5 < 3 ? 1 : null,
      mentions: presence.reduce((sum, { mentions }) => sum + mentions, 0),
      presence,
      first: range,
      last: range,
      sentence: stage.say(`${name}站在码头上。`, `${name} stood on the quay.`),
      taggedSpeeches: 0,
      firstFact: null,
      misspellings: [],
    };
  });
  backend.entities.list = { entities, possibleMerges: [], unnamed: [], degraded: false, chapters: ids, method: "text" };
}

export const Many: Scenario = {
  name: "Five thousand names in three hundred chapters",
  args: { before: many },
  play: steps(async (w) => {
    await w.press("as-of-all");
    await rows(w, 10);
  }),
};
