import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries, type ClearedCounts, type Project } from "../../backend";
import { Button } from "../../design";
import { count, listed, when } from "../../i18n/words";
import { ClearAll, ClearBook } from "./Clear";
import css from "./memory.module.css";

/** Clears the memory of this book or of all, and lists past clearings. */
export function Clearings({
  project,
  onSave,
  onCleared,
}: {
  project: Project | null;
  onSave: () => Promise<boolean>;
  onCleared: (title: string | null, forgotten: boolean) => void;
}) {
  const { t } = useLingui();
  const [asking, setAsking] = useState<"book" | "forget" | "all" | null>(null);
  const done = (title: string | null, cleared: boolean) => {
    setAsking(null);
    if (cleared) onCleared(title, asking !== "book");
  };
  return (
    <>
      {project && (
        <div className={css.tidying}>
          <p>{t`这本书的往事、规则和来历。正文、全局规则和别的书不受影响。`}</p>
          <Button
            size="s"
            kind="danger"
            onPress={() => setAsking("book")}
            data-testid="clear-project"
          >{t`清除本项目记忆…`}</Button>
        </div>
      )}
      {project && (
        <div className={css.tidying}>
          <p>{t`这本书的记忆，连同书名、位置和隐藏的名字。书的文件夹不变。`}</p>
          <Button
            size="s"
            kind="danger"
            onPress={() => setAsking("forget")}
            data-testid="forget-project"
          >{t`忘掉这本书…`}</Button>
        </div>
      )}
      <div className={css.tidying}>
        <p>{t`所有书的往事和规则、书的清单和备份。正文不变。`}</p>
        <Button
          size="s"
          kind="danger"
          onPress={() => setAsking("all")}
          data-testid="clear-all"
        >{t`清除全部记忆…`}</Button>
      </div>
      <Log />
      {(asking === "book" || asking === "forget") && project && (
        <ClearBook
          project={project}
          forget={asking === "forget"}
          onSave={onSave}
          onDone={(cleared) => done(project.title, cleared)}
        />
      )}
      {asking === "all" && <ClearAll onSave={onSave} onDone={(cleared) => done(null, cleared)} />}
    </>
  );
}

function Log() {
  const { t } = useLingui();
  const { data: clearings } = useQuery(queries.clearings());
  const { data: known } = useQuery(queries.projects());
  if (!clearings || clearings.length === 0) return null;
  const titleOf = (projectId: string | null) => {
    if (projectId === null) return t`全部`;
    const title = known?.projects.find((project) => project.projectId === projectId)?.title;
    return title ? t`《${title}》` : t`一本已经不在的书`;
  };
  return (
    <div className={css.backups} data-testid="clearings">
      <h4>{t`清除记录`}</h4>
      <ul>
        {clearings.map(({ clearingId, projectId, requestedAt, requestedBy, finishedAt, forgetsBook, counts }) => (
          <li key={clearingId} className={css.cleared} data-testid="clearing">
            <time dateTime={requestedAt}>{when(requestedAt)}</time>
            <span>{titleOf(projectId)}</span>
            <span>
              {finishedAt === null
                ? t`正在清除，会自动完成`
                : forgetsBook && projectId !== null
                  ? t`已忘掉；${summary(counts)}`
                  : summary(counts)}
            </span>
            <span className="muted">{requestedBy === "writer" ? t`你` : requestedBy}</span>
          </li>
        ))}
      </ul>
    </div>
  );

  function summary({ episodes = 0, rules = 0, traces = 0, journal = 0, answers = 0 }: ClearedCounts): string {
    const kinds = [
      ...(episodes > 0 ? [t`${count(episodes)} 次互动`] : []),
      ...(rules > 0 ? [t`${count(rules)} 条规则`] : []),
      ...(traces > 0 ? [t`${count(traces)} 份来历`] : []),
      ...(journal > 0 ? [t`${count(journal)} 条流水`] : []),
      ...(answers > 0 ? [t`${count(answers)} 个答案`] : []),
    ];
    return kinds.length > 0 ? listed(kinds) : t`本来就是空的`;
  }
}
