import type { Meta } from "@storybook/react-vite";
import { userEvent } from "storybook/test";
import { ASK_SCRIPTS } from "../ui/src/backend/fake/askScripts";
import { answered, ask, asked, choose, cited, daysAgo, keep, open, QUESTION, said, shown, withModel } from "./asking";
import { NEVER, shows, steps, Window, type Scenario, type Stage } from "./stage";
import { LONG } from "./words";

/** A provider on this computer whose model writes, and answers too. */
function withLocalModel({ backend }: Stage): void {
  backend.models.providers = [
    { providerId: "here", kind: "ollama", name: "Ollama", baseUrl: "http://127.0.0.1:11434", keyKept: "none" },
  ];
  choose(backend, "writing", "here", "qwen3:8b");
}

export default {
  title: "Ask",
  component: Window,
  args: { chapter: 2, before: withModel },
} satisfies Meta<typeof Window>;

export const NothingYet: Scenario = {
  name: "Nothing asked yet: what this is, and two examples",
  play: steps(async (w) => {
    await open(w);
    await w.see("ask-empty");
  }),
};

export const SampleModel: Scenario = {
  name: "Only the sample model, which answers nothing",
  args: { before: () => {} },
  play: steps(async (w) => {
    await open(w);
    await w.see("ask-no-model");
  }),
};

export const LocalModel: Scenario = {
  name: "A model on this computer: nothing leaves",
  args: { before: withLocalModel },
  play: steps(async (w) => {
    await open(w);
    await w.see("ask-leaves");
  }),
};

export const LocalModelAndService: Scenario = {
  name: "A model on this computer, and the team's answer service: what goes there",
  args: {
    before: (stage) => {
      withLocalModel(stage);
      Object.assign(stage.backend.answerService, {
        baseUrl: "https://answers.example.org",
        enabled: true,
        sendCandidates: true,
      });
    },
  },
  play: steps(async (w) => {
    await open(w);
    await w.press("ask-as-of");
    await w.press("ask-as-of-whole");
    await w.reads("团队的答案服务 answers.example.org", "team’s answer service at answers.example.org");
  }),
};

export const WhoAnswers: Scenario = {
  name: "Who answers, each with what leaves",
  play: steps(async (w) => {
    await open(w);
    await w.press("ask-who");
    await w.see("ask-who-book");
  }),
};

export const FirstRequest: Scenario = {
  name: "What is sent: the first request, before the question is asked",
  play: steps(async (w) => {
    await open(w);
    await w.fill("ask-field", w.say(...QUESTION));
    await w.press("ask-preview-toggle");
    await w.see("ask-preview");
  }),
};

export const NothingWouldBeSent: Scenario = {
  name: "What is sent: nothing, since the same question has a kept answer",
  args: { before: (stage) => void keep(stage) },
  play: steps(async (w) => {
    await open(w);
    await w.fill("ask-field", w.say(...QUESTION));
    await w.press("ask-preview-toggle");
    await w.see("ask-preview-none");
  }),
};

export const AsOf: Scenario = {
  name: "How far the book is known to the question",
  play: steps(async (w) => {
    await open(w);
    await w.press("ask-as-of");
    await w.see("ask-as-of-whole");
  }),
};

export const WholeBook: Scenario = {
  name: "The whole book: later events are taken along",
  play: steps(async (w) => {
    await open(w);
    await w.press("ask-as-of");
    await w.press("ask-as-of-whole");
    await w.see("ask-whole");
  }),
};

export const AboutSelection: Scenario = {
  name: "About the selected words",
  play: steps(async (w) => {
    w.select(w.say("九八年那场大潮，我九岁", "In the flood of ninety-eight I was nine."));
    await userEvent.keyboard("{F1}");
    await w.see("ask-selection");
  }),
};

export const LookingBack: Scenario = {
  name: "While the kept answers are looked through",
  args: {
    before: (stage) => {
      withModel(stage);
      stage.backend.waits.delay("ask:run", NEVER);
    },
  },
  play: steps(async (w) => {
    await ask(w);
    await w.see("ask-stop");
  }),
};

export const Working: Scenario = {
  name: "At work, the steps open, a sentence not checked yet",
  play: steps(async (w) => {
    // In English the pieces are more.
    await asked(w, w.language === "zh" ? 12 : 13);
    await w.press("ask-loop");
    await w.see("ask-open");
  }),
};

export const Searching: Scenario = {
  name: "At work, before the first word",
  play: steps(async (w) => {
    await asked(w, 5);
    await w.press("ask-loop");
    await w.see("ask-step", 3);
  }),
};

export const Answered: Scenario = {
  name: "Answered: a passage lit, a sentence without a passage struck",
  play: steps(async (w) => {
    await answered(w);
    await w.press("ask-chip", 1);
    await w.see("cited-mark", 3);
  }),
};

export const FromAnotherChapter: Scenario = {
  name: "A passage of another chapter is open, with the way back",
  args: { chapter: 0 },
  play: steps(async (w) => {
    await open(w);
    await w.press("ask-as-of");
    await w.press("ask-as-of-whole");
    await answered(w);
    await w.press("ask-passage");
    await w.see("story-back");
  }),
};

export const Craft: Scenario = {
  name: "An answer about craft: it may be put into the chapter",
  args: {
    before: (stage) => {
      withModel(stage);
      const text = stage.say(
        "先写手上的事，再写数目。让旧刻度自己露出来，不替它解释。",
        "Begin with the hands, then the figures. Let the old scale show by itself, and explain nothing.",
      );
      stage.backend.asking.script = {
        kind: "craft",
        steps: ASK_SCRIPTS[stage.language].steps.slice(0, 1),
        statements: [{ text, status: "plain" }],
      };
    },
  },
  play: steps(async (w) => {
    await answered(w);
    await w.see("ask-insert");
  }),
};

export const NotInBook: Scenario = {
  name: "The book does not say so: what was looked at",
  args: {
    before: (stage) => {
      withModel(stage);
      stage.backend.asking.script = {
        steps: ASK_SCRIPTS[stage.language].steps.slice(0, 3),
        statements: [
          {
            text: stage.say("书里没写到老周叫什么名字。", "The book doesn’t say what Zhou’s first name is."),
            status: "plain",
          },
        ],
        notInBook: true,
      };
    },
  },
  play: steps(async (w) => {
    await answered(w);
    await w.see("ask-looked");
  }),
};

export const SameWords: Scenario = {
  name: "Asked before in the same words: nothing was sent",
  args: { before: (stage) => void keep(stage) },
  play: steps(async (w) => {
    await ask(w);
    await w.see("ask-take");
  }),
};

export const Taken: Scenario = {
  name: "The kept answer is used: its verdicts, with the undo",
  args: { before: (stage) => void keep(stage) },
  play: steps(async (w) => {
    await ask(w);
    await w.press("ask-take");
    await w.see("ask-verdicts");
    await w.see("toast-action");
  }),
};

export const AskedAgain: Scenario = {
  name: "Asked again: the earlier answer is listed below",
  args: { before: (stage) => void keep(stage) },
  play: steps(async (w) => {
    await ask(w);
    await w.press("ask-again");
    await w.see("ask-loop");
    w.backend.asking.advance();
    await w.see("ask-copy");
    await w.see("ask-nearly");
  }),
};

export const NearlySame: Scenario = {
  name: "Nearly the same question: what differs is underlined",
  args: {
    before: (stage) => {
      keep(stage, {
        question: stage.say(
          "水尺上的字是谁改的？原来的还在吗？",
          "Who changed the letters on the gauge, and are the first ones still there?",
        ),
      });
    },
  },
  play: steps(async (w) => {
    await answered(w);
    await w.see("ask-near");
  }),
};

export const Changed: Scenario = {
  name: "The text that a kept answer rests on was changed: it is listed first, and counted beside the mode",
  args: {
    before: (stage) => {
      const quote = stage.say("“你爸让我别扔。”", "“Your dad said not to throw it out.”");
      keep(stage, { citations: [cited(stage, 2, quote, "changed")] });
      keep(stage, { question: stage.say("柜子缺什么？", "What does the locker lack?") });
    },
  },
  play: shown,
};

export const Blocked: Scenario = {
  name: "Wrong three times: not used any more",
  args: { before: (stage) => void keep(stage, {}, [said("fail", 30), said("fail", 12), said("fail", 8)]) },
  play: shown,
};

export const OnTrial: Scenario = {
  name: "On trial: nothing is known of it yet",
  args: { before: (stage) => void keep(stage, {}, []) },
  play: shown,
};

export const Settled: Scenario = {
  name: "Settled by the writer",
  args: {
    before: (stage) =>
      void keep(stage, {}, [said("pass", 20), said("pass", 9), said("pass", 8), { kind: "confirmed", at: daysAgo(5) }]),
  },
  play: shown,
};

export const Challenged: Scenario = {
  name: "Settled, and failed twice since",
  args: {
    before: (stage) =>
      void keep(stage, {}, [
        said("pass", 20),
        said("pass", 9),
        said("pass", 8),
        { kind: "confirmed", at: daysAgo(5) },
        said("fail", 4),
        said("fail", 2),
      ]),
  },
  play: shown,
};

export const TheBookSays: Scenario = {
  name: "Without a model: the passages, closest first",
  args: { before: () => {} },
  play: steps(async (w) => {
    await ask(w);
    await w.see("ask-of-book");
    w.backend.asking.advance();
    await w.see("ask-passage", 3);
  }),
};

export const MayNotSay: Scenario = {
  name: "Without a model, and the book may not say this",
  args: {
    before: (stage) => {
      stage.backend.asking.script = { ...ASK_SCRIPTS[stage.language], unanswerable: 0.8 };
    },
  },
  play: steps(async (w) => {
    await ask(w);
    await w.see("ask-of-book");
    w.backend.asking.advance();
    await w.see("ask-unanswerable");
  }),
};

export const TheBookSaysNothing: Scenario = {
  name: "Without a model, and nothing close was found",
  args: {
    before: ({ backend }) => {
      backend.asking.script = { steps: [], statements: [], passages: [] };
    },
  },
  play: steps(async (w) => {
    await ask(w);
    await w.see("ask-of-book");
    w.backend.asking.advance();
    await w.see("ask-looked");
  }),
};

export const LimitReached: Scenario = {
  name: "The limit of the day is reached: the question stays",
  args: {
    before: (stage) => {
      withModel(stage);
      stage.backend.models.usage = { ...stage.backend.models.usage, tokens: 200_312, tokensPerDay: 200_000 };
      stage.backend.fail("ask:run", {
        code: "MEMORY_MODEL_UNAVAILABLE",
        message: "limit",
        details: { reason: "dailyLimit" },
      });
    },
  },
  play: steps(async (w) => {
    await ask(w);
    await w.see("ask-limit");
  }),
};

export const Stopped: Scenario = {
  name: "Stopped in the middle: what had come stays",
  play: steps(async (w) => {
    await asked(w, 12);
    await w.see("ask-chip");
    await w.press("ask-stop");
    await w.see("ask-stopped");
  }),
};

export const BrokenOff: Scenario = {
  name: "Broken off in the middle",
  play: steps(async (w) => {
    await asked(w, 12);
    await w.see("ask-chip");
    w.backend.asking.end("failed", {
      code: "MEMORY_MODEL_UNAVAILABLE",
      message: "timeout",
      details: { reason: "timeout" },
    });
    await w.see("ask-failed");
  }),
};

export const NoAnswer: Scenario = {
  name: "The service does not take the key",
  play: steps(async (w) => {
    await asked(w, 0);
    w.backend.asking.end("failed", {
      code: "MEMORY_MODEL_UNAVAILABLE",
      message: "401",
      details: { reason: "keyRefused" },
    });
    await w.see("ask-failed");
  }),
};

export const NamesUnreadable: Scenario = {
  name: "Not asked: the hidden names cannot be read",
  args: {
    before: (stage) => {
      withModel(stage);
      stage.backend.fail("ask:run", {
        code: "MEMORY_STORE_UNAVAILABLE",
        message: "the names to be hidden cannot be read",
        details: { reason: "namesUnread" },
      });
    },
  },
  play: steps(async (w) => {
    await ask(w);
    await w.see("ask-names");
    await w.reads("先不问：不知道该藏哪些名字", "Not asked: it isn’t known which names to hide");
  }),
};

export const NotKept: Scenario = {
  name: "This one isn't kept: the past passages are down",
  args: {
    before: (stage) => {
      withModel(stage);
      stage.backend.degrade("episodes");
    },
  },
  play: steps(async (w) => {
    await answered(w);
    await w.see("ask-unkept");
  }),
};

export const NotWorthKeeping: Scenario = {
  name: "An answer that is not kept, with the reason",
  args: {
    before: (stage) => {
      withModel(stage);
      stage.backend.asking.script = { ...ASK_SCRIPTS[stage.language], whyNot: ["short"] };
    },
  },
  play: steps(async (w) => {
    await answered(w);
    await w.see("ask-why-not");
  }),
};

export const Unwritten: Scenario = {
  name: "A verdict that could not be written",
  play: steps(async (w) => {
    await answered(w);
    w.backend.fail("answer:validate", { code: "MEMORY_WRITE_FAILED", message: "disk full" });
    await w.press("ask-useful");
    await w.see("ask-verdict-problem");
  }),
};

export const Why: Scenario = {
  name: "Why: the trace of an answer",
  play: steps(async (w) => {
    await answered(w);
    await w.press("ask-why");
    await w.see("why-reference");
  }),
};

export const Long: Scenario = {
  name: "A very long question and answer",
  args: {
    before: (stage) => {
      withModel(stage);
      const text = `${LONG[stage.language]}\n${LONG[stage.language]}`;
      stage.backend.asking.script = {
        ...ASK_SCRIPTS[stage.language],
        statements: [...ASK_SCRIPTS[stage.language].statements, { text, status: "plain" }],
      };
    },
  },
  play: steps(async (w) => {
    await ask(w, LONG[w.language]);
    await w.see("ask-loop");
    w.backend.asking.advance();
    await w.see("ask-copy");
  }),
};

export const Writing: Scenario = { name: "The mode of writing, as before", play: shows("assistant-mode", "run") };
