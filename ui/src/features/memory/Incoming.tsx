import { useLingui } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call, type ExchangeFormat, type Imported, type KindTaken, type Project } from "../../backend";
import { Busy, Button, ConfirmDialog, Icon } from "../../design";
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
  const dismiss = () => !take.isPending && onDone(null);
  return (
    <ConfirmDialog
      title={t`导入“${fileOf(path)}”`}
      alert
      onDismiss={dismiss}
      testId="incoming-dialog"
      actions={
        <>
          {take.isPending && <Busy>{t`先备份，再导入……`}</Busy>}
          <span className="grow" />
          {/* Always rendered, so the focus has a place whatever the file contains. */}
          <Button autoFocus isDisabled={take.isPending} onPress={dismiss} data-testid="incoming-cancel">
            {changes && !take.error ? t`不导入` : t`关闭`}
          </Button>
          {/* Not disabled while busy, so the focus stays and returns to its origin later. */}
          {changes && !take.error && (
            <Button
              kind="primary"
              data-busy={take.isPending || undefined}
              onPress={() => !take.isPending && take.mutate()}
              data-testid="incoming-confirm"
            >{t`导入`}</Button>
          )}
        </>
      }
    >
      <div className={css.incoming}>
        {!tried && !refused && (
          <p className={css.counting}>
            <Busy>{t`正在读取，和这里的记忆比较……`}</Busy>
          </p>
        )}
        {problem && (
          <div className={css.problem} role="alert" data-testid="incoming-problem">
            <p>{importProblem(problem, format)}</p>
            <p>{t`什么也没有导入。`}</p>
          </div>
        )}
        {tried && !problem && (
          <>
            <p className={css.verdict} role="status" data-testid="incoming-verdict">
              {tried.kinds.length === 0
                ? t`文件里没有内容。`
                : changes
                  ? t`还没有改动。导入后会是这样：`
                  : t`这里都有了，不用导入。`}
            </p>
            {tried.kinds.length > 0 && <Table kinds={tried.kinds} format={format} />}
            {changes && <Points format={format} project={project} />}
          </>
        )}
      </div>
    </ConfirmDialog>
  );
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

/** The consequences in words. */
function Points({ format, project }: { format: ExchangeFormat; project: Project | null }) {
  const { t } = useLingui();
  const page = format === "markdown";
  return (
    <ul className={css.points}>
      <li>
        <Icon name="check" />
        <span>{t`先备份两个库。要么全部导入，要么一条也不导入。`}</span>
      </li>
      {page ? (
        <li>
          <Icon name="pen" />
          <span>
            {project
              ? t`新的算你手动添加的，用于《${project.title}》；写明“全局”的用于所有的书。`
              : t`新的算你手动添加的，用于所有的书。`}
          </span>
        </li>
      ) : (
        <li>
          <Icon name="bin" />
          <span>{t`这里删除过的不会回来；那边删除过的，这里也删除。`}</span>
        </li>
      )}
    </ul>
  );
}
