import { useLingui } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type KeyboardEvent } from "react";
import { call, queries, type Project } from "../../backend";
import { Button, IconButton, Notice, Picker } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count } from "../../i18n/words";
import { isComposing } from "../../lib/ime";
import css from "./book.module.css";

interface BookPanelProps {
  project: Project;
  chapterId: string | null;
  onOpen: (chapterId: string) => void;
  /** Renaming writes the file, so it goes by way of the page, which may have it open. */
  onRename: (chapterId: string, title: string) => Promise<unknown>;
  onOpenFolder: () => void;
  /** Another book that is known. */
  onOpenBook: (path: string) => void;
}

export function BookPanel({ project, chapterId, onOpen, onRename, onOpenFolder, onOpenBook }: BookPanelProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { projectId } = project;
  const { data: chapters = [], error } = useQuery(queries.chapters(projectId));
  const { data: known } = useQuery(queries.projects());
  const others = known?.projects.filter((other) => other.projectId !== projectId && other.path !== null) ?? [];
  const [adding, setAdding] = useState(false);
  const [renaming, setRenaming] = useState<string | null>(null);
  const refresh = () => client.invalidateQueries({ queryKey: ["chapters", projectId] });

  const create = useMutation({
    mutationFn: (title: string) => call("chapter:create", { projectId, title }),
    onSuccess: async (chapter) => {
      setAdding(false);
      await refresh();
      onOpen(chapter.chapterId);
    },
  });
  const rename = useMutation({
    mutationFn: ({ id, title }: { id: string; title: string }) => onRename(id, title),
    onSettled: async () => {
      setRenaming(null);
      await refresh();
    },
  });
  const problem = create.error ?? rename.error ?? error;
  const total = chapters.reduce((sum, chapter) => sum + chapter.words, 0);

  return (
    <aside className={css.side} aria-label={project.title}>
      <div className={css.head}>
        {others.length > 0 ? (
          <div className={css.books} lang={project.language === "zh" ? "zh-CN" : "en"}>
            <Picker
              quiet
              label={t`换一本书`}
              value={projectId}
              onChange={(id) => {
                const path = others.find((other) => other.projectId === id)?.path;
                if (path) onOpenBook(path);
              }}
              options={[project, ...others].map((one) => ({ key: one.projectId, label: one.title }))}
              testId="book-select"
            />
          </div>
        ) : (
          <h2 className={css.title} lang={project.language === "zh" ? "zh-CN" : "en"}>{project.title}</h2>
        )}
        <IconButton name="plus" size="s" label={t`新建一章`} onPress={() => setAdding(true)} data-testid="chapter-add" />
      </div>
      {problem && <div className={css.problem}><Notice warn title={t`没有做成`}>{errorSentence(problem)}</Notice></div>}
      <ol className={css.list}>
        {chapters.map((chapter, index) => (
          <li key={chapter.chapterId} className={css.row}>
            {renaming === chapter.chapterId ? (
              <TitleField initial={chapter.title} label={t`这一章叫什么`} onDone={(title) => (title && title !== chapter.title ? rename.mutate({ id: chapter.chapterId, title }) : setRenaming(null))} />
            ) : (
              <>
                <button
                  type="button"
                  className={css.chapter}
                  data-testid="chapter-item"
                  data-chapter-id={chapter.chapterId}
                  aria-current={chapter.chapterId === chapterId ? "page" : undefined}
                  onClick={() => onOpen(chapter.chapterId)}
                  onDoubleClick={() => setRenaming(chapter.chapterId)}
                >
                  <span className={css.number}>{index + 1}</span>
                  <span className={css.name} lang={project.language === "zh" ? "zh-CN" : "en"}>{chapter.title}</span>
                  <span className={css.words}>{chapter.words > 0 ? count(chapter.words) : "—"}</span>
                </button>
                <IconButton className={css.rename} name="pen" size="xs" label={t`改《${chapter.title}》的名字`} onPress={() => setRenaming(chapter.chapterId)} data-testid="chapter-rename" />
              </>
            )}
          </li>
        ))}
        {adding && (
          <li className={css.row}>
            <TitleField initial="" label={t`新的一章叫什么`} onDone={(title) => (title ? create.mutate(title) : setAdding(false))} />
          </li>
        )}
        {chapters.length === 0 && !adding && !error && (
          <li className={css.none}>
            <p>{t`还没有章节。`}</p>
            <Button icon="plus" onPress={() => setAdding(true)}>{t`新建一章`}</Button>
          </li>
        )}
      </ol>
      <div className={css.foot}>
        <div>
          <span>{t`全书`}</span>
          <span>{t`${count(total)} 字`}</span>
        </div>
        <Button kind="quiet" size="s" icon="folder" onPress={onOpenFolder} data-testid="open-folder">{t`打开文件夹…`}</Button>
      </div>
    </aside>
  );
}

/** Enter keeps it, Escape forgets it, leaving the field keeps it: but never while an input method is at work. */
function TitleField({ initial, label, onDone }: { initial: string; label: string; onDone: (title: string | null) => void }) {
  const [title, setTitle] = useState(initial);
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return;
    if (event.key === "Enter") onDone(title.trim() || null);
    else if (event.key === "Escape") onDone(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <input
      className={css.field}
      aria-label={label}
      placeholder={label}
      value={title}
      autoFocus
      spellCheck={false}
      onFocus={(event) => event.target.select()}
      onChange={(event) => setTitle(event.target.value)}
      onKeyDown={onKeyDown}
      onBlur={() => onDone(title.trim() || null)}
      data-testid="chapter-title"
    />
  );
}
