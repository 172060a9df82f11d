import type { Meta } from "@storybook/react-vite";
import { ASK_SCRIPTS } from "../ui/src/backend/fake/askScripts";
import { answered, ask, cited, daysAgo, keep, open, QUESTION, said, withModel } from "./asking";
import { steps, Window, type Scenario, type Stage } from "./stage";

/** Two answers to one question, the later one right in the writer's eyes. */
function keepTwo(stage: Stage): void {
  keep(stage);
  keep(
    stage,
    {
      answer: stage.say("是老周改的，父亲只是看着。", "Zhou did; the father only watched."),
      createdAt: daysAgo(12),
      updatedAt: daysAgo(2),
      citations: [cited(stage, 2, stage.say("“这上头的数，他改过。”", "“He changed these.”"))],
    },
    [said("pass", 2)],
  );
}

/** An answer with the numbers of its passages in it. */
const keepNumbered = (stage: Stage) =>
  void keep(stage, {
    answer: stage.say(
      "是父亲改的，老周说的[1]。原来的刻度还在新漆底下，比现在的高出两指[2]。",
      "The father did, as Zhou says [1]. The first scale still shows under the new paint, two fingers higher [2].",
    ),
  });

export default {
  title: "Ask, and what is kept",
  component: Window,
  args: { chapter: 2, before: withModel },
} satisfies Meta<typeof Window>;

export const Disagreeing: Scenario = {
  name: "Two kept answers to the question disagree: side by side, and which is right",
  args: { before: keepTwo },
  play: steps(async (w) => {
    await ask(w);
    await w.see("answer-disagreeing");
    await w.see("answer-both");
  }),
};

export const HalfChosen: Scenario = {
  name: "Only a part of the choice between two could be stored: what was, and what was not",
  args: { before: keepTwo },
  play: steps(async (w) => {
    await ask(w);
    await w.see("answer-disagreeing");
    w.backend.fail("answer:block", { code: "MEMORY_WRITE_FAILED", message: "disk full" });
    await w.press("answer-second");
    await w.see("answer-half-chosen");
  }),
};

export const Numbered: Scenario = {
  name: "A kept answer with the numbers of its passages: one is lit",
  args: { before: keepNumbered },
  play: steps(async (w) => {
    await ask(w);
    await w.press("ask-chip", 1);
    await w.see("cited-mark", 2);
  }),
};

export const ServiceUnreached: Scenario = {
  name: "The team’s answer service is not reached: answered with what is kept here",
  args: {
    before: (stage) => {
      withModel(stage);
      stage.backend.asking.serviceFailure = "the answer service was not reached";
    },
  },
  play: steps(async (w) => {
    await open(w);
    await w.press("ask-as-of");
    await w.press("ask-as-of-whole");
    await answered(w);
    await w.see("ask-service-unreached");
  }),
};

export const RulesUnread: Scenario = {
  name: "Not kept: without the rules file it is not known whether such an answer was deleted",
  args: {
    before: (stage) => {
      withModel(stage);
      stage.backend.asking.script = { ...ASK_SCRIPTS[stage.language], whyNot: ["rulesUnread"] };
    },
  },
  play: steps(async (w) => {
    await answered(w);
    await w.see("ask-why-not");
    await w.reads("没有留下：规则库读不出来", "Not kept: the rules file can’t be read");
  }),
};

export const OtherLanguage: Scenario = {
  name: "The answer is in another language than the question",
  args: {
    before: (stage) => {
      withModel(stage);
      stage.backend.asking.script = { ...ASK_SCRIPTS[stage.language], isOtherLanguage: true };
    },
  },
  play: steps(async (w) => {
    await answered(w);
    await w.see("ask-other-language");
  }),
};

export const Unstored: Scenario = {
  name: "Not kept: it could not be stored",
  args: {
    before: (stage) => {
      withModel(stage);
      stage.backend.asking.script = { ...ASK_SCRIPTS[stage.language], whyNot: ["unstored"] };
    },
  },
  play: steps(async (w) => {
    await answered(w);
    await w.reads("没有留下：没能存下来", "Not kept: it could not be stored");
  }),
};

export const Earlier: Scenario = {
  name: "The questions of the book that were asked before",
  args: {
    before: (stage) => {
      keep(stage);
      keep(stage, {
        question: stage.say("柜子里缺的那一页写着什么？", "What was on the page that the locker lacks?"),
        createdAt: daysAgo(9),
      });
      keep(stage, {
        question: stage.say(
          "从第一章到现在，老周一共来过几次，每一次都是为了什么事，又都是跟谁说的？",
          "From the first chapter until now, how often has Zhou come, each time for what, and whom did he talk to?",
        ),
        createdAt: daysAgo(2),
      });
    },
  },
  play: steps(async (w) => {
    await open(w);
    await w.see("ask-earlier-question", 2);
    await w.press("ask-history");
    await w.see("ask-history-2");
  }),
};

export const PutBack: Scenario = {
  name: "An earlier question is in the field again, and not asked yet",
  args: { before: (stage) => void keep(stage) },
  play: steps(async (w) => {
    await open(w);
    await w.see("ask-earlier-question");
    await w.press("ask-history");
    await w.press("ask-history-0");
    const [field] = await w.see("ask-field");
    if ((field as HTMLTextAreaElement).value !== w.say(...QUESTION)) throw new Error("not in the field");
  }),
};

export const Interrupted: Scenario = {
  name: "Earlier questions after a start: one was interrupted, one has no kept answer",
  args: {
    before: (stage) => {
      withModel(stage);
      const { backend, projectId } = stage;
      backend.asking.earlier.set(projectId, [
        {
          question: stage.say("水尺上的数是谁改的？", "Who changed the gauge?"),
          askedAt: daysAgo(1),
          isInterrupted: true,
        },
        {
          question: stage.say("周叔为什么不肯签字？", "Why won’t Zhou sign?"),
          askedAt: daysAgo(3),
          isInterrupted: false,
        },
      ]);
    },
  },
  play: steps(async (w) => {
    await open(w);
    await w.see("ask-empty");
    await w.press("ask-history");
    await w.reads("中断了", "broken off");
    await w.see("ask-history-1");
  }),
};

export const OwnNumbers: Scenario = {
  name: "A kept answer of the panel: numbers behind the statements that rest on them, none behind an edited one",
  args: {
    before: (stage) => {
      const answer = stage.say(
        "是父亲改的，老周说的。原来的刻度还在新漆底下，比现在的高出两指。后来谁也没有再改。",
        "The father did, as Zhou says. The first scale still shows under the new paint. Nobody changed it again.",
      );
      const first = stage.say("是父亲改的，老周说的。", "The father did, as Zhou says.");
      const second = stage.say(
        "原来的刻度还在新漆底下，比现在的高出两指。",
        "The first scale still shows under the new paint.",
      );
      const record = (words: string, citations: number[]) => ({
        from: answer.indexOf(words),
        length: words.length,
        citations,
      });
      const edited = { from: null, length: 9, citations: [1] };
      const statements = JSON.stringify([record(first, [1]), record(second, [2]), edited]);
      keep(stage, { answer, details: { metadata: { statements } } });
    },
  },
  play: steps(async (w) => {
    await open(w);
    await w.press("ask-earlier-question");
    await w.see("ask-card");
    await w.see("ask-chip", 2);
  }),
};

export const NoneEarlier: Scenario = {
  name: "Nothing was asked before: the list says so",
  play: steps(async (w) => {
    await open(w);
    await w.see("ask-empty");
    await w.press("ask-history");
    await w.reads("还没有问过。", "Nothing asked yet.");
  }),
};
