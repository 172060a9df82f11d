import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { MAX_MATCHES, queries, type HealthProblem, type PastMatch, type Project, type Searched } from "../../backend";
import { Changes, GroupHeading, LinkButton } from "../../design";
import { problemTitle } from "../../i18n/healthProblems";
import { count, matchSentence, when } from "../../i18n/words";
import type { DiffSegment } from "../../lib/difference";
import { fromFirstMatch, markedSegments } from "../../lib/matches";
import { MAX_CONTEXT_BEFORE } from "./bookFinder";
import css from "./find.module.css";

interface PastMatchesProps {
  project: Project;
  query: string;
  problems: readonly HealthProblem[];
  onOpenChapter: (chapterId: string) => void;
  onOpen: (episodeId: string) => void;
}

/** The past passages that match the search, independent of the chapters. Empty for a book without any. */
export function PastMatches({ project, query, problems, onOpenChapter, onOpen }: PastMatchesProps) {
  const { t } = useLingui();
  const { projectId } = project;
  const { data, error, isPlaceholderData, refetch } = useQuery(queries.pastMatches(projectId, query));
  const { data: chapters } = useQuery(queries.chapters(projectId));
  const isUnavailable = problems.some(({ kind }) => kind === "episodes" || kind === "all");
  const less = problems.find(({ kind }) => kind === "meaning" || kind === "words");
  const found = data?.episodes.filter(({ group }) => group === "found") ?? [];
  const perhaps = data?.episodes.filter(({ group }) => group === "perhaps") ?? [];
  const isEmpty = found.length === 0 && perhaps.length === 0;
  if (!isUnavailable && !error && isEmpty) return null;
  // A full answer does not say how many there are.
  const hasCount = !isUnavailable && !error && found.length > 0 && found.length < MAX_MATCHES;

  const listOf = (group: Searched<PastMatch>[]) => (
    <ul>
      {group.map((match) => (
        <Match
          key={match.episode.id}
          match={match}
          query={query}
          language={project.language}
          chapter={chapters?.find(({ chapterId }) => chapterId === match.episode.chapterId)?.title ?? null}
          onOpenChapter={onOpenChapter}
          onOpen={onOpen}
        />
      ))}
    </ul>
  );

  return (
    <section className={css.past} aria-label={t`往事`} aria-busy={isPlaceholderData} data-testid="found-past-passages">
      <h3>
        <span>{t`往事`}</span>
        {hasCount && <small>{t`${count(found.length)} 段`}</small>}
      </h3>
      {isUnavailable ? (
        <p className={css.quiet} data-testid="found-past-unavailable">{t`往事现在查不了，章节照常查找。`}</p>
      ) : error ? (
        <p className={css.quiet} data-testid="found-past-failed">
          {t`往事没有查成，章节照常查找。`}{" "}
          <LinkButton onPress={() => void refetch()} data-testid="found-past-again">{t`再查一次`}</LinkButton>
        </p>
      ) : (
        <>
          {less && <p className={css.quiet}>{problemTitle(less.kind)}</p>}
          {found.length > 0 && listOf(found)}
          {perhaps.length > 0 && (
            <>
              <GroupHeading level={4} testId="found-past-perhaps">
                {found.length > 0 ? t`也许相关` : t`没有很接近的。最接近的是：`}
              </GroupHeading>
              {listOf(perhaps)}
            </>
          )}
        </>
      )}
    </section>
  );
}

interface MatchProps {
  match: Searched<PastMatch>;
  query: string;
  language: Project["language"];
  /** Title of its chapter; `null`: the chapter no longer exists. */
  chapter: string | null;
  onOpenChapter: (chapterId: string) => void;
  onOpen: (episodeId: string) => void;
}

/** One past passage on one line: the words around its first match. */
function Match({ match: { episode, group, matchedBy }, query, language, chapter, onOpenChapter, onOpen }: MatchProps) {
  const lang = language === "zh" ? "zh-CN" : "en";
  const marked = markedSegments([segmentOf(episode)], matchedBy.includes("words") ? query : "");
  const matched = matchSentence(matchedBy);
  const room = MAX_CONTEXT_BEFORE[language === "zh" ? "han" : "latin"];
  return (
    <li data-testid="found-past" data-group={group}>
      <button
        type="button"
        className={css.hit}
        lang={lang}
        data-hit
        data-testid="found-past-open"
        onClick={() => onOpen(episode.id)}
      >
        <Changes segments={fromFirstMatch(marked, room, room)} />
      </button>
      <p className={css.about}>
        {chapter !== null && (
          <LinkButton onPress={() => onOpenChapter(episode.chapterId)} data-testid="found-past-chapter">
            <span lang={lang}>{chapter}</span>
          </LinkButton>
        )}
        {matched !== null && <span data-testid="found-past-matched">{matched}</span>}
        <span className="grow" />
        <time dateTime={episode.createdAt}>{when(episode.createdAt)}</time>
      </p>
    </li>
  );
}

/** The text of an episode: its summary, the text in the book, or a rejected draft; else the writer's remark. */
function segmentOf({ compressed, summary, candidates, finalText, explicit }: PastMatch): DiffSegment {
  if (compressed) return { kind: "same", text: summary ?? "" };
  if (finalText !== "") return { kind: "same", text: finalText };
  const [draft] = candidates;
  return draft === undefined ? { kind: "same", text: explicit ?? "" } : { kind: "del", text: draft };
}
