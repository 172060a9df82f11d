import type { Category, Language, Rule } from "../ui/src/backend";
import type { Stage } from "./stage";

const ABOUT: Record<Language, string[]> = {
  zh: [
    "对白",
    "描写",
    "动作",
    "回忆",
    "章首",
    "章末",
    "风景",
    "人物出场",
    "争吵",
    "独处",
    "夜里",
    "雨天",
    "船上",
    "饭桌上",
    "电话里",
    "信里",
    "梦里",
    "街上",
    "屋里",
    "海边",
    "老周说话",
    "父亲说话",
    "母亲说话",
    "船老大说话",
    "旁白",
  ],
  en: [
    "In dialogue",
    "In description",
    "In action",
    "In memories",
    "Opening a chapter",
    "Ending a chapter",
    "In landscapes",
    "When somebody enters",
    "In quarrels",
    "When she is alone",
    "At night",
    "In the rain",
    "On the boat",
    "At the table",
    "On the telephone",
    "In letters",
    "In dreams",
    "In the street",
    "Indoors",
    "By the sea",
    "When Zhou speaks",
    "When the father speaks",
    "When the mother speaks",
    "When the skipper speaks",
    "In narration",
  ],
};
const WISHES: Record<Language, string[]> = {
  zh: [
    "句子要短",
    "少用比喻",
    "不用感叹号",
    "先写声音，再写样子",
    "不写心里想什么",
    "逗号不超过两个",
    "一段只写一件事",
    "不用“仿佛”",
    "写出气味",
    "写出光从哪里来",
    "不解释",
    "不重复名字",
    "少用形容词",
    "停在一件东西上",
    "不写天气",
    "写手上的动作",
    "不用成语",
    "写一个数字",
    "留一句没说完的",
    "不用问句",
  ],
  en: [
    "keep sentences short",
    "go easy on similes",
    "use no exclamation marks",
    "sound before sight",
    "say nobody’s thoughts",
    "two commas at the most",
    "one thing a paragraph",
    "never “as if”",
    "let it smell of something",
    "say where the light is from",
    "explain nothing",
    "don’t repeat names",
    "few adjectives",
    "rest on an object",
    "leave the weather out",
    "show the hands",
    "no set phrases",
    "give a number",
    "leave one sentence unfinished",
    "ask no questions",
  ],
};
const CATEGORIES: Category[] = ["style", "structure", "character", "pacing", "vocabulary"];

/** A rule of the book, with the given fields changed. */
export function another({ backend, projectId }: Stage, id: string, part: Partial<Rule>): Rule {
  const rule: Rule = {
    ...backend.rules[0]!,
    id,
    projectId,
    scope: "project",
    sceneType: null,
    userConfirmed: false,
    userModified: false,
    recentlyUpdated: false,
    ...part,
  };
  backend.rules.push(rule);
  return rule;
}

/** Five hundred different rules of the book. */
export function fiveHundred(stage: Stage): void {
  const [abouts, wishes] = [ABOUT[stage.language], WISHES[stage.language]];
  stage.backend.rules.splice(1);
  abouts.forEach((about, place) =>
    wishes.forEach((wish, index) => {
      const n = 6 + ((place * 7 + index * 3) % 50);
      another(stage, `many-${place}-${index}`, {
        rule: stage.say(`${about}：${wish}。`, `${about}, ${wish}.`),
        category: CATEGORIES[(place + index) % CATEGORIES.length]!,
        confidence: 0.6 + ((place + index) % 4) / 10,
        evidenceCount: n,
        userConfirmed: index === 0,
        sceneType: place === 0 ? "dialogue" : null,
      });
    }),
  );
  stage.backend.rules.shift();
}

/** A very long sentence. */
export const LONG: Record<Language, string> = {
  zh: "写到父亲和海的时候，不要一上来就说他沉默，也不要拿海的平静去衬他，先写他手里正在做的一件小事，比如拿砂纸打磨一根旧水尺，或者把簿子一本一本立起来，写清楚那件东西有多长、多重、缺了哪一块、是谁从前用过的，等读的人把那件东西看熟了，再让他说一句跟它无关的话，说完就停，不要替他解释，也不要让别的人来解释，更不要在段尾补一句总结，让海自己去响。",
  en: "When it comes to the father and the sea, don’t begin with his silence, and don’t lend him the calm of the water either; begin with some small thing that his hands are doing, sanding an old gauge board or standing the ledgers up one by one, and say how long it is and how heavy, which piece of it is missing and who used it before him, until whoever reads knows the thing well, and only then let him say one sentence that has nothing to do with it, and stop there: explain nothing, let nobody else explain it, add no summary at the end, and leave the noise to the sea.",
};

/** A word without a line-break opportunity. */
export const UNBROKEN: Record<Language, string> = {
  zh: "验潮所水尺刻度记录簿第四十四号附录甲乙丙丁戊己庚辛壬癸",
  en: "Tidegaugeboardreadingsledgernumberfortyfourappendixabcdefghijklm",
};
