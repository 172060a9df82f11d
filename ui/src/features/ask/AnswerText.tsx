import { useLingui } from "@lingui/react/macro";
import { Fragment, type ReactNode } from "react";
import type { AskCitation, ChapterInfo } from "../../backend";
import { langOf } from "../../lib/langOf";
import css from "./ask.module.css";
import { lostOf, passagesOf, type Exchange } from "./exchange";
import { statementsOfKept } from "./keptStatements";
import { blocksOf, lastWord, segmentsOf, segmentsOfKept, type Segment } from "./segments";
import { placeOf } from "./words";

interface AnswerTextProps {
  exchange: Exchange;
  /** Beginning of the ids of the passages. */
  idPrefix: string;
  /** Whether it is not used any more: it is struck. */
  isBlocked: boolean;
  chapters: readonly ChapterInfo[];
  lit: number | null;
  onLight: (number: number) => void;
  /** Behind the last word. */
  children?: ReactNode;
}

/** The text of an answer: each statement with its numbers, one without a passage struck. */
export function AnswerText({ exchange, idPrefix, isBlocked, chapters, lit, onLight, children }: AnswerTextProps) {
  const { t } = useLingui();
  const { state, served } = exchange;
  const text = served?.answer ?? exchange.text;
  const lang = langOf(text);
  const isUnderWay = state === "answering";
  const passages = passagesOf(exchange);
  const numbersOf = (cited: readonly AskCitation[]) => cited.map(({ number }) => number);
  const known = served && statementsOfKept(served, numbersOf(passages));
  const segments =
    served && !known
      ? segmentsOfKept(text, numbersOf(passages), numbersOf(lostOf(exchange)))
      : segmentsOf(text, known ?? exchange.statements, isUnderWay);
  const blocks = blocksOf(segments);
  const lastFlow = blocks.findLastIndex(({ isStruck }) => !isStruck);
  const next = exchange.citations.length + 1;
  const chapterOf = (number: number) => {
    const found = passages.find((one) => one.number === number);
    return found ? placeOf(found.chapterId, chapters) : "";
  };
  const chip = (number: number) => {
    const place = chapterOf(number);
    return (
      <button
        key={number}
        type="button"
        className={css.chip}
        data-lit={lit === number || undefined}
        aria-pressed={lit === number}
        aria-describedby={idPrefix + number}
        aria-label={t`[${number}]，${place}，在正文里看`}
        onClick={() => onLight(number)}
        data-testid="ask-chip"
      >
        {number}
      </button>
    );
  };

  return (
    <div lang={lang} className={css.text} data-testid="ask-text">
      {blocks.map((block, index) =>
        block.isStruck ? (
          <p key={index} className={css.struck} data-testid="ask-struck">
            <span className="sr">{t`没有找到原文：`}</span>
            <s>{block.text}</s>
            <small>{t`原文里没有这句`}</small>
          </p>
        ) : (
          <p key={index}>
            {isBlocked ? (
              <del>{block.segments.map((segment) => segment.text)}</del>
            ) : (
              block.segments.map((segment, place) => (
                <Fragment key={place}>
                  <Stretch segment={segment} chip={chip} next={next} />
                </Fragment>
              ))
            )}
            {index === lastFlow && children}
            {index === lastFlow && isUnderWay && <i className={css.caret} aria-hidden="true" />}
          </p>
        ),
      )}
      {lastFlow < 0 && children}
    </div>
  );
}

interface StretchProps {
  segment: Segment;
  chip: (number: number) => ReactNode;
  /** The number that the next passage gets. */
  next: number;
}

/** A number stands on one line with the word before it. */
function Stretch({ segment: { text, status, citations }, chip, next }: StretchProps) {
  if (status === "open")
    return (
      <span className={css.open} data-testid="ask-open">
        {text}
        <span className={css.waiting} aria-hidden="true">
          {next}
        </span>
      </span>
    );
  if (citations.length === 0) return text;
  const { before, word, gap } = lastWord(text);
  return (
    <>
      {before}
      <span className={css.together}>
        {word}
        {citations.map(chip)}
      </span>
      {gap}
    </>
  );
}
