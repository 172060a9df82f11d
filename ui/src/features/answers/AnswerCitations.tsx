import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { ChapterInfo, Citation, MentionRange } from "../../backend";
import { Icon, LinkButton, tooltip } from "../../design";
import { count } from "../../i18n/words";
import css from "./answers.module.css";
import { isLost, numberOf, staleSentence } from "./words";

/** Opens a range of a chapter, selected; `text`: the words that are looked for there, `null`: whatever is there now. */
export type OpenPassage = (range: MentionRange, text: string | null) => void;

interface AnswerCitationsProps {
  citations: Citation[];
  chapters: readonly ChapterInfo[];
  /** Language of the book. */
  lang: string;
  onOpenPassage: OpenPassage;
}

/** Citations that are shown at first. */
const SHOWN = 3;

/** The numbered sentences that an answer rests on. One that the book has lost is struck. */
export function AnswerCitations({ citations, chapters, lang, onOpenPassage }: AnswerCitationsProps) {
  const { t } = useLingui();
  const [isWhole, setWhole] = useState(false);
  if (citations.length === 0) return null;
  const shown = isWhole ? citations : citations.slice(0, SHOWN);
  const more = citations.length - shown.length;
  return (
    <>
      <ol className={css.citations}>
        {shown.map((citation, index) => (
          <li key={`${citation.chapterId} ${citation.from} ${citation.quoteHash}`}>
            <Quote
              number={index + 1}
              citation={citation}
              chapter={numberOf(citation.chapterId, chapters)}
              lang={lang}
              onOpenPassage={onOpenPassage}
            />
          </li>
        ))}
      </ol>
      {more > 0 && (
        <LinkButton
          className={css.more}
          onPress={() => setWhole(true)}
          data-testid="answer-citations-more"
        >{t`还引了 ${count(more)} 处`}</LinkButton>
      )}
    </>
  );
}

interface QuoteProps extends Pick<AnswerCitationsProps, "lang" | "onOpenPassage"> {
  number: number;
  citation: Citation;
  /** Number of its chapter; 0: the chapter is gone. */
  chapter: number;
}

function Quote({ number, citation, chapter, lang, onOpenPassage }: QuoteProps) {
  const { t } = useLingui();
  const { chapterId, from, to, quote } = citation;
  const place = chapter > 0 ? t`第 ${count(chapter)} 章` : t`那一章不在了`;
  if (isLost(citation) || chapter === 0)
    return (
      <p className={css.citation} data-lost data-testid="answer-citation-lost">
        <span className={css.number}>{number}</span>
        <del lang={lang}>{quote}</del>
        <small>{place}</small>
      </p>
    );
  return (
    <button
      type="button"
      className={css.citation}
      onClick={() => onOpenPassage({ chapterId, from, to }, quote)}
      data-testid="answer-citation"
      {...tooltip(t`在正文里看`)}
    >
      <span className={css.number}>{number}</span>
      <q lang={lang}>{quote}</q>
      <small>{place}</small>
    </button>
  );
}

/** That the writer changed what an answer rests on, and where to see it. */
export function StaleCitations({
  citations,
  chapters,
  onOpenPassage,
}: Pick<AnswerCitationsProps, "citations" | "chapters" | "onOpenPassage">) {
  const { t } = useLingui();
  const there = citations.find((one) => isLost(one) && numberOf(one.chapterId, chapters) > 0);
  return (
    <div className={css.warning} data-testid="answer-stale">
      <p>
        <Icon name="warning" size="xs" />
        {staleSentence(citations, chapters)}
        {t`先不带给模型。`}
      </p>
      {there && (
        <LinkButton
          onPress={() => onOpenPassage({ chapterId: there.chapterId, from: there.from, to: there.to }, null)}
          data-testid="answer-see"
        >{t`看改成了什么`}</LinkButton>
      )}
    </div>
  );
}
