import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { queries, type StoryChange } from "../../backend";
import { Busy, LinkButton } from "../../design";
import { listed, when } from "../../i18n/words";
import type { Named } from "./entities";
import type { CardContext } from "./FactCard";
import css from "./facts.module.css";
import { differencesOf, wordsOf } from "./historyWords";

interface HistoryProps {
  projectId: string;
  entityId: string;
  context: CardContext;
}

/** The changes of an entity and of its facts, the latest first, each with its undo. */
export function History({ projectId, entityId, context }: HistoryProps) {
  const { t } = useLingui();
  const { accepted, changes, isReadOnly, lang } = context;
  const { data } = useQuery(queries.storyHistory(projectId, entityId));
  if (!data) return <Busy>{t`正在翻……`}</Busy>;
  if (data.changes.length === 0) return <p className={css.cited}>{t`还没有改过。`}</p>;
  return (
    <ol className={css.history} data-testid="card-history-list">
      {data.changes.map((change, index) => (
        <li key={`${change.changeId} ${index}`} data-testid="card-history-line">
          <small>{when(change.at)}</small>
          <Line change={change} accepted={accepted} lang={lang} />
          {change.undoneAt && <small>{t`撤销了`}</small>}
          {!change.undoneAt && !isReadOnly && (
            <LinkButton onPress={() => changes.undo(change)} data-testid="card-history-undo">{t`撤销`}</LinkButton>
          )}
        </li>
      ))}
    </ol>
  );
}

interface LineProps {
  change: StoryChange;
  accepted: readonly Named[];
  lang: string;
}

/** The words before and after a change; if they are equal, what else differs. */
function Line({ change: { before, after }, accepted, lang }: LineProps) {
  const [old, now] = [before && wordsOf(before), after && wordsOf(after)];
  const differences = before && after ? differencesOf(before, after, accepted) : [];
  return (
    <span>
      {old !== null && old !== now && <del lang={lang}>{old}</del>} {now !== null && <ins lang={lang}>{now}</ins>}
      {differences.length > 0 && <small>{listed(differences)}</small>}
    </span>
  );
}
