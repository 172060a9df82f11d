import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { queries, type Capacity, type Fill } from "../../backend";
import { count, fileName, listed, size } from "../../i18n/words";
import css from "./memory.module.css";

/** Size of the two files, and fill level of each book's memory. */
export function Fullness() {
  const { t } = useLingui();
  const { data: status } = useQuery(queries.status());
  const { data: known } = useQuery(queries.projects());
  if (!status) return null;
  const titleOf = ({ projectId }: Capacity) => {
    if (projectId === null) return t`全局`;
    const title = known?.projects.find((project) => project.projectId === projectId)?.title;
    return title ? t`《${title}》` : t`一本已经不在的书`;
  };
  const sizes = status.files
    .filter(({ bytes }) => bytes > 0)
    .map(({ file, bytes }) => `${fileName(file)} ${size(bytes)}`);
  const of = ({ count: many, soft }: Fill) => t`${count(many)} / ${count(soft)}`;
  return (
    <>
      {sizes.length > 0 && (
        <p className={css.note} data-testid="file-sizes">
          {listed(sizes)}
        </p>
      )}
      <div className={css.backups} data-testid="fullness">
        <ul>
          {status.capacities.map((book) => {
            const { projectId, active, compressed, rules, answers, staleAnswers } = book;
            const parts = [
              ...(active ? [t`往事 ${of(active)}`] : []),
              ...(compressed && compressed.count > 0 ? [t`摘要 ${of(compressed)}`] : []),
              ...(rules ? [t`规则 ${of(rules)}`] : []),
              ...(answers && answers.count > 0 ? [t`答案 ${of(answers)}`] : []),
              ...(staleAnswers ? [t`${count(staleAnswers)} 个答案引的原文改过`] : []),
            ];
            return (
              <li key={projectId ?? "everywhere"} className={css.full} data-testid="full">
                <span>{titleOf(book)}</span>
                <span>{parts.length > 0 ? listed(parts) : t`暂时无法统计`}</span>
              </li>
            );
          })}
        </ul>
      </div>
      <p className={css.note}>{t`满了会自动腾出空间：旧往事压缩成摘要，把握最小的规则先删除。你确认过的不变。`}</p>
    </>
  );
}
