import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { queries, type Answer } from "../../backend";
import { Icon, LinkButton, TenDotMeter } from "../../design";
import { count, when } from "../../i18n/words";
import css from "./answers.module.css";
import {
  causeSentence,
  decimal,
  failuresOf,
  failuresSinceSettled,
  isOnTrial,
  isTried,
  levelName,
  triesSentence,
} from "./words";

interface AnswerStandingProps {
  answer: Answer;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
}

/** The standing of an answer in words; its numbers are behind *more*. */
export function AnswerStanding({ answer, isOpen, onOpen }: AnswerStandingProps) {
  const { t } = useLingui();
  const { posterior, userConfirmed, validationLevel, status } = answer;
  const tried = isTried(answer);
  const value = decimal(posterior.value);
  const level = levelName(validationLevel);
  return (
    <p className={css.standing} data-testid="answer-standing">
      <TenDotMeter
        value={tried ? posterior.value : null}
        ink={userConfirmed}
        label={tried ? t`把握 ${value}` : t`还没试过`}
      />
      <b>{triesSentence(answer)}</b>
      <span>{level}</span>
      {userConfirmed && (
        <span className={css.tag} data-tone="ink" data-testid="answer-settled">
          <Icon name="check" size="xs" />
          {t`你定下来的`}
        </span>
      )}
      {status !== "blocked" && isOnTrial(answer) && (
        <span className={css.tag} data-testid="answer-on-trial">
          <Icon name="hollow" size="xs" />
          {validationLevel === 0 ? t({ message: "试用", context: "an answer" }) : t`近来不对，试用`}
        </span>
      )}
      <LinkButton aria-expanded={isOpen} onPress={() => onOpen(!isOpen)} data-testid="answer-more">
        {isOpen ? t`收起` : t`细看`}
      </LinkButton>
    </p>
  );
}

/** Why an answer is not used: failures in a row, with each of them, or the writer's word. */
export function BlockedAnswer({ answer: { projectId, answerId, blockedBy } }: { answer: Answer }) {
  const { t } = useLingui();
  const isByRun = blockedBy === "run";
  const { data: events } = useQuery({ ...queries.answerHistory(projectId, answerId), enabled: isByRun });
  const failures = failuresOf(events ?? []).toReversed();
  if (!isByRun)
    return (
      <p className={css.said} data-testid="answer-blocked">
        {t`你停用的，不带给模型。`}
      </p>
    );
  return (
    <div className={css.said} data-testid="answer-blocked">
      <p>{t`连错三次，不再用，也不带给模型。`}</p>
      {failures.length > 0 && (
        <ul className={css.failures} data-testid="answer-failures">
          {failures.map((event) => (
            <li key={event.eventId}>
              <time dateTime={event.at}>{when(event.at)}</time> {causeSentence(event)}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** That an answer that the writer settled failed since, which changed nothing. */
export function ChallengedAnswer({
  answer: { projectId, answerId },
  children,
}: {
  answer: Answer;
  children?: ReactNode;
}) {
  const { t } = useLingui();
  const { data: events } = useQuery(queries.answerHistory(projectId, answerId));
  const times = failuresSinceSettled(events ?? []).length;
  return (
    <div className={css.warning} data-testid="answer-challenged">
      <p>
        <Icon name="warning" size="xs" />
        {times > 1 ? t`定下来的，后来 ${count(times)} 次没对上。` : t`定下来的，后来没对上。`}
        {t`没有替你改。`}
      </p>
      {children}
    </div>
  );
}
