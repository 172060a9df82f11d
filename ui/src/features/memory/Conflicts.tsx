import { useLingui } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { call, queries, type Conflict, type Rule } from "../../backend";
import { Button, Changes, ConfirmDialog, Notice } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count, sceneName, skillName } from "../../i18n/words";
import { changesOf } from "../../lib/difference";
import { langOf } from "../../lib/langOf";
import { ConfidenceOf } from "./ConfidenceMark";
import css from "./learning.module.css";

interface ConflictsProps {
  projectId: string;
  /** The losing rule was deleted and can be brought back. */
  onGone: (rule: Rule) => void;
}

/** Rules that contradict each other. Only the writer can decide between them. */
export function Conflicts({ projectId, onGone }: ConflictsProps) {
  const { t } = useLingui();
  const { data: conflicts } = useQuery(queries.conflicts(projectId));
  const [open, setOpen] = useState<string | null>(null);
  const [first, ...others] = conflicts ?? [];
  const chosen = conflicts?.find(({ conflictId }) => conflictId === open);
  if (!first) return null;
  return (
    <div className={css.conflict}>
      <Notice
        warn
        testId="conflict-notice"
        title={t`检测到偏好冲突，请选择你更倾向的风格`}
        actions={
          <Button size="s" onPress={() => setOpen(first.conflictId)} data-testid="conflict-open">{t`查看两条`}</Button>
        }
      >
        <q lang={langOf(first.first.rule)}>{first.first.rule}</q>
        <span className={css.or}>{t({ message: "还是", context: "one rule or the other" })}</span>
        <q lang={langOf(first.second.rule)}>{first.second.rule}</q>
        {others.length > 0 && <span className={css.more}>{t`后面还有 ${count(others.length)} 个冲突`}</span>}
      </Notice>
      {chosen && (
        <Choose
          key={chosen.conflictId}
          conflict={chosen}
          projectId={projectId}
          onGone={onGone}
          onDone={() => setOpen(null)}
        />
      )}
    </div>
  );
}

function Choose({
  conflict: { conflictId, first, second },
  projectId,
  onGone,
  onDone,
}: {
  conflict: Conflict;
  projectId: string;
  onGone: (rule: Rule) => void;
  onDone: () => void;
}) {
  const { t } = useLingui();
  const client = useQueryClient();
  const [keep, setKeep] = useState<string | null>(null);
  const sides = [first, second];
  const resolve = useMutation({
    mutationFn: (keepRuleId: string) => call("memory:conflict:resolve", { conflictId, keepRuleId }),
    onSuccess: (winner) => {
      const other = sides.find(({ id }) => id !== winner.id);
      // If this book keeps its own rule, the global one still serves other books.
      if (other && (other.scope === "project" || winner.scope === "global")) onGone(other);
      onDone();
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["rules"] }),
  });
  const dismiss = () => !resolve.isPending && onDone();
  const scene = first.sceneType ?? second.sceneType;
  return (
    <ConfirmDialog
      wide
      title={t`两条规则说法相反，留哪一条？`}
      onDismiss={dismiss}
      testId="conflict-dialog"
      actions={
        <>
          <Button isDisabled={resolve.isPending} onPress={dismiss} data-testid="conflict-later">{t`以后再说`}</Button>
          <Button
            kind="primary"
            isDisabled={keep === null || resolve.isPending}
            onPress={() => keep !== null && resolve.mutate(keep)}
            data-testid="conflict-keep"
          >{t`留这一条`}</Button>
        </>
      }
    >
      <p className={css.explain}>
        {scene
          ? t`都用在${sceneName(scene)}里。`
          : first.skillUsed
            ? t`都用在${skillName(first.skillUsed)}时。`
            : t`都用在全部场景里。`}
        {first.scope === second.scope
          ? t`留下的算你确认过，另一条会删除，以后不会再学到。`
          : t`留下的算你确认过。留本书的，全局那条在别的书里照旧；留全局的，本书这条会删除，以后不会再学到。`}
      </p>
      <div className={css.sides} role="radiogroup" aria-label={t`留哪一条`}>
        {sides.map((rule) => (
          <Side
            key={rule.id}
            name={conflictId}
            rule={rule}
            projectId={projectId}
            chosen={keep === rule.id}
            onChoose={() => setKeep(rule.id)}
          />
        ))}
      </div>
      {resolve.error && (
        <p className={css.problem} role="alert" data-testid="conflict-problem">
          {errorSentence(resolve.error)}
        </p>
      )}
    </ConfirmDialog>
  );
}

/** Episodes shown per rule. */
const MAX_EPISODES = 2;

function Side({
  name,
  rule,
  projectId,
  chosen,
  onChoose,
}: {
  name: string;
  rule: Rule;
  projectId: string;
  chosen: boolean;
  onChoose: () => void;
}) {
  const { t } = useLingui();
  const { data: episodes } = useQuery(queries.evidence(rule.id, projectId));
  const shown =
    episodes?.filter(({ agrees, before, after }) => agrees && (before !== "" || after !== "")).slice(0, MAX_EPISODES) ??
    [];
  return (
    <label className={css.side} data-chosen={chosen || undefined} data-testid="conflict-side">
      <span className={css.sideHead}>
        <input type="radio" name={name} checked={chosen} onChange={onChoose} aria-label={rule.rule} />
        <ConfidenceOf rule={rule} />
      </span>
      <span className={css.sideRule} lang={langOf(rule.rule)}>
        {rule.rule}
      </span>
      {rule.userConfirmed && <span className={css.quiet}>{t`你确认过`}</span>}
      {rule.standing === "proposed" && <span className={css.quiet}>{t`近来的做法，还没用`}</span>}
      {shown.map((episode) => (
        <BeforeAfter key={episode.episodeId} before={episode.before} after={episode.after} />
      ))}
    </label>
  );
}

/** The proposed and the final text as one diff. */
export function BeforeAfter({ before, after }: { before: string; after: string }) {
  const segments = useMemo(() => changesOf(before, after), [before, after]);
  return (
    <span className={css.beforeAfter} lang={langOf(after || before)}>
      <Changes segments={segments} />
    </span>
  );
}
