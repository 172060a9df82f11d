import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { queries, type Citation, type MentionRange, type Reference, type Trace } from "../../backend";
import { count } from "../../i18n/words";
import { CHAPTER_END } from "../../lib/chapterEnd";
import { langOf } from "../../lib/langOf";
import css from "./why.module.css";

interface SourcesProps {
  trace: Trace;
  /** The card of an entity. */
  reference: Reference;
  /** Opens a sentence in the text. */
  onOpen: (range: MentionRange, text: string) => void;
}

/** The sentences of the book that the facts of a card rest on, as they are now. */
export function Sources({ trace, reference, onOpen }: SourcesProps) {
  const { t } = useLingui();
  const { projectId, chapterId } = trace;
  const { data: card } = useQuery(queries.card(projectId, reference.id, { chapterId, offset: CHAPTER_END }));
  const { data: chapters } = useQuery(queries.chapters(projectId));
  const facts = card?.facts.filter(({ value }) => reference.text.includes(value)) ?? [];
  const citations = facts.flatMap((fact) => fact.citations);
  const source = (citation: Citation) => {
    const { chapterId: cited, from, to, quote, status } = citation;
    const number = (chapters ?? []).findIndex((chapter) => chapter.chapterId === cited) + 1;
    const isThere = number > 0 && (status === "holds" || status === "moved");
    return (
      <li key={`${cited} ${from}`} data-testid="why-source">
        {isThere ? (
          <button
            type="button"
            lang={langOf(quote)}
            onClick={() => onOpen({ chapterId: cited, from, to }, quote)}
            data-testid="why-source-open"
          >
            {quote}
          </button>
        ) : (
          <del lang={langOf(quote)}>{quote}</del>
        )}
        <small>{number > 0 ? t`第 ${count(number)} 章` : t`那一章不在了`}</small>
      </li>
    );
  };
  return citations.length > 0 && <ul className={css.sources}>{citations.map(source)}</ul>;
}
