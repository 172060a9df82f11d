import type { Citation, StudyState } from "../ui/src/backend";
import { takeIn } from "./cast";
import type { Stage } from "./stage";

type Words = [zh: string, en: string];

const FOUND: { question: Words; answer: Words; chapter: number; quote: Words; facts?: [Words, Words][] }[] = [
  {
    question: ["潮是谁替纪伯看的？", "Who read the gauge for Uncle Ji?"],
    answer: ["一九八三年，潮是阿满替他看的。", "In 1983 Aman read it for him."],
    chapter: 4,
    quote: ["“那年是我女人看的。”他说。", "“That year my wife read it,” he said."],
  },
  {
    question: ["铅笔是从哪里来的？", "Where did the pencils come from?"],
    answer: ["翠姑论打卖给她铅笔。", "Cuigu sold her pencils by the dozen."],
    chapter: 4,
    quote: ["铅笔是论打卖的，翠姑数给他十二支。", "Pencils went by the dozen, and Cuigu counted him out twelve."],
    facts: [
      [
        ["在哪里做事", "works at"],
        ["供销社", "the co-op"],
      ],
      [
        ["卖什么", "sells"],
        ["铅笔，论打", "pencils, by the dozen"],
      ],
    ],
  },
  {
    question: ["墙上那道线是怎么划的？", "How was the line on the wall made?"],
    answer: ["是阿满拿发夹划的。", "Aman drew it with a hairpin."],
    chapter: 5,
    quote: ["阿满拿一只发夹在墙上划了一道。", "Aman had drawn the line on the wall with a hairpin."],
  },
  {
    question: ["档案里写没写是谁看的潮？", "Does the file say who read the gauge?"],
    answer: ["档案上没有写是谁看的。", "The file doesn’t say who took the readings."],
    chapter: 7,
    quote: ["纪水生，一九七一年六月到岗，时年二十七。", "Ji Shuisheng, posted in June 1971, aged twenty-seven."],
  },
];

const say =
  ({ language }: Stage) =>
  ([zh, en]: Words): string =>
    language === "zh" ? zh : en;

function citation(stage: Stage, chapter: number, quote: string): Citation {
  const { info, text } = stage.backend.books[0]!.files[chapter]!;
  const from = text.indexOf(quote);
  if (from < 0) throw new Error(`the chapter has no such sentence: ${quote}`);
  return {
    chapterId: info.chapterId,
    from,
    to: from + quote.length,
    quoteHash: `hash-${chapter}-${from}`,
    quote,
    status: "holds",
  };
}

/** A book of twelve chapters with the records of a study. */
export async function findRecords(stage: Stage): Promise<void> {
  await takeIn(stage);
  const { backend, projectId } = stage;
  const words = say(stage);
  for (const { question, answer, chapter, quote, facts = [] } of FOUND) {
    const entityName = stage.say("翠姑", "Cuigu");
    const entityId = facts.length > 0 ? backend.entities.idOf(projectId, entityName) : "";
    backend.knowledge.addRecord(
      {
        projectId,
        question: words(question),
        answer: words(answer),
        citations: [citation(stage, chapter, words(quote))],
      },
      facts.map(([attribute, value]) => ({ entityId, entityName, attribute: words(attribute), value: words(value) })),
    );
  }
}

/** The question at work. */
export const QUESTION: Words = [
  "一九八三年，除了纪伯，还有谁知道阿满在看潮？",
  "Who besides Ji knew, in 1983, that Aman was reading the gauge?",
];

/** A study that is on, in a state. */
export const studying =
  (part: Partial<StudyState>, hasRecords = false) =>
  async (stage: Stage): Promise<void> => {
    await (hasRecords ? findRecords(stage) : takeIn(stage));
    const { backend, projectId } = stage;
    await backend.invoke("knowledge:study:set", {
      projectId,
      isEnabled: true,
      agreedHost: backend.study.model!.host,
      version: 0,
    });
    backend.study.move(projectId, { questionsToday: 12, explorationsToday: 14, ...part });
  };

/** The same at step 4 of its question. */
export const atWork = (stage: Stage): Promise<void> =>
  studying(
    { currentPhase: "exploring", question: say(stage)(QUESTION), questionId: "question-0", step: 4 },
    true,
  )(stage);

/** A study of a model that is not on this machine. */
export async function elsewhere(stage: Stage): Promise<void> {
  await takeIn(stage);
  stage.backend.study.model = { name: "deepseek-chat", host: "api.deepseek.com", isLocal: false };
}
