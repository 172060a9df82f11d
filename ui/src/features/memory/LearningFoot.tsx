import { useLingui } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { call, queries, type Rule } from "../../backend";
import { Button, LinkButton, Progress } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { isComposing } from "../../lib/ime";
import css from "./learning.module.css";
import { outcomeWords, stageWords } from "./runs";

interface LearningFootProps {
  projectId: string;
  paused: boolean;
  /** The rules come from a backup, so nothing can be learned. */
  readOnly: boolean;
  /** Number of recorded episodes, and since when. */
  children: ReactNode;
  adding: boolean;
  /** There are no rules: the page itself offers to add one. */
  offerAdding: boolean;
  onAdd: () => void;
  onHistory: () => void;
  /** The rule just deleted, which can be brought back. */
  deletedRule: Rule | null;
  onBack: (rule: Rule) => void;
}

/** Learning, below the rules: run now, its result, the pause, and a link to earlier runs. */
export function LearningFoot({
  projectId,
  paused,
  readOnly,
  children,
  adding,
  offerAdding,
  onAdd,
  onHistory,
  deletedRule,
  onBack,
}: LearningFootProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { data: runs } = useQuery({ ...queries.runs(projectId), enabled: !readOnly });
  const { data: progress } = useQuery(queries.learning());
  const [asked, setAsked] = useState<string | null>(null);
  const [resuming, setResuming] = useState(false);
  const refresh = () => client.invalidateQueries({ queryKey: ["rules"] });

  const learn = useMutation({
    mutationFn: () => call("memory:semantic:distill", { projectId }),
    onSuccess: ({ runId }) => {
      setAsked(runId);
      return refresh();
    },
  });
  const cancel = useMutation({
    mutationFn: (runId: string) => call("memory:distill:cancel", { runId }),
    onSettled: refresh,
  });
  const pause = useMutation({
    mutationFn: (use: boolean | null) =>
      use === null ? call("memory:learning:pause", {}) : call("memory:learning:resume", { useRecorded: use }),
    onSuccess: () => setResuming(false),
    onSettled: refresh,
  });

  const underWay = progress?.runId ?? runs?.find(({ status }) => status === "running")?.runId ?? null;
  const elsewhere = progress !== null && progress.projectId !== null && progress.projectId !== projectId;
  // Questions are shown above the rules.
  const ended = runs?.find(({ runId, status }) => runId === asked && status !== "running" && status !== "waiting");
  // An error is shown until the next action.
  const [last] = [learn, cancel, pause].toSorted((one, other) => other.submittedAt - one.submittedAt);
  const error = last?.error;

  return (
    <div className={css.foot}>
      {/* Always rendered, so screen readers announce its changes. */}
      <div className={css.live} role="status">
        {deletedRule && <DeletedRule key={deletedRule.id} rule={deletedRule} onBack={onBack} />}
      </div>
      {underWay !== null && (
        <div className={css.running} data-testid="learning-progress">
          <span role="status">
            {elsewhere ? t`另一本书的偏好正在更新` : progress ? stageWords(progress.stage) : t`正在更新偏好`}
          </span>
          {progress && <Progress label={t`更新偏好`} done={progress.fraction ?? 0} total={1} />}
          {!elsewhere && (
            <LinkButton
              isDisabled={cancel.isPending}
              onPress={() => cancel.mutate(underWay)}
              data-testid="learning-cancel"
            >{t`取消`}</LinkButton>
          )}
        </div>
      )}
      {underWay === null && ended && (
        <p className={css.said} role="status" data-testid="learning-outcome" data-status={ended.status}>
          {outcomeWords(ended)}
        </p>
      )}
      {paused && !resuming && (
        <p className={css.said} data-testid="paused-note">{t`暂停期间照常记录，不形成新规则。已有的规则照常使用。`}</p>
      )}
      {resuming && (
        <Resume busy={pause.isPending} onChoose={(use) => pause.mutate(use)} onDismiss={() => setResuming(false)} />
      )}
      {error && (
        <p className={css.problem} role="alert" data-testid="learning-problem">
          {errorSentence(error)}
        </p>
      )}
      {children}
      {!readOnly && (
        <div className={css.acts}>
          {offerAdding && (
            <Button icon="plus" onPress={onAdd} isDisabled={adding} data-testid="rule-add">{t`手动添加规则`}</Button>
          )}
          {!paused && (
            <Button
              icon="again"
              isDisabled={underWay !== null || learn.isPending}
              onPress={() => learn.mutate()}
              data-testid="learn-now"
            >{t`更新偏好`}</Button>
          )}
          <Button
            kind="quiet"
            icon="clock"
            onPress={onHistory}
            data-testid="learning-history"
          >{t`查看学习历史`}</Button>
          <span className="grow" />
          {!paused && (
            <Button
              kind="quiet"
              icon="pause"
              isDisabled={pause.isPending}
              onPress={() => pause.mutate(null)}
              data-testid="learning-pause"
            >{t`暂停学习`}</Button>
          )}
          {paused && !resuming && (
            <Button
              kind="primary"
              icon="play"
              onPress={() => setResuming(true)}
              data-testid="learning-resume"
            >{t`恢复学习`}</Button>
          )}
        </div>
      )}
    </div>
  );
}

/** Episodes recorded during a pause are not used for learning unless the writer agrees. */
function Resume({
  busy,
  onChoose,
  onDismiss,
}: {
  busy: boolean;
  onChoose: (use: boolean) => void;
  onDismiss: () => void;
}) {
  const { t } = useLingui();
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      className={css.resume}
      role="group"
      aria-label={t`恢复学习`}
      data-testid="resume-choice"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || isComposing(event.nativeEvent)) return;
        event.preventDefault();
        event.stopPropagation();
        onDismiss();
      }}
    >
      <p>{t`恢复学习。暂停期间的记录也用来学习吗？选“不用”，以后也不会再用。`}</p>
      <div className={css.acts}>
        <Button
          size="s"
          autoFocus
          isDisabled={busy}
          onPress={() => onChoose(false)}
          data-testid="resume-without"
        >{t`不用`}</Button>
        <Button
          size="s"
          isDisabled={busy}
          onPress={() => onChoose(true)}
          data-testid="resume-with"
        >{t`也用来学习`}</Button>
        <Button size="s" kind="quiet" isDisabled={busy} onPress={onDismiss}>{t`继续暂停`}</Button>
      </div>
    </div>
  );
}

/** Removes the full stop of a sentence embedded in another. */
const withoutStop = (sentence: string) => sentence.trimEnd().replace(/[。．.]$/u, "");

/** A rule is deleted at once; it can be brought back here while the page is open. */
function DeletedRule({ rule, onBack }: { rule: Rule; onBack: (rule: Rule) => void }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const back = useMutation({
    mutationFn: () => call("memory:semantic:undo", { ruleId: rule.id }),
    onSuccess: onBack,
    onSettled: () => client.invalidateQueries({ queryKey: ["rules"] }),
  });
  return (
    <div className={css.gone} data-testid="rule-gone">
      <p>{t`已删除“${withoutStop(rule.rule)}”，以后不会再学到。`}</p>
      <LinkButton
        autoFocus
        isDisabled={back.isPending}
        onPress={() => back.mutate()}
        data-testid="rule-gone-undo"
      >{t`撤销`}</LinkButton>
      {back.error && (
        <p className={css.problem} role="alert">
          {errorSentence(back.error)}
        </p>
      )}
    </div>
  );
}
