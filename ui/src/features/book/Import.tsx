import { useLingui } from "@lingui/react/macro";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call, type ImportedBook, type ImportSection, type Project } from "../../backend";
import { Busy, Button, Check, Chip, ConfirmDialog, Icon } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count } from "../../i18n/words";
import { fileName } from "./paths";
import { countChapters, initialChoices, insertSplit, requestedChoices } from "./sections";
import { Sections } from "./Sections";
import css from "./import.module.css";

interface Read {
  path: string;
  found: ImportedBook | null;
  error: unknown;
  /** Positions of the paragraphs at which its sections are split. */
  splits: number[];
}

interface ImportProps {
  project: Project;
  paths: string[];
  /** Number of imported chapters, and the id of the first. */
  onDone: (chapters: number, first: string | null) => void;
  /** Some files were imported, and some failed. */
  onSome: () => void;
  onDismiss: () => void;
}

/** Shows the contents of the files before they are imported: the writer chooses their chapters. */
export function Import({ project, paths, onDone, onSome, onDismiss }: ImportProps) {
  const { t } = useLingui();
  const { projectId } = project;
  const [joinLines, setJoinLines] = useState(true);
  const [chosen, setChosen] = useState(new Map<string, ImportSection[]>());
  // The files whose sections the writer split, as they were read since.
  const [splitFiles, setSplitFiles] = useState(new Map<string, Pick<Read, "found" | "splits">>());
  const { data: reads } = useQuery({
    queryKey: ["import", projectId, paths, joinLines],
    queryFn: async () => {
      const all: Read[] = [];
      for (const path of paths) {
        // An unreadable file does not stop the others.
        all.push(
          await call("project:import", { projectId, path, dryRun: true, joinLines }).then(
            (found) => ({ path, found, error: null, splits: [] }),
            (error: unknown) => ({ path, found: null, error, splits: [] }),
          ),
        );
      }
      return all;
    },
    gcTime: 0,
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });
  /** The choices for a file; those of another reading of it do not fit. */
  const choicesOf = ({ path, found }: Read, choices = chosen): ImportSection[] => {
    const own = choices.get(path);
    return own?.length === found?.sections.length ? own! : initialChoices(found?.sections ?? []);
  };
  const [failed, setFailed] = useState<Read[]>([]);
  const [done, setDone] = useState(0);
  // The import of the first file: all files are undone together.
  const [undoneWith, setUndoneWith] = useState<string | null>(null);
  const put = useMutation({
    mutationFn: async (files: Read[]) => {
      let chapters = 0;
      let first: string | null = null;
      let importId: string | null = undoneWith;
      const left: Read[] = [];
      for (const [index, file] of files.entries()) {
        setDone(index);
        try {
          const { contentHash } = file.found!;
          const { chapters: added, importId: own } = await call("project:import", {
            projectId,
            path: file.path,
            joinLines,
            splits: file.splits,
            sections: requestedChoices(choicesOf(file)),
            contentHash,
            ...(importId !== null && { continuedImportId: importId }),
          });
          importId ??= own;
          chapters += added.length;
          first ??= added[0]?.chapterId ?? null;
        } catch (error) {
          left.push({ ...file, error });
        }
      }
      return { chapters, first, left, importId };
    },
    onSuccess: ({ chapters, first, left, importId }) => {
      setFailed(left);
      setUndoneWith(importId);
      if (left.length === 0) onDone(chapters, first);
      else if (chapters > 0) onSome();
    },
  });
  /** Splits a section of a file: the file is read again, and the choices for its other sections stay. */
  const splitSection = async (read: Read, section: number, at: number) => {
    const { path, found: before } = read;
    const splits = [...read.splits, at];
    const args = { projectId, path, dryRun: true, joinLines, splits, contentHash: before!.contentHash };
    const found = await call("project:import", args);
    setSplitFiles((files) => new Map(files).set(path, { found, splits }));
    setChosen((choices) => new Map(choices).set(path, insertSplit(choicesOf(read, choices), section)));
  };
  const changeJoinLines = (join: boolean) => {
    // The positions of splits are those of the other reading.
    setChosen(new Map([...chosen].filter(([path]) => !splitFiles.has(path))));
    setSplitFiles(new Map());
    setJoinLines(join);
  };
  const shown = (failed.length > 0 ? failed : reads)?.map((read) => ({ ...read, ...splitFiles.get(read.path) }));
  const ready = (shown ?? []).filter((read) => read.found !== null && countChapters(choicesOf(read)) > 0);
  const total = ready.reduce((sum, read) => sum + countChapters(choicesOf(read)), 0);
  const wrapped = (shown ?? []).reduce((sum, { found }) => sum + (found?.wrappedLines ?? 0), 0);
  const hasChoices = (shown ?? []).some(({ found }) => (found?.sections.length ?? 0) > 1);
  const lang = project.language === "zh" ? "zh-CN" : "en";

  return (
    <ConfirmDialog
      wide
      title={t`导入到《${project.title}》`}
      onDismiss={() => !put.isPending && onDismiss()}
      testId="import"
      actions={
        <>
          {put.isPending && (
            <Busy>
              {ready.length > 1 ? t`正在导入第 ${count(done + 1)} 个文件，共 ${count(ready.length)} 个…` : t`正在导入…`}
            </Busy>
          )}
          <Button kind="quiet" autoFocus isDisabled={put.isPending} onPress={onDismiss}>{t`取消`}</Button>
          <Button
            kind="primary"
            isDisabled={ready.length === 0 || put.isPending}
            onPress={() => put.mutate(ready)}
            data-testid="import-go"
          >
            {failed.length > 0 ? t`再试一次` : t`导入到这本书`}
          </Button>
        </>
      }
    >
      {!shown && (
        <p className={css.reading}>
          <Busy>{t`正在读取文件…`}</Busy>
        </p>
      )}
      {shown && (
        <>
          <p className={css.lead} role="status">
            {total > 0 ? t`找到 ${count(total)} 章，会放在最后一章后面。原来的文件不变。` : t`没有可以导入的内容。`}
          </p>
          {hasChoices && <p className={css.hint}>{t`勾选的各成一章，没勾的并入上一章。`}</p>}
          {wrapped > 0 && (
            <Check
              label={t`把折行接成段落`}
              note={t`有 ${count(wrapped)} 处在段落中间换行。诗行和空行保持原样。`}
              checked={joinLines}
              onChange={changeJoinLines}
              disabled={put.isPending || failed.length > 0}
              testId="import-join"
            />
          )}
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, and holds nothing else to stand on */}
          <div className={css.files} tabIndex={0} role="region" aria-label={t`找到的章节`}>
            <ul>
              {shown.map((read) => {
                const { path, found, error } = read;
                const choices = choicesOf(read);
                return (
                  <li key={path} data-testid="import-file">
                    <div className={css.file}>
                      <span className={css.fileName}>{fileName(path)}</span>
                      {found && <span className={css.facts}>{t`${count(countChapters(choices))} 章`}</span>}
                      {found?.encoding && <Chip>{found.encoding}</Chip>}
                    </div>
                    {error !== null && (
                      <p className={css.problem}>
                        <Icon name="warning" size="xs" />
                        {errorSentence(error)}
                      </p>
                    )}
                    {found && <LeftOut found={found} />}
                    {found && (
                      <Sections
                        file={{ projectId, path, joinLines, splits: read.splits, contentHash: found.contentHash }}
                        sections={found.sections}
                        choices={choices}
                        lang={lang}
                        isDisabled={put.isPending}
                        onChange={(next) => setChosen(new Map(chosen).set(path, next))}
                        onSplit={(section, at) => splitSection(read, section, at)}
                      />
                    )}
                  </li>
                );
              })}
            </ul>
          </div>
        </>
      )}
    </ConfirmDialog>
  );
}

/** Parts of a file that are not imported. */
function LeftOut({ found: { title, notes, pictures, unreadable } }: { found: ImportedBook }) {
  const { t } = useLingui();
  const warnings = [
    title !== null && t`总标题“${title}”不导入。`,
    notes > 0 && t`有 ${count(notes)} 条脚注不导入。`,
    pictures > 0 && t`有 ${count(pictures)} 张图不导入。`,
    unreadable > 0 && t`有 ${count(unreadable)} 处读不出来，会变成“�”。`,
  ].filter(Boolean);
  return warnings.length > 0 ? (
    <p className={css.left} data-testid="import-left">
      {warnings.join(" ")}
    </p>
  ) : null;
}
