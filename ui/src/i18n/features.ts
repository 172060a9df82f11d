import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { named } from "./words";

type Names = Record<string, MessageDescriptor>;

/** Names of the style features, by the engine's keys. */
const FEATURES: Names = {
  sentenceLength: msg`句子长短`,
  sentenceVariation: msg`句子长短的变化`,
  shortSentences: msg`极短的句子`,
  longSentences: msg`极长的句子`,
  questions: msg`问句`,
  negation: msg`否定句`,
  exclamations: msg`感叹号`,
  ellipses: msg`省略号`,
  dashes: msg`破折号`,
  commas: msg`逗号`,
  semicolons: msg`分号和冒号`,
  conjunctionOpenings: msg`连词开头`,
  repeatedOpenings: msg`同样的开头`,
  similes: msg`比喻`,
  adjectives: msg`形容词`,
  adverbs: msg`副词`,
  hedges: msg`“似乎”“也许”`,
  sight: msg`光影和颜色`,
  sound: msg`声音`,
  bodySense: msg`触感、冷暖和气味`,
  pastTense: msg`时态`,
  length: msg`篇幅`,
  paragraphLength: msg`段落长短`,
  paragraphDensity: msg`分段`,
  dialogueShare: msg`对话的比重`,
  dialogueTurns: msg`对话的来回`,
  speechTags: msg`“他说”一类的话`,
  actionVerbs: msg`动作动词`,
  timeShifts: msg`时间跳转`,
  firstPerson: msg`第一人称`,
  secondPerson: msg`第二人称`,
  thirdPerson: msg`第三人称`,
  emotion: msg`情绪词`,
  thought: msg`心里的想法`,
  lexicalVariety: msg`用词的变化`,
  wordLength: msg`四字短语、长词`,
  abstractNouns: msg`抽象名词`,
  archaic: msg`文言和书面词`,
  colloquial: msg`口语词`,
  intensifiers: msg`“非常”“极”一类的词`,
  cliches: msg`套话`,
  namesAndNumbers: msg`专名和数字`,
};

/** In the order of the menu. */
export const FEATURE_KEYS = Object.keys(FEATURES);
export const featureName = named(FEATURES);

/** Words for more and less of a feature, if they differ from the usual ones. */
const DIRECTIONS: Record<string, [more: MessageDescriptor, less: MessageDescriptor]> = {
  long: [msg`偏长`, msg`偏短`],
  sentenceVariation: [msg`错落`, msg`均匀`],
  pastTense: [msg`过去时`, msg`现在时`],
  lexicalVariety: [msg`多变`, msg`反复`],
  usual: [msg`偏多`, msg`偏少`],
};
const LONG = new Set(["sentenceLength", "paragraphLength", "length"]);

export function directionName(feature: string, direction: number): string {
  const [more, less] = DIRECTIONS[LONG.has(feature) ? "long" : feature] ?? DIRECTIONS["usual"]!;
  return i18n._(direction > 0 ? more : less);
}

/** "句子长短·偏短": a feature and its direction. */
export const dimensionName = ({ feature, direction }: { feature: string; direction: number }) =>
  t`${featureName(feature)}·${directionName(feature, direction)}`;

/** Features shown per hundred: shares, and marks per sentence. */
const OF_HUNDRED = new Set([
  "shortSentences",
  "longSentences",
  "conjunctionOpenings",
  "repeatedOpenings",
  "dialogueShare",
]);

/** "22 → 6 字": the values of both sides; `null` if the unit means nothing to a reader. */
export function measuredWords(
  feature: string,
  [before, after]: readonly [number | null, number | null],
  language: "zh" | "en",
): string | null {
  if (before === null || after === null) return null;
  const marks = feature === "exclamations" || feature === "questions";
  const scale = OF_HUNDRED.has(feature) || marks ? 100 : 1;
  const digits = scale === 1 && Math.abs(after - before) < 2 ? 1 : 0;
  const shown = (value: number) =>
    new Intl.NumberFormat(i18n.locale, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(
      value * scale,
    );
  const [from, to] = [shown(before), shown(after)];
  if (from === to) return null;
  if (marks) return t`每百句 ${from} → ${to}`;
  if (OF_HUNDRED.has(feature)) return t`${from} → ${to}%`;
  if (feature === "sentenceLength") return language === "zh" ? t`每句 ${from} → ${to} 字` : t`每句 ${from} → ${to} 词`;
  if (feature === "length") return language === "zh" ? t`${from} → ${to} 字` : t`${from} → ${to} 词`;
  if (feature === "paragraphLength") return t`每段 ${from} → ${to} 句`;
  return null;
}
