import { useLingui } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ComponentProps } from "react";
import { call, type ExchangeFormat, type Imported, type KindTaken, type Project } from "../../backend";
import { ImportDialog, Points } from "../../design";
import { COLUMNS, columnName, groupsTaken, importProblem } from "../../i18n/exchange";
import { count } from "../../i18n/words";
import { fileOf } from "../../lib/files";
import css from "./memory.module.css";

export interface Chosen {
  path: string;
  format: ExchangeFormat;
  /** Book whose rules a page contains; `null`: those of all books, or the file says so itself. */
  project: Project | null;
}

/** Previews an import, then runs it. */
export function Incoming({ chosen, onDone }: { chosen: Chosen; onDone: (imported: Imported | null) => void }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { path, format, project } = chosen;
  const bring = (dryRun: boolean) =>
    call("memory:import", { path, format, projectId: project?.projectId ?? null, dryRun });
  const { data: tried, error: refused } = useQuery({
    queryKey: ["incoming", path, format, project?.projectId],
    queryFn: () => bring(true),
    gcTime: 0,
    retry: false,
  });
  const take = useMutation({
    mutationFn: () => bring(false),
    onSuccess: async (imported) => {
      // Everything may have changed; but the preview is not repeated.
      await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "incoming" });
      onDone(imported);
    },
  });
  const changes = tried?.kinds.some((kind) => kind.new + kind.newer > 0) ?? false;
  const problem = take.error ?? refused;
  const isKnown = tried !== undefined && !changes;
  return (
    <ImportDialog
      title={t`导入“${fileOf(path)}”`}
      reading={!tried && !refused ? t`正在读取，和这里的记忆比较……` : null}
      problem={problem && importProblem(problem, format)}
      nothing={t`什么也没有导入。`}
      verdict={
        tried?.kinds.length === 0
          ? t`文件里没有内容。`
          : isKnown
            ? t`这里都有了，不用导入。`
            : t`还没有改动。导入后会是这样：`
      }
      changes={changes}
      isPending={take.isPending}
      words={{ cancel: t`不导入`, close: t`关闭`, take: t`导入`, busy: t`先备份，再导入……` }}
      onTake={() => take.mutate()}
      onDismiss={() => onDone(null)}
      testId="incoming"
    >
      {tried && tried.kinds.length > 0 && <Table kinds={tried.kinds} format={format} />}
      {changes && <Points points={consequences()} />}
    </ImportDialog>
  );

  /** The consequences in words. */
  function consequences(): ComponentProps<typeof Points>["points"] {
    const all = { icon: "check" as const, words: t`先备份两个库。要么全部导入，要么一条也不导入。` };
    if (format !== "markdown")
      return [all, { icon: "bin", words: t`这里删除过的不会回来；那边删除过的，这里也删除。` }];
    const added = project
      ? t`新的算你手动添加的，用于《${project.title}》；写明“全局”的用于所有的书。`
      : t`新的算你手动添加的，用于所有的书。`;
    return [all, { icon: "pen", words: added }];
  }
}

/** Counts by kind: new, the same, and left as it is here. */
function Table({ kinds, format }: { kinds: KindTaken[]; format: ExchangeFormat }) {
  const { t } = useLingui();
  const groups = groupsTaken(kinds);
  const columns = COLUMNS.filter((column) => groups.some((group) => group[column] > 0));
  return (
    <>
      <table className={css.taken} data-testid="incoming-table">
        <thead>
          <tr>
            <th scope="col">
              <span className="sr">{t`类别`}</span>
            </th>
            {columns.map((column) => (
              <th key={column} scope="col">
                {columnName(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <tr key={group.name} data-testid="incoming-row">
              <th scope="row">{group.name}</th>
              {columns.map((column) => (
                <td key={column} data-none={group[column] === 0 || undefined}>
                  {count(group[column])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {columns.includes("conflicting") && (
        <p className={css.note} data-testid="incoming-conflicting">{t`两边不同的：两边分别改过，保留这里的。`}</p>
      )}
      {columns.includes("leftOut") && (
        <p className={css.note} data-testid="incoming-left-out">
          {format === "markdown"
            ? t`不导入的：这里删除过。还想要的话，请手动添加。`
            : t`不导入的：这里的较新、这里删除过、所属的内容不在这里，或者放不下。`}
        </p>
      )}
    </>
  );
}
