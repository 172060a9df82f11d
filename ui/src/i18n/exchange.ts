import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { errorSentence } from "./errors";
import { count, listed } from "./words";

/** Groups of record kinds, as the writer knows them. */
const GROUPS: { name: MessageDescriptor; kinds: string[] }[] = [
  { name: msg({ message: "书", context: "what is in a file" }), kinds: ["project"] },
  { name: msg({ message: "规则", context: "what is in a file" }), kinds: ["rule"] },
  { name: msg`规则的修改记录`, kinds: ["ruleVersion"] },
  { name: msg`互动`, kinds: ["episode"] },
  { name: msg`来历`, kinds: ["trace", "traceFeedback", "influence", "draft", "origin"] },
  { name: msg`学习的依据`, kinds: ["evidence", "features", "support", "foundIn", "verdict", "followed"] },
  { name: msg`学习记录`, kinds: ["run", "runChange", "learned", "pause", "conflict"] },
  { name: msg`藏着的名字`, kinds: ["name"] },
  { name: msg`用过的技能`, kinds: ["skillUse"] },
  { name: msg`删掉过的`, kinds: ["deletion", "tombstone"] },
];

export const COLUMNS = ["new", "newer", "same", "conflicting", "leftOut"] as const;
export type Column = (typeof COLUMNS)[number];

const COLUMN_NAMES: Record<Column, MessageDescriptor> = {
  new: msg`新的`,
  newer: msg`那边更新`,
  same: msg`一样`,
  conflicting: msg`两边不同`,
  leftOut: msg`不收`,
};
export const columnName = (column: Column) => i18n._(COLUMN_NAMES[column]);

/** Numbers of records of a kind, or what happens to them, as the backend reports them. */
interface Counted {
  kind: string;
  count: number;
}
interface Taken extends Record<Column, number> {
  kind: string;
}

export interface GroupTaken extends Record<Column, number> {
  name: string;
}

/** Whether a kind has a name here. */
export const isNamed = (kind: string) => GROUPS.some(({ kinds }) => kinds.includes(kind));

/** Counts per group, and of kinds without a name; empty groups are left out. */
export function groupsTaken(kinds: Taken[]): GroupTaken[] {
  const all = [
    ...GROUPS.map(({ name, kinds: of }) => ({ name: i18n._(name), of })),
    ...kinds.filter(({ kind }) => !isNamed(kind)).map(({ kind }) => ({ name: kind, of: [kind] })),
  ];
  return all
    .map(({ name, of }) => {
      const own = kinds.filter(({ kind }) => of.includes(kind));
      const sum = (column: Column) => own.reduce((total, kind) => total + kind[column], 0);
      return {
        name,
        new: sum("new"),
        newer: sum("newer"),
        same: sum("same"),
        conflicting: sum("conflicting"),
        leftOut: sum("leftOut"),
      };
    })
    .filter((group) => COLUMNS.some((column) => group[column] > 0));
}

/** "Books 1, rules 7, interactions 318". */
function summary(groups: { name: string; of: number }[]): string {
  return listed(groups.filter(({ of }) => of > 0).map(({ name, of }) => t`${name} ${count(of)}`));
}

/** Summary of an export. */
export const exportSummary = (kinds: Counted[]) =>
  summary(
    groupsTaken(
      kinds.map(({ kind, count: of }) => ({ kind, new: of, newer: 0, same: 0, conflicting: 0, leftOut: 0 })),
    ).map((group) => ({ name: group.name, of: group.new })),
  );

/** Summary of an import. */
export const importSummary = (kinds: Taken[]) =>
  summary(groupsTaken(kinds).map((group) => ({ name: group.name, of: group.new + group.newer })));

/** By the backend's reason. */
export const REFUSALS: Record<string, MessageDescriptor> = {
  noFile: msg`这个文件读不了，看看它还在不在。`,
  tooLarge: msg`这个文件太大了。`,
  otherFormat: msg`这不是从这里导出的记忆。`,
  newerVersion: msg`这是更新版本的程序写的，这个版本读不了。`,
  cutOff: msg`到这里断了，文件不完整。`,
  linesMissing: msg`中间少了几行，文件不完整。`,
  afterTheEnd: msg`结尾后面还有别的东西。`,
  outOfOrder: msg`次序乱了。`,
  notUtf8: msg`不是 UTF-8 编码。`,
  notJson: msg`读不懂。`,
  unreadable: msg`读到这里，读不下去了。`,
  unknownKind: msg`有这个版本不认识的东西。`,
  unknownField: msg`有这个版本不认识的东西。`,
  missingField: msg`少了一项。`,
  badValue: msg`有一项不对。`,
  tooLong: msg`太长了。`,
  otherBook: msg`把一本书的东西算到了另一本书头上。`,
  noHistory: msg`有一条规则和它的修改记录对不上。`,
  unknownCategory: msg`上面没有认得的标题，不知道归在哪一类。标题要是：写作风格、叙事偏好、角色偏好、节奏、词汇。`,
  brokenLine: msg`上一条规则断成了两行。一条写在一行里。`,
};
/** In a page, the wrong value is a whole sentence. */
const IN_A_PAGE: Record<string, MessageDescriptor> = {
  badValue: msg`这条规则太长，或者场景、技能的名字用不了。`,
  tooLarge: msg`这一页太大了。`,
};

/** Why an import failed, with the line number. */
export function importProblem(error: unknown, format: "jsonLines" | "markdown"): string {
  const { details } = (typeof error === "object" && error !== null ? error : {}) as {
    details?: { reason?: string | null; line?: number | null } | null;
  };
  const reason = details?.reason ?? "";
  const refusal = (format === "markdown" ? IN_A_PAGE[reason] : undefined) ?? REFUSALS[reason];
  if (!refusal) return errorSentence(error);
  const line = details?.line;
  return line ? t`第 ${count(line)} 行：${i18n._(refusal)}` : i18n._(refusal);
}

/** Why an export failed. */
export function exportProblem(error: unknown): string {
  const { details } = (typeof error === "object" && error !== null ? error : {}) as {
    details?: { field?: string | null; reason?: string | null } | null;
  };
  return details?.field === "path" && !details.reason ? t`那里写不了，换一个地方。` : errorSentence(error);
}
