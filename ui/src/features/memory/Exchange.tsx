import { useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import {
  call,
  pickFile,
  pickSavePath,
  type ExchangeFormat,
  type Exported,
  type FileKind,
  type Imported,
  type Project,
} from "../../backend";
import { Busy, Button } from "../../design";
import { exportProblem, importSummary, exportSummary } from "../../i18n/exchange";
import { count } from "../../i18n/words";
import { dayOf, fileOf, safeName } from "../../lib/files";
import { Incoming, type Chosen } from "./Incoming";
import css from "./memory.module.css";

/** Name and extension of each format, for the system's dialog. */
const KINDS: Record<ExchangeFormat, FileKind> = {
  jsonLines: { name: "JSON Lines", extensions: ["jsonl"] },
  markdown: { name: "Markdown", extensions: ["md", "markdown"] },
};

interface Outgoing {
  format: ExchangeFormat;
  projectId: string | null;
  path: string;
}

type Done = { how: "written"; file: string; exported: Exported } | { how: "come"; file: string; imported: Imported };

/** Export and import of the memory; rules also as a readable page. */
export function Exchange({ project }: { project: Project | null }) {
  const { t } = useLingui();
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [done, setDone] = useState<Done | null>(null);
  const write = useMutation({
    mutationFn: ({ format, projectId, path }: Outgoing) => call("memory:export", { path, format, projectId }),
    onSuccess: (exported, { path }) => setDone({ how: "written", file: fileOf(path), exported }),
  });
  const choose = useMutation({ mutationFn: (pick: () => Promise<void>) => pick() });
  const projectId = project?.projectId ?? null;
  // Disabling the focused button would lose the focus, so it ignores presses while busy.
  const busy = write.isPending || choose.isPending;

  /** The button that opened the dialog: it gets the focus back. */
  const opener = useRef<Element | null>(null);
  useEffect(() => {
    const from = opener.current;
    if (chosen || !(from instanceof HTMLElement)) return;
    opener.current = null;
    const frame = requestAnimationFrame(() => from.focus());
    return () => cancelAnimationFrame(frame);
  }, [chosen]);
  const begin = (pick: () => Promise<void>) => !busy && choose.mutate(pick);
  const out = (format: ExchangeFormat, of: string | null, title: string, name: string) =>
    begin(async () => {
      const path = await pickSavePath(title, name, KINDS[format]);
      if (path === null) return;
      setDone(null);
      write.reset();
      write.mutate({ format, projectId: of, path });
    });
  const comeIn = (format: ExchangeFormat, title: string) =>
    begin(async () => {
      const path = await pickFile(title, KINDS[format]);
      if (path === null) return;
      setDone(null);
      write.reset();
      opener.current = document.activeElement;
      setChosen({ path, format, project: format === "markdown" ? project : null });
    });
  const problem = write.error ?? choose.error;

  return (
    <>
      <div className={css.tidying} data-testid="exchange-rules">
        <p>{t`把规则导出为“写作风格.md”，可以直接阅读，改过以后还能导入。`}</p>
        <span className={css.pair}>
          <Button
            size="s"
            aria-label={t`导出规则…`}
            onPress={() => out("markdown", projectId, t`导出规则`, t`写作风格.md`)}
            data-testid="rules-out"
          >{t`导出…`}</Button>
          <Button
            size="s"
            aria-label={t`导入规则…`}
            onPress={() => comeIn("markdown", t`导入规则`)}
            data-testid="rules-in"
          >{t`导入…`}</Button>
        </span>
      </div>
      <div className={css.tidying} data-testid="exchange-all">
        <p>{t`把全部记忆导出为一个文件，换一台电脑接着用。里面有你写过的文字，没有密钥。`}</p>
        <span className={css.pair}>
          <Button
            size="s"
            aria-label={t`导出全部记忆…`}
            onPress={() => out("jsonLines", null, t`导出全部记忆`, t`全部记忆 ${dayOf(new Date())}.jsonl`)}
            data-testid="all-out"
          >{t`导出…`}</Button>
          <Button
            size="s"
            aria-label={t`导入记忆…`}
            onPress={() => comeIn("jsonLines", t`导入记忆`)}
            data-testid="all-in"
          >{t`导入…`}</Button>
        </span>
      </div>
      {project && (
        <div className={css.tidying} data-testid="exchange-book">
          <p>{t`也可以只导出《${project.title}》的。`}</p>
          <Button
            size="s"
            aria-label={t`导出这本书的记忆…`}
            onPress={() =>
              out(
                "jsonLines",
                project.projectId,
                t`导出这本书的记忆`,
                safeName(t`${project.title}的记忆 ${dayOf(new Date())}.jsonl`),
              )
            }
            data-testid="book-out"
          >{t`导出…`}</Button>
        </div>
      )}
      <p role="status" className={css.said} data-testid="exchanged">
        {write.isPending && <Busy>{t`正在导出……`}</Busy>}
        {done && <Said done={done} />}
      </p>
      {problem && (
        <p className={css.problem} role="alert" data-testid="exchange-problem">
          {exportProblem(problem)}
        </p>
      )}
      {chosen && (
        <Incoming
          chosen={chosen}
          onDone={(imported) => {
            setChosen(null);
            setDone(imported && { how: "come", file: fileOf(chosen.path), imported });
          }}
        />
      )}
    </>
  );
}

/** The result of an export or an import. */
function Said({ done }: { done: Done }) {
  const { t } = useLingui();
  if (done.how === "come")
    return (
      <span
        className={css.well}
      >{t`“${done.file}”已导入：${importSummary(done.imported.kinds)}。导入以前的内容在备份里。`}</span>
    );
  const { kinds, leftOut } = done.exported;
  return (
    <>
      <span className={css.well}>
        {kinds.length > 0
          ? t`已导出“${done.file}”：${exportSummary(kinds)}。`
          : t`已导出“${done.file}”，里面还没有内容。`}
      </span>
      {leftOut > 0 && (
        <span className={css.well}>{t`有 ${count(leftOut)} 条没有导出：不知道属于哪本书，或者已经损坏。`}</span>
      )}
    </>
  );
}
