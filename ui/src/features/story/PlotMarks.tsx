import { useLingui } from "@lingui/react/macro";
import type { ChapterInfo, StoryEvent, StoryThread } from "../../backend";
import { count, listed } from "../../i18n/words";
import { threadMarks, toldIn, type Mark } from "./plot";
import css from "./plot.module.css";
import { columnsOf, PLOT_SCALE } from "./presence";
import { endOf, type StripChapters } from "./PresenceStrip";
import lines from "./strip.module.css";

/** Pixels of the strip: its height and its middle. */
const HEIGHT_PX = 24;
const MIDDLE_PX = 12;
/** Pixels of a mark in a short book, and of the gap between it and a line. */
const RADIUS_PX = 4;
const GAP_PX = 1;
const DOT_PX = 3;
const MIN_LINE_PX = 4;

/** The pixels of a mark's half, which grows smaller where chapters are close. */
const radiusIn = (pitch: number, most: number) => Math.max(1.5, Math.min(most, pitch / 2 - 1));

interface ThreadMarksProps {
  thread: StoryThread;
  chapters: readonly ChapterInfo[];
  strip: StripChapters;
}

/** The chapters that plant, touch and pay a thread. Chapters after the position are not drawn. */
export function ThreadMarks({ thread, chapters, strip }: ThreadMarksProps) {
  const { t } = useLingui();
  const columns = columnsOf(strip.all, PLOT_SCALE.px);
  const radius = radiusIn(columns.pitch, RADIUS_PX);
  const end = endOf(strip.known, columns);
  const marks = threadMarks(thread, chapters, strip.all);
  const edge = ({ kind }: Mark) => (kind === "touched" ? RADIUS_PX : radius) + GAP_PX;
  const between = marks.slice(1).map((mark, index) => {
    const before = marks[index]!;
    return line(before.x + edge(before), mark.x - edge(mark));
  });
  const last = marks.at(-1);
  const open = last && thread.status === "open" ? line(last.x + edge(last), end) : "";
  const numbers = (kind: Mark["kind"]) => marks.filter((mark) => mark.kind === kind).flatMap((mark) => mark.chapters);
  const inWords = (kind: Mark["kind"]) => listed(numbers(kind).map((number) => count(number)));
  const words = [
    numbers("planted").length > 0 && t`第 ${inWords("planted")} 章埋下`,
    numbers("touched").length > 0 && t`第 ${inWords("touched")} 章提到`,
    numbers("paid").length > 0 && t`第 ${inWords("paid")} 章收回`,
    thread.status === "open" && t`还开着`,
  ].filter((one): one is string => one !== false);
  return (
    <Strip label={words.join("·")} end={strip.end && end}>
      <path d={between.join("")} />
      <path d={open} strokeDasharray="2 4" />
      {marks.map(({ kind, x, isStale }) =>
        kind === "touched" ? (
          <path
            key={x}
            data-stale={isStale || undefined}
            d={`M${x} ${MIDDLE_PX - RADIUS_PX - 0.5}v9`}
            strokeWidth="2"
          />
        ) : (
          <circle
            key={x}
            data-stale={isStale || undefined}
            cx={x}
            cy={MIDDLE_PX}
            r={radius}
            fill={kind === "paid" ? "currentColor" : "none"}
          />
        ),
      )}
    </Strip>
  );
}

interface EventMarksProps {
  event: StoryEvent;
  chapters: readonly ChapterInfo[];
  strip: StripChapters;
}

/** The chapters that tell of an event. */
export function EventMarks({ event, chapters, strip }: EventMarksProps) {
  const { t } = useLingui();
  const columns = columnsOf(strip.all, PLOT_SCALE.px);
  const chapterNumbers = toldIn(event, chapters);
  const dots = [
    ...new Set(chapterNumbers.map((number) => (Math.floor((number - 1) / columns.size) + 0.5) * columns.pitch)),
  ];
  const numbers = listed(chapterNumbers.map((number) => count(number)));
  const label = chapterNumbers.length > 0 ? t`第 ${numbers} 章讲到` : t`没有写明在哪里讲到`;
  return (
    <Strip label={label} end={strip.end && endOf(strip.known, columns)}>
      {dots.map((x) => (
        <circle key={x} cx={x} cy={MIDDLE_PX} r={radiusIn(columns.pitch, DOT_PX)} fill="currentColor" stroke="none" />
      ))}
    </Strip>
  );
}

/** A line; none where it would look like a dot. */
const line = (from: number, to: number) => (to - from >= MIN_LINE_PX ? `M${from} ${MIDDLE_PX}H${to}` : "");

/** `end`: the pixels of the position; `null`: the whole book is listed. */
function Strip({ label, end, children }: { label: string; end: number | null; children: React.ReactNode }) {
  return (
    <span className={css.marks}>
      <svg
        viewBox={`0 0 ${PLOT_SCALE.px} ${HEIGHT_PX}`}
        width={PLOT_SCALE.px}
        height={HEIGHT_PX}
        role="img"
        aria-label={label}
        data-testid="plot-strip"
      >
        {children}
      </svg>
      {end !== null && <i className={lines.hairline} style={{ left: end }} />}
    </span>
  );
}

/** The three signs of a thread, with their words. */
export function Legend() {
  const { t } = useLingui();
  const sign = (children: React.ReactNode, words: string) => (
    <span>
      <svg viewBox="0 0 12 12" aria-hidden="true">
        {children}
      </svg>
      {words}
    </span>
  );
  return (
    <span className={css.legend}>
      {sign(<circle cx="6" cy="6" r="4" fill="none" />, t({ message: "埋下", context: "a step of a thread" }))}
      {sign(<path d="M6 1.5v9" strokeWidth="2" />, t({ message: "提到", context: "a step of a thread" }))}
      {sign(<circle cx="6" cy="6" r="4" fill="currentColor" />, t({ message: "收回", context: "a step of a thread" }))}
    </span>
  );
}
