import { useLingui } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, queries, type StudyQuestion } from "../../backend";
import { CappedList, IconButton, LinkButton } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count } from "../../i18n/words";
import { langOf } from "../../lib/langOf";
import css from "./study.module.css";

/** Queued questions that are shown at first. */
const MAX_SHOWN = 3;

interface StudyQueueProps {
  projectId: string;
  isReadOnly: boolean;
  /** The question at work, which is shown above. */
  asked: string | null;
}

/** The queued questions of a study, each to be dropped, and the last question if no sentence of the book answers it. */
export function StudyQueue({ projectId, isReadOnly, asked }: StudyQueueProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { queryKey } = queries.studyQuestions(projectId);
  const { data: questions = [], error: unread } = useQuery(queries.studyQuestions(projectId));
  const [isWhole, setWhole] = useState(false);
  const drop = useMutation({
    mutationFn: (questionId: string) => call("knowledge:question:drop", { projectId, questionId }),
    onSuccess: ({ questions: left }) => client.setQueryData(queryKey, left),
    onSettled: () => void client.invalidateQueries({ queryKey }),
  });
  const moreWords = (left: number) => t`后面还有 ${count(left)} 条`;
  const queued = questions.filter(({ state, questionId }) => state === "queued" && questionId !== asked);
  const shown = isWhole ? queued : queued.slice(0, MAX_SHOWN);
  const unanswered = lastUnanswered(questions);
  const problem = drop.error ?? unread;
  if (!unanswered && queued.length === 0 && !problem) return null;
  return (
    <div className={css.questions}>
      {unanswered && (
        <div data-testid="study-unanswered">
          <p className={css.question} lang={langOf(unanswered.question)}>
            {unanswered.question}
          </p>
          <p className={css.quiet}>{t`查过了，没有一句能当凭据，所以什么也没记。改到相关的章，再问一次。`}</p>
        </div>
      )}
      {queued.length > 0 && (
        <>
          <h4>{t`排着要问的`}</h4>
          <CappedList items={shown} moreWords={moreWords} testId="study-queue">
            {({ questionId, question, gap }) => (
              <li key={questionId} className={css.queued} data-testid="study-question">
                <span lang={langOf(question)}>{question}</span>
                {gap === null && <small>{t({ message: "你问的", context: "a question of a study" })}</small>}
                {gap === "staleRecord" && <small>{t({ message: "原文改过", context: "a question of a study" })}</small>}
                {!isReadOnly && (
                  <IconButton
                    name="cross"
                    size="xs"
                    label={t`不问了：${question}`}
                    isDisabled={drop.isPending}
                    onPress={() => drop.mutate(questionId)}
                    data-testid="study-drop"
                  />
                )}
              </li>
            )}
          </CappedList>
          {queued.length > MAX_SHOWN && (
            <LinkButton className={css.more!} onPress={() => setWhole(!isWhole)} data-testid="study-queue-all">
              {isWhole ? t`少列几个` : t`一共 ${count(queued.length)} 个`}
            </LinkButton>
          )}
        </>
      )}
      {problem && (
        <p className={css.problem} role="alert" data-testid="study-queue-problem">
          {errorSentence(problem)}
        </p>
      )}
    </div>
  );
}

/** The last question that was explored, if no sentence of the book answers it. */
function lastUnanswered(questions: readonly StudyQuestion[]): StudyQuestion | null {
  const last = questions.find(({ state }) => state === "answered" || state === "failed");
  return last?.state === "failed" ? last : null;
}
