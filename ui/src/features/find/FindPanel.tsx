import { useLingui } from "@lingui/react/macro";
import { memo, useCallback, useEffect, useRef, useState, type KeyboardEvent } from "react";
import { useStore } from "zustand";
import type { HealthProblem, Passage, Project } from "../../backend";
import { IconButton, LinkButton, Notice, Progress, Search } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count, listed } from "../../i18n/words";
import { isComposing } from "../../lib/ime";
import type { BookFinder, BookFinderState, FoundChapter, Hit } from "./bookFinder";
import { AlikePassages } from "./AlikePassages";
import css from "./find.module.css";
import { PastMatches } from "./PastMatches";

interface FindPanelProps {
  project: Project;
  finder: BookFinder;
  problems: readonly HealthProblem[];
  /** Opens a chapter at a match. */
  onOpen: (chapterId: string, query: string, hit: Hit) => void;
  /** Opens a chapter at a passage. */
  onOpenPassage: (passage: Passage) => void;
  onOpenChapter: (chapterId: string) => void;
  /** Opens the card of a past passage. */
  onOpenPast: (episodeId: string, query: string) => void;
  onClose: () => void;
}

/** Search in all chapters of the book, for passages close in meaning, and in past passages. */
export function FindPanel({
  project,
  finder,
  problems,
  onOpen,
  onOpenPassage,
  onOpenChapter,
  onOpenPast,
  onClose,
}: FindPanelProps) {
  const { t } = useLingui();
  const state = useStore(finder.state);
  const { query, phase, done, chapters, found, unread, error, called } = state;
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    const field = panel.current?.querySelector("input");
    field?.focus();
    field?.select();
  }, [called]);

  const open = useCallback((chapterId: string, hit: Hit) => onOpen(chapterId, query, hit), [onOpen, query]);

  const places = () => [...(panel.current?.querySelectorAll<HTMLElement>("[data-hit]") ?? [])];
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent) || event.defaultPrevented) return;
    const all = places();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const inField = event.target instanceof HTMLInputElement;
    if (event.key === "ArrowDown" && (inField || at >= 0)) all[at + 1]?.focus();
    else if (event.key === "ArrowUp" && at > 0) all[at - 1]?.focus();
    else if (event.key === "ArrowUp" && at === 0) panel.current?.querySelector("input")?.focus();
    else if (event.key === "Escape") onClose();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section
      ref={panel}
      className={css.panel}
      aria-label={t`在全书中查找`}
      onKeyDown={onKeyDown}
      data-testid="find-panel"
    >
      <div className={css.head}>
        <h2>{t`在全书中查找`}</h2>
        <span className="grow" />
        <IconButton name="cross" size="s" label={t`关闭查找`} onPress={onClose} data-testid="find-panel-close" />
      </div>
      <search className={css.bar}>
        <Search
          label={t`在全书中查找`}
          value={query}
          onSearch={(text) => text !== query && void finder.look(project.projectId, text)}
          onEnter={(text) => void finder.look(project.projectId, text)}
          testId="book-find"
        />
      </search>
      {/* Always rendered, so the results do not move when the search ends. */}
      <div className={css.state} data-testid="book-find-state" data-phase={phase}>
        {/* Announces the result only, not each chapter on the way. */}
        <p role="status">{outcome(state)}</p>
        {phase === "looking" && (
          <>
            <span>{chapters > 0 ? t`正在查找：${count(done)}/${count(chapters)} 章` : t`正在查找`}</span>
            <Progress label={t`在全书中查找`} done={done} total={chapters} />
            <LinkButton onPress={() => finder.stop()} data-testid="book-find-stop">{t`停止`}</LinkButton>
          </>
        )}
      </div>
      <div className={css.found} aria-busy={phase === "looking"}>
        {error && (
          <Notice warn title={t`查找失败`}>
            {errorSentence(error)}
          </Notice>
        )}
        {unread.length > 0 && (
          <Notice warn title={t`有 ${count(unread.length)} 章读不出来`}>{t`没有查找：${listed(unread)}`}</Notice>
        )}
        {phase === "done" && found.length === 0 && <p className={css.none}>{t`全书里没有“${query}”。`}</p>}
        {found.map((chapter) => (
          <Chapter key={`${chapter.chapterId} ${query}`} chapter={chapter} language={project.language} onOpen={open} />
        ))}
        {query !== "" && (
          <AlikePassages
            project={project}
            query={query}
            hasWords={phase !== "done" || found.length > 0}
            onOpen={onOpenPassage}
          />
        )}
        {query !== "" && (
          <PastMatches
            project={project}
            query={query}
            problems={problems}
            onOpenChapter={onOpenChapter}
            onOpen={(episodeId) => onOpenPast(episodeId, query)}
          />
        )}
      </div>
    </section>
  );

  function outcome({ found: all }: BookFinderState): string {
    const total = count(all.reduce((sum, one) => sum + one.total, 0));
    switch (phase) {
      case "stopped":
        return t`已停止，查找了 ${count(done)}/${count(chapters)} 章，有 ${total} 处`;
      case "done":
        return all.length > 0 ? t`${total} 处，在 ${count(all.length)} 章里` : t`没有找到`;
      default:
        return "";
    }
  }
}

/** Matches shown at first per chapter. */
const INITIALLY_SHOWN = 20;

interface ChapterProps {
  chapter: FoundChapter;
  language: Project["language"];
  onOpen: (chapterId: string, hit: Hit) => void;
}

/** Memoized: chapters found earlier are not rendered again for each new one. */
const Chapter = memo(function Chapter({
  chapter: { chapterId, title, number, total, hits },
  language,
  onOpen,
}: ChapterProps) {
  const { t } = useLingui();
  const [all, setAll] = useState(false);
  const shown = all ? hits : hits.slice(0, INITIALLY_SHOWN);
  const lang = language === "zh" ? "zh-CN" : "en";
  return (
    <section className={css.chapter} data-testid="found-chapter">
      <h3>
        <span className={css.number}>{number}</span>
        <span lang={lang}>{title}</span>
        <small>{t`${count(total)} 处`}</small>
      </h3>
      <ul>
        {shown.map((hit) => (
          <li key={hit.from}>
            <button
              type="button"
              className={css.hit}
              lang={lang}
              data-hit
              data-testid="found-place"
              onClick={() => onOpen(chapterId, hit)}
            >
              {hit.before}
              <mark>{hit.words}</mark>
              {hit.after}
            </button>
          </li>
        ))}
      </ul>
      {hits.length > shown.length && (
        <LinkButton
          className={css.rest}
          onPress={() => setAll(true)}
          data-testid="found-rest"
        >{t`其余 ${count(hits.length - shown.length)} 处`}</LinkButton>
      )}
      {all && total > hits.length && (
        <p className={css.rest}>{t`还有 ${count(total - hits.length)} 处没有列出，打开这一章再查找。`}</p>
      )}
    </section>
  );
});
