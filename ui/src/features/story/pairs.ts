import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import type { PairCounts, StudyEstimate, StudyPhase, StudyState } from "../../backend";
import { count } from "../../i18n/words";
import { isComparisonQuotaUsed, isQuestionQuotaUsed } from "../../lib/studyQuota";

/** The state of the comparison of pairs of sentences, as the page shows it. */
export type PairsState =
  /** The book has no pair. */
  | "none"
  /** All pairs were compared. */
  | "compared"
  | "comparing"
  /** It follows the question at work. */
  | "afterQuestion"
  /** It follows the study of another book, or an update of preferences. */
  | "afterOther"
  /** It is tried again by itself after an error. */
  | "backingOff"
  /** The requests of the day are used up. */
  | "usedUp"
  /** It can be started. */
  | "ready"
  | "noModel"
  /** The writer agreed to no host. */
  | "notAgreed"
  /** The writer agreed to another host than that of the present model. */
  | "otherHost"
  /** The study and its model are not known yet. */
  | "unknown";

/** Phases after which a comparison follows that the writer asked for meanwhile. */
const WITH_QUESTION: ReadonlySet<StudyPhase> = new Set<StudyPhase>([
  "checking",
  "generatingQuestion",
  "exploring",
  "summarizing",
  "committing",
]);

const comparedOf = ({ conflicts, changes, unclear }: PairCounts): number => conflicts + changes + unclear;

/** Whether the book has pairs, compared or waiting. */
export const hasPairs = (pairs: PairCounts): boolean => pairs.waiting > 0 || comparedOf(pairs) > 0;

/** `isAsked`: the writer asked for the comparison here, and it has not ended. */
export function pairsStateOf(
  pairs: PairCounts,
  study: StudyState | undefined,
  estimate: StudyEstimate | undefined,
  isAsked: boolean,
): PairsState {
  if (study?.currentPhase === "comparing") return "comparing";
  if (pairs.waiting === 0) return comparedOf(pairs) > 0 ? "compared" : "none";
  if (!study || !estimate) return "unknown";
  if (estimate.host === null) return "noModel";
  if (study.agreedHost === null) return "notAgreed";
  if (study.agreedHost !== estimate.host) return "otherHost";
  if (isAsked && WITH_QUESTION.has(study.currentPhase))
    return study.questionId === null && study.currentPhase === "checking" ? "comparing" : "afterQuestion";
  if (study.isComparisonWaiting) return "afterOther";
  if (study.currentPhase === "backingOff") return "backingOff";
  if (isComparisonQuotaUsed(study)) return "usedUp";
  // A limit that is not that of questions is that of the model, which comparisons have too.
  if (study.stopReason === "quota" && (isAsked || !isQuestionQuotaUsed(study))) return "usedUp";
  return "ready";
}

/** The reason for which pairs cannot be compared now. */
const WAITS_FOR: Partial<Record<PairsState, MessageDescriptor>> = {
  afterQuestion: msg`手上这一问问完就比。`,
  afterOther: msg`另一本书正在自读，或正在更新偏好，完了就比。`,
  backingOff: msg`刚才没有成，过一会儿自己再试。`,
  usedUp: msg`今天的次数用完了，零点接着。`,
  notAgreed: msg`打开自读就会比。`,
  otherHost: msg`模型换过了，先要你说好。`,
  noModel: msg`还没有选模型。`,
};

/** The number of pairs that wait in the whole book, and what they wait for. */
export function waitingWords({ waiting }: PairCounts, state: PairsState): string {
  const waitsFor = WAITS_FOR[state];
  return t`全书还有 ${count(waiting)} 对句子要模型来比。` + (waitsFor ? i18n._(waitsFor) : "");
}

/** The verdicts of a model on the pairs of the book; one that no pair has is left out. */
export function comparedWords(pairs: PairCounts): string {
  const { conflicts, changes, unclear } = pairs;
  const verdicts = [
    conflicts > 0 && t`${count(conflicts)} 对对不上`,
    changes > 0 && t`${count(changes)} 对写的是变化`,
    unclear > 0 && t`${count(unclear)} 对说不准`,
  ].filter((words) => words !== false);
  const all = verdicts.join(t({ message: "，", context: "between verdicts on pairs of sentences" }));
  return t`模型比过全书的 ${count(comparedOf(pairs))} 对句子：${all}。`;
}
