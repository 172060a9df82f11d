import { useLingui } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, queries, type Backup, type StoreFile } from "../../backend";
import { Busy, Button, LinkButton, Notice } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { backupReason, count, fileName, size, when } from "../../i18n/words";
import css from "./memory.module.css";

/** Backups shown at first per file. */
const INITIALLY_SHOWN = 4;

/** Backups of both files: when, why and how large. Makes one now, or restores one. */
export function Backups({ onRestore }: { onRestore: (backup: Backup) => void }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { data: backups, error, refetch } = useQuery(queries.backups());
  const make = useMutation({
    mutationFn: () => call("memory:backup:create", {}),
    onSettled: () => client.invalidateQueries({ queryKey: ["backups"] }),
  });
  return (
    <>
      <div className={css.tidying}>
        <p role="status" data-testid="backup-made">
          {make.isPending ? (
            <Busy>{t`正在备份……`}</Busy>
          ) : make.data && make.data.backups.length === 0 ? (
            t`上次备份以后没有改动，不用再备份。`
          ) : make.data ? (
            make.data.backups.length > 1 ? (
              t`备份完成，包括两个库。`
            ) : (
              t`只备份了${fileName(make.data.backups[0]!.file)}，另一个现在打不开。`
            )
          ) : (
            t`有改动时每天备份一次，清除和更新以前也备份。越早的备份保留得越少。`
          )}
        </p>
        <Button
          size="s"
          isDisabled={make.isPending}
          onPress={() => make.mutate()}
          data-testid="backup-now"
        >{t`现在备份`}</Button>
        {make.error && (
          <p className={css.problem} role="alert" data-testid="backup-problem">
            {errorSentence(make.error)}
          </p>
        )}
      </div>
      {error && (
        <Notice
          warn
          title={t`无法列出备份`}
          actions={<Button size="s" onPress={() => void refetch()}>{t`重新读取`}</Button>}
        >
          {errorSentence(error)}
        </Notice>
      )}
      {backups && backups.length === 0 && <p className={css.note} data-testid="no-backups">{t`还没有备份。`}</p>}
      {backups &&
        backups.length > 0 &&
        (["rules", "episodes"] as const).map((file) => (
          <OfFile
            key={file}
            file={file}
            backups={backups.filter((backup) => backup.file === file)}
            onRestore={onRestore}
          />
        ))}
    </>
  );
}

function OfFile({
  file,
  backups,
  onRestore,
}: {
  file: StoreFile;
  backups: Backup[];
  onRestore: (backup: Backup) => void;
}) {
  const { t } = useLingui();
  const [all, setAll] = useState(false);
  const shown = all ? backups : backups.slice(0, INITIALLY_SHOWN);
  const rest = backups.length - shown.length;
  const name = fileName(file);
  return (
    <div className={css.backups} data-testid={`backups-${file}`}>
      <h4>
        {name}
        <small>{t`${count(backups.length)} 份`}</small>
      </h4>
      {backups.length === 0 && <p className={css.note}>{t`还没有备份。`}</p>}
      <ul>
        {shown.map((backup) => (
          <li key={backup.backupId} className={css.backup} data-testid="backup" data-backup={backup.backupId}>
            <time dateTime={backup.createdAt}>{when(backup.createdAt)}</time>
            <span>{backupReason(backup.reason)}</span>
            <span className={css.bytes}>{size(backup.bytes)}</span>
            <Button
              size="s"
              kind="quiet"
              aria-label={t`把${name}恢复到${when(backup.createdAt)} 的备份`}
              onPress={() => onRestore(backup)}
              data-testid="backup-restore"
            >{t`恢复…`}</Button>
          </li>
        ))}
      </ul>
      {(rest > 0 || all) && backups.length > INITIALLY_SHOWN && (
        <LinkButton onPress={() => setAll(!all)}>{all ? t`收起` : t`其余 ${count(rest)} 份`}</LinkButton>
      )}
    </div>
  );
}
