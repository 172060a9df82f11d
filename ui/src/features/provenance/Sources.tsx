import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { queries, type Citation, type Fact, type MentionRange, type Reference, type Trace } from "../../backend";
import { QuoteLine } from "../../design";
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
  const isInPrompt = ({ attribute, value }: Fact) => reference.text.includes(`${attribute} ${value}`);
  // A fact that was in the prompt may have been replaced since.
  const facts = card?.facts.flatMap((fact) => [fact, ...fact.earlier]).filter(isInPrompt) ?? [];
  const keyOf = ({ chapterId: cited, from }: Citation) => `${cited} ${from}`;
  const citations = new Map(facts.flatMap((fact) => fact.citations).map((citation) => [keyOf(citation), citation]));
  const source = ([key, citation]: [string, Citation]) => {
    const { chapterId: cited, from, to, quote, status } = citation;
    const number = (chapters ?? []).findIndex((chapter) => chapter.chapterId === cited) + 1;
    const isThere = number > 0 && (status === "holds" || status === "moved");
    return (
      <li key={key} data-testid="why-source">
        <QuoteLine
          quote={quote}
          lang={langOf(quote)}
          chapter={number > 0 ? t`第 ${count(number)} 章` : t`那一章不在了`}
          onOpen={isThere ? () => onOpen({ chapterId: cited, from, to }, quote) : null}
          testId="why-source-open"
        />
      </li>
    );
  };
  return citations.size > 0 && <ul className={css.sources}>{[...citations].map(source)}</ul>;
}
