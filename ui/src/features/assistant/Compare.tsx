import { useLingui } from "@lingui/react/macro";
import { useEffect, useEffectEvent, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { useStore } from "zustand";
import { Button, IconButton, Pulse, Seg } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count } from "../../i18n/words";
import { changesOf, distinctSegments, type DiffSegment, type OwnSegment } from "../../lib/difference";
import { isComposing } from "../../lib/ime";
import { countWords } from "../../lib/words";
import css from "./assistant.module.css";
import { Candidate, paragraphsOf, usableFirst } from "./Candidate";
import tray from "./compare.module.css";
import type { Draft } from "./draft";
import type { Assistant } from "./session";

interface CompareProps {
  assistant: Assistant;
  language: "zh" | "en";
  onWhy: (generationId: string) => void;
  onSettings: () => void;
  /** Shows the drafts in their panel again. */
  onClose: () => void;
}

/** The other side of the comparison of drafts: each other, or the passage they replace. */
type Against = "others" | "original";

/**
 * Drafts in columns below the text with their differences marked. Only complete drafts are marked, so nothing flickers
 * while others stream.
 */
export function Compare({ assistant, language, onWhy, onSettings, onClose }: CompareProps) {
  const { t } = useLingui();
  const { phase, candidates, picked, run, error, original } = useStore(assistant.state);
  const [wished, setWished] = useState<Against>("original");
  const columns = useRef<HTMLDivElement>(null);
  const lang = language === "zh" ? "zh-CN" : "en";
  const busy = phase === "asking" || phase === "writing";
  const against: Against = original === null ? "others" : wished;
  const marks = useMarks(candidates, against === "original" ? original : null);
  const left = useMemo(
    () =>
      against === "original" && marks.ended[picked] != null ? changesOf(original ?? "", marks.ended[picked]) : null,
    [against, original, marks, picked],
  );

  // Focuses the picked draft on opening and after each new run.
  const enter = useEffectEvent(() =>
    columns.current?.querySelector<HTMLElement>("[data-picked]")?.focus({ preventScroll: true }),
  );
  const runId = run?.generationId;
  useEffect(() => enter(), [runId]);

  const note = error
    ? errorSentence(error)
    : busy
      ? t`还在写的稿，写完再标出不同`
      : against === "original"
        ? t`加下划线的是新写的，划掉的是删去的`
        : t`点线标出各稿不同的地方`;
  return (
    <section className={tray.tray} aria-label={t`并排比较`} data-testid="compare" data-against={against}>
      <div className={tray.head}>
        <h2>{candidates.length > 0 ? t`${count(candidates.length)} 稿` : t`正在写`}</h2>
        <p className={tray.note} data-warn={error !== null || undefined} role="status">
          {note}
        </p>
        <span className="grow" />
        {original !== null && (
          <Seg<Against>
            label={t`和什么比`}
            value={against}
            onChange={setWished}
            options={[
              { key: "original", label: t`和原文比`, testId: "compare-original" },
              { key: "others", label: t`各稿互比`, testId: "compare-others" },
            ]}
          />
        )}
        {phase === "ready" && (
          <>
            <Button
              kind="quiet"
              size="s"
              icon="cross"
              onPress={() => assistant.rejectAll()}
              data-testid="reject-all"
            >{t`都不要`}</Button>
            <Button
              kind="quiet"
              size="s"
              icon="again"
              onPress={() => assistant.runAgain()}
              data-testid="again"
            >{t`再来一次`}</Button>
          </>
        )}
        {busy && (
          <Button
            size="s"
            icon="stop"
            keys="Esc"
            onPress={() => void assistant.stop()}
            data-testid="stop"
          >{t`停止`}</Button>
        )}
        <IconButton name="panel" size="s" label={t`回到侧栏（F7）`} onPress={onClose} data-testid="compare-close" />
      </div>
      {phase === "asking" ? (
        <p className={css.hint} role="status">
          <Pulse /> {t`正在准备上下文……`}
        </p>
      ) : (
        <div className={tray.columns} ref={columns} data-testid="compare-columns">
          {against === "original" && original !== null && (
            <Original text={original} segments={left} number={picked + 1} lang={lang} />
          )}
          {usableFirst(candidates).map((index) => (
            <Candidate
              key={index}
              wide
              index={index}
              assistant={assistant}
              lang={lang}
              onWhy={onWhy}
              onSettings={onSettings}
              ownSegments={marks.of[index]}
            />
          ))}
        </div>
      )}
    </section>
  );
}

interface Marks {
  /** Texts of the complete drafts, by index. */
  ended: (string | null)[];
  of: (OwnSegment[] | undefined)[];
}

/** Marked segments of each complete draft: its own ones, or those that are new against `original`. */
function useMarks(candidates: readonly Draft[], original: string | null): Marks {
  // Streamed pieces do not change complete drafts, so they cause no new comparison.
  const key = JSON.stringify(candidates.map(({ text, state }) => (state === "writing" || text === "" ? null : text)));
  return useMemo(() => {
    const ended = JSON.parse(key) as (string | null)[];
    if (original !== null)
      return { ended, of: ended.map((text) => (text === null ? undefined : newIn(changesOf(original, text)))) };
    const there = ended.flatMap((text, index) => (text === null ? [] : [{ text, index }]));
    const own = there.length > 1 ? distinctSegments(there.map(({ text }) => text)) : [];
    return { ended, of: ended.map((_, index) => own[there.findIndex((one) => one.index === index)]) };
  }, [key, original]);
}

const newIn = (segments: readonly DiffSegment[]): OwnSegment[] =>
  segments.flatMap(({ kind, text }) => (kind === "del" ? [] : [{ own: kind === "ins", text }]));

/** The original passage, with the segments that the picked draft leaves out. */
function Original({
  text,
  segments,
  number,
  lang,
}: {
  text: string;
  segments: DiffSegment[] | null;
  number: number;
  lang: string;
}) {
  const { t } = useLingui();
  const ownSegments = segments
    ? segments.flatMap(({ kind, text: words }) => (kind === "ins" ? [] : [{ own: kind === "del", text: words }]))
    : [{ own: false, text }];
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const next = event.currentTarget.nextElementSibling;
    if (isComposing(event.nativeEvent) || event.key !== "ArrowRight" || !(next instanceof HTMLElement)) return;
    event.preventDefault();
    next.focus();
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <article
      className={`${css.cand} ${tray.original}`}
      // Focusable, so the keyboard can scroll it.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      aria-label={t`原文`}
      data-wide
      data-testid="compare-before"
      onKeyDown={onKeyDown}
    >
      <div className={css.candHead}>
        <span>{t`原文·${count(countWords(text))} 字`}</span>
        <span className="grow" />
        {segments && <span>{t`和第 ${number} 稿比`}</span>}
      </div>
      <p className={css.candText} lang={lang}>
        {paragraphsOf(ownSegments).map((paragraph, place) => (
          <span key={place}>
            {paragraph.map(({ own, text: words }, index) =>
              own ? <del key={index}>{words}</del> : <span key={index}>{words}</span>,
            )}
          </span>
        ))}
      </p>
    </article>
  );
}
