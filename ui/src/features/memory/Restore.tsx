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
      title={t`把${name}放回${at} 的样子？`}
      alert
      onDismiss={dismiss}
      testId="restore-dialog"
      actions={
        <>
          {restore.isPending && <Busy>{t`正在放回……`}</Busy>}
          <span className="grow" />
          <Button
            autoFocus
            isDisabled={restore.isPending}
            onPress={dismiss}
            data-testid="restore-cancel"
          >{t`不放了`}</Button>
          <Button
            kind="primary"
            isDisabled={restore.isPending}
            onPress={() => restore.mutate()}
            data-testid="restore-confirm"
          >{t`放回`}</Button>
        </>
      }
    >
      <ul className={css.points}>
        <li>
          <Icon name="again" />
          <span>
            {backup.file === "rules"
              ? t`规则、设置和书的清单回到那时；那以后学到的、改过的，不在里面。`
              : t`往事和来历回到那时；那以后记下的，不在里面。`}
          </span>
        </li>
        <li>
          <Icon name="bin" />
          {/* Deletions are recorded in `rules.db`. */}
          <span>
            {down("rules")
              ? t`清除过的不会回来。单独删掉的记在规则库里，它现在打不开，所以可能会回来。`
              : t`你删掉的、清除的，不会跟着回来。`}
          </span>
        </li>
        <li>
          <Icon name="folder" />
          <span>{closed ? t`坏掉的那份挪到一边留着，不删。` : t`现在这份先备份，想换回来，再放回它就是。`}</span>
        </li>
        <li>
          <Icon name="check" />
          <span>{t`正文一个字不动。`}</span>
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
