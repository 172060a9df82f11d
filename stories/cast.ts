import type { EntityKind, Language } from "../ui/src/backend";
import type { FakeEntity } from "../ui/src/backend/fake/cast";
import type { Stage } from "./stage";

/** A name of the book of twelve chapters: sentences that contain it, and how many of them each chapter has. */
interface Part {
  kind: EntityKind;
  forms: Record<Language, string[]>;
  misspelt?: Record<Language, string[]>;
  lines: Record<Language, string[]>;
  counts: number[];
}

const PARTS: Part[] = [
  {
    kind: "character",
    forms: { zh: ["纪伯", "老纪"], en: ["Uncle Ji", "old Ji"] },
    lines: {
      zh: ["纪伯读了四十四年的潮。", "纪伯没有抬头，把簿子往前推了推。", "“它还没喘完呢。”老纪说。"],
      en: [
        "Uncle Ji had read the gauge for forty-four years.",
        "Uncle Ji didn’t look up, and pushed the ledger an inch forward.",
        "“It hasn’t finished breathing,” old Ji said.",
      ],
    },
    counts: [4, 2, 4, 8, 6, 9, 5, 7, 1, 3, 2, 4],
  },
  {
    kind: "character",
    forms: { zh: ["小满"], en: ["Xiaoman"] },
    lines: {
      zh: ["小满把鞋递给他。", "“数目我认得。”小满说。"],
      en: ["Xiaoman handed him the shoe.", "“I know my figures,” Xiaoman said."],
    },
    counts: [0, 0, 0, 0, 0, 7, 0, 2, 2, 1, 0, 2],
  },
  {
    kind: "character",
    forms: { zh: ["阿满", "我女人"], en: ["Aman", "my wife"] },
    misspelt: { zh: ["阿曼"], en: ["Amann"] },
    lines: {
      zh: ["阿满拿一只发夹在墙上划了一道。", "“那年是我女人看的。”他说。", "圆圆的铅笔字是阿满写的。"],
      en: [
        "Aman had drawn the line on the wall with a hairpin.",
        "“That year my wife read it,” he said.",
        "The round pencil figures were by Aman.",
      ],
    },
    counts: [0, 1, 0, 0, 6, 5, 1, 4, 0, 0, 2, 1],
  },
  {
    kind: "character",
    forms: { zh: ["老蔡", "船老大"], en: ["Cai", "the skipper"] },
    lines: {
      zh: ["老蔡把缆绳绕了三圈。", "那天船老大没有收我的钱。"],
      en: ["Cai took three turns of the rope.", "That day the skipper didn’t take my money."],
    },
    counts: [2, 0, 0, 2, 0, 0, 9, 1, 0, 1, 0, 0],
  },
  {
    kind: "character",
    forms: { zh: ["高工"], en: ["Gao"] },
    lines: {
      zh: ["局里来的高工站在门口，没有脱鞋。", "“左腿。”高工说。"],
      en: ["Gao, from the bureau, stood in the doorway with his shoes on.", "“The left leg,” Gao said."],
    },
    counts: [0, 0, 1, 5, 0, 0, 0, 3, 0, 0, 0, 0],
  },
  {
    kind: "character",
    forms: { zh: ["翠姑"], en: ["Cuigu"] },
    lines: {
      zh: ["“他来的那年二十四，”翠姑说，“背一只箱子，跟你一样。”", "铅笔是论打卖的，翠姑数给他十二支。"],
      en: [
        "“He was twenty-four the year he came,” Cuigu said. “One box on his back, like you.”",
        "Pencils went by the dozen, and Cuigu counted him out twelve.",
      ],
    },
    counts: [0, 0, 0, 0, 8, 2, 3, 0, 0, 0, 0, 1],
  },
  {
    kind: "character",
    forms: { zh: ["郑科长"], en: ["Section Chief Zheng"] },
    lines: {
      zh: ["郑科长说，编制是编制，潮是潮。"],
      en: ["A post is a post and a tide is a tide, Section Chief Zheng said."],
    },
    counts: [0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 2, 0],
  },
  {
    kind: "character",
    forms: { zh: ["纪水生"], en: ["Ji Shuisheng"] },
    lines: {
      zh: ["纪水生，一九七一年六月到岗，时年二十七。"],
      en: ["Ji Shuisheng, posted in June 1971, aged twenty-seven."],
    },
    counts: [0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0],
  },
  {
    kind: "character",
    forms: { zh: ["孟书记"], en: ["Secretary Meng"] },
    lines: { zh: ["孟书记从后面的船上下来。"], en: ["Secretary Meng stepped off the second boat."] },
    counts: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 8],
  },
  {
    kind: "place",
    forms: { zh: ["验潮屋"], en: ["the gauge house"] },
    lines: { zh: ["验潮屋的灯亮着。"], en: ["There was a light in the gauge house."] },
    counts: [3, 1, 2, 1, 0, 0, 0, 1, 1, 2, 0, 1],
  },
  {
    kind: "place",
    forms: { zh: ["供销社"], en: ["the co-op"] },
    lines: { zh: ["供销社的门板上了一半。"], en: ["Half the shutters of the co-op were up."] },
    counts: [0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 1],
  },
  {
    kind: "faction",
    forms: { zh: ["水文局"], en: ["the Bureau"] },
    lines: { zh: ["水文局的公函压在砚台底下。"], en: ["The letter from the Bureau lay under the inkstone."] },
    counts: [1, 0, 1, 2, 0, 0, 0, 3, 0, 0, 1, 0],
  },
];

const TITLES: Record<Language, string[]> = {
  zh: ["验潮屋", "簿子", "墙上那道线", "局里来人", "供销社", "小满", "船上", "档案", "停电", "换班", "公函", "大潮"],
  en: [
    "The Gauge House",
    "Ledgers",
    "The Line on the Wall",
    "From the Bureau",
    "The Co-op",
    "Grain Full",
    "On the Boat",
    "The File",
    "Power Cut",
    "Changing Watch",
    "The Letter",
    "Spring Tide",
  ],
};

/** The ninth chapter, where the caret is. */
const NINTH: Record<Language, string[]> = {
  zh: [
    "后半夜停了电。箱子上的绿灯灭了，屋里忽然静下来，静得能听见井里的水往上走。",
    "纪伯已经起来了。他坐在床沿上找鞋，找到一只，另一只被小满拿在手里。",
    "“我去看。”小满说。",
    "“你看不来。”",
    "“数目我认得。”",
    "他没有再说话，把手电筒从枕头底下摸出来，递给她，又伸手在她手背上按了一下，像是怕她拿不稳。",
    "我跟到井边。她趴在井沿上，手电筒照下去，光碎了，半天才合拢。我说二米九四，她摇摇头。",
    "“它还没喘完呢。”她说。",
    "我从来没有跟她讲过这句话。我回头看了一眼，门口没有人，屋里的煤油灯却点起来了，灯底下有人在削铅笔。",
  ],
  en: [
    "The power went in the small hours. The green lamp on the box died, and the house was suddenly so quiet that you could hear the water climbing in the well.",
    "Uncle Ji was up already. He sat on the edge of the bed feeling for his shoes, found one, and the other was in Xiaoman’s hand.",
    "“I’ll look,” Xiaoman said.",
    "“You can’t read it.”",
    "“I know my figures.”",
    "He said no more, felt under the pillow for the torch and gave it to her, and pressed the back of her hand, as though she might drop it.",
    "I followed to the well. She lay on the rim, the torch went down, and the light broke and took its time to close. Two metres ninety-four, I said, and she shook her head.",
    "“It hasn’t finished breathing,” she said.",
    "I had never told her that. I looked back; there was no one in the doorway, but the oil lamp was lit, and under it somebody was sharpening a pencil.",
  ],
};

function textOf(language: Language, chapter: number): string {
  const title = `# ${TITLES[language][chapter]}`;
  if (chapter === 8) return [title, ...NINTH[language]].join("\n\n") + "\n";
  const paragraphs = PARTS.flatMap(({ lines, counts, misspelt }) => {
    const own = lines[language];
    const named = Array.from({ length: counts[chapter]! }, (_, index) => own[index % own.length]!);
    const [wrong] = misspelt?.[language] ?? [];
    return wrong !== undefined && chapter === 5 ? [...named, own[0]!.replace(/阿满|Aman/, wrong)] : named;
  });
  return [title, ...paragraphs].join("\n\n") + "\n";
}

/** Puts a book of twelve chapters in the place of the sample, with the names that its analysis finds. */
export function growBook({ backend, language, projectId }: Stage): void {
  const book = backend.books[0]!;
  book.files.length = 0;
  book.project.title = language === "zh" ? "验潮屋" : "The Gauge House";
  TITLES[language].forEach((title, chapter) => backend.projects.addFile(book, title, textOf(language, chapter)));
  backend.entities.casts.set(
    projectId,
    PARTS.map(({ kind, forms, misspelt }): FakeEntity => ({
      kind,
      forms: forms[language],
      ...(misspelt && { misspelt: misspelt[language] }),
    })),
  );
  backend.entities.possibleMerges = [language === "zh" ? ["纪伯", "纪水生"] : ["Uncle Ji", "Ji Shuisheng"]];
}

/** The writer has accepted the people who matter, and a place. */
export async function takeIn(stage: Stage): Promise<void> {
  growBook(stage);
  const { backend, projectId } = stage;
  const names =
    stage.language === "zh"
      ? ["纪伯", "小满", "阿满", "老蔡", "高工", "验潮屋"]
      : ["Uncle Ji", "Xiaoman", "Aman", "Cai", "Gao", "the gauge house"];
  await backend.invoke("story:entity:accept", {
    projectId,
    entityIds: names.map((name) => backend.entities.idOf(projectId, name)),
  });
}
