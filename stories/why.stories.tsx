import type { Meta } from "@storybook/react-vite";
import type { CutReason, EntityChange, Error as WireError, Trace } from "../ui/src/backend";
import { NEVER, shows, steps, Window, type Scenario, type Stage } from "./stage";
import { LONG } from "./words";

export default { title: "Why", component: Window, args: { chapter: 2, why: "gen-a" } } satisfies Meta<typeof Window>;

const change = ({ backend }: Stage, part: Partial<Trace>) =>
  void backend.traces.set("gen-a", { ...backend.traces.get("gen-a")!, ...part });

export const Compliance: Scenario = {
  name: "Estimated from how well each memory was followed",
  play: steps(async (w) => {
    await w.see("why-reference", 5);
    await w.see("why-rest");
  }),
};

export const Erased: Scenario = {
  name: "Its words were erased at the writer's request",
  args: {
    before: (w) => {
      const { memoryReferences, messages } = w.backend.traces.get("gen-a")!;
      change(w, {
        blankedAt: "2026-03-15T21:00:00Z",
        memoryReferences: memoryReferences.map((reference) => ({ ...reference, text: "" })),
        cut: [],
        messages: messages.map((message) => ({ ...message, content: "" })),
      });
    },
  },
  play: shows("why-blanked", "why-rest"),
};

export const Unmeasured: Scenario = {
  name: "Nothing was measured: what went in and how well it fits is all there is",
  args: { before: (w) => change(w, { influenceWeights: [] }) },
  play: shows("why-tier", "why-group-episode"),
};

export const Card: Scenario = {
  name: "A card of the story, with the sentences that its facts rest on",
  args: {
    before: async (w) => {
      const { backend, projectId } = w;
      const quote = w.say("“你爸让我别扔。”", "“Your dad said not to throw it out.”");
      const value = w.say("答应过别扔那根水尺", "promised to keep the old gauge");
      const name = w.say("老周", "Zhou");
      const entity = { projectId, kind: "character" as const, name };
      const { entityIds } = (await backend.invoke("story:entity:save", entity)) as EntityChange;
      const { info, text } = backend.books[0]!.files[2]!;
      const citation = { chapterId: info.chapterId, from: text.indexOf(quote), quote };
      const attribute = w.say("做过", "did");
      await backend.invoke("story:fact:save", { projectId, entityId: entityIds[0]!, attribute, value, citation });
      const { memoryReferences } = backend.traces.get("gen-a")!;
      const card = { ...memoryReferences[0]!, referenceId: `entity:${entityIds[0]}`, id: entityIds[0]! };
      const words = w.say(`- ${name}：${attribute} ${value}`, `- ${name}: ${attribute} ${value}`);
      const reference = { ...card, kind: "entity" as const, text: words, matchedBy: ["present"], score: null };
      change(w, { memoryReferences: [reference, ...memoryReferences], influenceWeights: [] });
    },
  },
  play: shows("why-group-entity", "why-source"),
};

/** Confirms the cost and completes that many regenerations. */
async function measure(w: Stage, regenerations: number) {
  await w.press("why-measure");
  await w.press("measure-start");
  await w.see("measure-progress");
  w.backend.provenance.measure(regenerations);
}

export const Masked: Scenario = {
  name: "Measured by leaving memories out, with intervals",
  play: steps(async (w) => {
    await measure(w, 32);
    await w.see("why-change", 2);
  }),
};

export const Cost: Scenario = {
  name: "Measuring: what it costs, before anything is sent",
  args: {
    before: ({ backend }) => {
      backend.provenance.cost = {
        ...backend.provenance.cost,
        regenerations: 20,
        requestsLeft: 21,
        provider: { provider: "openAi", model: "scribe", sample: false },
      };
    },
  },
  play: steps(async (w) => {
    await w.press("why-measure");
    await w.see("measure-start");
  }),
};

export const Measuring: Scenario = {
  name: "Measuring: how far it is",
  play: steps((w) => measure(w, 12)),
};

export const Unmeasurable: Scenario = {
  name: "Measuring: another model wrote this passage",
  args: {
    before: ({ backend }) =>
      backend.fail("memory:trace:measure", {
        code: "MEMORY_MODEL_UNAVAILABLE",
        message: "another",
        details: { reason: "otherModel" },
      }),
  },
  play: steps(async (w) => {
    await w.press("why-measure");
    await w.see("measure-problem");
  }),
};

export const Since: Scenario = {
  name: "One rule was edited since, another deleted",
  args: {
    before: async ({ backend, language }) => {
      const [edited, deleted] = backend.rules;
      await backend.invoke("memory:semantic:update", {
        ruleId: edited!.id,
        version: edited!.version,
        rule: language === "zh" ? "对白一句话说完。" : "A line of dialogue is one sentence.",
      });
      await backend.invoke("memory:semantic:delete", { ruleId: deleted!.id });
    },
  },
  play: steps(async (w) => {
    await w.see("why-since", 2);
    await w.press("why-since");
    await w.see("why-now");
  }),
};

export const Nothing: Scenario = {
  name: "Nothing was remembered then",
  args: { memory: { rules: false } },
  play: shows("why-none"),
};

export const Answered: Scenario = {
  name: "The writer answers: right, wrong, not here",
  play: steps(async (w) => {
    await w.press("verdict-right", 0);
    await w.press("verdict-wrong", 1);
    await w.press("verdict-notHere", 2);
    await w.see("verdict-said", 3);
  }),
};

export const Sent: Scenario = {
  name: "What was sent, to the letter",
  play: steps(async (w) => {
    await w.press("why-sent-toggle");
    await w.see("why-sent");
  }),
};

export const StayedOut: Scenario = {
  name: "All that fitted and stayed out, each with its reason",
  args: {
    before: (w) => {
      const out = (kind: string, id: string, text: string, reason: CutReason) => ({
        kind,
        id,
        layer: "settings" as const,
        text,
        tokens: 20,
        reason,
      });
      change(w, {
        cut: [
          out("episode", "e", w.say("南风一来，墙就出汗。", "When the south wind came the walls sweated."), "budget"),
          out("rule", "r", w.say("- 用第三人称。", "- Third person."), "overruled"),
          out("rule", "s", w.say("- 多用比喻。", "- Plenty of similes."), "notHere"),
          out("before", "", "", "budget"),
          out("episode", "g", w.say("走廊里的灯又灭了。", "The light in the corridor went out again."), "alike"),
          out("episode", "h", w.say("码头上没有人。", "Nobody was on the quay."), "notOutstanding"),
        ],
      });
    },
  },
  play: steps((w) => w.see("why-cut-item", 6)),
};

export const Degraded: Scenario = {
  name: "Written while a part of the memory was missing",
  args: {
    before: (w) =>
      change(w, {
        memoryDegraded: true,
        degradedReasons: [{ code: "pastUnavailable", message: "past examples unavailable" }],
      }),
  },
  play: shows("why-degraded"),
};

export const SecondTry: Scenario = {
  name: "Written at the second try",
  args: { before: (w) => change(w, { firstTry: "first", memoryReferences: [], influenceWeights: [] }) },
  play: shows("why-other-try"),
};

export const Long: Scenario = {
  name: "A rule and an example longer than anybody expects",
  args: {
    before: (w) => {
      const { memoryReferences } = w.backend.traces.get("gen-a")!;
      change(w, {
        memoryReferences: memoryReferences.map((one, index) =>
          index === 0 || one.kind === "episode" ? { ...one, text: LONG[w.language] } : one,
        ),
      });
    },
  },
  play: shows("why-rest"),
};

export const Loading: Scenario = {
  name: "While it is looked up",
  args: { before: ({ backend }) => backend.waits.delay("memory:trace:get", NEVER) },
  play: shows("why-loading"),
};

const untold = (error: WireError): Scenario => ({
  args: { before: ({ backend }) => backend.fail("memory:trace:get", error, 99) },
  play: shows("why-problem"),
});

export const Unknown: Scenario = {
  ...untold({ code: "MEMORY_NOT_FOUND", message: "no" }),
  name: "No record of this passage",
};
export const Mismatch: Scenario = {
  ...untold({ code: "MEMORY_TRACE_MISMATCH", message: "no" }),
  name: "A record that contradicts itself is not shown",
};
export const Elsewhere: Scenario = {
  ...untold({ code: "MEMORY_SCOPE_DENIED", message: "no" }),
  name: "A record of another book is not shown",
};
export const Unavailable: Scenario = {
  ...untold({ code: "MEMORY_STORE_UNAVAILABLE", message: "damaged" }),
  name: "The records cannot be read now",
};

/** Gives the first rule the verdict "wrong". */
async function wrong(w: Stage) {
  await w.press("verdict-wrong");
  await w.see("verdict-note-open");
}

export const NoteOffered: Scenario = { name: "Called wrong: why may be said", play: steps(wrong) };

export const NoteWritten: Scenario = {
  name: "Judged wrong: the reason is being entered",
  play: steps(async (w) => {
    await wrong(w);
    await w.press("verdict-note-open");
    await w.fill("verdict-note-text", LONG[w.language]);
  }),
};

export const NoteKept: Scenario = {
  name: "Judged wrong: the reason is stored",
  play: steps(async (w) => {
    await wrong(w);
    await w.press("verdict-note-open");
    await w.fill(
      "verdict-note-text",
      w.say("他在船上话多，岸上才少。", "He talks on the boat; it’s ashore that he doesn’t."),
    );
    await w.press("verdict-note-keep");
    await w.see("verdict-note-kept");
  }),
};
