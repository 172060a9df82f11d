import type { Language } from "../bindings.gen";

/** A chapter of the fake book. Text between ⟦ and ⟧, or ⟪ and ⟫, is generated. */
export interface FakeChapter {
  title: string;
  paragraphs: string[];
}

const ZH: FakeChapter[] = [
  {
    title: "渡船",
    paragraphs: [
      "头班渡船六点开。我到码头的时候，天还没有亮透，水和天是一样的灰。",
      "船老大看了看我的行李，又看了看我，没问我去做什么。去那个岛的人只有两种：生在那里的，和去收东西的。",
    ],
  },
  {
    title: "铁皮柜",
    paragraphs: [
      "柜子缺一条腿，垫着半块砖。四十四本簿子立在里面，书脊朝外，一个字也没有写。",
      "“你随便抽一本。”老周说。",
    ],
  },
  {
    title: "旧水尺",
    paragraphs: [
      "渡船靠岸时，验潮所的灯已经亮了。我以为是父亲忘了关，走近才看见老周蹲在门口，拿砂纸打磨一根旧水尺。他没抬头，用脚把马扎推过来。",
      "“你爸让我别扔。”他说。",
      "⟦樟木的，两米四，刻度朝上，到一米七断了一截，⟧另接了一块木头。⟦接口处两种木纹挨在一起，⟧一深一浅⟦，像前后两个人写下的字。⟧",
      "我在马扎上坐下来。海在屋子的另一面，听得见，看不见。",
      "“这上头的数，他改过。”老周把水尺翻了个面，“原来的也在。”",
      "我凑近了看。⟪新漆底下，浅浅地透着一行旧刻度，比现在的高出两指。有几处被刀刮过，没刮净，墨渗在木头里，反倒更清楚。⟫",
      "老周把砂纸叠成四折，塞进上衣口袋。风从南边来，带着修船厂的漆味。九八年那场大潮，我九岁，记得水漫过门槛，父亲却在簿子上写：一切如常。",
      "“差了两指。”我说。",
    ],
  },
  { title: "南风天", paragraphs: ["南风一来，墙就出汗。"] },
];

const EN: FakeChapter[] = [
  {
    title: "The Ferry",
    paragraphs: [
      "The first ferry left at six. When I got to the quay it wasn’t light yet, and the water and the sky were the same grey.",
      "The skipper looked at my bags, then at me, and asked nothing. Two kinds of people went to that island: the ones born there, and the ones sent to fetch something.",
    ],
  },
  {
    title: "The Tin Locker",
    paragraphs: [
      "The locker was one leg short and stood on half a brick. Forty-four ledgers, spines out, not a word on any of them.",
      "“Take any one,” Zhou said.",
    ],
  },
  {
    title: "The Old Gauge",
    paragraphs: [
      "By the time the ferry touched the quay the tide house was lit. I thought my father had left the lamp on. Then I saw Zhou crouched in the doorway, working a sheet of sandpaper along an old gauge board. He didn’t look up. He pushed the folding stool toward me with one foot.",
      "“Your dad said not to throw it out.”",
      "⟦Camphor wood, eight feet long, the numbers climbing from the bottom.⟧ At five foot six it had snapped and a second piece was let in. ⟦Where the two grains met,⟧ one dark, one pale, ⟦it looked like two people writing on the same line.⟧",
      "“He changed these.” Zhou turned the board over. “The first ones are still there.”",
      "I bent close. ⟪Under the new paint an older scale showed through, two fingers higher. Someone had gone at it with a knife and given up, and the ink had sunk into the wood, where it was clearer than before.⟫",
      "In the flood of ninety-eight I was nine. I remember the water coming over the sill, and my father writing in the log: *Nothing to report.*",
      "“Two fingers,” I said.",
    ],
  },
  { title: "Southerly", paragraphs: ["When the south wind came the walls sweated."] },
];

export const FAKE_BOOKS: Record<Language, { title: string; chapters: FakeChapter[] }> = {
  zh: { title: "验潮所", chapters: ZH },
  en: { title: "The Tide House", chapters: EN },
};

export const FAKE_DRAFTS: Record<Language, string[]> = {
  zh: [
    "老周没接话。他把水尺靠在门框上，正好齐到我的肩。“那年的水，不该到这儿。”他说。风把门推开一条缝，屋里的灯晃了晃，簿子还摊在桌上，翻在九八年那一页。",
    "老周没接话。他退后看了看，又上前挪了半寸。“两指够了，”他说，“够一条船回不来。”远处修船厂敲了三下铁，停了。",
    "老周没接话。他朝海那边偏了偏头，像在听什么。屋后的水一下一下拍着石阶，比刚才慢。“水记得，”他说，“是人忘了。”",
    "老周把砂纸又摸了出来，没打磨，只是攥着。",
  ],
  en: [
    "Zhou didn’t answer. He stood the board against the door frame, where it came exactly to my shoulder. “The water had no business up here, that year.” The wind pushed the door open an inch. On the desk the log lay open at ninety-eight.",
    "Zhou didn’t answer. He stepped back, and moved it half an inch. “Two fingers is enough. For a boat, it’s enough.” Over at the yard someone struck iron three times and stopped.",
    "Zhou didn’t answer. He tilted his head toward the sea, as if someone had called him from it. “The water remembers all right,” he said. “It’s people that don’t.”",
    "Zhou took the sandpaper out again and only held it.",
  ],
};

export const FAKE_RULES: Record<
  Language,
  {
    rule: string;
    category: "style" | "structure" | "character" | "pacing" | "vocabulary";
    global?: boolean;
    scene?: string;
    confidence: number;
    n: number;
    confirmed?: boolean;
    modified?: boolean;
    recent?: boolean;
  }[]
> = {
  zh: [
    {
      rule: "对白里的句子要短，平均不超过十五字。",
      category: "style",
      scene: "dialogue",
      confidence: 0.91,
      n: 46,
      confirmed: true,
    },
    {
      rule: "描写少用比喻，一段至多一个。",
      category: "style",
      global: true,
      scene: "description",
      confidence: 0.84,
      n: 31,
      modified: true,
    },
    { rule: "始终用第一人称，不写别人心里想什么。", category: "structure", confidence: 0.95, n: 58, confirmed: true },
    {
      rule: "老周每次开口不超过两句，从不解释自己。",
      category: "character",
      scene: "dialogue",
      confidence: 0.78,
      n: 17,
      recent: true,
    },
    { rule: "动作一句一件事，逗号不超过两个。", category: "pacing", scene: "action", confidence: 0.72, n: 14 },
    { rule: "章末好像爱停在一件东西上。", category: "pacing", confidence: 0.6, n: 6 },
    { rule: "不用“仿佛”“似乎”“某种”。", category: "vocabulary", global: true, confidence: 0.88, n: 39 },
  ],
  en: [
    {
      rule: "Keep lines of dialogue short, twelve words at the most.",
      category: "style",
      scene: "dialogue",
      confidence: 0.91,
      n: 46,
      confirmed: true,
    },
    {
      rule: "One simile a paragraph at most in description.",
      category: "style",
      global: true,
      scene: "description",
      confidence: 0.84,
      n: 31,
      modified: true,
    },
    {
      rule: "First person throughout; nobody else’s thoughts.",
      category: "structure",
      confidence: 0.95,
      n: 58,
      confirmed: true,
    },
    {
      rule: "Zhou never says more than two sentences at a time.",
      category: "character",
      scene: "dialogue",
      confidence: 0.78,
      n: 17,
      recent: true,
    },
    {
      rule: "In action, one thing happens per sentence.",
      category: "pacing",
      scene: "action",
      confidence: 0.72,
      n: 14,
    },
    { rule: "Chapters seem to end on an object.", category: "pacing", confidence: 0.6, n: 6 },
    { rule: "Never “as if”, “somehow”, “a kind of”.", category: "vocabulary", global: true, confidence: 0.88, n: 39 },
  ],
};
