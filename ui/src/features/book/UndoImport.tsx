import { useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { call, queries, type ChapterInfo, type Project } from "../../backend";
import { Button, IconButton } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count } from "../../i18n/words";
import css from "./import.module.css";

interface UndoImportProps {
  project: Project;
  /** Changes whenever the list of chapters was read again. */
  chapters: readonly ChapterInfo[];
  /** Saves everything first: a chapter that was changed on the page is a changed chapter. */
  onSave: () => Promise<boolean>;
  /** The remaining chapters. */
  onUndone: (chapters: ChapterInfo[], removed: number) => void;
}

/** Offers to undo the last import, while none of its chapters was changed. */
export function UndoImport({ project, chapters, onSave, onUndone }: UndoImportProps) {
  const { t } = useLingui();
  const { projectId } = project;
  const { data: last } = useQuery(queries.lastImport(projectId, chapters));
  const undo = useMutation({
    mutationFn: async (importId: string) => {
      if (!(await onSave())) return null;
      return call("project:import:undo", { projectId, importId });
    },
    onSuccess: (left) => left && onUndone(left.chapters, last?.chapters ?? 0),
  });
  if (!last && !undo.error) return null;
  return (
    <div className={css.undo} data-testid="import-undo-offer">
      {undo.error ? (
        <>
          <p role="alert">{errorSentence(undo.error)}</p>
          <IconButton name="cross" size="xs" label={t`知道了`} onPress={() => undo.reset()} />
        </>
      ) : (
        last && (
          <>
            <span>{t`上次导入了 ${count(last.chapters)} 章`}</span>
            <Button
              kind="quiet"
              size="s"
              isDisabled={undo.isPending}
              onPress={() => undo.mutate(last.importId)}
              data-testid="import-undo"
            >{t`撤销导入`}</Button>
          </>
        )
      )}
    </div>
  );
}
