import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { queries, type StoryChange, type StoryState } from "../../backend";
import { Busy, LinkButton } from "../../design";
import { when } from "../../i18n/words";
import type { FactChanges } from "./factChanges";
import css from "./facts.module.css";
import { visibilityWords } from "./words";

interface HistoryProps {
  projectId: string;
  entityId: string;
  changes: FactChanges;
  lang: string;
}

/** The changes of an entity and of its facts, the latest first, each with its undo. */
export function History({ projectId, entityId, changes, lang }: HistoryProps) {
  const { t } = useLingui();
  const { data } = useQuery(queries.storyHistory(projectId, entityId));
  if (!data) return <Busy>{t`正在翻……`}</Busy>;
  return (
    <ol className={css.history} data-testid="card-history-list">
      {data.changes.map((change, index) => (
        <li key={`${change.changeId} ${index}`} data-testid="card-history-line">
          <small>{when(change.at)}</small>
          <span lang={lang}>
            <Line change={change} />
          </span>
          {change.undoneAt ? (
            <small>{t`撤销了`}</small>
          ) : (
            <LinkButton onPress={() => changes.undo(change)} data-testid="card-history-undo">{t`撤销`}</LinkButton>
          )}
        </li>
      ))}
    </ol>
  );
}

function Line({ change: { before, after } }: { change: StoryChange }) {
  return (
    <>
      {before && <del>{wordsOf(before)}</del>} {after && <ins>{wordsOf(after)}</ins>}
    </>
  );
}

const wordsOf = (state: StoryState): string =>
  state.kind === "fact"
    ? `${state.fact.attribute} ${state.fact.value}`
    : `${state.entity.name}·${visibilityWords(state.entity.visibility)}`;
