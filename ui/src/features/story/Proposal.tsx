import { useLingui } from "@lingui/react/macro";
import { useId, useState } from "react";
import type { Entity, EntityKind } from "../../backend";
import { Button, Picker } from "../../design";
import detail from "./detail.module.css";
import { EntityDetail, KIND_KEYS, type RowContext } from "./EntityDetail";
import { MergePicker } from "./MergePicker";
import { MergeQuestion } from "./MergeQuestion";
import css from "./story.module.css";
import { firstLine, kindOfEntity, plainLine } from "./words";

interface ProposalProps {
  entity: Entity;
  isFirst: boolean;
  /** The entity that it may be. */
  likeness: Entity | null;
  isOpen: boolean;
  onToggle: (entityId: string | null) => void;
  context: RowContext;
}

/** A detected name with a sentence of the book. */
export function Proposal({ entity, isFirst, likeness, isOpen, onToggle, context }: ProposalProps) {
  const { t } = useLingui();
  const detailId = useId();
  const { project, changes, entities, isReadOnly, onOpenMention } = context;
  const { entityId } = entity;
  /** The entity whose kind was chosen, or that is looked for; another one may have taken its place. */
  const [chosen, setChosen] = useState<{ entityId: string; kind: EntityKind } | null>(null);
  const [merged, setMerged] = useState<string | null>(null);
  const kind = chosen?.entityId === entityId ? chosen.kind : entity.kind;
  const lang = project.language === "zh" ? "zh-CN" : "en";
  const hasButtons = isFirst && !isOpen && !isReadOnly;
  return (
    <div className={css.guess} data-open={isOpen || undefined} data-first={isFirst || undefined}>
      <button
        type="button"
        className={css.guessFace}
        aria-expanded={isOpen}
        aria-controls={isOpen ? detailId : undefined}
        onClick={() => onToggle(isOpen ? null : entityId)}
        data-stop
        data-entity={entityId}
        data-testid="story-proposal"
      >
        <b className={css.read} lang={lang}>
          {entity.name}
        </b>
        <small>{firstLine(entity)}</small>
      </button>
      {!hasButtons && !isOpen && likeness && <span className={css.like}>{t`像是${likeness.name}`}</span>}
      <button
        type="button"
        className={css.quote}
        lang={lang}
        onClick={() => onOpenMention(entity.first, null)}
        data-testid="proposal-sentence"
      >
        {plainLine(entity.sentence)}
      </button>
      {hasButtons && (
        <span className={css.guessActs}>
          <Picker<EntityKind>
            quiet
            label={t`“${entity.name}”是什么`}
            value={kind}
            onChange={(next) => setChosen({ entityId, kind: next })}
            options={KIND_KEYS.map((key) => ({ key, label: kindOfEntity(key) }))}
            testId="proposal-kind"
          />
          <Button
            size="s"
            kind="quiet"
            icon="check"
            onPress={() => changes.accept(entity, kind === entity.kind ? undefined : kind)}
            data-testid="proposal-accept"
          >{t`收下`}</Button>
          <Button
            size="s"
            kind="quiet"
            onPress={() => setMerged(merged === entityId ? null : entityId)}
            data-testid="proposal-same"
          >
            {kind === "character" ? t`同一个人…` : t`同一个…`}
          </Button>
          <Button
            size="s"
            kind="quiet"
            icon="cross"
            onPress={() => changes.dismiss(entity)}
            data-testid="proposal-dismiss"
          >{t`不是名字`}</Button>
        </span>
      )}
      {hasButtons && merged === entityId && (
        <MergePicker
          entity={entity}
          others={entities}
          language={project.language}
          onPick={(other) => {
            setMerged(null);
            changes.merge(entity, other);
          }}
          onCancel={() => setMerged(null)}
        />
      )}
      {hasButtons && likeness && <MergeQuestion entity={entity} likeness={likeness} changes={changes} />}
      {isOpen && (
        <div id={detailId} className={detail.inProposal}>
          <EntityDetail entity={entity} likeness={likeness} context={context} />
        </div>
      )}
    </div>
  );
}
