import { t } from "@lingui/core/macro";
import type { ChangeKind, Run, RunCause, RunReason, RunStage } from "../../backend";
import { reasonSentence } from "../../i18n/reasons";
import { featureName } from "../../i18n/features";
import { count, listed } from "../../i18n/words";

const percent = (value: number) =>
  new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 0 }).format(value);

/** Stage of a run. */
export function stageWords(stage: RunStage): string {
  const words: Record<RunStage, string> = {
    gathering: t`正在更新偏好：读取你的取舍`,
    testing: t`正在更新偏好：逐项检验`,
    wording: t`正在更新偏好：组织措辞`,
    reconciling: t`正在更新偏好：和已有规则比对`,
    committing: t`正在更新偏好：保存`,
    done: t`更新完成`,
  };
  return words[stage];
}

export function causeWords(cause: RunCause): string {
  const words: Record<RunCause, string> = {
    episodes: t`又有了 50 次互动`,
    idle: t`你离开的时候`,
    click: t`手动`,
    weekly: t`每周一次`,
    contradiction: t`近来和规则不符`,
  };
  return words[cause];
}

/** Change of one rule in a run. */
export function changeWords(kind: ChangeKind): string {
  const words: Record<ChangeKind, string> = {
    learned: t`新学到`,
    strengthened: t`更有把握`,
    weakened: t`没那么有把握`,
    replaced: t`换了方向`,
    steppedBack: t`近来不符，已停用`,
    withdrawn: t`依据不足，已停用`,
    returned: t`重新启用`,
    globalised: t`几本书都这样，提升为全局`,
    localised: t`只在一本书里，改为本书规则`,
    proposed: t`等你确认`,
    challenged: t`你确认过，近来不符`,
    understood: t`识别出了含义`,
    dropped: t`规则太多，已删除`,
  };
  return words[kind];
}

/** Kinds of changes, grouped for counting, most important first. */
const CHANGE_GROUPS: [kinds: ChangeKind[], words: (n: string) => string][] = [
  [["learned"], (n) => t`新学到 ${n} 条`],
  [["proposed"], (n) => t`有 ${n} 条等你确认`],
  [["replaced"], (n) => t`${n} 条换了方向`],
  [["strengthened", "returned"], (n) => t`${n} 条更有把握`],
  [["weakened"], (n) => t`${n} 条没那么有把握`],
  [["steppedBack", "withdrawn"], (n) => t`${n} 条停用`],
  [["challenged"], (n) => t`${n} 条你确认过的近来不符`],
  [["globalised", "localised"], (n) => t`${n} 条换了范围`],
  [["understood"], (n) => t`${n} 条识别出了含义`],
  [["dropped"], (n) => t`${n} 条因规则太多而删除`],
];

/** Summary of a run, with the reason if it changed nothing. */
export function outcomeWords({ status, reason, changes }: Pick<Run, "status" | "reason" | "changes">): string {
  switch (status) {
    case "committed": {
      const parts = CHANGE_GROUPS.flatMap(([kinds, words]) => {
        const many = changes.filter(({ kind }) => kinds.includes(kind)).length;
        return many > 0 ? [words(count(many))] : [];
      });
      return parts.length > 0 ? t`更新完成：${listed(parts)}。` : t`更新完成，这本书的规则没有变。`;
    }
    case "nothing":
      return nothingWords(reason);
    case "waiting":
      return t`这次会去掉四分之一以上的规则，等你确认。`;
    case "failed":
      return t`更新没有完成，规则没有变，下次会再试。${failureSentence(reason)}`;
    case "cancelled":
      return t`已停止，规则没有变。`;
    case "undone":
      return t`整次更新已撤销。`;
    case "discarded":
      return t`你没有同意，规则没有变。`;
    default:
      return t`正在更新偏好`;
  }
}

function nothingWords(reason: RunReason | null): string {
  switch (reason?.kind) {
    case "noEvidence":
      return t`这次什么也没学到。还没有能说明偏好的取舍：挑一稿、改一改，就有了。`;
    case "notYet":
      return `${soFar(reason)}${near(reason)}`;
    case "nothingToSay":
      return t`这次什么也没学到。有 ${count(reason.features)} 处不像偶然，但太小或太杂，不足以成为规则。`;
    case "nothingNew":
      return t`上次更新以后没有新的取舍，规则没有变。`;
    default:
      return t`这次什么也没学到。`;
  }
}

function soFar({ edits, choices }: { edits: number; choices: number }): string {
  if (edits > 0 && choices > 0)
    return t`这次什么也没学到。目前有 ${count(edits)} 次有用的修改、${count(choices)} 次有用的选择，还不够清楚。`;
  if (choices > 0) return t`这次什么也没学到。目前有 ${count(choices)} 次有用的选择，还不够清楚。`;
  return t`这次什么也没学到。目前有 ${count(edits)} 次有用的修改，还不够清楚。`;
}

function near({ nearest, progress }: { nearest: string | null; progress: number | null }): string {
  if (nearest === null || progress === null || progress <= 0) return "";
  const name = featureName(nearest);
  return t`最接近的是“${name}”，依据达到所需的 ${percent(progress)}。`;
}

/** Why a run failed. The model's own message is shown with its errors. */
function failureSentence(reason: RunReason | null): string {
  switch (reason?.kind) {
    case "model":
      return reason.trouble === "unbelievable"
        ? t`模型的回答不符合要求，没有采用。`
        : (reasonSentence(reason.trouble) ?? t`模型没有回应。`);
    case "store":
      return t`记忆库没有响应。`;
    case "interrupted":
      return t`中途断了。`;
    default:
      return "";
  }
}
