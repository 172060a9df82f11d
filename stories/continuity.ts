import type { PairCounts, StudyState } from "../ui/src/backend";
import type { FakeIssue } from "../ui/src/backend/fake/continuity";
import { takeIn } from "./cast";
import type { Stage } from "./stage";

type Words = [zh: string, en: string];

/** Sentences that the book gets, by the index of the chapter. */
const LINES: { chapter: number; words: Words }[] = [
  {
    chapter: 3,
    words: [
      "阴天他的左腿使不上劲，去井边要扶着墙。",
      "On grey days his left leg would not carry him, and he went to the well along the wall.",
    ],
  },
  { chapter: 5, words: ["停电以后点煤油灯，一直点到天亮。", "After that they burned the oil lamp until daylight."] },
  {
    chapter: 6,
    words: [
      "“墙上那道线，还在吧？”老蔡把烟掐了，问我。",
      "“The line on the wall, is it still there?” Cai asked me, and put out his cigarette.",
    ],
  },
  {
    chapter: 7,
    words: [
      "一九八三年二月，右腿胫骨骨折，县医院，三个月。",
      "February 1983, fracture of the right shin, county hospital, three months.",
    ],
  },
  { chapter: 11, words: ["“我今年六十八。”纪伯说。", "“I’m sixty-eight this year,” Uncle Ji said."] },
];

/** Adds the sentences that do not agree to the book of twelve chapters. */
async function growDoubts(stage: Stage): Promise<void> {
  await takeIn(stage);
  const { backend } = stage;
  for (const { chapter, words } of LINES) {
    const { info, text } = backend.books[0]!.files[chapter]!;
    backend.projects.changeOutside(info.chapterId, `${text}\n${stage.say(...words)}\n`, false);
  }
}

/** The issues of the book, in the language of the story. The last one is in the last chapter. */
export async function raiseDoubts(stage: Stage): Promise<void> {
  await growDoubts(stage);
  const { backend, projectId } = stage;
  const say = (zh: string, en: string) => stage.say(zh, en);
  const line = (index: number) => say(...LINES[index]!.words);
  const add = (issue: FakeIssue) => backend.continuity.add(projectId, issue);
  const ji = say("纪伯", "Uncle Ji");
  const file = say("纪水生，一九七一年六月到岗，时年二十七。", "Ji Shuisheng, posted in June 1971, aged twenty-seven.");
  add({
    kind: "age",
    entityName: ji,
    values: ["24", "27"],
    places: [
      {
        chapter: 4,
        quote: say(
          "“他来的那年二十四，”翠姑说，“背一只箱子，跟你一样。”",
          "“He was twenty-four the year he came,” Cuigu said. “One box on his back, like you.”",
        ),
        differs: say("二十四", "twenty-four"),
      },
      { chapter: 7, quote: file, differs: say("二十七", "twenty-seven") },
    ],
  });
  add({
    kind: "knowsTooEarly",
    foundBy: "facts",
    entityName: say("老蔡", "Cai"),
    entityId: backend.entities.idOf(projectId, say("老蔡", "Cai")),
    places: [
      {
        chapter: 5,
        quote: say("阿满拿一只发夹在墙上划了一道。", "Aman had drawn the line on the wall with a hairpin."),
      },
      { chapter: 6, quote: line(2), differs: say("那道线", "The line") },
    ],
  });
  add({
    kind: "attribute",
    foundBy: "model",
    entityName: ji,
    values: [say("左腿", "left leg"), say("右腿", "right leg")],
    why: say(
      "两处说的是同一处旧伤，一处在左腿，一处在右腿，中间没有写他又摔过。",
      "Both speak of the same old injury, once of the left leg and once of the right; nothing tells of another fall.",
    ),
    places: [
      { chapter: 3, quote: line(0), differs: say("左腿", "left leg") },
      { chapter: 7, quote: line(3), differs: say("右腿", "right shin") },
    ],
  });
  add({
    kind: "nameDrift",
    entityName: say("阿满", "Aman"),
    values: [say("阿满", "Aman"), say("阿曼", "Amann")],
    places: [
      {
        chapter: 4,
        quote: say("阿满拿一只发夹在墙上划了一道。", "Aman had drawn the line on the wall with a hairpin."),
        differs: say("阿满", "Aman"),
      },
      {
        chapter: 5,
        quote: say("阿曼拿一只发夹在墙上划了一道。", "Amann had drawn the line on the wall with a hairpin."),
        differs: say("阿曼", "Amann"),
      },
    ],
  });
  add({
    kind: "worldRule",
    foundBy: "model",
    why: say("通了电就不该再点煤油灯。", "With electricity there is no need of an oil lamp."),
    entityName: say("岛上早就通了电", "the island has had electricity for years"),
    places: [
      { chapter: 0, quote: say("验潮屋的灯亮着。", "There was a light in the gauge house.") },
      { chapter: 5, quote: line(1), differs: say("煤油灯", "oil lamp") },
    ],
  });
  add({
    kind: "age",
    entityName: ji,
    values: ["68", "71"],
    places: [
      { chapter: 7, quote: file, differs: say("二十七", "twenty-seven") },
      { chapter: 11, quote: line(4), differs: say("六十八", "sixty-eight") },
    ],
  });
  const settled: [FakeIssue["kind"], "intended" | "second", string, Words][] = [
    ["date", "intended", "2026-10-12T09:30:00.000Z", ["小满", "Xiaoman"]],
    ["where", "second", "2026-10-09T09:30:00.000Z", ["老蔡", "Cai"]],
  ];
  for (const [kind, verdict, resolvedAt, name] of settled)
    add({
      kind,
      entityName: say(...name),
      resolved: { verdict, resolvedAt },
      places: [
        {
          chapter: 1,
          quote: say("阿满拿一只发夹在墙上划了一道。", "Aman had drawn the line on the wall with a hairpin."),
        },
        { chapter: 7, quote: file },
      ],
    });
}

/** The issues about people, places and threads: the whole book is known. */
export async function raiseLooseEnds(stage: Stage): Promise<void> {
  await growDoubts(stage);
  const { backend, projectId } = stage;
  const say = (zh: string, en: string) => stage.say(zh, en);
  const light = { chapter: 0, quote: say("验潮屋的灯亮着。", "There was a light in the gauge house.") };
  const hairpin = {
    chapter: 5,
    quote: say("阿满拿一只发夹在墙上划了一道。", "Aman had drawn the line on the wall with a hairpin."),
  };
  const line = { chapter: 6, quote: say(...LINES[2]!.words) };
  const add = (issue: FakeIssue) => backend.continuity.add(projectId, issue);
  const cai = say("老蔡", "Cai");
  const why = say("两句不可能说的是同一个人、同一时候。", "They cannot be of one person and time.");
  add({
    kind: "openThread",
    foundBy: "facts",
    entityName: say("谁点的灯", "Who lit the lamp"),
    places: [light, light],
  });
  add({ kind: "where", foundBy: "model", entityName: cai, places: [hairpin, line], why });
  add({ kind: "twoForOne", foundBy: "model", entityName: cai, places: [light, line], why });
  add({ kind: "beforeIntroduced", foundBy: "model", entityName: cai, places: [light, hairpin], why });
}

/** A book in which everything agrees, or which was not compared with everything. */
export async function noDoubts(stage: Stage): Promise<void> {
  await growDoubts(stage);
}

/** The host of the model of a study, and the writer's agreement to it. */
type Model = "local" | "remote" | "notAgreed" | "none";

/** A book with pairs of sentences that a model compares, with its other issues or without. */
export const withPairs =
  (pairs: Partial<PairCounts>, model: Model, part: Partial<StudyState> = {}, hasDoubts = true) =>
  async (stage: Stage): Promise<void> => {
    await (hasDoubts ? raiseDoubts : noDoubts)(stage);
    const { backend, projectId } = stage;
    const { study } = backend;
    if (model === "remote") study.model = { name: "deepseek-chat", host: "api.deepseek.com", isLocal: false };
    if (model === "none") study.model = null;
    if (model === "local" || model === "remote") {
      const agreedHost = study.model!.host;
      await backend.invoke("knowledge:study:set", { projectId, isEnabled: true, agreedHost, version: 0 });
    }
    backend.continuity.count(projectId, pairs);
    study.move(projectId, part);
  };
