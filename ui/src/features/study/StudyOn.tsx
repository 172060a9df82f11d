import { useLingui } from "@lingui/react/macro";
import { Fragment } from "react";
import type { StudyEstimate, StudyState } from "../../backend";
import { Button, Notice, Progress } from "../../design";
import { count } from "../../i18n/words";
import { langOf } from "../../lib/langOf";
import { isQuestionQuotaUsed } from "../../lib/studyQuota";
import { modeOf, phaseIndex } from "./mode";
import { LeavesFor } from "./StudyOff";
import css from "./study.module.css";
import { useSecondsUntil } from "./useSecondsUntil";
import type { StudyChanges } from "./useStudyChanges";
import { errorWords, phaseWords, SILENT, untilWords } from "./words";

interface StudyOnProps {
  state: StudyState;
  estimate: StudyEstimate | undefined;
  changes: StudyChanges;
  isReadOnly: boolean;
  onSettings: () => void;
}

/** A study that is on: what it does, or why it waits, and the numbers of the day. */
export function StudyOn({ state, estimate, changes, isReadOnly, onSettings }: StudyOnProps) {
  const { t } = useLingui();
  const { agreedHost, questionsToday, maxQuestions, explorationsToday, maxExplorations } = state;
  // The writer agreed to another host: nothing is sent to this one before it is agreed to.
  const isOtherHost = estimate?.host != null && agreedHost !== null && estimate.host !== agreedHost;
  return (
    <>
      {isOtherHost && estimate && (
        <div className={css.stack} data-testid="study-other-host">
          <p className={css.said}>{t`模型换过了。你说好的是 ${agreedHost}，所以先停着。`}</p>
          <LeavesFor state={state} estimate={estimate} />
          {!isReadOnly && (
            <div className={css.acts}>
              <Button
                size="s"
                isDisabled={changes.isPending}
                onPress={() => changes.switchOn(state, estimate.host!)}
                data-testid="study-agree"
              >{t`也可以发到这里`}</Button>
            </div>
          )}
        </div>
      )}
      {!isOtherHost && <Present state={state} changes={changes} isReadOnly={isReadOnly} onSettings={onSettings} />}
      <p className={css.today} data-testid="study-today">
        <b>{t`今天 ${count(questionsToday)} / ${count(maxQuestions)} 问`}</b>
        <span>{t`${count(explorationsToday)} / ${count(maxExplorations)} 次查找`}</span>
      </p>
    </>
  );
}

function Present({ state, changes, isReadOnly, onSettings }: Omit<StudyOnProps, "estimate">) {
  const { t } = useLingui();
  const { consecutiveErrors, lastError, question } = state;
  const again = !isReadOnly && (
    <Button size="s" isDisabled={changes.isPending} onPress={changes.run} data-testid="study-again">{t`再试`}</Button>
  );
  const settings = <Button size="s" onPress={onSettings} data-testid="study-settings">{t`去设置`}</Button>;
  switch (modeOf(state)) {
    case "off":
      return null;
    case "working":
      return state.currentPhase === "comparing" ? (
        <p className={css.quiet} data-testid="study-comparing">
          {t`正在比两句话，看对不对得上。对不上的列在“疑点”里。`}
        </p>
      ) : (
        <AtWork state={state} />
      );
    case "writing":
      return (
        <p className={css.quiet} data-testid="study-writing">
          {question === null ? t`停笔 5 分钟，再接着。` : t`停笔 5 分钟，再接着：${question}`}
        </p>
      );
    case "learningPaused":
      return <p className={css.quiet} data-testid="study-learning-paused">{t`到“规则”里恢复学习，它就接着。`}</p>;
    case "waiting":
      return <p className={css.quiet} data-testid="study-waiting">{t`停笔 5 分钟就开始；你写的时候它不动。`}</p>;
    case "backingOff":
      return <BackingOff state={state} />;
    case "usedUp":
      return (
        <p className={css.quiet} data-testid="study-used-up">
          {isQuestionQuotaUsed(state) ? t`你自己的问题也算在里面，排在明天最前头。` : t`剩下的明天接着。`}
        </p>
      );
    case "failed":
      return (
        <Notice
          warn
          title={t`连着 ${count(consecutiveErrors)} 次没成，停下了`}
          testId="study-stopped"
          actions={
            <>
              {settings}
              {again}
            </>
          }
        >
          {lastError !== null && t`最后一次：${errorWords(lastError)}`}
          {t`明天这时再试，或者你来开。`}
        </Notice>
      );
    case "keyRefused":
      return (
        <Notice
          warn
          title={t`密钥没有通过，停下了`}
          testId="study-stopped"
          actions={
            <>
              {settings}
              {again}
            </>
          }
        >{t`到设置里换一个，它就接着。`}</Notice>
      );
    case "stopped":
      return <p className={css.quiet} data-testid="study-user-stopped">{t`没有在问。要它再读，按“接着读”。`}</p>;
    case "nothingLeft":
      return <p className={css.quiet} data-testid="study-nothing-left">{t`哪一章改了，再看。你也可以自己问一个。`}</p>;
    case "noModel":
      return (
        <Notice title={t`还没有选模型`} testId="study-no-model" actions={settings}>
          {t`人、地方、时间和原文照样找得到。要它自己问、自己找，得有一个模型。`}
        </Notice>
      );
  }
}

/** The question at work, the phases with the present one, and the step. */
function AtWork({ state: { currentPhase, question, step, maxSteps } }: { state: StudyState }) {
  const { t } = useLingui();
  const at = phaseIndex(currentPhase);
  const isExploring = currentPhase === "exploring";
  return (
    <div className={css.work} data-testid="study-working">
      {question !== null && (
        <p className={css.question} lang={langOf(question)}>
          {question}
        </p>
      )}
      <p className={css.phases}>
        {phaseWords().map((words, index) => (
          <Fragment key={words}>
            {index > 0 && <span aria-hidden="true">›</span>}
            {index === at ? <b aria-current="step">{words}</b> : <i>{words}</i>}
          </Fragment>
        ))}
        {isExploring && (
          <>
            <span className="grow" />
            <span data-testid="study-step">{t`第 ${count(step)} 步，最多 ${count(maxSteps)} 步`}</span>
            <Progress label={t`这个问题查到第几步`} done={step} total={maxSteps} />
          </>
        )}
      </p>
    </div>
  );
}

function BackingOff({ state: { backoffUntil, lastError } }: { state: StudyState }) {
  const { t } = useLingui();
  const seconds = useSecondsUntil(backoffUntil);
  return (
    <p className={css.quiet} data-testid="study-backing-off">
      {seconds > 0 ? untilWords(seconds) : t`马上再试`}
      {lastError !== null && lastError !== SILENT && <span>{errorWords(lastError)}</span>}
    </p>
  );
}
