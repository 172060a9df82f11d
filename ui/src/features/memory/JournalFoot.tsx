import { useLingui } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, pickFile, pickSavePath, queries, type FileKind, type Project } from "../../backend";
import { Busy, Button, Icon, ImportDialog, Points } from "../../design";
import { exportProblem, importProblem } from "../../i18n/exchange";
import { errorSentence } from "../../i18n/errors";
import { count, dateAndTime } from "../../i18n/words";
import { dayOf, fileOf, safeName } from "../../lib/files";
import css from "./journal.module.css";

const ENTRIES: FileKind = { name: "JSON", extensions: ["json", "jsonl"] };

/** The proof of the journal's chain, its files, and the switch of the book. */
export function JournalFoot({ project, isKept }: { project: Project; isKept: boolean }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { projectId, title } = project;
  const { data: check, error: unchecked, refetch, isFetching } = useQuery(queries.journalCheck(projectId));
  const { data: status } = useQuery(queries.status());
  const waiting = status?.journalDue ?? 0;
  const [isChecked, setChecked] = useState(false);
  const [incoming, setIncoming] = useState<string | null>(null);
  const [done, setDone] = useState<string | null>(null);
  const keep = useMutation({
    mutationFn: (next: boolean) => call("journal:keep", { projectId, isKept: next }),
    onSettled: () => client.invalidateQueries({ queryKey: ["journal", projectId] }),
  });
  const write = useMutation({
    mutationFn: async () => {
      setDone(null);
      const path = await pickSavePath(t`导出流水`, safeName(t`${title}的流水 ${dayOf(new Date())}.json`), ENTRIES);
      return path === null ? null : call("journal:export", { projectId, path, format: "entries" });
    },
    onSuccess: (exported) => exported && setDone(t`已导出 ${count(exported.entries)} 条。`),
  });
  const choose = useMutation({
    mutationFn: async () => {
      setDone(null);
      setIncoming(await pickFile(t`导入流水`, ENTRIES));
    },
  });
  const problem = write.error ?? choose.error;
  const refused = keep.error ?? unchecked;
  return (
    <div className={css.foot}>
      <p role="status" data-testid="journal-check" data-broken={(check && !check.isWhole) || undefined}>
        <Icon name={check && !check.isWhole ? "warning" : "linked"} size="s" />
        {check ? <span>{summary()}</span> : <Busy>{t`正在核对……`}</Busy>}
        {check?.isWhole && check.since !== null && isChecked && !isFetching && (
          <small>{t`刚核对过，从 ${dateAndTime(check.since)} 起`}</small>
        )}
      </p>
      {check && check.leftBehind > 0 && check.replacedAt !== null && (
        <p data-testid="journal-left-behind">
          <Icon name="clock" size="s" />
          {t`${dateAndTime(check.replacedAt)} 换上了一份备份，那以前的至少 ${count(check.leftBehind)} 条不在备份里。`}
        </p>
      )}
      {waiting > 0 && (
        <p data-testid="journal-waiting">
          <Icon name="clock" size="s" />
          {t`还有 ${count(waiting)} 条没写下（各本书合计），稍后会写。`}
        </p>
      )}
      {!isKept && (
        <p data-testid="journal-off">
          <Icon name="pause" size="s" />
          {t`这本书现在不记流水；已有的还在。`}
        </p>
      )}
      {done !== null && (
        <p role="status" data-testid="journal-done">
          <Icon name="check" size="s" />
          {done}
        </p>
      )}
      {problem && (
        <p className={css.problem} role="alert">
          {exportProblem(problem)}
        </p>
      )}
      {refused && (
        <p className={css.problem} role="alert">
          {errorSentence(refused)}
        </p>
      )}
      <div className={css.footActs}>
        <Button
          size="s"
          onPress={() => {
            setChecked(true);
            void refetch();
          }}
          data-testid="journal-verify"
        >{t`核对`}</Button>
        <Button
          size="s"
          kind="quiet"
          onPress={() => !write.isPending && write.mutate()}
          data-testid="journal-export"
        >{t`导出…`}</Button>
        <Button
          size="s"
          kind="quiet"
          onPress={() => !choose.isPending && choose.mutate()}
          data-testid="journal-import"
        >{t`导入…`}</Button>
        <span className="grow" />
        <Button
          size="s"
          kind="quiet"
          isDisabled={keep.isPending}
          onPress={() => keep.mutate(!isKept)}
          data-testid="journal-keep"
        >
          {isKept ? t`这本书不记流水` : t`重新记流水`}
        </Button>
      </div>
      {incoming !== null && (
        <ImportJournal
          projectId={projectId}
          path={incoming}
          onDone={(added) => {
            setIncoming(null);
            if (added !== null) setDone(t`已导入 ${count(added)} 条。`);
          }}
        />
      )}
    </div>
  );

  function summary(): string {
    if (!check) return "";
    const { entries, redacted, brokenAt, missing } = check;
    if (brokenAt !== null) return t`${count(entries)} 条，链断了：有一条被别的程序改过或删掉了。`;
    if (missing > 0)
      return t`${count(entries)} 条，少了至少 ${count(missing)} 条：被别的程序删掉了，或者换成了旧文件。`;
    if (entries === 0) return t`还没有一条。`;
    if (redacted === 0) return t`${count(entries)} 条，链完整。`;
    return t`${count(entries)} 条，链完整；其中 ${count(redacted)} 条你抹去了。`;
  }
}

interface ImportJournalProps {
  projectId: string;
  path: string;
  /** Receives the number of imported entries; `null`: cancelled. */
  onDone: (added: number | null) => void;
}

/** Previews the import of a journal, then runs it. */
function ImportJournal({ projectId, path, onDone }: ImportJournalProps) {
  const { t } = useLingui();
  const bring = (dryRun: boolean) => call("journal:import", { projectId, path, dryRun });
  const { data: tried, error: refused } = useQuery({
    queryKey: ["incoming", "journal", projectId, path],
    queryFn: () => bring(true),
    gcTime: 0,
    retry: false,
  });
  const take = useMutation({ mutationFn: () => bring(false), onSuccess: (imported) => onDone(imported.new) });
  const problem = take.error ?? refused;
  const changes = (tried?.new ?? 0) > 0;
  return (
    <ImportDialog
      title={t`导入“${fileOf(path)}”`}
      reading={tried || problem ? null : t`正在读取……`}
      problem={problem ? importProblem(problem, "jsonLines") : null}
      nothing={t`什么也没有导入。`}
      verdict={changes ? t`还什么都没动。导入的话，会添上 ${count(tried?.new ?? 0)} 条。` : t`没有新的可以导入。`}
      changes={changes}
      isPending={take.isPending}
      words={{ cancel: t`不导入`, close: t`关闭`, take: t`导入`, busy: t`正在导入……` }}
      onTake={() => take.mutate()}
      onDismiss={() => onDone(null)}
      testId="journal-incoming"
    >
      {tried && (
        <Points
          points={[
            ...(tried.same > 0 ? [{ icon: "check" as const, words: t`已有的不变：${count(tried.same)} 条。` }] : []),
            ...(tried.leftOut > 0
              ? [{ icon: "cross" as const, words: t`不导入的：${count(tried.leftOut)} 条，这里抹去过，或者文字不同。` }]
              : []),
            ...(changes ? [{ icon: "check" as const, words: t`先做一份备份。要么全部导入，要么一条也不导入。` }] : []),
          ]}
        />
      )}
    </ImportDialog>
  );
}
