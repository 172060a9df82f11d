import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import type { Details, Reason, RecordKind } from "../backend/bindings.gen";
import { errorSentence } from "./errors";
import { reasonSentence } from "./reasons";
import { count, listed } from "./words";

/** Groups of record kinds, as the writer knows them, in the order of a report. */
const GROUPS = {
  books: msg({ message: "书", context: "what is in a file" }),
  rules: msg({ message: "规则", context: "what is in a file" }),
  history: msg`规则的修改记录`,
  episodes: msg`互动`,
  origins: msg`来历`,
  evidence: msg`学习的依据`,
  runs: msg`学习记录`,
  names: msg`隐藏的名字`,
  story: msg`故事里的人与事`,
  journal: msg`流水`,
  answers: msg({ message: "答案", context: "what is in a file" }),
  study: msg`自读的问题和设置`,
  practices: msg`写作心得`,
  skills: msg`用过的技能`,
  deleted: msg`删除记录`,
};
type Group = keyof typeof GROUPS;
const GROUP_OF: Record<RecordKind, Group> = {
  project: "books",
  rule: "rules",
  ruleVersion: "history",
  episode: "episodes",
  trace: "origins",
  traceFeedback: "origins",
  influence: "origins",
  draft: "origins",
  origin: "origins",
  evidence: "evidence",
  features: "evidence",
  support: "evidence",
  foundIn: "evidence",
  verdict: "evidence",
  followed: "evidence",
  run: "runs",
  runChange: "runs",
  learned: "runs",
  pause: "runs",
  conflict: "runs",
  name: "names",
  entity: "story",
  entityName: "story",
  dismissal: "story",
  fact: "story",
  knower: "story",
  citation: "story",
  continuityResolution: "story",
  comparedPair: "story",
  studiedRecord: "study",
  journalEntry: "journal",
  answer: "answers",
  answerCitation: "answers",
  answerEvent: "answers",
  question: "study",
  knowledgeSettings: "study",
  practice: "practices",
  skillUse: "skills",
  deletion: "deleted",
  tombstone: "deleted",
};
/** The group of a kind; null for a kind that only a later version knows. */
const groupOf = (kind: string): Group | null => (Object.hasOwn(GROUP_OF, kind) ? GROUP_OF[kind as RecordKind] : null);

export const COLUMNS = ["new", "newer", "same", "conflicting", "leftOut"] as const;
export type Column = (typeof COLUMNS)[number];

const COLUMN_NAMES: Record<Column, MessageDescriptor> = {
  new: msg`新的`,
  newer: msg`那边较新`,
  same: msg`一样`,
  conflicting: msg`两边不同`,
  leftOut: msg`不导入的`,
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

/** Counts per group that has any; a kind of a later version is a group of its own name. */
export function groupsTaken(kinds: Taken[]): GroupTaken[] {
  const all = [
    ...(Object.keys(GROUPS) as Group[]).map((group) => ({
      name: i18n._(GROUPS[group]),
      has: (kind: string) => groupOf(kind) === group,
    })),
    ...kinds
      .filter(({ kind }) => groupOf(kind) === null)
      .map(({ kind }) => ({ name: kind, has: (one: string) => one === kind })),
  ];
  return all
    .map(({ name, has }) => {
      const own = kinds.filter(({ kind }) => has(kind));
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

/** In a file of memories, a shorter sentence than elsewhere. */
const IN_A_FILE: Partial<Record<Reason, MessageDescriptor>> = {
  tooLarge: msg`这个文件太大了。`,
  notUtf8: msg`不是 UTF-8 编码。`,
};
/** In a page of rules, the sentence says which values are meant. */
const IN_A_PAGE: Partial<Record<Reason, MessageDescriptor>> = {
  badValue: msg`这条规则太长，或者场景、技能的名字用不了。`,
  tooLarge: msg`这一页太大了。`,
};

/** Why an import failed, with the line number. */
export function importProblem(error: unknown, format: "jsonLines" | "markdown"): string {
  const { details } = (typeof error === "object" && error !== null ? error : {}) as { details?: Details | null };
  const { reason, line } = details ?? {};
  const special = reason && ((format === "markdown" ? IN_A_PAGE[reason] : undefined) ?? IN_A_FILE[reason]);
  const sentence = special ? i18n._(special) : reasonSentence(reason);
  if (!sentence) return errorSentence(error);
  return line ? t`第 ${count(line)} 行：${sentence}` : sentence;
}

/** Why an export failed. */
export function exportProblem(error: unknown): string {
  const { details } = (typeof error === "object" && error !== null ? error : {}) as {
    details?: { field?: string | null; reason?: string | null } | null;
  };
  return details?.field === "path" && !details.reason ? t`那里不能写入，换一个位置。` : errorSentence(error);
}
