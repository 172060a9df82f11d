import { useLingui } from "@lingui/react/macro";
import type { HealthProblem } from "../../backend";
import { Busy, Button, Notice } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { problemDetail, problemTitle } from "../../i18n/healthProblems";
import css from "./answers.module.css";
import type { AnswerChoice } from "./words";

interface ListStateProps {
  /** Problems that leave nothing to list. They replace the notice of a failed read. */
  unavailable: HealthProblem[];
  error: Error | null;
  isRead: boolean;
  onMend: () => void;
  onRetry: () => void;
}

/** Status above the list: missing parts of the memory, a failed read that can be repeated, or a read in progress. */
export function ListState({ unavailable, error, isRead, onMend, onRetry }: ListStateProps) {
  const { t } = useLingui();
  return (
    <>
      {unavailable.map(({ kind }) => (
        <Notice
          key={kind}
          warn
          title={problemTitle(kind)}
          actions={<Button size="s" onPress={onMend}>{t`查看`}</Button>}
          testId={`missing-${kind}`}
        >
          {problemDetail(kind)}
        </Notice>
      ))}
      {error && unavailable.length === 0 && (
        <Notice
          warn
          title={t`答案读不出来`}
          actions={<Button size="s" onPress={onRetry} data-testid="answers-retry">{t`重新读取`}</Button>}
          testId="answers-unread"
        >
          {errorSentence(error)}
        </Notice>
      )}
      {!isRead && !error && <Busy>{t`正在读取……`}</Busy>}
    </>
  );
}

/** That there is no answer: in the book, or for the filters. `filter`: the one that alone narrows the list. */
export function NoAnswers({ isNarrowed, filter }: { isNarrowed: boolean; filter: AnswerChoice }) {
  const { t } = useLingui();
  const ofFilter: Record<AnswerChoice, string> = {
    all: t`没有找到。换个说法，或者看看全部。`,
    stale: t`没有。答案引的话，原文里都还在。`,
    onTrial: t`没有正在试用的。`,
    blocked: t`没有停用的。`,
    studied: t`没有。自读还没有找到什么。`,
  };
  if (isNarrowed)
    return (
      <p className={css.nothing} data-testid="answers-nothing">
        {ofFilter[filter]}
      </p>
    );
  return (
    <div className={css.empty} data-testid="answers-empty">
      <p>{t`这里会有问过的和定下来的：一个问题，一个答案，引着书里的哪一句。`}</p>
      <small>{t`在助手的“问”里提问（F1）。别的程序也可以把答案放进来，你来说对不对。`}</small>
    </div>
  );
}
