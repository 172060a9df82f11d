import { useLingui } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call, queries, type Backup, type Restored } from "../../backend";
import { Busy, Button, ConfirmDialog, Icon } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { fileName, when } from "../../i18n/words";
import css from "./memory.module.css";

interface RestoreProps {
  backup: Backup;
  /** The backup is restored; `null`: cancelled. */
  onDone: (restored: Restored | null) => void;
}

/** Explains what restoring a backup does, and restores it. */
export function Restore({ backup, onDone }: RestoreProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { data: status } = useQuery(queries.status());
  const down = (file: string) =>
    status?.parts.some(({ part, state }) => part === file && state === "unavailable") ?? false;
  const closed = down(backup.file);
  const restore = useMutation({
    mutationFn: () => call("memory:backup:restore", { backupId: backup.backupId }),
    onSuccess: async (restored) => {
      // All data read so far came from another file.
      await client.invalidateQueries();
      onDone(restored);
    },
  });
  const at = when(backup.createdAt);
  const name = fileName(backup.file);
  const dismiss = () => !restore.isPending && onDone(null);
  return (
    <ConfirmDialog
      title={t`把${name}恢复到${at} 的备份？`}
      alert
      onDismiss={dismiss}
      testId="restore-dialog"
      actions={
        <>
          {restore.isPending && <Busy>{t`正在恢复……`}</Busy>}
          <span className="grow" />
          <Button
            autoFocus
            isDisabled={restore.isPending}
            onPress={dismiss}
            data-testid="restore-cancel"
          >{t`不恢复`}</Button>
          <Button
            kind="primary"
            isDisabled={restore.isPending}
            onPress={() => restore.mutate()}
            data-testid="restore-confirm"
          >{t`恢复`}</Button>
        </>
      }
    >
      <ul className={css.points}>
        <li>
          <Icon name="again" />
          <span>
            {backup.file === "rules"
              ? t`规则、设置和书的清单恢复到那时，不含那以后学到和改过的。`
              : t`往事和来历恢复到那时，不含那以后记录的。`}
          </span>
        </li>
        <li>
          <Icon name="bin" />
          {/* Deletions are recorded in `rules.db`. */}
          <span>
            {down("rules")
              ? t`清除过的不会回来。单独删除的记在规则库里，规则库现在打不开，所以可能会回来。`
              : t`你删除和清除过的不会回来。`}
          </span>
        </li>
        <li>
          <Icon name="folder" />
          <span>{closed ? t`损坏的文件会移到一边保留。` : t`会先备份现在的内容，想换回来就恢复那份备份。`}</span>
        </li>
        <li>
          <Icon name="check" />
          <span>{t`正文一个字都不变。`}</span>
        </li>
      </ul>
      {restore.error && (
        <p className={css.problem} role="alert" data-testid="restore-problem">
          {errorSentence(restore.error)}
        </p>
      )}
    </ConfirmDialog>
  );
}
