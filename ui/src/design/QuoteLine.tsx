import css from "./controls.module.css";

interface QuoteLineProps {
  quote: string;
  lang: string;
  /** The chapter in words, or that it is gone. */
  chapter: string;
  /** Opens the quote in the text; `null`: the text does not have it any more. */
  onOpen: (() => void) | null;
  /** Whether the arrow keys of a panel stop at it. */
  isStop?: boolean;
  testId: string;
}

/** A sentence of the book in one line, with its chapter. Pressing it opens it; one that is lost is struck. */
export function QuoteLine({ quote, lang, chapter, onOpen, isStop, testId }: QuoteLineProps) {
  return (
    <p className={css.quoteLine}>
      {onOpen ? (
        <button type="button" lang={lang} data-stop={isStop || undefined} onClick={onOpen} data-testid={testId}>
          {quote}
        </button>
      ) : (
        <del lang={lang}>{quote}</del>
      )}
      <small>{chapter}</small>
    </p>
  );
}
