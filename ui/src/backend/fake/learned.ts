import type { Language, Rule, RuleEpisode } from "../bindings.gen";

type Learned = { text: string } & Pick<Rule, "category" | "confidence" | "evidenceCount"> &
  Partial<
    Pick<
      Rule,
      "sceneType" | "standing" | "challenged" | "userConfirmed" | "wrongCount" | "otherBooks" | "pattern" | "patternBy"
    >
  >;

/** Rules with a question, a doubt or a suspension. The fourth and the fifth contradict each other. */
export const FAKE_LEARNED: Record<Language, Learned[]> = {
  zh: [
    {
      text: "好像要让回忆不超过三句就回到眼前。",
      category: "structure",
      confidence: 0.5,
      evidenceCount: 3,
      standing: "proposed",
    },
    {
      text: "描写里多写看见的光影和颜色。",
      category: "style",
      confidence: 0.66,
      evidenceCount: 21,
      sceneType: "description",
      standing: "steppedBack",
      pattern: { feature: "sight", direction: 1, threshold: null },
      patternBy: "measured",
    },
    {
      text: "用“了”“过”写成已经发生的事。",
      category: "style",
      confidence: 0.7,
      evidenceCount: 24,
      standing: "suspended",
      wrongCount: 2,
      pattern: { feature: "pastTense", direction: 1, threshold: null },
      patternBy: "measured",
    },
    {
      text: "对白后面不写“他说”，让话自己站住。",
      category: "structure",
      confidence: 0.64,
      evidenceCount: 19,
      sceneType: "dialogue",
      otherBooks: 4,
      pattern: { feature: "speechTags", direction: -1, threshold: null },
      patternBy: "measured",
    },
    {
      text: "每句对白都写明是谁说的。",
      category: "structure",
      confidence: 0.58,
      evidenceCount: 11,
      sceneType: "dialogue",
      pattern: { feature: "speechTags", direction: 1, threshold: null },
      patternBy: "lexicon",
    },
    {
      text: "问句要少。",
      category: "style",
      confidence: 0.9,
      evidenceCount: 33,
      userConfirmed: true,
      challenged: true,
      pattern: { feature: "questions", direction: -1, threshold: null },
      patternBy: "lexicon",
    },
  ],
  en: [
    {
      text: "Memories seem to end within three sentences.",
      category: "structure",
      confidence: 0.5,
      evidenceCount: 3,
      standing: "proposed",
    },
    {
      text: "In description you write plenty of what is seen.",
      category: "style",
      confidence: 0.66,
      evidenceCount: 21,
      sceneType: "description",
      standing: "steppedBack",
      pattern: { feature: "sight", direction: 1, threshold: null },
      patternBy: "measured",
    },
    {
      text: "You write in the past tense.",
      category: "style",
      confidence: 0.7,
      evidenceCount: 24,
      standing: "suspended",
      wrongCount: 2,
      pattern: { feature: "pastTense", direction: 1, threshold: null },
      patternBy: "measured",
    },
    {
      text: "No “he said” after a line of dialogue: the line stands alone.",
      category: "structure",
      confidence: 0.64,
      evidenceCount: 19,
      sceneType: "dialogue",
      otherBooks: 4,
      pattern: { feature: "speechTags", direction: -1, threshold: null },
      patternBy: "measured",
    },
    {
      text: "Say who speaks after every line of dialogue.",
      category: "structure",
      confidence: 0.58,
      evidenceCount: 11,
      sceneType: "dialogue",
      pattern: { feature: "speechTags", direction: 1, threshold: null },
      patternBy: "lexicon",
    },
    {
      text: "Ask few questions.",
      category: "style",
      confidence: 0.9,
      evidenceCount: 33,
      userConfirmed: true,
      challenged: true,
      pattern: { feature: "questions", direction: -1, threshold: null },
      patternBy: "lexicon",
    },
  ],
};

export const FAKE_EVIDENCE: Record<Language, Omit<RuleEpisode, "episodeId" | "passedOver">[]> = {
  zh: [
    {
      agrees: true,
      at: "2026-10-20T11:10:00Z",
      before: "“你知不知道这根水尺我爸到底留着它是想要做什么？”我问。",
      after: "“他留着做什么？”我问。",
      measured: [22, 6],
    },
    {
      agrees: true,
      at: "2026-10-19T08:02:00Z",
      before: "“我早就跟你说过了，那个柜子的钥匙一直都在你妈那儿收着，没有给过别人。”",
      after: "“柜子的钥匙在你妈那儿。”",
      measured: [31, 10],
    },
    {
      agrees: true,
      at: "2026-10-17T20:40:00Z",
      before: "“外面没有人，是风把门刮得响了一下。”",
      after: "“没人。风刮的。”",
      measured: [15, 4],
    },
    {
      agrees: true,
      at: "2026-10-14T20:40:00Z",
      before: "“水它是一直都记得的，”他说，“是人忘了。”",
      after: "“水记得，”他说，“是人忘了。”",
      measured: [9, 6],
    },
    {
      agrees: false,
      at: "2026-10-12T09:00:00Z",
      before: "“你走那天，我站在窗后头。”",
      after: "“你走那天，我灶上炖着汤，想你总要回头看一眼，我站在窗后头，一直站到汤烧干。”",
      measured: [10, 32],
    },
    { agrees: false, at: null, before: "", after: "", measured: null },
  ],
  en: [
    {
      agrees: true,
      at: "2026-10-20T11:10:00Z",
      before: "“Do you have any idea at all what my father was keeping this old gauge board for?” I asked.",
      after: "“What did he keep it for?” I asked.",
      measured: [18, 8],
    },
    {
      agrees: true,
      at: "2026-10-19T08:02:00Z",
      before: "“I told you a long time ago that the key to the locker has been with your mother all along.”",
      after: "“Your mother has the key.”",
      measured: [20, 5],
    },
    {
      agrees: true,
      at: "2026-10-17T20:40:00Z",
      before: "“There is nobody outside; it was only the wind that made the door bang.”",
      after: "“Nobody. The wind.”",
      measured: [14, 2],
    },
    {
      agrees: true,
      at: "2026-10-14T20:40:00Z",
      before: "“The water remembers everything all right,” he said. “It’s people that don’t.”",
      after: "“The water remembers,” he said. “People don’t.”",
      measured: [6, 4],
    },
    {
      agrees: false,
      at: "2026-10-12T09:00:00Z",
      before: "“I stood behind the window the day you left.”",
      after:
        "“The day you left I had soup on, and I thought you would look back once, so I stood behind the window until the pot was dry.”",
      measured: [9, 26],
    },
    { agrees: false, at: null, before: "", after: "", measured: null },
  ],
};

/** Evidence of the two rules in conflict. */
export const FAKE_SIDES: Record<
  Language,
  [first: [before: string, after: string][], second: [before: string, after: string][]]
> = {
  zh: [
    [
      ["“差了两指。”我轻声说道。", "“差了两指。”"],
      ["“原来的也在。”老周说。他把水尺翻了个面。", "“原来的也在。”他把水尺翻了个面。"],
    ],
    [
      ["“别碰。”", "“别碰。”母亲说。"],
      ["“几点的船？”“六点。”", "“几点的船？”我问。“六点。”老周说。"],
    ],
  ],
  en: [
    [
      ["“Two fingers short,” I said quietly.", "“Two fingers short.”"],
      [
        "“The old ones are still there,” said Zhou. He turned the board over.",
        "“The old ones are still there.” He turned the board over.",
      ],
    ],
    [
      ["“Don’t touch it.”", "“Don’t touch it,” my mother said."],
      ["“When’s the boat?” “Six.”", "“When’s the boat?” I asked. “Six,” said Zhou."],
    ],
  ],
};
