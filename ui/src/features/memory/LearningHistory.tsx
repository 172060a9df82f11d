import { useLingui } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, queries, type Run } from "../../backend";
import { Busy, Button, InlineConfirm, Notice } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count, when } from "../../i18n/words";
import css from "./learning.module.css";
import { RunDiff } from "./RunDiff";
import { causeWords, outcomeWords } from "./runs";

/** Changes of every learning run, newest first. Each run can be undone as a whole. */
export function LearningHistory({ projectId, onBack }: { projectId: string; onBack: () => void }) {
  const { t } = useLingui();
  const { data: runs, error, refetch } = useQuery(queries.runs(projectId));
  return (
    <>
      <div className={css.bar}>
        <Button
          kind="quiet"
          size="s"
          icon="back"
          autoFocus
          onPress={onBack}
          data-testid="learning-back"
        >{t`返回`}</Button>
        <h3>{t`学习历史`}</h3>
      </div>
      <div className={css.runs} data-testid="learning-runs">
        {error && (
          <Notice
            warn
            title={t`学习历史读不出来`}
            actions={<Button size="s" onPress={() => void refetch()}>{t`重新读取`}</Button>}
          >
            {errorSentence(error)}
          </Notice>
        )}
        {!runs && !error && <Busy>{t`正在读取……`}</Busy>}
        {runs?.length === 0 && (
          <p
            className={css.none}
            data-testid="no-runs"
          >{t`还没有更新过偏好。满 50 次互动、你离开一会儿，或者过了一周，会自动更新。`}</p>
        )}
        <ul>
          {runs?.map((run) => (
            <OneRun key={run.runId} run={run} />
          ))}
        </ul>
      </div>
    </>
  );
}

function OneRun({ run }: { run: Run }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const [sure, setSure] = useState(false);
  const undo = useMutation({
    mutationFn: () => call("memory:distill:undo", { runId: run.runId }),
    onSuccess: () => setSure(false),
    onSettled: () => client.invalidateQueries({ queryKey: ["rules"] }),
  });
  const mayUndo = run.status === "committed" && run.changes.length > 0;
  return (
    <li className={css.run} data-testid="learning-run" data-status={run.status}>
      <div className={css.runHead}>
        <time dateTime={run.begunAt}>{when(run.begunAt)}</time>
        <span>{causeWords(run.cause)}</span>
        {run.episodes > 0 && <span>{t`看了 ${count(run.episodes)} 次互动`}</span>}
        <span className="grow" />
        {mayUndo && !sure && (
          <Button size="s" icon="again" onPress={() => setSure(true)} data-testid="run-undo">{t`撤销整次更新`}</Button>
        )}
      </div>
      <p className={css.outcome} data-testid="run-outcome">
        {outcomeWords(run)}
      </p>
      <RunDiff changes={run.changes} />
      {sure && (
        <InlineConfirm
          label={t`撤销整次更新`}
          yes={t`撤销`}
          no={t`不撤销`}
          busy={undo.isPending}
          onYes={() => undo.mutate()}
          onNo={() => setSure(false)}
          testId="run-undo"
        >
          {t`这次更新的改动都会撤销；你后来改过的保持不变。`}
        </InlineConfirm>
      )}
      {undo.error && (
        <p className={css.problem} role="alert" data-testid="run-problem">
          {errorSentence(undo.error)}
        </p>
      )}
    </li>
  );
}

/** A run that would drop more than a quarter of the rules stops and asks first. */
export function Waiting({ projectId }: { projectId: string }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { data: runs } = useQuery(queries.runs(projectId));
  const answer = useMutation({
    mutationFn: ({ runId, yes }: { runId: string; yes: boolean }) =>
      call(yes ? "memory:distill:approve" : "memory:distill:cancel", { runId }),
    onSettled: () => client.invalidateQueries({ queryKey: ["rules"] }),
  });
  const run = runs?.find(({ status }) => status === "waiting");
  if (!run) return null;
  // The confirmed run is computed again and may differ by then.
  const again = answer.data?.runId === run.runId && answer.variables?.yes;
  return (
    <section className={css.waiting} aria-label={t`等你确认的更新`} data-testid="waiting-run">
      <Notice
        warn
        title={t`这次更新会去掉四分之一以上的规则`}
        actions={
          <>
            <Button
              size="s"
              isDisabled={answer.isPending}
              onPress={() => answer.mutate({ runId: run.runId, yes: false })}
              data-testid="waiting-discard"
            >{t`都不改`}</Button>
            <Button
              size="s"
              kind="primary"
              isDisabled={answer.isPending}
              onPress={() => answer.mutate({ runId: run.runId, yes: true })}
              data-testid="waiting-approve"
            >{t`照这样改`}</Button>
          </>
        }
      >
        {again ? t`记忆在这期间有变化，请按现在的内容再看一遍。` : t`还没有任何改动，看过再决定。`}
      </Notice>
      <RunDiff changes={run.changes} />
      {answer.error && (
        <p className={css.problem} role="alert" data-testid="waiting-problem">
          {errorSentence(answer.error)}
        </p>
      )}
    </section>
  );
}
