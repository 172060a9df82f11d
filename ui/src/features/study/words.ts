import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import type { GapKind, StudyEstimate, StudyState } from "../../backend";
import { count, listed } from "../../i18n/words";
import { isQuestionQuotaUsed } from "../../lib/studyQuota";
import { modeOf, phaseIndex } from "./mode";

const PHASES: MessageDescriptor[] = [
  msg({ message: "想问题", context: "phase of a study" }),
  msg({ message: "去找", context: "phase of a study" }),
  msg({ message: "归拢", context: "phase of a study" }),
  msg({ message: "记下", context: "phase of a study" }),
];
export const phaseWords = (): string[] => PHASES.map((one) => i18n._(one));

const ERROR_WORDS: Record<string, MessageDescriptor> = {
  noEvidence: msg`没有一句能当凭据。`,
  unreadableReply: msg`模型的回答读不出来。`,
  unknownId: msg`模型说到了没有给它看的段落。`,
  wrongLanguage: msg`模型没有用这本书的语言来答。`,
  afterPosition: msg`模型引了后面的章节。`,
  modelFailed: msg`模型没有应声。`,
  interrupted: msg`程序中途关了几次。`,
  textChanged: msg`引的那一章正好改了。`,
};

/** The code of an error after which nothing was heard from the model. */
export const SILENT = "modelFailed";

/** The present state of a study in a few words. `model`: its name, and where it is; `null`: not known yet. */
export function headline(state: StudyState, model: string | null): string {
  const { isEnabled, currentPhase, consecutiveErrors, lastError } = state;
  const { questionsToday, maxQuestions, explorationsToday, maxExplorations } = state;
  switch (modeOf(state)) {
    case "off":
      return t({ message: "关着", context: "a study" });
    case "working":
      if (currentPhase === "comparing" && !isEnabled) return t`正在比两句话`;
      if (currentPhase === "comparing" && model === null) return t`开着·正在比两句话`;
      return model === null ? t({ message: "开着", context: "a study" }) : t`开着·${model}`;
    case "writing":
      return t`开着·你在写，它等着`;
    case "learningPaused":
      return t`开着·学习暂停着，它等着`;
    case "waiting":
      return t`开着·你停笔就开始`;
    case "backingOff":
      return lastError === SILENT
        ? t`模型没有应声，第 ${count(consecutiveErrors)} 次`
        : t`没有成，第 ${count(consecutiveErrors)} 次`;
    case "usedUp":
      if (questionsToday >= maxQuestions) return t`${count(questionsToday)} / ${count(maxQuestions)}，零点接着`;
      return isQuestionQuotaUsed(state)
        ? t`查找 ${count(explorationsToday)} / ${count(maxExplorations)}，零点接着`
        : t`今天的次数用完了，零点接着`;
    case "failed":
      return t`连着 ${count(consecutiveErrors)} 次没成，停下了`;
    case "keyRefused":
      return t`密钥没有通过，停下了`;
    case "stopped":
      return t({ message: "你停下了", context: "a study" });
    case "nothingLeft":
      return t`没有要问的了`;
    case "noModel":
      return t`还没有选模型`;
  }
}

/** A study that is at work in a few words, for the status bar; `null`: it is not. */
export function studyLine(state: StudyState): string | null {
  if (modeOf(state) !== "working") return null;
  if (state.currentPhase === "comparing") return t`自读：比两句话`;
  const phase = phaseWords()[phaseIndex(state.currentPhase)];
  if (phase === undefined) return null;
  return state.currentPhase === "exploring"
    ? t`自读：${phase}，${count(state.step)} / ${count(state.maxSteps)}`
    : t`自读：${phase}`;
}

/** An error in a sentence; an unknown code by itself. */
export function errorWords(code: string): string {
  const words = ERROR_WORDS[code];
  return words ? i18n._(words) : t`原因：${code}`;
}

/** The name of a model, and where it is. */
export function modelWords({ model, host, isLocal }: StudyEstimate): string | null {
  if (model === null) return null;
  return isLocal ? t`${model}，本机` : t`${model}，${host ?? ""}`;
}

const gapWords = (kind: GapKind, times: string): string => {
  switch (kind) {
    case "thinEntity":
      return t`${times} 张卡单薄`;
    case "openThread":
      return t`${times} 条线索`;
    case "unrelatedPair":
      return t`${times} 对关系不明`;
    case "unreadChapter":
      return t`${times} 章没问到`;
    case "staleRecord":
      return t`${times} 条引的原文改过`;
  }
};

const GAPS: GapKind[] = ["staleRecord", "thinEntity", "openThread", "unrelatedPair", "unreadChapter"];

/** The kinds of the gaps; of those that are listed, where not all of them are. */
export function gapsLine({ gaps, topGaps }: StudyEstimate): string {
  const kinds = GAPS.map((kind) => ({ kind, times: topGaps.filter((gap) => gap.kind === kind).length }))
    .filter(({ times }) => times > 0)
    .map(({ kind, times }) => gapWords(kind, count(times)));
  if (kinds.length === 0) return "";
  return gaps > topGaps.length ? t`最要紧的：${listed(kinds)}` : listed(kinds);
}

/** The time until a study tries again. */
export function untilWords(seconds: number): string {
  if (seconds < 60) return t`${count(seconds)} 秒后再试`;
  return t`${count(Math.ceil(seconds / 60))} 分钟后再试`;
}
