import { useLingui } from "@lingui/react/macro";
import { useId, useState } from "react";
import type { EntityKind, UnnamedEntity } from "../../backend";
import { Button, NameField, Picker } from "../../design";
import { count } from "../../i18n/words";
import { KIND_KEYS, MAX_NAME, type RowContext } from "./EntityDetail";
import { FactCard } from "./FactCard";
import { RowFace } from "./RowFace";
import detail from "./detail.module.css";
import css from "./story.module.css";
import { kindOfEntity, visibilityWords } from "./words";

interface UnnamedRowProps {
  entity: UnnamedEntity;
  isOpen: boolean;
  onToggle: (entityId: string | null) => void;
  context: RowContext;
}

/** An entity by the writer's word that the text does not name up to the position. */
export function UnnamedRow({ entity, isOpen, onToggle, context }: UnnamedRowProps) {
  const { t } = useLingui();
  const detailId = useId();
  const { entityId, name, kind, facts, visibility } = entity;
  const { factChanges, isReadOnly, project } = context;
  const [isAsked, setAsked] = useState(false);
  const lang = project.language === "zh" ? "zh-CN" : "en";
  const rename = (next: string | null) => {
    setAsked(false);
    if (next !== null && next !== name) factChanges.rename(entity, next);
  };
  return (
    <div className={css.row} data-open={isOpen || undefined}>
      <RowFace
        className={css.face}
        entityId={entityId}
        isOpen={isOpen}
        detailId={detailId}
        onPress={() => onToggle(isOpen ? null : entityId)}
        testId="story-unnamed"
      >
        <span className={css.words}>
          <span className={css.name} lang={lang}>
            <b>{name}</b>
          </span>
          <span className={css.meta}>
            {kindOfEntity(kind)}
            <span>{t`卡上 ${count(facts)} 条`}</span>
            <span>{t`带给模型：${visibilityWords(visibility)}`}</span>
          </span>
        </span>
      </RowFace>
      {isOpen && (
        <div id={detailId} className={detail.detail} data-testid="story-detail">
          {!isReadOnly && (
            <div className={detail.acts}>
              <Picker<EntityKind>
                quiet
                label={t`“${name}”是什么`}
                value={kind}
                onChange={(next) => next !== kind && factChanges.changeKind(entity, next)}
                options={KIND_KEYS.map((key) => ({ key, label: kindOfEntity(key) }))}
                testId="story-kind"
              />
              <Button size="s" kind="quiet" onPress={() => setAsked(true)} data-testid="story-rename">{t`改名`}</Button>
            </div>
          )}
          {isAsked && (
            <span className={detail.name} lang={lang}>
              <NameField
                initial={name}
                label={t`在这里怎么叫`}
                longest={MAX_NAME}
                onDone={rename}
                testId="story-name"
              />
            </span>
          )}
          <FactCard entityId={entityId} name={name} context={context} />
        </div>
      )}
    </div>
  );
}
