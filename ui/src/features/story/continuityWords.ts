import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import type { ContinuityIssue, ContinuityKind, ContinuityVerdict, FoundBy } from "../../backend";

const KIND_WORDS: Record<ContinuityKind, MessageDescriptor> = {
  nameDrift: msg({ message: "写法", context: "kind of a doubt" }),
  twoForOne: msg({ message: "同名", context: "kind of a doubt" }),
  attribute: msg({ message: "细节", context: "kind of a doubt" }),
  age: msg({ message: "年纪", context: "kind of a doubt" }),
  date: msg({ message: "日子", context: "kind of a doubt" }),
  season: msg({ message: "季节", context: "kind of a doubt" }),
  weekday: msg({ message: "星期", context: "kind of a doubt" }),
  deadActs: msg({ message: "生死", context: "kind of a doubt" }),
  beforeIntroduced: msg({ message: "出场先后", context: "kind of a doubt" }),
  knowsTooEarly: msg({ message: "谁先知道", context: "kind of a doubt" }),
  where: msg({ message: "在哪里", context: "kind of a doubt" }),
  worldRule: msg({ message: "世界的规矩", context: "kind of a doubt" }),
  openThread: msg({ message: "线索", context: "kind of a doubt" }),
};
export const CONTINUITY_KINDS = Object.keys(KIND_WORDS) as ContinuityKind[];

export const continuityKindWord = (kind: ContinuityKind): string => i18n._(KIND_WORDS[kind]);

const FOUND_BY_WORDS: Record<FoundBy, MessageDescriptor> = {
  computed: msg({ message: "算出来的", context: "how a doubt was found" }),
  facts: msg({ message: "对出来的", context: "how a doubt was found" }),
  model: msg({ message: "模型比出来的", context: "how a doubt was found" }),
};

export const foundByWord = (foundBy: FoundBy): string => i18n._(FOUND_BY_WORDS[foundBy]);

const VERDICT_WORDS: Record<ContinuityVerdict, MessageDescriptor> = {
  intended: msg({ message: "你说是有意的", context: "a verdict on a doubt" }),
  mistake: msg({ message: "你说是笔误", context: "a verdict on a doubt" }),
  first: msg({ message: "你说左边对", context: "a verdict on a doubt" }),
  second: msg({ message: "你说右边对", context: "a verdict on a doubt" }),
};

export const verdictWords = (verdict: ContinuityVerdict): string => i18n._(VERDICT_WORDS[verdict]);

/** The question that an issue asks, in one line. Nothing in it says that the book is wrong. */
export function issueTitle({ kind, entityName: name, values: [one, other] }: ContinuityIssue): string {
  const hasTwo = one !== undefined && other !== undefined;
  switch (kind) {
    case "nameDrift":
      return hasTwo ? t`“${one}”，还是“${other}”` : name ? t`“${name}”有两种写法` : t`一个名字有两种写法`;
    case "twoForOne":
      return name ? t`两个人都叫“${name}”` : t`两个人一个名字`;
    case "attribute":
      if (hasTwo) return name ? t`${name}：${one}，还是${other}` : t`${one}，还是${other}`;
      return name ? t`${name}：两处说法不同` : t`两处说法不同`;
    case "age":
      return name ? t`${name}几岁` : t`年纪对不上`;
    case "date":
      return name ? t`${name}：是哪一天` : t`是哪一天`;
    case "season":
      return t`是什么季节`;
    case "weekday":
      return t`是星期几`;
    case "deadActs":
      return name ? t`${name}死了以后又出现` : t`死了以后又出现`;
    case "beforeIntroduced":
      return name ? t`${name}还没出场就认得了` : t`还没出场就认得了`;
    case "knowsTooEarly":
      return name ? t`${name}怎么已经知道` : t`怎么已经知道`;
    case "where":
      return name ? t`${name}在哪里` : t`人在哪里`;
    case "worldRule":
      return name ? t`“${name}”这条规矩` : t`和世界的规矩对不上`;
    case "openThread":
      return name ? t`“${name}”很久没有提了` : t`一条线索很久没有提了`;
  }
}
