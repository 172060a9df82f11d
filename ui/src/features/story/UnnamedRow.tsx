import { useLingui } from "@lingui/react/macro";
import { useId } from "react";
import type { UnnamedEntity } from "../../backend";
import { count } from "../../i18n/words";
import type { RowContext } from "./EntityDetail";
import { FactCard } from "./FactCard";
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
  const wordsId = useId();
  const { entityId, name, kind, facts, visibility } = entity;
  return (
    <div className={css.row} data-open={isOpen || undefined}>
      <button
        type="button"
        className={css.face}
        aria-labelledby={wordsId}
        aria-expanded={isOpen}
        aria-controls={isOpen ? detailId : undefined}
        onClick={() => onToggle(isOpen ? null : entityId)}
        data-stop
        data-entity={entityId}
        data-testid="story-unnamed"
      >
        <span id={wordsId} className={css.words}>
          <span className={css.name} lang={context.project.language === "zh" ? "zh-CN" : "en"}>
            <b>{name}</b>
          </span>
          <span className={css.meta}>
            {kindOfEntity(kind)}
            <span>{t`卡上 ${count(facts)} 条`}</span>
            <span>{t`带给模型：${visibilityWords(visibility)}`}</span>
          </span>
        </span>
      </button>
      {isOpen && (
        <div id={detailId} className={detail.detail} data-testid="story-detail">
          <FactCard entityId={entityId} name={name} context={context} />
        </div>
      )}
    </div>
  );
}
