import { useLingui } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, type JournalEntry, type Language } from "../../backend";
import { Button, InlineConfirm } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { clockTime, journalKindName, when } from "../../i18n/words";
import css from "./journal.module.css";

interface JournalRowProps {
  entry: JournalEntry;
  language: Language;
  /** Whether the time has its day: the row stands under no day. */
  withDay: boolean;
  /** Whether the book has the chapter of the entry. */
  hasChapter: boolean;
  onOpenChapter: (chapterId: string, generationId: string | null) => void;
  onWhy: (generationId: string) => void;
  onOpenAnswer: (answerId: string) => void;
}

/** One entry of the journal; a redacted one is a hole. */
export function JournalRow(props: JournalRowProps) {
  const { entry, language, withDay, hasChapter, onOpenChapter, onWhy, onOpenAnswer } = props;
  const { t } = useLingui();
  const client = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  const { projectId, id: entryId, chapterId, generationId, answerId } = entry;
  const redact = useMutation({
    mutationFn: () => call("journal:redact", { projectId, entryId, confirmed: true }),
    onSettled: () => client.invalidateQueries({ queryKey: ["journal", projectId] }),
  });
  const time = <time dateTime={entry.timestamp}>{withDay ? when(entry.timestamp) : clockTime(entry.timestamp)}</time>;
  if (entry.isRedacted)
    return (
      <li className={css.entry} data-hole data-testid="journal-hole">
        {time}
        <span />
        <p>{t`这一条你抹去了`}</p>
      </li>
    );
  return (
    <li
      className={css.entry}
      data-dated={withDay || undefined}
      data-asked={isAsked || undefined}
      data-testid="journal-entry"
    >
      {time}
      <span className={css.kind}>{journalKindName(entry.kind)}</span>
      <p lang={language === "zh" ? "zh-CN" : "en"}>{entry.content}</p>
      {!isAsked && (
        <span className={css.acts}>
          {generationId !== null && (
            <Button size="s" kind="quiet" onPress={() => onWhy(generationId)} data-testid="journal-why">
              {t`为什么这样写`}
            </Button>
          )}
          {answerId !== null && (
            <Button size="s" kind="quiet" onPress={() => onOpenAnswer(answerId)} data-testid="journal-answer">
              {t`看这个答案`}
            </Button>
          )}
          {chapterId !== null && hasChapter && (
            <Button
              size="s"
              kind="quiet"
              onPress={() => onOpenChapter(chapterId, generationId)}
              data-testid="journal-chapter"
            >
              {t`打开这一章`}
            </Button>
          )}
          <Button size="s" kind="danger" onPress={() => setAsked(true)} data-testid="journal-redact">
            {t`抹去…`}
          </Button>
        </span>
      )}
      {isAsked && (
        <div className={css.asked}>
          <InlineConfirm
            label={t`抹去这一条流水`}
            yes={t`抹去`}
            no={t`保留`}
            busy={redact.isPending}
            onYes={() => redact.mutate()}
            onNo={() => {
              redact.reset();
              setAsked(false);
            }}
            testId="journal-confirm"
          >
            {t`这一条的文字会从流水和备份里抹去，不能恢复；时间留着，链仍然完整。`}
          </InlineConfirm>
          {redact.error && (
            <p className={css.problem} role="alert">
              {errorSentence(redact.error)}
            </p>
          )}
        </div>
      )}
    </li>
  );
}
