import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import type { Answer, AnswerEvent, AnswerFilter, AnswerKind, ChapterInfo, Citation } from "../../backend";
import { count, listed, named } from "../../i18n/words";
import { numberOf } from "../../lib/ordinal";

/** Number of validations from which an answer counts as tried. */
const MIN_TRIES = 3;

/** Key of an answer's metadata for the host of the team's service that it was kept from. */
export const SERVICE = "service";

/** Whether enough is known of an answer for numbers. */
export const isTried = ({ posterior }: Answer) => posterior.tries >= MIN_TRIES;

/** A choice of the list: a filter of its answers, or those that a study found. */
export type AnswerChoice = AnswerFilter | "studied";
export const FILTERS: AnswerChoice[] = ["all", "stale", "onTrial", "blocked", "studied"];
export const KINDS: AnswerKind[] = ["canon", "research", "craft", "decision", "task"];

const FILTER_NAMES: Record<AnswerChoice, MessageDescriptor> = {
  all: msg({ message: "全部", context: "answers" }),
  stale: msg({ message: "原文改过的", context: "answers" }),
  onTrial: msg({ message: "试用的", context: "answers" }),
  blocked: msg({ message: "停用的", context: "answers" }),
  studied: msg({ message: "自读的", context: "answers" }),
};
export const filterName = named(FILTER_NAMES);

const KIND_NAMES: Record<AnswerKind, MessageDescriptor> = {
  canon: msg({ message: "书里的", context: "kind of an answer" }),
  research: msg({ message: "考证", context: "kind of an answer" }),
  craft: msg({ message: "写法", context: "kind of an answer" }),
  decision: msg({ message: "决定", context: "kind of an answer" }),
  task: msg({ message: "任务", context: "kind of an answer" }),
};
export const answerKindName = named(KIND_NAMES);

const LEVELS: MessageDescriptor[] = [
  msg({ message: "候选", context: "level of an answer" }),
  msg({ message: "验过", context: "level of an answer" }),
  msg({ message: "可靠", context: "level of an answer" }),
  msg({ message: "定论", context: "level of an answer" }),
];
/** A validation level in one word. */
export const levelName = (level: number) => i18n._(LEVELS[Math.min(Math.max(level, 0), 3)]!);

/** The standing of an answer in words. */
export function triesSentence(answer: Answer): string {
  const { tries, passed } = answer.posterior;
  if (!isTried(answer)) return t`还没试过`;
  if (passed === tries) return t`用过 ${count(tries)} 次，都对`;
  return t`用过 ${count(tries)} 次，对了 ${count(passed)} 次`;
}

/** Whether an answer is given to a model on trial alone. */
export const isOnTrial = ({ status, userConfirmed, validationLevel, trust }: Answer) =>
  status !== "blocked" && !userConfirmed && (validationLevel === 0 || (trust ?? 0) < 0.4);

/** Whether a copy of an answer can be made for all books: it is not about this one. */
export const isPromotable = ({ kind, scope, isPromoted }: Answer) =>
  scope === "project" && !isPromoted && (kind === "research" || kind === "craft");

/** JSON has no NaN, so a number may be missing. */
export const decimal = (value: number | null) => (value ?? 0).toFixed(2);

export const isLost = ({ status }: Citation) => status === "changed" || status === "gone";

/** Where the sentences were that the book has lost. */
export function staleSentence(citations: readonly Citation[], chapters: readonly ChapterInfo[]): string {
  const numbers = citations.filter(isLost).map(({ chapterId }) => numberOf(chapterId, chapters));
  const known = [...new Set(numbers.filter((number) => number > 0))].toSorted((a, b) => a - b);
  if (known.length === 0) return t`它引的那一章不在了。`;
  if (known.length === 1) return t`它引的那句，你在第 ${count(known[0]!)} 章改过。`;
  return t`它引的几句，你在第 ${listed(known.map(count))} 章改过。`;
}

/** Failures that count, latest first, since the answer last held or was edited, settled or permitted again. */
export function failuresOf(events: readonly AnswerEvent[]): AnswerEvent[] {
  const counted = events.filter(({ undoneAt, isApplied, kind }) => undoneAt === null && isApplied && kind !== "hit");
  const isFailure = ({ kind, result }: AnswerEvent) => kind === "validated" && result !== "pass";
  const before = counted.findIndex((event) => !isFailure(event));
  return before < 0 ? counted : counted.slice(0, before);
}

/** Failures since the writer settled the answer. Passes between them do not count against it. */
export function failuresSinceSettled(events: readonly AnswerEvent[]): AnswerEvent[] {
  const counted = events.filter(({ undoneAt, isApplied }) => undoneAt === null && isApplied);
  const settled = counted.findIndex(({ kind }) => kind === "confirmed");
  return (settled < 0 ? counted : counted.slice(0, settled)).filter(
    ({ kind, result }) => kind === "validated" && result === "fail",
  );
}

/** Whether the writer can undo an event: one of the writer's own, and of an edit the last one. */
export function isUndoable(event: AnswerEvent, { question, answer }: Answer): boolean {
  const { kind, source, texts, undoneAt } = event;
  if (undoneAt !== null || kind === "hit") return false;
  if (kind === "validated")
    return source === "writer" || source === "inserted" || source === "copied" || source === "reasked";
  return texts === null || (texts.questionAfter === question && texts.answerAfter === answer);
}

/** Whether a measurement undid the validation by a run: the writer cannot. */
export const isWithoutInfluence = ({ kind, source, undoneAt }: AnswerEvent) =>
  kind === "validated" && source === "run" && undoneAt !== null;

/** The cause of an event in words. */
export function causeSentence(event: AnswerEvent): string {
  const { kind, wasShown, wasUsed } = event;
  switch (kind) {
    case "hit":
      if (!wasShown) return t`一次提问用上了它`;
      return wasUsed ? t`带给了模型，用上了` : t`带给了模型，没用上`;
    case "edited":
      return t`你改了`;
    case "confirmed":
      return event.citations === null ? t`你定下来了` : t`原文改了，你说还是这样`;
    case "blocked":
      return t`你停用了`;
    case "unblocked":
      return t`你重新用了`;
    case "promoted":
      return t`你给别的书也用了`;
    case "validated":
      return validationSentence(event);
  }
}

function validationSentence({ result, source, citations }: AnswerEvent): string {
  const isPass = result === "pass";
  switch (source) {
    case "inserted":
      return isPass ? t`你放进了正文` : t`你从正文里拿掉了`;
    case "copied":
      return t`你复制了它`;
    case "reasked":
      return t`你马上又问了一遍`;
    case "cited":
      return isPass ? t`引的话，原文里有` : t`和原文对不上`;
    case "run":
      if (result === "partial") return t`一次提问用了它，成了一半`;
      return isPass ? t`一次提问用了它，成了` : t`一次提问用了它，没成`;
    case "client":
      if (result === "partial") return t`别的程序说对了一半`;
      return isPass ? t`别的程序说对` : t`别的程序说不对`;
    case "writer":
    case null:
      if (result === "partial") return t`你说对了一半`;
      if (citations !== null) return t`原文改了，你说还是这样`;
      return isPass ? t`你说有用` : t`你说不对`;
  }
}
