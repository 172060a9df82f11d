import type { Meta } from "@storybook/react-vite";
import { NEVER, shows, steps, Window, type Scenario, type Stage } from "./stage";
import { LONG } from "./words";

export default {
  title: "Memory/Past and names",
  component: Window,
  args: { memory: { past: true }, page: "past" },
} satisfies Meta<typeof Window>;

export const Usual: Scenario = {
  name: "What was offered in this book, and what became of it",
  play: steps((w) => w.see("past-card", 6)),
};

export const None: Scenario = {
  name: "Nothing yet: how it begins",
  args: { memory: {} },
  play: shows("past-nothing"),
};

export const Found: Scenario = {
  name: "A search: what is found, and under a line what may be related",
  play: steps(async (w) => {
    await w.see("past-card", 6);
    await w.fill("past-search", w.say("旧刻度", "older scale"));
    await w.see("past-perhaps");
  }),
};

export const NothingClose: Scenario = {
  name: "A search that finds nothing close: the nearest",
  play: steps(async (w) => {
    await w.see("past-card", 6);
    await w.fill("past-search", w.say("人忘了水", "people remember water"));
    await w.see("past-perhaps");
  }),
};

export const NoneOfTheScene: Scenario = {
  name: "A scene without past passages",
  play: steps(async (w) => {
    await w.see("past-card", 6);
    await w.press("past-scene");
    await w.press("past-scene-monologue");
    await w.see("past-nothing");
  }),
};

export const FarDown: Scenario = {
  name: "A search whose match is far down in a long passage",
  args: {
    before: ({ backend, language }) => {
      const finalText = LONG[language].repeat(2);
      Object.assign(backend.episodes[2]!, { candidates: [finalText], finalText, implicit: "strongPositive" });
    },
  },
  play: steps(async (w) => {
    await w.see("past-card", 6);
    await w.fill("past-search", w.say("让海自己去响", "noise"));
    await w.see("past-perhaps");
  }),
};

export const Deleting: Scenario = {
  name: "One of them is to go: asked in its place",
  play: steps(async (w) => {
    await w.press("past-delete", 3);
    await w.see("past-delete-confirm");
  }),
};

export const DeletingEverywhere: Scenario = {
  name: "One is to go with its words everywhere: what that means",
  play: steps(async (w) => {
    await w.press("past-delete", 3);
    await w.press("past-delete-everywhere");
    await w.see("past-delete-confirm");
  }),
};

export const Erased: Scenario = {
  name: "Its words are erased: where they were, and where the same sentences still are",
  play: steps(async (w) => {
    await w.press("past-delete", 3);
    await w.press("past-delete-everywhere");
    await w.press("past-delete-confirm");
    await w.see("erased-words");
  }),
};

export const Unwritten: Scenario = {
  name: "A keep that could not be written",
  play: steps(async (w) => {
    w.backend.fail("memory:episode:confirm", { code: "MEMORY_WRITE_FAILED", message: "disk full" });
    await w.press("past-keep", 2);
    await w.see("past-problem");
  }),
};

export const Long: Scenario = {
  name: "A long passage, and a long remark on it",
  args: {
    before: ({ backend, language }) => {
      Object.assign(backend.episodes[0]!, {
        candidates: [LONG[language].repeat(2)],
        finalText: LONG[language],
        explicit: LONG[language],
      });
    },
  },
  play: shows("past-text"),
};

export const Loading: Scenario = {
  name: "While the past is read",
  args: { before: ({ backend }) => backend.waits.delay("memory:episode:query", NEVER) },
  play: steps((w) => w.reads("正在读取……", "Looking…")),
};

export const Gone: Scenario = {
  name: "Past examples that cannot be read now",
  args: { before: ({ backend }) => backend.degrade("episodes") },
  play: shows("missing-episodes", "degraded-notice"),
};

const named = (w: Stage) =>
  void w.backend.life.names.set(w.projectId, [
    { name: w.say("老周", "Zhou"), alias: w.say("闻人甲", "Alder") },
    { name: w.say("验潮所", "Tide House"), alias: w.say("观测站", "the station") },
  ]);

export const NoNames: Scenario = {
  name: "Names: none is hidden",
  args: { page: "names" },
  play: shows("names-explain", "name-add"),
};

export const Names: Scenario = {
  name: "Names that stay at home, and what leaves in their place",
  args: { page: "names", before: named },
  play: steps((w) => w.see("name-row", 2)),
};

export const NameForms: Scenario = {
  name: "Names: a word in lower case is asked about, and forms in the book are offered",
  args: {
    page: "names",
    before: (w) => {
      void w.backend.life.names.set(w.projectId, [
        { name: "Will", alias: "Quentin" },
        { name: w.say("周海生", "Anna Karenina"), alias: w.say("闻人甲", "Avery Lane") },
      ]);
      const name = w.say("周海生", "Anna Karenina");
      w.backend.life.nameForms = [
        { name, form: w.say("老周", "Karenina"), count: 41 },
        { name, form: w.say("海生", "Annie"), count: 7 },
        { name, form: w.say("周师傅", "A-N-N-A"), count: 1 },
      ];
    },
  },
  play: steps(async (w) => {
    await w.see("name-lower-case", 1);
    await w.see("name-form-found", 3);
  }),
};

export const Telling: Scenario = {
  name: "A stand-in that would give the name away",
  args: { page: "names", before: named },
  play: steps(async (w) => {
    await w.press("name-add");
    await w.fill("name-name", w.say("父亲", "Father"));
    await w.fill("name-alias", w.say("老周的父亲", "Zhou’s Father"));
    await w.reads("化名里含有本名，起不到隐藏的作用。", "It has a hidden name in it, and would give it away.");
  }),
};

export const Unread: Scenario = {
  name: "Names that cannot be read: nothing leaves meanwhile",
  args: {
    page: "names",
    before: ({ backend }) =>
      backend.fail(
        "memory:names:list",
        { code: "MEMORY_STORE_UNAVAILABLE", message: "damaged", details: { reason: "damaged" } },
        99,
      ),
  },
  play: steps((w) => w.reads("名字读不出来", "The names can’t be read")),
};

export const Style: Scenario = {
  name: "What the chapters are like: general information, and no evidence",
  args: { page: "style" },
  play: shows("style-sides"),
};

export const NoStyle: Scenario = {
  name: "Less than a page is written: no style yet",
  args: {
    page: "style",
    before: ({ backend }) => {
      backend.projects.hasStyle = false;
    },
  },
  play: shows("style-nothing"),
};

export const StyleRead: Scenario = {
  name: "While the chapters are read",
  args: { page: "style", before: ({ backend }) => backend.waits.delay("project:style", NEVER) },
  play: steps((w) => w.reads("正在读章节……", "Reading the chapters…")),
};
