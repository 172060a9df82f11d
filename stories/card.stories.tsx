import type { Meta } from "@storybook/react-vite";
import { pointAt } from "../ui/testing/pointer";
import { takeIn } from "./cast";
import { editSentence, writeFacts } from "./facts";
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

export const Knowers: Scenario = {
  name: "Who knows a fact: some can be added and taken away",
  play: steps(async (w) => {
    await aman(w);
    await w.press("fact-knowers", 2);
    await w.see("knower-remove");
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
