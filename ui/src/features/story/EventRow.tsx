import { useLingui } from "@lingui/react/macro";
import { useId } from "react";
import type { StoryEvent } from "../../backend";
import { Icon } from "../../design";
import detail from "./detail.module.css";
import type { RowContext } from "./EntityDetail";
import { FactCard } from "./FactCard";
import css from "./plot.module.css";
import { EventMarks } from "./PlotMarks";
import type { StripChapters } from "./PresenceStrip";
import { RowFace } from "./RowFace";

interface EventRowProps {
  event: StoryEvent;
  strip: StripChapters;
  isOpen: boolean;
  onToggle: (entityId: string | null) => void;
  context: RowContext;
}

/** An event in one row: when it happens, what, and the chapters that tell of it. A fact opens the card that has it. */
export function EventRow({ event, strip, isOpen, onToggle, context }: EventRowProps) {
  const { t } = useLingui();
  const detailId = useId();
  const { project, chapters, onShow } = context;
  const { entityId, kind, name, fact, isStale } = event;
  const lang = project.language === "zh" ? "zh-CN" : "en";
  const isEvent = kind === "event";
  const times = [fact?.validFrom, fact?.validUntil].filter((time) => time != null);
  return (
    <li className={css.event} data-open={isOpen || undefined}>
      <RowFace
        className={css.face}
        entityId={isEvent ? entityId : null}
        isOpen={isOpen}
        detailId={detailId}
        onPress={() => (isEvent ? onToggle(isOpen ? null : entityId) : onShow(entityId))}
        testId="event"
      >
        <span className={css.when} data-testid="event-when">
          {times.length > 0 ? <span lang={lang}>{times.join("–")}</span> : t`没有写明`}
        </span>
        <span className={css.what} lang={lang}>
          <span>
            {name}
            {!isEvent && fact && <small>{fact.value}</small>}
          </span>
          {isStale && (
            <>
              <Icon name="warning" size="xs" />
              <span className="sr" data-testid="event-stale">{t`它的原话改过了`}</span>
            </>
          )}
        </span>
        <EventMarks event={event} chapters={chapters} strip={strip} />
      </RowFace>
      {isOpen && isEvent && (
        <div id={detailId} className={detail.detail} data-testid="story-detail">
          <FactCard entityId={entityId} name={name} context={context} />
        </div>
      )}
    </li>
  );
}
