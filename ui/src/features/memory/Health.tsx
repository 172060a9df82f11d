import { useLingui } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  call,
  queries,
  type Backup,
  type BegunAnew,
  type ClockDoubt,
  type LastRun,
  type MaintenanceReport,
  type StoreFile,
  type HealthProblem,
  type HealthProblemKind,
} from "../../backend";
import { Busy, Button, Icon, InlineConfirm, Notice } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { problemDetail, problemReason, problemTitle } from "../../i18n/healthProblems";
import { count, dateAndTime, fileName, listed, when } from "../../i18n/words";
import { nextNight } from "../../lib/nightly";
import css from "./memory.module.css";

/** Problems in which a file cannot be opened: only a backup or time solves them. */
const CLOSED: Partial<Record<HealthProblemKind, StoreFile[]>> = {
  all: ["rules", "episodes"],
  rulesOld: ["rules"],
  rulesBuiltIn: ["rules"],
  episodes: ["episodes"],
};

/** The current problems in words, with their remedies. */
export function Health({
  problems,
  onRestore,
  onAnew,
}: {
  problems: HealthProblem[];
  onRestore: (backup: Backup) => void;
  onAnew: (begun: BegunAnew) => void;
}) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { data: status } = useQuery(queries.status());
  const again = useMutation({ mutationFn: () => client.refetchQueries({ queryKey: ["status"] }) });
  const files = problems.flatMap(({ kind }) => CLOSED[kind] ?? []);

  return (
    <>
      {problems.length === 0 && status && !status.clock && (
        <p className={css.well} role="status" data-testid="all-well">
          <Icon name="check" size="xs" />
          {t`一切正常。`}
        </p>
      )}
      <div className={css.problems}>
        {problems.map((problem, index) => (
          <Notice
            key={problem.kind}
            warn
            title={problemTitle(problem.kind)}
            testId={`health-problem-${problem.kind}`}
            actions={
              problem.kind === "missingWrites" ? (
                <MissingKnown />
              ) : (
                index === 0 &&
                problem.kind !== "maintenance" && (
                  <Button
                    size="s"
                    isDisabled={again.isPending}
                    onPress={() => again.mutate()}
                    data-testid="status-again"
                  >{t`重新检查`}</Button>
                )
              )
            }
          >
            {problem.failedAt === null ? (
              problemDetail(problem.kind)
            ) : (
              <Again detail={problemDetail(problem.kind)} failedAt={problem.failedAt} />
            )}
            {problem.message && (
              <span className={css.reason} lang={problemReason(problem.reason) === null ? "en" : undefined}>
                {problemReason(problem.reason) ?? problem.message}
              </span>
            )}
          </Notice>
        ))}
      </div>
      {status?.clock && <Clock doubt={status.clock} />}
      {files.map((file, index) => (
        <Mend key={file} file={file} first={index === 0} onRestore={onRestore} onAnew={onAnew} />
      ))}
      <Tidying runs={status?.maintenance ?? []} />
    </>
  );
}

/** Marks the missing entries as known. */
function MissingKnown() {
  const { t } = useLingui();
  const client = useQueryClient();
  const known = useMutation({
    mutationFn: () => call("memory:missing:acknowledge", {}),
    onSuccess: (status) => client.setQueryData(["status"], status),
  });
  return (
    <Button
      size="s"
      isDisabled={known.isPending}
      onPress={() => known.mutate()}
      data-testid="missing-known"
    >{t`知道了`}</Button>
  );
}

/** The clock is far from the newest entry: what waits for that, and the writer's confirmation. */
function Clock({ doubt }: { doubt: ClockDoubt }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const confirm = useMutation({
    mutationFn: () => call("memory:clock:confirm", {}),
    onSuccess: (status) => client.setQueryData(["status"], status),
  });
  const [now, newest] = [dateAndTime(doubt.now), dateAndTime(doubt.newest)];
  return (
    <>
      <Notice
        title={doubt.reason === "ahead" ? t`距离上次使用已经很久，或者电脑的时间不对` : t`电脑的时间比记忆里的早`}
        testId="clock-doubt"
        actions={
          <Button
            size="s"
            isDisabled={confirm.isPending}
            onPress={() => confirm.mutate()}
            data-testid="clock-confirm"
          >{t`时间没错`}</Button>
        }
      >
        {t`电脑的时间是 ${now}，记忆里最近的时间是 ${newest}。`}
        {doubt.reason === "ahead"
          ? t`写作、想起往事和学习照常。压缩旧往事、清理旧备份暂停：时间没错的话，第二天会自动继续。`
          : t`写作、想起往事和学习照常，新记录的时间接在记忆里最近的时间之后。压缩旧往事、清理旧备份暂停。`}
      </Notice>
      {confirm.error && (
        <p className={css.problem} role="alert" data-testid="clock-problem">
          {errorSentence(confirm.error)}
        </p>
      )}
    </>
  );
}

/** When a failed job is tried again. */
function Again({ detail, failedAt }: { detail: string; failedAt: string }) {
  const { t } = useLingui();
  const { dataUpdatedAt: now } = useQuery(queries.status());
  const next = nextNight(new Date(failedAt));
  return next.getTime() > now ? t`${detail}${when(next.toISOString())} 会再试。` : t`${detail}稍后会再试。`;
}

/** A file that cannot be opened: restore its newest backup, or start empty if there is none. */
function Mend({
  file,
  first,
  onRestore,
  onAnew,
}: {
  file: StoreFile;
  first: boolean;
  onRestore: (backup: Backup) => void;
  onAnew: (begun: BegunAnew) => void;
}) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { data: backups } = useQuery(queries.backups());
  const [isConfirming, setIsConfirming] = useState(false);
  const beginEmpty = useMutation({
    mutationFn: () => call("memory:store:begin-anew", { file, confirmed: true }),
    onSuccess: async (begun) => {
      onAnew(begun);
      await client.invalidateQueries();
    },
  });
  if (!backups) return null;
  const newest = backups.find((backup) => backup.file === file);
  const name = fileName(file);
  if (newest) {
    return (
      <div className={css.mend} data-testid={`mend-${file}`}>
        <p>{t`${name}：最近的备份是${when(newest.createdAt)} 的。`}</p>
        <Button
          kind={first ? "primary" : "plain"}
          size="s"
          onPress={() => onRestore(newest)}
          data-testid={`mend-${file}-restore`}
        >{t`恢复这一份`}</Button>
      </div>
    );
  }
  return (
    <div className={css.mend} data-testid={`mend-${file}`}>
      {isConfirming ? (
        <InlineConfirm
          label={t`从空库开始`}
          yes={t`从空库开始`}
          no={t`暂不处理`}
          busy={beginEmpty.isPending}
          onYes={() => beginEmpty.mutate()}
          onNo={() => setIsConfirming(false)}
          testId={`anew-${file}`}
        >
          {t`损坏的文件会移到一边保留，${name}从空的开始。正文不变。`}
        </InlineConfirm>
      ) : (
        <>
          <p>{t`${name}还没有备份。也许只是暂时打不开，恢复后会自动继续使用。`}</p>
          <Button size="s" onPress={() => setIsConfirming(true)} data-testid={`anew-${file}`}>{t`从空库开始…`}</Button>
        </>
      )}
      {beginEmpty.error && (
        <p className={css.problem} role="alert" data-testid={`anew-${file}-problem`}>
          {errorSentence(beginEmpty.error)}
        </p>
      )}
    </div>
  );
}

/** The nightly jobs: their last result, and a button to run all now. */
function Tidying({ runs }: { runs: LastRun[] }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const tidy = useMutation({
    mutationFn: () => call("memory:maintenance:run", {}),
    onSettled: () => client.invalidateQueries({ queryKey: ["status"] }),
  });
  const tidied = useTidied(tidy.data);
  const last = runs
    .flatMap(({ doneAt }) => doneAt ?? [])
    .toSorted()
    .at(-1);
  return (
    <div className={css.tidying}>
      <p data-testid="tidied">
        {tidy.isPending ? (
          <Busy>{t`正在整理……`}</Busy>
        ) : tidied !== null ? (
          tidied
        ) : last ? (
          t`每天凌晨两点自动整理。上次：${when(last)}。`
        ) : (
          t`每天凌晨两点自动整理。`
        )}
      </p>
      <Button
        size="s"
        isDisabled={tidy.isPending}
        onPress={() => tidy.mutate()}
        data-testid="tidy-now"
      >{t`立即清理`}</Button>
      {tidy.error && (
        <p className={css.problem} role="alert" data-testid="tidy-problem">
          {errorSentence(tidy.error)}
        </p>
      )}
    </div>
  );
}

/** The parts of a maintenance report that matter to the writer. */
function useTidied(report: MaintenanceReport | undefined): string | null {
  const { t } = useLingui();
  if (!report) return null;
  const of = (name: string) =>
    report.steps.filter((step) => step.name === name).reduce((sum, step) => sum + step.count, 0);
  const [compressed, deleted, backups, waiting] = [
    of("compressed"),
    of("deleted"),
    of("backups"),
    of("waitingForClock"),
  ];
  const done = [
    ...(compressed > 0 ? [t`${count(compressed)} 段往事压缩成了摘要`] : []),
    ...(deleted > 0 ? [t`${count(deleted)} 段到期的摘要删除了`] : []),
    ...(backups > 0 ? [t`备份了 ${count(backups)} 份`] : []),
  ];
  if (waiting > 0)
    return done.length > 0 ? t`整理完成：${listed(done)}。其余的等时间确认以后再做。` : t`等时间确认以后再整理。`;
  return done.length > 0 ? t`整理完成：${listed(done)}。` : t`整理完成，没有要处理的。`;
}
