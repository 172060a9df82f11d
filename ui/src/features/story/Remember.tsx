import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries, type CitationDraft, type Entity, type Position } from "../../backend";
import { Button, NameField, Picker } from "../../design";
import type { Named } from "./entities";
import { MAX_NAME } from "./EntityDetail";
import { FactForm } from "./FactForm";
import css from "./facts.module.css";
import { factWords, type FactChanges } from "./factChanges";

/** Names offered that are detected only. */
const MAX_DETECTED = 40;
/** Characters of a selection that is offered as the value itself. */
const MAX_VALUE = 60;

interface RememberProps {
  projectId: string;
  lang: string;
  /** The words to cite. */
  citation: CitationDraft;
  /** The entities that the text names up to the position. */
  entities: readonly Entity[];
  /** The accepted ones among them, and those that the text does not name. */
  accepted: readonly Named[];
  changes: FactChanges;
  onDone: (entityId: string | null) => void;
}

/** Writes a fact down from words that are selected in the text. Those who are named nearest are offered first. */
export function Remember({ projectId, lang, citation, entities, accepted, changes, onDone }: RememberProps) {
  const { t } = useLingui();
  const { chapterId, from, quote } = citation;
  const at: Position = { chapterId, offset: from + quote.length };
  const { data: presence } = useQuery(queries.presence(projectId, at));
  const { data: threads } = useQuery(queries.threads(projectId, at));
  const [chosen, setChosen] = useState<string | null>(null);
  const [isThread, setThread] = useState(false);
  const offered = nearestFirst(entities, accepted, presence?.inChapter ?? []);
  const entity = offered.find(({ entityId }) => entityId === chosen) ?? offered[0];
  const plant = (name: string | null) => {
    setThread(false);
    if (name !== null && threads) changes.plant(name, threads.attributes.planted, citation, onDone);
  };
  if (!presence) return null;
  return (
    <section className={css.remember} aria-label={t`记下这一点`} data-testid="remember">
      <p className={css.cited}>
        {t`依据选中的`} <span lang={lang}>{quote}</span>
      </p>
      {isThread ? (
        <NameField
          initial=""
          label={t`这条线索叫什么`}
          longest={MAX_NAME}
          onDone={plant}
          testId="remember-thread-name"
        />
      ) : (
        <span>
          <Button size="s" kind="quiet" icon="plus" onPress={() => setThread(true)} data-testid="remember-thread">
            {t`这里埋下一条线索…`}
          </Button>
        </span>
      )}
      {entity ? (
        <>
          <Picker
            prefix={t`记在谁的卡上：`}
            label={t`记在谁的卡上`}
            value={entity.entityId}
            onChange={setChosen}
            options={offered.map(({ entityId, name }) => ({ key: entityId, label: name, lang }))}
            testId="remember-entity"
          />
          <FactForm
            label={t`记下这一点`}
            initial={factWords("", quote.length <= MAX_VALUE ? quote : "")}
            lang={lang}
            attributes={[]}
            others={accepted.filter(({ entityId }) => entityId !== entity.entityId)}
            onSave={(words) => changes.add(entity, words, { citation }, () => onDone(entity.entityId))}
            onCancel={() => onDone(null)}
          />
        </>
      ) : (
        <p>{t`书里还没有名字可以记。`}</p>
      )}
    </section>
  );
}

/** The entities in the order of `nearest`, then the other accepted ones, then the most frequent of the others. */
function nearestFirst(entities: readonly Entity[], accepted: readonly Named[], nearest: readonly string[]): Named[] {
  const near = nearest.flatMap((id) => entities.find(({ entityId }) => entityId === id) ?? []);
  const detected = entities.filter(({ standing }) => standing === "detected").slice(0, MAX_DETECTED);
  const all: Named[] = [...near, ...accepted, ...detected];
  return [...new Map(all.map((entity) => [entity.entityId, entity])).values()];
}
