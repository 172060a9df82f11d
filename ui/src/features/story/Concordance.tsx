import { useLingui } from "@lingui/react/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import { queries, type ChapterInfo, type Mention, type MentionRange, type Position, type Project } from "../../backend";
import { Busy, LinkButton } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count } from "../../i18n/words";
import { contextOf } from "../../lib/cut";
import { numberOf } from "../../lib/ordinal";
import css from "./detail.module.css";
import { plainLine } from "./words";

interface ConcordanceProps {
  project: Project;
  entityId: string;
  at: Position | null;
  chapters: readonly ChapterInfo[];
  onOpen: (range: MentionRange, text: string) => void;
}

/** Every mention of an entity up to the position, a line each, in the order of the book. */
export function Concordance({ project, entityId, at, chapters, onOpen }: ConcordanceProps) {
  const { t } = useLingui();
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage, isPlaceholderData, refetch } = useInfiniteQuery(
    queries.mentions(project.projectId, entityId, at),
  );
  const mentions = data?.pages.flatMap((page) => page.mentions) ?? [];
  const total = data?.pages.at(-1)?.total ?? 0;
  const rest = total - mentions.length;
  return (
    <div className={css.concordance} aria-busy={isPlaceholderData || isFetchingNextPage}>
      {error ? (
        <p className={css.problem} role="alert" data-testid="story-mentions-failed">
          {errorSentence(error)} <LinkButton onPress={() => void refetch()}>{t`再试一次`}</LinkButton>
        </p>
      ) : (
        !data && <Busy>{t`正在翻……`}</Busy>
      )}
      {data && <h4 className={css.label}>{t`书里的 ${count(total)} 处`}</h4>}
      <ul>
        {mentions.map((mention, index) => (
          <Line
            key={`${mention.range.chapterId} ${mention.range.from}`}
            mention={mention}
            language={project.language}
            number={numberOf(mention.range.chapterId, chapters)}
            isFirst={mentions[index - 1]?.range.chapterId !== mention.range.chapterId}
            onOpen={onOpen}
          />
        ))}
      </ul>
      {hasNextPage && (
        <LinkButton
          className={css.more}
          onPress={() => void fetchNextPage()}
          data-testid="story-mentions-more"
        >{t`再列 ${count(Math.min(rest, mentions.length))} 处，还有 ${count(rest)} 处`}</LinkButton>
      )}
    </div>
  );
}

/** UTF-16 units before a name for which its line has room; Han characters are twice as wide as Latin ones. */
const MAX_BEFORE = { zh: 10, en: 22 };

/** The words before a name, from the start of a word. */
function beforeOf(text: string, language: Project["language"]): string {
  const line = plainLine(text);
  const end = contextOf(line, MAX_BEFORE[language]);
  return end === line ? line : `…${end}`;
}

interface LineProps {
  mention: Mention;
  language: Project["language"];
  number: number;
  /** Whether it is the first one of its chapter. */
  isFirst: boolean;
  onOpen: (range: MentionRange, text: string) => void;
}

function Line({ mention: { range, before, text, after }, language, number, isFirst, onOpen }: LineProps) {
  const { t } = useLingui();
  const lang = language === "zh" ? "zh-CN" : "en";
  return (
    <li>
      <button
        type="button"
        className={css.line}
        data-stop
        data-testid="story-mention"
        onClick={() => onOpen(range, text)}
      >
        <span className={css.before} lang={lang}>
          <span>{beforeOf(before, language)}</span>
        </span>
        <span className={css.after} lang={lang}>
          <mark>{text}</mark>
          {after}
        </span>
        <small className={isFirst ? undefined : "sr"}>{t`第 ${count(number)} 章`}</small>
      </button>
    </li>
  );
}
