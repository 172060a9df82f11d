import type { EntityChange, Fact, FactChange, ThreadList } from "../ui/src/backend";
import { takeIn } from "./cast";
import type { Stage } from "./stage";

/** Writes a fact, citing a sentence of a chapter by its index. */
async function fact(
  { backend, projectId, say }: Pick<Stage, "backend" | "projectId" | "say">,
  entityId: string,
  [attribute, value]: [string, string],
  more: {
    chapter?: number;
    quote?: string;
    supersedes?: Fact | null;
    certainty?: Fact["certainty"];
    objectId?: string;
    validFrom?: string;
    validUntil?: string;
  } = {},
): Promise<Fact> {
  const { chapter, quote, supersedes, certainty, objectId, validFrom, validUntil } = more;
  const file = chapter === undefined ? null : backend.books[0]!.files[chapter]!;
  const from = file && quote ? file.text.indexOf(quote) : -1;
  if (quote && from < 0) throw new Error(`the chapter has no ${say("这句", "such sentence")}: ${quote}`);
  const { fact: saved } = (await backend.invoke("story:fact:save", {
    projectId,
    entityId,
    attribute,
    value,
    ...(certainty && { certainty }),
    ...(objectId && { objectId }),
    ...(validFrom && { validFrom }),
    ...(validUntil && { validUntil }),
    // Without a sentence it is known from a chapter on.
    ...(file && !quote && { toldAt: { chapterId: file.info.chapterId, offset: 0 } }),
    ...(supersedes && { supersedes: supersedes.factId }),
    ...(file && quote && { citation: { chapterId: file.info.chapterId, from, quote } }),
  })) as FactChange;
  return saved!;
}

/** The card of Aman: facts with their sentences, one that replaced another, and who knows it. */
export async function writeFacts(stage: Stage): Promise<void> {
  await takeIn(stage);
  const { backend, projectId } = stage;
  const say = (zh: string, en: string) => stage.say(zh, en);
  const id = (zh: string, en: string) => backend.entities.idOf(projectId, say(zh, en));
  const context = { backend, projectId, say };
  const aman = id("阿满", "Aman");
  await fact(
    context,
    aman,
    [
      say("是谁", "who"),
      say("纪伯的妻子。识不了几个字，数目认得。", "Uncle Ji’s wife. She could hardly read, but knew her figures."),
    ],
    {
      chapter: 1,
      quote: say("阿满拿一只发夹在墙上划了一道。", "Aman had drawn the line on the wall with a hairpin."),
    },
  );
  await fact(
    context,
    aman,
    [
      say("做过", "did"),
      say(
        "一九八三年三月到五月，替纪伯看潮，一天四次。",
        "From March to May 1983 she read the tide for Ji, four times a day.",
      ),
    ],
    {
      chapter: 4,
      quote: say("“那年是我女人看的。”他说。", "“That year my wife read it,” he said."),
    },
  );
  const wrong = await fact(
    context,
    aman,
    [say("那一夜", "that night"), say("她把三和四写颠倒了。", "She wrote three and four the wrong way round.")],
    {
      certainty: "believed",
      chapter: 4,
      quote: say("圆圆的铅笔字是阿满写的。", "The round pencil figures were by Aman."),
    },
  );
  const right = await fact(
    context,
    aman,
    [say("那一夜", "that night"), say("她记的是四米三一，没有记错。", "She wrote 4.31, and she was right.")],
    {
      supersedes: wrong,
      chapter: 5,
      quote: say("圆圆的铅笔字是阿满写的。", "The round pencil figures were by Aman."),
    },
  );
  await backend.invoke("story:fact:known-by", {
    projectId,
    factId: right.factId,
    version: right.version,
    entityId: id("纪伯", "Uncle Ji"),
    since: { chapterId: backend.books[0]!.files[5]!.info.chapterId, offset: 10 },
  });
  await fact(
    context,
    id("纪伯", "Uncle Ji"),
    [say("年纪", "age"), say("七十一岁，看了四十四年的潮", "71, and has read the gauge for 44 years")],
    {
      chapter: 0,
      quote: say("纪伯读了四十四年的潮。", "Uncle Ji had read the gauge for forty-four years."),
    },
  );
}

/** Edits the sentence of the fifth chapter that facts of Aman cite. */
function editCited({ backend }: Stage): void {
  const file = backend.books[0]!.files[4]!;
  file.text = file.text
    .replaceAll("“那年是我女人看的。”他说。", "“那年是我女人替我看的。”他说。")
    .replaceAll("“That year my wife read it,” he said.", "“My wife read it for me that year,” he said.");
}

/** The same, after the cited sentence of the fifth chapter was edited. */
export async function editSentence(stage: Stage): Promise<void> {
  await writeFacts(stage);
  editCited(stage);
}

/** The card of Uncle Ji: his family, and an age that was said twice before it was right. */
export async function writeRelations(stage: Stage): Promise<void> {
  await takeIn(stage);
  const { backend, projectId } = stage;
  const say = (zh: string, en: string) => stage.say(zh, en);
  const id = (zh: string, en: string) => backend.entities.idOf(projectId, say(zh, en));
  const context = { backend, projectId, say };
  const ji = id("纪伯", "Uncle Ji");
  await fact(context, ji, [say("妻子", "wife"), say("阿满", "Aman")], { objectId: id("阿满", "Aman") });
  await fact(context, ji, [say("女儿", "daughter"), say("小满那天生的，一九八二年", "born on Grain Full, 1982")], {
    objectId: id("小满", "Xiaoman"),
  });
  const age = say("来的那年", "age when he came");
  const first = await fact(context, ji, [age, say("二十四", "twenty-four")], {
    certainty: "said",
    chapter: 4,
    quote: say(
      "“他来的那年二十四，”翠姑说，“背一只箱子，跟你一样。”",
      "“He was twenty-four the year he came,” Cuigu said.",
    ),
  });
  const second = await fact(context, ji, [age, say("二十五", "twenty-five")], {
    certainty: "believed",
    supersedes: first,
    chapter: 6,
    quote: say("老蔡把缆绳绕了三圈。", "Cai took three turns of the rope."),
  });
  await backend.invoke("story:fact:known-by", {
    projectId,
    factId: second.factId,
    version: second.version,
    entityId: id("老蔡", "Cai"),
    since: { chapterId: backend.books[0]!.files[6]!.info.chapterId, offset: 10 },
  });
  await fact(context, ji, [age, say("二十七", "twenty-seven")], {
    supersedes: second,
    chapter: 7,
    quote: say("纪水生，一九七一年六月到岗，时年二十七。", "Ji Shuisheng, posted in June 1971, aged twenty-seven."),
  });
}

/** Words in both languages. */
type Both = [zh: string, en: string];

/** Threads with the numbers of the chapters that plant, touch and pay them. */
const THREADS: { name: Both; planted: number; touched?: number[]; paid?: number; isLeftOpen?: boolean }[] = [
  { name: ["谁在数贝壳", "Who counts the shells"], planted: 1 },
  { name: ["一只发夹", "A hairpin"], planted: 3, touched: [5] },
  { name: ["他不肯签的单子", "The list he won’t sign"], planted: 1, touched: [3, 8] },
  { name: ["谁在削铅笔", "Who sharpens the pencil"], planted: 9 },
  { name: ["岛上那只猫", "The cat on the island"], planted: 2, isLeftOpen: true },
  { name: ["零点在哪里", "Where the zero is"], planted: 1, paid: 3 },
  { name: ["笔底下是谁的数", "Whose figures lie under the pen"], planted: 2, paid: 3 },
  { name: ["背上的孩子", "The baby on her back"], planted: 2, touched: [3], paid: 6 },
  { name: ["阿满后来怎样", "What became of Aman"], planted: 2, touched: [5], paid: 6 },
  { name: ["谁来接班", "Who takes over"], planted: 4, paid: 11 },
];

/** Events: when they happen, and the numbers of the chapters that tell of them. */
const EVENTS: { when: Both | null; name: Both; chapters: number[] }[] = [
  { when: ["1971年6月", "June 1971"], name: ["纪伯上岛", "Ji comes to the island"], chapters: [1, 5, 8] },
  { when: ["1982年5月21日", "21 May 1982"], name: ["小满出生", "Xiaoman is born"], chapters: [6] },
  { when: ["1983年2月", "February 1983"], name: ["纪伯摔断了腿", "Ji breaks his leg"], chapters: [2, 8] },
  {
    when: ["1983年5月15日夜里", "15 May 1983, night"],
    name: ["水到四米三一", "The water stands at 4.31"],
    chapters: [2, 3],
  },
  { when: ["第一天", "Day 1"], name: ["箱子到了，没有销", "The box comes; no pin"], chapters: [1] },
  { when: ["第十九天夜里", "Day 19, night"], name: ["停电", "The power goes"], chapters: [9] },
  { when: null, name: ["换上自动的", "The gauge runs by itself"], chapters: [12] },
];

/** A book with threads and events, and a fact of Aman with its time. */
export async function writePlot(stage: Stage): Promise<void> {
  await takeIn(stage);
  const { backend, projectId } = stage;
  const say = (zh: string, en: string) => stage.say(zh, en);
  const context = { backend, projectId, say };
  const write = async (kind: "thread" | "event", name: string): Promise<string> => {
    const { entityIds } = (await backend.invoke("story:entity:save", { projectId, kind, name })) as EntityChange;
    return entityIds[0]!;
  };
  const { attributes } = (await backend.invoke("story:threads", { projectId })) as ThreadList;
  for (const { name, planted, touched = [], paid, isLeftOpen } of THREADS) {
    const id = await write("thread", say(...name));
    const step = (attribute: string, number: number) =>
      fact(context, id, [attribute, say("那一段", "that passage")], { chapter: number - 1 });
    await step(attributes.planted, planted);
    for (const number of touched) await step(attributes.touched, number);
    if (paid) await step(attributes.paid, paid);
    if (isLeftOpen) await step(attributes.leftOpen, planted);
  }
  const hairpin = backend.entities.idOf(projectId, say("一只发夹", "A hairpin"));
  await fact(context, hairpin, [attributes.touched, say("墙上那道线", "the line on the wall")], {
    chapter: 5,
    quote: say("阿满拿一只发夹在墙上划了一道。", "Aman had drawn the line on the wall with a hairpin."),
  });
  for (const { when, name, chapters } of EVENTS) {
    const id = await write("event", say(...name));
    for (const [index, number] of chapters.entries())
      await fact(context, id, [say("经过", "what happens"), say(...name)], {
        chapter: number - 1,
        ...(when && index === 0 && { validFrom: say(...when) }),
      });
  }
  await fact(
    context,
    backend.entities.idOf(projectId, say("阿满", "Aman")),
    [say("做过", "did"), say("替纪伯看潮", "reads the gauge")],
    {
      chapter: 4,
      quote: say("“那年是我女人看的。”他说。", "“That year my wife read it,” he said."),
      validFrom: say("1983年3月", "March 1983"),
      validUntil: say("5月", "May"),
    },
  );
}

/** The same, after the sentence of Aman's fact was edited. */
export async function editPlot(stage: Stage): Promise<void> {
  await writePlot(stage);
  editCited(stage);
}
