import { useLingui } from "@lingui/react/macro";
import type { ChapterPresence } from "../../backend";
import { count } from "../../i18n/words";
import { columnsOf, heightsOf, marksOf, rangesOf, STRIP_PX, STRIP_SCALE, type Columns, type Scale } from "./presence";
import css from "./strip.module.css";

/** Pixels of the strip: its height, the line on which strokes stand, and the side of a dot. */
const HEIGHT_PX = 22;
const GROUND_PX = 19;
const DOT_PX = 2;
/** Strokes closer than this have a line below them instead of dots between them. */
const MIN_DOT_PITCH_PX = 4;

export interface StripChapters {
  /** Number of chapters of the book. */
  all: number;
  /** Number of chapters up to the position. */
  known: number;
  /** `null`: the whole book is listed. */
  end: "caret" | "pinned" | null;
}

const box = (x: number, y: number, width: number, height: number) => `M${x} ${y}h${width}v${height}h${-width}z`;

/** Pixels of the end of the last known column. */
export const endOf = (known: number, { size, pitch }: Columns) => Math.ceil(known / size) * pitch;

interface PresenceStripProps {
  presence: readonly ChapterPresence[];
  chapters: StripChapters;
  /** Whether the writer has accepted the entity. */
  isInk: boolean;
}

/** The chapters that mention an entity, as strokes. Chapters after the position are not drawn. */
export function PresenceStrip({ presence, chapters: { all, known, end }, isInk }: PresenceStripProps) {
  const { t } = useLingui();
  const columns = columnsOf(all);
  const { pitch, stroke } = columns;
  const middle = (column: number) => (column + 0.5) * pitch;
  const isDense = pitch < MIN_DOT_PITCH_PX;
  let [strokes, dots] = ["", ""];
  // Dots without room between them would look like strokes.
  if (isDense) dots = box(0, GROUND_PX - 1, endOf(known, columns), 1);
  for (const [column, height] of heightsOf(presence, known, columns).entries()) {
    if (height > 0) strokes += box(middle(column) - stroke / 2, GROUND_PX - height, stroke, height);
    else if (!isDense) dots += box(middle(column) - DOT_PX / 2, GROUND_PX - DOT_PX, DOT_PX, DOT_PX);
  }
  return (
    <span className={css.strip}>
      <svg
        viewBox={`0 0 ${STRIP_PX} ${HEIGHT_PX}`}
        role="img"
        aria-label={t`出现在第 ${rangesOf(presence).join("、")} 章`}
        data-ink={isInk || undefined}
        data-testid="story-strip"
      >
        <path className={isDense ? css.ground : css.dots} d={dots} />
        <path className={css.strokes} d={strokes} />
      </svg>
      {end && <i className={css.hairline} style={{ left: endOf(known, columns) }} />}
    </span>
  );
}

/** Numbers of chapters above the strips, and the caret up to which the book is known. */
export function Ruler({ chapters, scale = STRIP_SCALE }: { chapters: StripChapters; scale?: Scale }) {
  const { all, known, end } = chapters;
  const columns = columnsOf(all, scale.px);
  const now = end ? known : null;
  return (
    <span className={css.ruler} style={{ width: scale.px }} data-end={end ?? undefined} aria-hidden="true">
      {marksOf(all, now, scale).map((chapter) => (
        <span
          key={chapter}
          style={{ left: (Math.floor((chapter - 1) / columns.size) + 0.5) * columns.pitch }}
          data-now={chapter === now || undefined}
          data-later={chapter > known || undefined}
        >
          {count(chapter)}
        </span>
      ))}
      {end && <i style={{ left: endOf(known, columns) }} />}
    </span>
  );
}
