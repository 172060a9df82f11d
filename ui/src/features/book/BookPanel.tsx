import { useLingui } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useLayoutEffect, useRef, useState } from "react";
import { call, pickFiles, queries, type Project } from "../../backend";
import { Button, IconButton, LinkButton, NameField, Notice, Picker } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count } from "../../i18n/words";
import { chapterNumbers } from "../../lib/ordinal";
import css from "./book.module.css";
import { ChapterRow } from "./ChapterRow";
import { DeletedChapters } from "./DeletedChapters";
import { Export } from "./Export";
import { Import } from "./Import";
import { KnownBooks } from "./KnownBooks";
import { moved, neighbour, useOrder } from "./order";
import { UndoImport } from "./UndoImport";

interface BookPanelProps {
  project: Project;
  chapterId: string | null;
  /** `null`: no chapter is left. `at`: the caret's position; the end of the text if it is not given. */
  onOpen: (chapterId: string | null, at?: "start") => void;
  /** Renames through the editor, which may have the file open. */
  onRename: (chapterId: string, title: string) => Promise<unknown>;
  onDelete: (chapterId: string) => Promise<void>;
  onMerge: (chapterId: string, nextId: string) => Promise<void>;
  /** Splits the open chapter at the caret. */
  onSplit: () => Promise<void>;
  onRestore: (deletedId: string) => Promise<void>;
  onOpenFolder: () => void;
  /** Opens another known book. */
  onOpenBook: (path: string) => void;
  /** Asks before a known book is forgotten. */
  onForget: (project: Project) => void;
  /** Saves everything before an export. Resolves to whether it is saved. */
  onSave: () => Promise<boolean>;
  onDone: (message: string) => void;
}

/** Key of the entry that opens the list of books. The leading blank keeps it apart: no id begins with one. */
const BOOKS = " books";
/** Formats of other programs that can be imported. */
const MANUSCRIPTS = ["txt", "md", "markdown", "docx"];

export function BookPanel({
  project,
  chapterId,
  onOpen,
  onRename,
  onDelete,
  onMerge,
  onSplit,
  onRestore,
  onOpenFolder,
  onOpenBook,
  onForget,
  onSave,
  onDone,
}: BookPanelProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { projectId } = project;
  const { data: chapters = [], error } = useQuery(queries.chapters(projectId));
  const { data: deleted = [] } = useQuery(queries.deletedChapters(projectId));
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
  const order = useOrder(projectId);
  const [announcement, setAnnouncement] = useState("");
  const [coming, setComing] = useState<string[] | null>(null);
  const [leaving, setLeaving] = useState(false);
  const [shown, setShown] = useState<"deleted" | "books" | null>(null);
  const pick = useMutation({
    mutationFn: () => pickFiles(t`选择要导入的文件`, { name: t`文稿`, extensions: MANUSCRIPTS }),
    // The dialog returns files in no order; sort them by name.
    onSuccess: (paths) =>
      paths.length > 0 && setComing(paths.toSorted(new Intl.Collator(undefined, { numeric: true }).compare)),
  });
  const list = useRef<HTMLOListElement>(null);
  // A moved row is mounted again, which loses the focus.
  const held = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (held.current === null) return;
    list.current?.querySelector<HTMLElement>(`[data-chapter-id="${CSS.escape(held.current)}"]`)?.focus();
    held.current = null;
  }, [chapters]);
  const move = (id: string, before: string | null) => {
    const now = moved(chapters, id, before);
    const at = now.findIndex((chapter) => chapter.chapterId === id);
    if (now.every((chapter, index) => chapter === chapters[index])) return;
    order.move(id, before);
    setAnnouncement(t`《${now[at]!.title}》现在是第 ${count(at + 1)} 章，共 ${count(now.length)} 章。`);
  };
  /** The chapter before which one dropped below row `index` goes. */
  const after = (id: string, index: number) =>
    chapters.slice(index + 1).find((chapter) => chapter.chapterId !== id)?.chapterId ?? null;
  const shift = (id: string, way: "up" | "down") => {
    const before = neighbour(chapters, id, way);
    if (before === undefined) return;
    held.current = id;
    move(id, before);
  };
  const problem = create.error ?? rename.error ?? order.error ?? pick.error ?? error;
  const numbers = chapterNumbers(chapters.map(({ title }) => title));
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
                if (id === BOOKS) {
                  setShown("books");
                  return;
                }
                const path = others.find((other) => other.projectId === id)?.path;
                if (path) onOpenBook(path);
              }}
              options={[
                ...[project, ...others].map((one) => ({ key: one.projectId, label: one.title })),
                { key: BOOKS, label: t`整理书的清单…` },
              ]}
              testId="book-select"
            />
          </div>
        ) : (
          <h2 className={css.title} lang={project.language === "zh" ? "zh-CN" : "en"}>
            {project.title}
          </h2>
        )}
        <IconButton
          name="plus"
          size="s"
          label={t`新建一章`}
          onPress={() => setAdding(true)}
          data-testid="chapter-add"
        />
      </div>
      {problem && (
        <div className={css.problem}>
          <Notice warn title={t`没有成功`}>
            {errorSentence(problem)}
          </Notice>
        </div>
      )}
      <ol ref={list} className={css.list} data-numbered={numbers.some((number) => number !== null) || undefined}>
        {chapters.map((chapter, index) => (
          <ChapterRow
            key={chapter.chapterId}
            chapter={chapter}
            number={numbers[index] ?? null}
            hasNext={index + 1 < chapters.length}
            language={project.language}
            isOpen={chapter.chapterId === chapterId}
            field={
              renaming === chapter.chapterId && (
                <NameField
                  initial={chapter.title}
                  label={t`这一章的名称`}
                  testId="chapter-title"
                  onDone={(title) =>
                    title && title !== chapter.title
                      ? rename.mutate({ id: chapter.chapterId, title })
                      : setRenaming(null)
                  }
                />
              )
            }
            onOpen={() => onOpen(chapter.chapterId)}
            onRename={() => setRenaming(chapter.chapterId)}
            onDelete={() => void onDelete(chapter.chapterId)}
            onMerge={() => void onMerge(chapter.chapterId, chapters[index + 1]!.chapterId)}
            onSplit={() => void onSplit()}
            onShift={(way) => shift(chapter.chapterId, way)}
            onDrop={(id, side) => move(id, side === "above" ? chapter.chapterId : after(id, index))}
          />
        ))}
        {adding && (
          <li className={css.row}>
            <NameField
              initial=""
              label={t`新章节的名称`}
              testId="chapter-title"
              onDone={(title) => (title ? create.mutate(title) : setAdding(false))}
            />
          </li>
        )}
        {chapters.length === 0 && !adding && !error && (
          <li className={css.none}>
            <p>{t`还没有章节。`}</p>
            <Button icon="plus" onPress={() => setAdding(true)}>{t`新建一章`}</Button>
          </li>
        )}
      </ol>
      <UndoImport
        project={project}
        chapters={chapters}
        onSave={onSave}
        onUndone={async (left, removed) => {
          const isGone = left.every((chapter) => chapter.chapterId !== chapterId);
          await refresh();
          onDone(t`已撤销导入，移走了 ${count(removed)} 章`);
          if (isGone) onOpen(left[0]?.chapterId ?? null);
        }}
      />
      <div className={css.foot}>
        <div>
          <span>{t`全书`}</span>
          <span>{t`${count(total)} 字`}</span>
        </div>
        {deleted.length > 0 && (
          <LinkButton onPress={() => setShown("deleted")} data-testid="deleted-open">
            {t`删除的章节：${count(deleted.length)}`}
          </LinkButton>
        )}
        <div className={css.doors}>
          <Button
            kind="quiet"
            size="s"
            icon="folder"
            onPress={onOpenFolder}
            data-testid="open-folder"
          >{t`打开文件夹…`}</Button>
          <Button
            kind="quiet"
            size="s"
            icon="below"
            isDisabled={pick.isPending}
            onPress={() => pick.mutate()}
            data-testid="import-open"
          >{t`导入…`}</Button>
          <Button
            kind="quiet"
            size="s"
            icon="up"
            isDisabled={chapters.length === 0}
            onPress={() => setLeaving(true)}
            data-testid="export-open"
          >{t`导出…`}</Button>
        </div>
      </div>
      <span className={css.announcement} role="status" data-testid="order-told">
        {announcement}
      </span>
      {coming && (
        <Import
          project={project}
          paths={coming}
          onSome={() => void refresh()}
          onDone={async (number, first) => {
            setComing(null);
            await refresh();
            onDone(t`已导入 ${count(number)} 章`);
            if (first) onOpen(first, "start");
          }}
          onDismiss={() => setComing(null)}
        />
      )}
      {shown === "deleted" && (
        <DeletedChapters
          deleted={deleted}
          language={project.language}
          onRestore={onRestore}
          onDismiss={() => setShown(null)}
        />
      )}
      {shown === "books" && (
        <KnownBooks
          projects={known?.projects ?? []}
          openId={projectId}
          onForget={(one) => {
            setShown(null);
            onForget(one);
          }}
          onDismiss={() => setShown(null)}
        />
      )}
      {leaving && (
        <Export
          project={project}
          onSave={onSave}
          onDone={(file) => {
            setLeaving(false);
            onDone(t`已导出 ${file}`);
          }}
          onDismiss={() => setLeaving(false)}
        />
      )}
    </aside>
  );
}
