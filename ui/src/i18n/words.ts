import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";

type Names = Record<string, MessageDescriptor>;

const SKILLS: Names = {
  continue: msg`续写`,
  polish: msg`润色`,
  rewrite: msg`改写`,
  expand: msg`扩写`,
  condense: msg`缩写`,
  ask: msg`问`,
};
const SCENES: Names = {
  dialogue: msg`对话`,
  action: msg`动作`,
  description: msg`描写`,
  monologue: msg`独白`,
  narration: msg`叙述`,
  transition: msg`过渡`,
};
const CATEGORIES: Names = {
  style: msg`写作风格`,
  structure: msg`叙事偏好`,
  character: msg`角色偏好`,
  pacing: msg`节奏`,
  vocabulary: msg`词汇`,
};

/** Names added by the writer or by a later version are shown as they are. */
export const named = (names: Names) => (key: string) => {
  const name = names[key];
  return name ? i18n._(name) : key;
};

export const skillName = named(SKILLS);
export const sceneName = named(SCENES);
export const categoryName = named(CATEGORIES);

export const SKILL_KEYS = ["continue", "polish", "rewrite", "expand", "condense"] as const;
export const CATEGORY_KEYS = ["style", "structure", "character", "pacing", "vocabulary"] as const;

export const count = (value: number) => new Intl.NumberFormat(i18n.locale).format(value);

const KINDS: Names = { openAi: msg`OpenAI 接口`, anthropic: msg`Anthropic`, ollama: msg`Ollama` };
export const kindName = named(KINDS);

const PURPOSES: Names = {
  writing: msg({ message: "写作", context: "a purpose" }),
  asking: msg({ message: "提问", context: "a purpose" }),
  distilling: msg`学习`,
  embedding: msg`想起`,
  journal: msg({ message: "流水", context: "a purpose" }),
  studying: msg({ message: "自读", context: "a purpose" }),
  reranking: msg`排先后`,
};
/** Purpose of a model. */
export const purposeName = named(PURPOSES);

const JOURNAL_KINDS: Names = {
  skill: msg({ message: "写", context: "kind of a journal entry" }),
  ask: msg({ message: "问", context: "kind of a journal entry" }),
  study: msg({ message: "自读", context: "kind of a journal entry" }),
  session: msg({ message: "收工", context: "kind of a journal entry" }),
  note: msg({ message: "记", context: "kind of a journal entry" }),
};
/** Kind of an entry of the journal. */
export const journalKindName = named(JOURNAL_KINDS);

/** "Sample model · built-in sentences, offline". */
export function providerName(provider: { provider: string; model: string; sample: boolean }): string {
  if (provider.sample) return t`示例模型·内置句子，不联网`;
  const kind = kindName(provider.provider);
  return provider.model && provider.model !== provider.provider ? t`${provider.model}·${kind}` : kind;
}

/** A list joined as the language does it. */
export const listed = (things: string[]) =>
  new Intl.ListFormat(i18n.locale, { type: "conjunction", style: "narrow" }).format(things);

const WAYS: Names = {
  words: msg({ message: "用词", context: "what matched" }),
  meaning: msg({ message: "意思", context: "what matched" }),
  scene: msg({ message: "场景", context: "what matched" }),
};
/** How a past passage matches a search; `null`: in no way that is known. */
export function matchSentence(matchedBy: readonly string[]): string | null {
  const ways = Object.keys(WAYS).filter((way) => matchedBy.includes(way));
  return ways.length === 0 ? null : t`对得上的：${listed(ways.map(named(WAYS)))}`;
}

const FILES: Names = { rules: msg`规则库`, episodes: msg`往事库` };
/** The two database files. */
export const fileName = named(FILES);

const BACKUP_REASONS: Names = {
  changed: msg`有改动`,
  manual: msg`手动`,
  migration: msg`更新以前`,
  import: msg`导入以前`,
  clearing: msg`清除以后`,
  restore: msg`恢复以前`,
};
/** Reason of a backup. */
export const backupReason = named(BACKUP_REASONS);

/** "96 KB", "1.4 MB". */
export function size(bytes: number): string {
  const [value, unit] = bytes >= 1_000_000 ? [bytes / 1_000_000, "MB"] : [Math.max(1, Math.round(bytes / 1_000)), "KB"];
  return `${new Intl.NumberFormat(i18n.locale, { maximumFractionDigits: 1 }).format(value)} ${unit}`;
}

/** "9 October 2026, 22:40": always with the year. */
export function dateAndTime(time: string): string {
  const then = new Date(time);
  if (Number.isNaN(then.getTime())) return time;
  return new Intl.DateTimeFormat(i18n.locale, {
    year: "numeric",
    month: "long",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).format(then);
}

/** "14:32". */
export function clockTime(time: string): string {
  const then = new Date(time);
  if (Number.isNaN(then.getTime())) return time;
  return new Intl.DateTimeFormat(i18n.locale, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(then);
}

/** A local day in two lines: "today" above "9 Oct"; for an earlier one, the date above the day of the week. */
export function dayName(day: string, now = new Date()): { name: string; more: string } {
  const then = new Date(day);
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate());
  const sameYear = then.getFullYear() === now.getFullYear();
  const date = new Intl.DateTimeFormat(i18n.locale, {
    year: sameYear ? undefined : "numeric",
    month: "short",
    day: "numeric",
  }).format(then);
  const daysAgo = Math.round((midnight.getTime() - then.getTime()) / 86_400_000);
  if (daysAgo === 0) return { name: t({ message: "今天", context: "a day" }), more: date };
  if (daysAgo === 1) return { name: t({ message: "昨天", context: "a day" }), more: date };
  return { name: date, more: new Intl.DateTimeFormat(i18n.locale, { weekday: "long" }).format(then) };
}

/** "tomorrow 02:00", "today 14:32", "yesterday 22:40", "9 October, 22:40". */
export function when(time: string, now = new Date()): string {
  const then = new Date(time);
  if (Number.isNaN(then.getTime())) return time;
  const clock = new Intl.DateTimeFormat(i18n.locale, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(
    then,
  );
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const tomorrow = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1).getTime();
  if (then.getTime() >= tomorrow && then.getTime() < tomorrow + 86_400_000) return t`明天 ${clock}`;
  if (then.getTime() >= midnight) return t`今天 ${clock}`;
  if (then.getTime() >= midnight - 86_400_000) return t`昨天 ${clock}`;
  const sameYear = then.getFullYear() === now.getFullYear();
  const day = new Intl.DateTimeFormat(i18n.locale, {
    year: sameYear ? undefined : "numeric",
    month: "long",
    day: "numeric",
  }).format(then);
  return t`${day} ${clock}`;
}
