import { useLingui } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId } from "react";
import { call, queries, wholeSettings, type Settings } from "../../backend";
import { NumberInput, Seg } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { AnswerService } from "./AnswerService";
import { SetByFile } from "./SetByFile";
import css from "./settings.module.css";

type Limits = Required<Pick<Settings, "journalTopK" | "journalCognitionRounds">>;

/** The largest number of entries that a recall of the journal returns. */
const MAX_ENTRIES = 50;
const ROUNDS = ["1", "2", "3"];

/** How much of the journal is looked up for a question, and in how many rounds. */
export function Questions() {
  const { t } = useLingui();
  const client = useQueryClient();
  const noteId = useId();
  const { data } = useQuery(queries.settings());
  const change = useMutation({
    mutationFn: (next: Limits) => call("settings:set", next),
    // One after the other: the last change wins.
    scope: { id: "question-limits" },
    onSuccess: (settings) => client.setQueryData(queries.settings().queryKey, wholeSettings(settings)),
  });
  if (!data) return null;
  // While a change is being stored, the next one starts from it.
  const { journalTopK, journalCognitionRounds } = change.isPending ? change.variables : data;
  const set = (next: Partial<Limits>) => change.mutate({ journalTopK, journalCognitionRounds, ...next });
  const labels = { entries: t`从流水里找几条`, rounds: t`最多想几轮` };
  return (
    <section className={css.group} data-testid="questions">
      <h3>{t`提问`}</h3>
      <div>
        <div className={css.usage}>
          <span>{labels.entries}</span>
          <span className="grow" />
          <NumberInput
            label={labels.entries}
            value={journalTopK}
            max={MAX_ENTRIES}
            onChange={(next) => next !== null && next !== journalTopK && set({ journalTopK: next })}
            describedBy={noteId}
            testId="question-entries"
          />
        </div>
        <div className={css.usage}>
          <span>{labels.rounds}</span>
          <span className="grow" />
          <Seg
            label={labels.rounds}
            value={String(journalCognitionRounds)}
            onChange={(key) => set({ journalCognitionRounds: Number(key) })}
            options={ROUNDS.map((key) => ({ key, label: key, testId: `question-rounds-${key}` }))}
            testId="question-rounds"
          />
        </div>
        {change.error && (
          <p className={css.problem} role="alert" data-testid="questions-problem">
            {t`没有保存。${errorSentence(change.error)}`}
          </p>
        )}
        <p id={noteId} className={css.note}>
          {t`提问的时候，照这里的数去找。别的程序查找流水，没说要几条的，也照这个条数。“流水”页的查找不受影响。`}
        </p>
        <SetByFile />
        <AnswerService />
      </div>
    </section>
  );
}
