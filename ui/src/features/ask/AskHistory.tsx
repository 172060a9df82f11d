import { useLingui } from "@lingui/react/macro";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useStore } from "zustand";
import { queries } from "../../backend";
import { ActionMenu } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { dayName } from "../../i18n/words";
import { langOf } from "../../lib/langOf";
import { earlierQuestions } from "./earlier";
import type { AskSession } from "./session";

/** Menu of the questions that were asked about a book. One that is chosen is put into the field, and not asked. */
export function AskHistory({ session, projectId }: { session: AskSession; projectId: string }) {
  const { t } = useLingui();
  const [isOpen, setOpen] = useState(false);
  const { asked } = useStore(session.state);
  const { data: listed } = useInfiniteQuery(queries.answers(projectId, "all", null, ""));
  const { data: answers, error } = useQuery({ ...queries.askedAnswers(projectId), enabled: isOpen });
  const { data: history, error: unread } = useQuery(queries.askHistory(projectId));
  // Those of the panel's own list are there when the menu opens: it has its size at once.
  const latest = listed?.pages.flatMap((page) => page.answers);
  const questions = earlierQuestions(asked, answers ?? latest ?? [], history);
  const isRead = (answers !== undefined || latest !== undefined) && history !== undefined;
  const problem = error ?? unread;
  return (
    <ActionMenu
      icon="clock"
      isAbove
      label={t`问过的问题`}
      onOpen={setOpen}
      actions={questions.map(({ question, askedAt, isInterrupted }, index) => ({
        key: String(index),
        label: question,
        lang: langOf(question),
        note: isInterrupted ? t`${dayName(askedAt).name}·中断了` : dayName(askedAt).name,
        onAction: () => session.putBack(question),
      }))}
      empty={problem ? errorSentence(problem) : isRead ? t`还没有问过。` : t`正在读取……`}
      testId="ask-history"
    />
  );
}
