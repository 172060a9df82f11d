import { useLingui } from "@lingui/react/macro";
import { useId } from "react";
import type { Entity } from "../../backend";
import { Icon } from "../../design";
import { EntityDetail, type RowContext } from "./EntityDetail";
import { PresenceStrip, type StripChapters } from "./PresenceStrip";
import { RowFace } from "./RowFace";
import css from "./story.module.css";
import { hereLine, joined, placesLine } from "./words";

interface EntityRowProps {
  entity: Entity;
  /** Whether the last chapter names it. */
  isHere: boolean;
  /** The entity that it may be. */
  likeness: Entity | null;
  strip: StripChapters;
  isOpen: boolean;
  onToggle: (entityId: string | null) => void;
  context: RowContext;
}

/** An entity in one row: names, one line of facts, the chapters that mention it; and its details while it is open. */
export function EntityRow({ entity, isHere, likeness, strip, isOpen, onToggle, context }: EntityRowProps) {
  const { t } = useLingui();
  const detailId = useId();
  const { language } = context.project;
  const lang = language === "zh" ? "zh-CN" : "en";
  const isDetected = entity.standing === "detected";
  return (
    <div className={css.row} data-open={isOpen || undefined}>
      <RowFace
        className={css.face}
        entityId={entity.entityId}
        isOpen={isOpen}
        detailId={detailId}
        onPress={() => onToggle(isOpen ? null : entity.entityId)}
        standing={entity.standing}
        testId="story-row"
      >
        <span className={css.words}>
          <span className={css.name} lang={lang}>
            <b className={isDetected ? css.read : undefined}>{entity.name}</b>
            {entity.aliases.length > 0 && <small>{joined(entity.aliases, language)}</small>}
          </span>
          {entity.firstFact !== null && (
            <span className={css.fact} lang={lang} data-testid="story-first-fact">
              {entity.firstFact}
            </span>
          )}
          <span className={css.meta}>
            {isHere ? hereLine(entity) : placesLine(entity)}
            {isDetected && (
              <span className={css.trace}>
                <Icon name="broken" size="xs" />
                {t`读到的`}
              </span>
            )}
            {likeness && <span>{t`像是${likeness.name}`}</span>}
          </span>
        </span>
        <PresenceStrip presence={entity.presence} chapters={strip} isInk={!isDetected} />
      </RowFace>
      {isOpen && (
        <div id={detailId}>
          <EntityDetail entity={entity} likeness={likeness} context={context} />
        </div>
      )}
    </div>
  );
}
