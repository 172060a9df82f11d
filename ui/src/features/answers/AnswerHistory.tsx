import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { queries, type Answer, type AnswerEvent } from "../../backend";
import { Busy, Button, Notice } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count, when } from "../../i18n/words";
import { langOf } from "../../lib/langOf";
import css from "./answers.module.css";
import { causeSentence, decimal, isUndoable, isWithoutInfluence, levelName } from "./words";

interface AnswerHistoryProps {
  answer: Answer;
  isPending: boolean;
  onUndo: (eventId: string) => void;
}

/** The numbers of an answer, and everything that happened to it, each with level and trust after it. */
export function AnswerHistory({ answer, isPending, onUndo }: AnswerHistoryProps) {
  const { t } = useLingui();
  const { projectId, answerId, trust, useCount, hitCount, posterior } = answer;
  const { data: events, error, refetch } = useQuery(queries.answerHistory(projectId, answerId));
  return (
    <div className={css.history} data-testid="answer-history">
      <p className={css.numbers}>
        <span>{t`信任 ${decimal(trust)}`}</span>
        <span>{t`带上 ${count(hitCount)} 次，用上 ${count(useCount)} 次`}</span>
        <span>{t`把握 ${decimal(posterior.value)}，在 ${decimal(posterior.low)} 和 ${decimal(posterior.high)} 之间`}</span>
      </p>
      {error && (
        <Notice
          warn
          title={t`来历读不出来`}
          actions={<Button size="s" onPress={() => void refetch()}>{t`重新读取`}</Button>}
        >
          {errorSentence(error)}
        </Notice>
      )}
      {!events && !error && <Busy>{t`正在读取……`}</Busy>}
      {events?.length === 0 && <p className={css.said}>{t`还没有用过，也没有评过。`}</p>}
      {events && events.length > 0 && (
        <ol>
          {events.map((event) => (
            <EventRow key={event.eventId} event={event} answer={answer} isPending={isPending} onUndo={onUndo} />
          ))}
        </ol>
      )}
    </div>
  );
}

function EventRow({ event, answer, isPending, onUndo }: AnswerHistoryProps & { event: AnswerEvent }) {
  const { t } = useLingui();
  const { eventId, at, note, isApplied, undoneAt, validationLevel, trust } = event;
  const cause = causeSentence(event);
  const level = levelName(validationLevel);
  const isUndone = undoneAt !== null;
  return (
    <li data-undone={isUndone || undefined} data-testid="answer-event">
      <time dateTime={at}>{when(at)}</time>
      <span>
        {isUndone ? <del>{cause}</del> : cause}
        {isUndone && <small>{isWithoutInfluence(event) ? t`点了名，测下来没有影响，不算` : t`已撤销`}</small>}
        {!isUndone && !isApplied && <small>{t`只记下，不算`}</small>}
        {note !== null && <small className={css.note} lang={langOf(note)}>{t`“${note}”`}</small>}
      </span>
      <span className={css.after}>{isUndone ? "" : t`${level} ${decimal(trust)}`}</span>
      {isUndoable(event, answer) ? (
        <Button
          size="s"
          kind="quiet"
          isDisabled={isPending}
          aria-label={t`撤销：${cause}`}
          onPress={() => onUndo(eventId)}
          data-testid="answer-event-undo"
        >{t`撤销`}</Button>
      ) : (
        <span />
      )}
    </li>
  );
}
