import { useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import type { DeletedChapterInfo, Language } from "../../backend";
import { Button, ConfirmDialog } from "../../design";
import { count, when } from "../../i18n/words";
import css from "./book.module.css";

interface DeletedChaptersProps {
  deleted: DeletedChapterInfo[];
  language: Language;
  onRestore: (deletedId: string) => Promise<void>;
  onDismiss: () => void;
}

/** The deleted chapters of the book, each with a button that restores it. */
export function DeletedChapters({ deleted, language, onRestore, onDismiss }: DeletedChaptersProps) {
  const { t } = useLingui();
  const restore = useMutation({ mutationFn: onRestore, onSettled: onDismiss });
  return (
    <ConfirmDialog
      title={t`删除的章节`}
      onDismiss={onDismiss}
      testId="deleted"
      actions={<Button autoFocus onPress={onDismiss} data-testid="deleted-close">{t`关闭`}</Button>}
    >
      <p className={css.lead}>{t`它们还在书的文件夹里，可以放回。记得的往事也还在，清除这本书的记忆时才会清除。`}</p>
      <ul className={css.shelf}>
        {deleted.map(({ deletedId, title, words, deletedAt }) => (
          <li key={deletedId} data-testid="deleted-chapter">
            <span className={css.shelfTitle} lang={language === "zh" ? "zh-CN" : "en"}>
              {title}
            </span>
            <span className={css.shelfNote}>{t`${count(words)} 字，${when(deletedAt)}删除`}</span>
            <Button
              size="s"
              isDisabled={restore.isPending}
              onPress={() => restore.mutate(deletedId)}
              data-testid="deleted-restore"
            >{t`放回`}</Button>
          </li>
        ))}
      </ul>
    </ConfirmDialog>
  );
}
