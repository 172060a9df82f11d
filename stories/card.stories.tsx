import type { Meta } from "@storybook/react-vite";
import { pointAt } from "../ui/testing/pointer";
import { takeIn } from "./cast";
import { editSentence, writeFacts, writeRelations } from "./facts";
import { steps, Window, type Scenario, type Stage } from "./stage";

export default {
  title: "Card",
  component: Window,
  args: { chapter: 8, panel: "story", before: writeFacts },
} satisfies Meta<typeof Window>;

/** Opens the card of a name. */
async function open(w: Stage, zh: string, en: string): Promise<void> {
  const rows = await w.see("story-row", 5);
  const row = rows.find(({ textContent }) => textContent?.includes(w.say(zh, en)));
  if (!row) throw new Error(`no row: ${en}`);
  row.click();
  await w.see("fact-card");
}

const aman = (w: Stage) => open(w, "阿满", "Aman");

export const Full: Scenario = {
  name: "Facts with their sentences, one that replaced another, and who knows it",
  play: steps(async (w) => {
    await aman(w);
    await w.see("fact", 3);
    await w.see("fact-earlier");
  }),
};

export const Thin: Scenario = {
  name: "A card without facts",
  args: { before: takeIn },
  play: steps(async (w) => {
    await open(w, "高工", "Gao");
    await w.see("fact-add");
  }),
};

export const Stale: Scenario = {
  name: "A cited sentence was edited: models are not given the fact, and the writer is asked",
  args: { before: editSentence },
  play: steps(async (w) => {
    await aman(w);
    await w.see("fact-stale");
  }),
};

export const Add: Scenario = {
  name: "A fact is written in one line",
  play: steps(async (w) => {
    await aman(w);
    await w.press("fact-add");
    await w.see("fact-form");
  }),
};

export const Forget: Scenario = {
  name: "Forgetting somebody: what goes with it is said",
  play: steps(async (w) => {
    await aman(w);
    await w.press("card-forget");
    await w.see("card-forget-confirm");
  }),
};

export const Past: Scenario = {
  name: "The history of a card, each change with its undo",
  play: steps(async (w) => {
    await aman(w);
    await w.press("card-history");
    await w.see("card-history-line", 4);
  }),
};

/** Opens the fact of the card with these words. */
async function openFact(w: Stage, zh: string, en: string): Promise<void> {
  const facts = await w.see("fact-open");
  const fact = facts.find(({ textContent }) => textContent?.includes(w.say(zh, en)));
  if (!fact) throw new Error(`no fact: ${en}`);
  fact.click();
}

export const Knowers: Scenario = {
  name: "A fact is open: its actions, and who knows it, some to be added and taken away",
  play: steps(async (w) => {
    await aman(w);
    await openFact(w, "四米三一", "4.31");
    await w.see("knower-remove");
    await w.see("fact-later");
  }),
};

export const Edit: Scenario = {
  name: "A fact is edited in its place",
  play: steps(async (w) => {
    await aman(w);
    await openFact(w, "数目认得", "knew her figures");
    await w.press("fact-edit");
    await w.see("fact-form");
  }),
};

export const Relations: Scenario = {
  name: "Relations lead to other cards; what held before is folded, and the rest of it opens",
  args: { before: writeRelations },
  play: steps(async (w) => {
    await open(w, "纪伯", "Uncle Ji");
    await w.see("fact-related", 2);
    await w.press("fact-earlier-more");
    await w.see("fact-earlier", 2);
  }),
};

export const Gone: Scenario = {
  name: "The chapter that a fact rests on is gone",
  args: {
    before: async (stage) => {
      await writeFacts(stage);
      stage.backend.books[0]!.files.splice(4, 1);
    },
    chapter: 7,
  },
  play: steps(async (w) => {
    await w.press("as-of-all");
    await aman(w);
    await w.see("fact-stale");
  }),
};

export const ReadOnly: Scenario = {
  name: "The rules cannot be changed: the card is read, and has no actions",
  args: {
    before: async (stage) => {
      await writeFacts(stage);
      stage.backend.degrade("rules");
    },
  },
  play: steps(async (w) => {
    await w.see("story-rules-down");
    await aman(w);
    await w.see("fact", 3);
  }),
};

export const WithoutText: Scenario = {
  name: "The text could not be read: the cards are listed, and can be changed",
  args: {
    before: async (stage) => {
      await writeFacts(stage);
      stage.backend.degrade("episodes");
    },
  },
  play: steps(async (w) => {
    await w.see("story-past-down");
    const rows = await w.see("story-unnamed", 4);
    rows.find(({ textContent }) => textContent?.includes(w.say("阿满", "Aman")))!.click();
    await w.see("fact", 3);
  }),
};

export const Remember: Scenario = {
  name: "Remember this: a fact from the selected words",
  play: steps(async (w) => {
    const { info, text } = w.backend.books[0]!.files[8]!;
    const quote = w.say("“数目我认得。”", "“I know my figures.”");
    await w.see("story-row", 5);
    w.program.story.session.remember({ chapterId: info.chapterId, from: text.indexOf(quote), quote });
    await w.see("remember");
    await w.see("fact-form");
  }),
};

export const WrittenDown: Scenario = {
  name: "A rule of the world, written down by hand",
  args: {
    before: async (stage) => {
      await writeFacts(stage);
      const { backend, projectId } = stage;
      const name = stage.say("一天看四次潮", "The gauge is read four times a day");
      await backend.invoke("story:entity:save", { projectId, kind: "worldRule", name });
    },
  },
  play: steps(async (w) => {
    await w.press("story-page-places");
    await w.press("story-unnamed");
    await w.see("fact-card");
  }),
};

export const Hover: Scenario = {
  name: "The pointer rests on a name in the text",
  play: steps(async (w) => {
    await w.see("story-row", 5);
    pointAt(document.querySelector<HTMLElement>(".cm-content")!, w.say("纪伯", "Uncle Ji"));
    await w.see("name-hover");
  }),
};
