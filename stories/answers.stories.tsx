import type { Meta } from "@storybook/react-vite";
import { userEvent } from "storybook/test";
import type { Answer, AnswerEvent, Citation } from "../ui/src/backend";
import { NEVER, shows, steps, Window, type Scenario, type Stage } from "./stage";

/** Milliseconds of an hour and a day. */
const [HOUR, DAY] = [3_600_000, 86_400_000];

/** A time before noon today. */
function ago(milliseconds: number): string {
  const noon = new Date();
  noon.setHours(12, 0, 0, 0);
  return new Date(noon.getTime() - milliseconds).toISOString();
}

type Told = Partial<AnswerEvent> & Pick<AnswerEvent, "kind">;
const said = (result: "pass" | "fail", at: number, more: Partial<AnswerEvent> = {}): Told => ({
  kind: "validated",
  result,
  source: "writer",
  signalStrength: "strong",
  wasUsed: true,
  at: ago(at),
  ...more,
});
const byRun = { source: "run", signalStrength: "weak" } as const;
const hit = (at: number, wasUsed: boolean): Told => ({ kind: "hit", wasShown: true, wasUsed, at: ago(at) });

/** A sentence of a chapter of the sample book. */
function cited({ backend }: Stage, chapter: number, quote: string, status: Citation["status"] = "holds"): Citation {
  const { info, text } = backend.books[0]!.files[chapter]!;
  const from = Math.max(0, text.indexOf(quote));
  return { chapterId: info.chapterId, from, to: from + quote.length, quoteHash: quote, quote, status };
}

type Texts = [question: [zh: string, en: string], answer: [zh: string, en: string]];

/** Adds an answer to the sample book. */
function add(stage: Stage, [question, answer]: Texts, more: Partial<Answer> = {}, events: Told[] = []): Answer {
  const { backend, projectId, say } = stage;
  const tell = say.bind({ language: stage.language });
  const at = events.at(-1)?.at ?? more.updatedAt ?? ago(3 * DAY);
  return backend.answers.add(
    {
      projectId,
      question: tell(...question),
      answer: tell(...answer),
      createdAt: ago(40 * DAY),
      updatedAt: at,
      ...more,
    },
    events,
  );
}

const GAUGE: Texts = [
  ["水尺断在哪里？", "Where is the gauge board broken?"],
  ["刻度到一米七的地方断了一截，另接了一块木头。", "At five foot six it had snapped, and a second piece was let in."],
];
const FLOOD: Texts = [
  ["九八年大潮那天，父亲在簿子上写了什么？", "What did the father write in the log on the day of the flood?"],
  ["一切如常。", "Nothing to report."],
];
const FERRY: Texts = [
  ["到岛上的船，一天几班？", "How many boats a day are there to the island?"],
  ["上午下午各有，来回两班。", "Two, morning and afternoon."],
];
const ISLAND: Texts = [
  ["这个岛叫什么？", "What is the island called?"],
  ["这个岛不起名字。", "The island stays without a name."],
];
const BODY: Texts = [
  ["落水的人，多久会浮上来？", "How long until a drowned body floats?"],
  ["水凉的时候要两三个星期；夏天几天就够。", "Two or three weeks while the water is cold; a few days in summer."],
];

const gaugeQuote = (stage: Stage) => cited(stage, 2, stage.say("到一米七断了一截", "At five foot six it had snapped"));
const logQuote = (stage: Stage, status?: Citation["status"]) =>
  cited(
    stage,
    2,
    stage.say("父亲却在簿子上写：一切如常。", "my father writing in the log: *Nothing to report.*"),
    status,
  );

/** Six answers, one in each standing. */
function fill(stage: Stage): void {
  const { say } = stage;
  const tell = say.bind({ language: stage.language });
  add(stage, BODY, { kind: "research", origin: "agent", updatedAt: ago(9 * DAY) });
  add(
    stage,
    FERRY,
    { kind: "canon", citations: [cited(stage, 0, tell("头班渡船六点开。", "The first ferry left at six."))] },
    [said("fail", 30 * DAY), said("fail", 12 * DAY, byRun), said("fail", 8 * DAY)],
  );
  add(stage, ISLAND, { kind: "decision", origin: "asked" }, [
    said("pass", 20 * DAY),
    said("pass", 15 * DAY),
    said("pass", 9 * DAY),
    { kind: "confirmed", at: ago(5 * DAY) },
  ]);
  add(stage, FLOOD, { kind: "canon", origin: "asked", citations: [logQuote(stage, "changed")] }, [
    said("pass", 10 * DAY),
    said("pass", 4 * DAY),
  ]);
  add(stage, GAUGE, { kind: "canon", origin: "asked", citations: [gaugeQuote(stage), logQuote(stage)] }, [
    hit(6 * DAY, true),
    said("pass", 6 * DAY, byRun),
    hit(5 * DAY, true),
    said("pass", 5 * DAY, { ...byRun, undoneAt: ago(4 * DAY) }),
    hit(3 * DAY, false),
    said("pass", 2 * DAY, { source: "inserted" }),
    said("pass", HOUR),
  ]);
}

export default {
  title: "Memory/Answers",
  component: Window,
  args: { page: "answers", before: fill },
} satisfies Meta<typeof Window>;

export const Usual: Scenario = {
  name: "What is kept, and how far each has held",
  play: steps((w) => w.see("answer-card", 5)),
};

export const None: Scenario = {
  name: "No answer yet: what will be here",
  args: { before: () => {} },
  play: shows("answers-empty"),
};

export const Focused: Scenario = {
  name: "A card that has the focus: all its verdicts",
  play: steps(async (w) => {
    const [card] = await w.see("answer-card", 5);
    card!.focus();
    await userEvent.keyboard("{ArrowDown}");
  }),
};

export const Judged: Scenario = {
  name: "A verdict, with its undo",
  play: steps(async (w) => {
    await w.see("answer-card", 5);
    await w.press("answer-useful");
    await w.see("toast-action");
  }),
};

export const Explained: Scenario = {
  name: "The numbers, and everything that happened to an answer",
  args: {
    before: (stage) => {
      add(stage, GAUGE, { kind: "canon", origin: "asked", citations: [gaugeQuote(stage)] }, [
        said("pass", 30 * DAY, { source: "cited", signalStrength: "medium" }),
        hit(21 * DAY, true),
        said("pass", 21 * DAY, byRun),
        hit(18 * DAY, true),
        said("pass", 18 * DAY, { ...byRun, undoneAt: ago(17 * DAY) }),
        hit(14 * DAY, false),
        said("fail", 9 * DAY, { undoneAt: ago(9 * DAY) }),
        said("pass", 8 * DAY, {
          source: "client",
          signalStrength: "medium",
          isApplied: false,
          note: stage.language === "zh" ? "和提纲一致" : "agrees with the outline",
        }),
        said("pass", 2 * DAY, { source: "inserted" }),
        said("pass", HOUR),
        { kind: "confirmed", at: ago(HOUR / 2) },
      ]);
    },
  },
  play: steps(async (w) => {
    await w.press("answer-more");
    await w.see("answer-event", 11);
  }),
};

export const OnTrial: Scenario = {
  name: "On trial: new, and distrusted lately",
  args: {
    before: (stage) => {
      add(stage, FERRY, { updatedAt: ago(DAY) }, [said("pass", 9 * DAY), said("fail", 3 * DAY), said("fail", 2 * DAY)]);
      add(stage, BODY, { updatedAt: ago(HOUR) });
    },
  },
  play: steps(async (w) => {
    await w.press("answers-filter");
    await w.press("answers-filter-onTrial");
    await w.see("answer-on-trial", 2);
  }),
};

export const BlockedByRuns: Scenario = {
  name: "Wrong three times: the three, and use it again",
  args: {
    before: (stage) => {
      add(stage, FERRY, {}, [said("fail", 30 * DAY), said("fail", 12 * DAY, byRun), said("fail", 8 * DAY)]);
    },
  },
  play: shows("answer-failures", "answer-unblock"),
};

export const BlockedByWriter: Scenario = {
  name: "Blocked by the writer",
  args: {
    before: (stage) => {
      add(stage, FERRY, {}, [said("pass", 9 * DAY), { kind: "blocked", at: ago(DAY) }]);
    },
  },
  play: shows("answer-blocked", "answer-unblock"),
};

export const Stale: Scenario = {
  name: "The text that it rests on was changed, or its chapter is gone",
  args: {
    before: (stage) => {
      add(stage, GAUGE, { kind: "canon", citations: [{ ...gaugeQuote(stage), chapterId: "gone", status: "gone" }] }, [
        said("pass", 9 * DAY),
      ]);
      add(stage, FLOOD, { kind: "canon", citations: [gaugeQuote(stage), logQuote(stage, "changed")] }, [
        said("pass", 3 * DAY),
      ]);
    },
  },
  play: shows("answer-stale", "answer-see"),
};

export const StillRight: Scenario = {
  name: "The answer is kept, with the sentence that is there now, and can be undone",
  args: {
    before: (stage) => {
      const quote = stage.say("父亲却在簿子上写：水位六米二。", "my father writing in the log: *Twenty feet.*");
      add(stage, FLOOD, { kind: "canon", citations: [{ ...logQuote(stage, "changed"), quote }] }, [
        said("pass", 3 * DAY),
      ]);
    },
  },
  play: steps(async (w) => {
    await w.see("answer-replacement");
    await w.press("answer-still-right");
    await w.see("toast-action");
  }),
};

/** A book with one answer, and a service that has two more. */
function withService(stage: Stage): void {
  const { backend, say } = stage;
  const tell = say.bind({ language: stage.language });
  add(stage, GAUGE, { kind: "canon", origin: "asked", citations: [gaugeQuote(stage)] }, [said("pass", 6 * DAY)]);
  const { answerService } = backend;
  answerService.enabled = true;
  answerService.baseUrl = "https://answers.example.org";
  answerService.matches = [FERRY, BODY].map(([question, answer], index) => ({
    answerId: `service:${index}`,
    question: tell(...question),
    answer: tell(...answer),
    score: 0.6,
    questionMatch: "related",
    same: 0.3,
    validationLevel: 2 - index,
    trust: 0.8,
    freshness: 1,
    consecutiveFail: 0,
  }));
}

export const ServiceOffered: Scenario = {
  name: "A search that the team's service can be asked too",
  args: { before: withService },
  play: steps(async (w) => {
    await w.see("answer-card");
    await w.fill("answers-search", w.say("水尺", "gauge"));
    await w.see("answers-ask-service");
  }),
};

export const ServiceAnswered: Scenario = {
  name: "The answers of the team's service, to keep here",
  args: { before: withService },
  play: steps(async (w) => {
    await w.see("answer-card");
    await w.fill("answers-search", w.say("水尺", "gauge"));
    await w.press("answers-ask-service");
    await w.see("service-keep", 2);
  }),
};

export const ServiceKept: Scenario = {
  name: "An answer that was kept from the team's service",
  args: { before: withService },
  play: steps(async (w) => {
    await w.see("answer-card");
    await w.fill("answers-search", w.say("水尺", "gauge"));
    await w.press("answers-ask-service");
    await w.press("service-keep");
    await w.see("service-keep", 1);
    await w.fill("answers-search", "");
    await w.see("answer-card", 2);
  }),
};

export const ServiceUnreached: Scenario = {
  name: "The team's service does not answer",
  args: {
    before: (stage) => {
      withService(stage);
      stage.backend.answerService.failure = "unreachable";
    },
  },
  play: steps(async (w) => {
    await w.see("answer-card");
    await w.fill("answers-search", w.say("水尺", "gauge"));
    await w.press("answers-ask-service");
    await w.see("service-retry");
  }),
};

export const ForAllBooks: Scenario = {
  name: "An answer that other books use too, and one of all books",
  args: {
    before: (stage) => {
      add(
        stage,
        FERRY,
        { kind: "craft", projectId: "00000000-0000-0000-0000-000000000000", language: stage.language },
        [said("pass", 9 * DAY)],
      );
      add(stage, BODY, { kind: "research" }, [said("pass", 3 * DAY)]);
    },
  },
  play: steps(async (w) => {
    await w.see("answer-global");
    await w.press("answer-promote");
    await w.see("answer-promoted");
    await w.see("toast-action");
  }),
};

export const Doubted: Scenario = {
  name: "It says that something is not in the book, and the book may say it now",
  args: {
    before: (stage) => {
      const { chapterId, from, to } = gaugeQuote(stage);
      add(stage, FLOOD, { kind: "research", nearby: { chapterId, from, to } }, [said("pass", 3 * DAY)]);
    },
  },
  play: shows("answer-doubted", "answer-nearby", "answer-still-right"),
};

export const Disagreeing: Scenario = {
  name: "Two answers to one question that disagree, side by side",
  args: {
    before: (stage) => {
      const later: Texts = [
        FERRY[0],
        ["一天一班，上午去，下午回。", "One: out in the morning, back in the afternoon."],
      ];
      add(stage, FERRY, { createdAt: ago(9 * DAY) });
      add(stage, later, { createdAt: ago(2 * DAY) });
    },
  },
  play: steps(async (w) => {
    await w.see("answer-disagreeing", 2);
    await w.press("answer-second");
    await w.see("answer-settled");
  }),
};

export const Settled: Scenario = {
  name: "Settled by the writer, and one that failed since",
  args: {
    before: (stage) => {
      const held = [said("pass", 30 * DAY), said("pass", 25 * DAY), said("pass", 20 * DAY)];
      add(stage, BODY, { kind: "research" }, [
        ...held,
        { kind: "confirmed", at: ago(15 * DAY) },
        said("fail", 9 * DAY, byRun),
        said("fail", 4 * DAY, byRun),
      ]);
      add(stage, ISLAND, { kind: "decision", origin: "asked" }, [...held, { kind: "confirmed", at: ago(2 * DAY) }]);
    },
  },
  play: shows("answer-settled", "answer-challenged"),
};

export const Long: Scenario = {
  name: "A very long question and answer, and many citations",
  args: {
    before: (stage) => {
      const zh = "父亲的簿子里，九八年那一页写的是一切如常；可水尺上的旧刻度比新的高出两指，门槛也淹过。";
      const en =
        "In the log the page of ninety-eight says nothing to report; yet the older scale stands two fingers higher, and the sill was under water. ";
      const longer: Texts = [
        [
          `${"这几处放在一起看，".repeat(14)}到底是谁改了水尺？`,
          `${"Taken together, all of this, ".repeat(9)}who changed the gauge?`,
        ],
        [zh.repeat(9), en.repeat(9)],
      ];
      add(stage, longer, {
        kind: "canon",
        citations: Array.from({ length: 8 }, () => gaugeQuote(stage)).map((one, n) => ({ ...one, quoteHash: `${n}` })),
      });
    },
  },
  play: shows("answer-whole", "answer-citations-more"),
};

export const Whole: Scenario = {
  name: "A long answer as a whole",
  args: Long.args!,
  play: steps(async (w) => {
    await w.press("answer-whole");
    await w.press("answer-citations-more");
  }),
};

export const Edited: Scenario = {
  name: "An answer is edited in its place",
  play: steps(async (w) => {
    await w.see("answer-card", 5);
    await w.press("answer-edit");
    await w.see("answer-form");
  }),
};

export const EditedElsewhere: Scenario = {
  name: "An edit of an answer that was changed elsewhere: the writer's words stay",
  play: steps(async (w) => {
    await w.see("answer-card", 5);
    await w.press("answer-edit");
    await w.fill(
      "answer-text-field",
      w.say("断在一米七，接了一块新木头。", "It broke at five foot six and was mended."),
    );
    w.backend.fail("answer:update", {
      code: "MEMORY_STALE_VERSION",
      message: "changed",
      details: { currentVersion: 2 },
    });
    await w.press("answer-save");
    await w.see("answer-problem");
  }),
};

export const Asked: Scenario = {
  name: "An answer is to be deleted: asked in its place",
  play: steps(async (w) => {
    await w.see("answer-card", 5);
    await w.press("answer-delete");
    await w.see("answer-delete-confirm");
  }),
};

export const Unwritten: Scenario = {
  name: "A verdict that could not be written",
  play: steps(async (w) => {
    w.backend.fail("answer:validate", { code: "MEMORY_WRITE_FAILED", message: "disk full" });
    await w.see("answer-card", 5);
    await w.press("answer-wrong");
    await w.see("answer-problem");
  }),
};

export const Outdated: Scenario = {
  name: "A verdict on a version that is not the present one",
  play: steps(async (w) => {
    w.backend.fail("answer:confirm", {
      code: "MEMORY_STALE_VERSION",
      message: "changed",
      details: { currentVersion: 2 },
    });
    await w.see("answer-card", 5);
    await w.press("answer-settle");
    await w.see("answer-problem");
  }),
};

export const OfFilter: Scenario = {
  name: "Those that rest on changed text",
  play: steps(async (w) => {
    await w.see("answer-card", 5);
    await w.press("answers-filter");
    await w.press("answers-filter-stale");
    await w.see("answer-stale");
  }),
};

export const Choosing: Scenario = {
  name: "The filters, with their counts",
  play: steps(async (w) => {
    await w.see("answer-card", 5);
    await w.press("answers-filter");
    await w.see("answers-filter-blocked");
  }),
};

export const NotFound: Scenario = {
  name: "A search that finds nothing",
  play: steps(async (w) => {
    await w.see("answer-card", 5);
    await w.fill("answers-search", w.say("灯塔", "lighthouse"));
    await w.see("answers-nothing");
  }),
};

export const NoneOfFilter: Scenario = {
  name: "A filter that leaves nothing",
  args: { before: (stage) => void add(stage, BODY) },
  play: steps(async (w) => {
    await w.see("answer-card");
    await w.press("answers-filter");
    await w.press("answers-filter-stale");
    await w.see("answers-nothing");
  }),
};

export const Loading: Scenario = {
  name: "While the answers are read",
  args: { before: ({ backend }) => backend.waits.delay("answer:list", NEVER) },
  play: steps((w) => w.reads("正在读取……", "Looking…")),
};

export const Unread: Scenario = {
  name: "A read that failed",
  args: {
    before: ({ backend }) => backend.fail("answer:list", { code: "MEMORY_STORE_UNAVAILABLE", message: "damaged" }, 9),
  },
  play: shows("answers-unread"),
};

export const Gone: Scenario = {
  name: "Answers that cannot be read now",
  args: {
    before: (stage) => {
      fill(stage);
      stage.backend.degrade("episodes");
    },
  },
  play: shows("missing-episodes", "degraded-notice"),
};
