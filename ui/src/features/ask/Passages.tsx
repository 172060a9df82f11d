import { useLingui } from "@lingui/react/macro";
import type { AskCitation, ChapterInfo } from "../../backend";
import { LostPassage, NumberedPassage } from "../../design";
import css from "./ask.module.css";
import { placeOf } from "./words";

interface PassagesProps {
  /** Beginning of the ids of the passages, which their numbers in the text are described by. */
  idPrefix: string;
  passages: readonly AskCitation[];
  /** Those that the book has lost. */
  lost?: readonly AskCitation[];
  chapters: readonly ChapterInfo[];
  /** Language of the book. */
  lang: string;
  /** Number of the passage that is lit; `null`: none. */
  lit: number | null;
  onLight: (number: number) => void;
}

/** The numbered passages of an answer. Pressing one lights it in the text. */
export function Passages({ idPrefix, passages, lost = [], chapters, lang, lit, onLight }: PassagesProps) {
  const { t } = useLingui();
  if (passages.length + lost.length === 0) return null;
  return (
    <ol className={css.passages} data-testid="ask-passages">
      {passages.map(({ number, chapterId, quote }) => (
        <li key={number}>
          <NumberedPassage
            id={idPrefix + number}
            number={number}
            quote={quote}
            lang={lang}
            place={placeOf(chapterId, chapters)}
            hint={t`在正文里看`}
            isLit={lit === number}
            onPress={() => onLight(number)}
            shortcut={number <= 9 ? String(number) : undefined}
            testId="ask-passage"
          />
        </li>
      ))}
      {lost.map(({ number, chapterId, quote }) => (
        <li key={number}>
          <LostPassage
            number={number}
            quote={quote}
            lang={lang}
            place={placeOf(chapterId, chapters)}
            testId="ask-lost"
          />
        </li>
      ))}
    </ol>
  );
}
