import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import type { Details, Reason } from "../../backend";
import { errorSentence } from "../../i18n/errors";
import { reasonSentence } from "../../i18n/reasons";
import { count } from "../../i18n/words";

/** Reasons with a sentence of their own in a file with a story. */
const IN_A_STORY: Partial<Record<Reason, MessageDescriptor>> = {
  tooLarge: msg`太大了，放不下：一本书最多 5,000 个名字、20,000 条事实。`,
  notUtf8: msg`不是 UTF-8 编码。`,
  notJson: msg`不是完整的 JSON。`,
  otherFormat: msg`这里面没有读得出来的人物或设定。`,
  missingField: msg`没有名字。`,
  unknownCategory: msg`上面没有可识别的标题，不知道是人物还是地方。标题可以是：人物、地方、东西、家族与组织、线索、世界的规矩、事件。`,
  brokenLine: msg`这一行不知道属于哪一条，或者不知道写的是什么。`,
};
/** Sentences about a value, by the field that has it. */
const IN_A_FIELD: Record<string, MessageDescriptor> = {
  chapter: msg`这里写到的章，这本书里没有。`,
  name: msg`名字太长，或者里面有看不见的字符。`,
  attribute: msg`有一项的名称太长，或者里面有看不见的字符。`,
  value: msg`有一项太长，或者里面有看不见的字符。`,
  time: msg`写明的时间太长，或者里面有看不见的字符。`,
};
/** Reasons whose number is that of a line also in a lorebook. */
const OF_LINES = new Set<Reason>(["notJson", "notUtf8"]);

/** Why a file with a story was refused, with the number of its line, or of the entry in a lorebook. */
export function storyFileProblem(error: unknown, path: string): string {
  const { details } = (typeof error === "object" && error !== null ? error : {}) as { details?: Details | null };
  const { reason, line, field } = details ?? {};
  const ofField = reason === "badValue" && field ? IN_A_FIELD[field] : undefined;
  const own = ofField ?? (reason ? IN_A_STORY[reason] : undefined);
  const sentence = own ? i18n._(own) : reasonSentence(reason);
  if (!sentence) return errorSentence(error);
  if (!line || reason === "otherFormat") return sentence;
  const isEntry = path.toLowerCase().endsWith(".json") && reason && !OF_LINES.has(reason);
  return isEntry ? t`第 ${count(line)} 个词条：${sentence}` : t`第 ${count(line)} 行：${sentence}`;
}
