import { useLingui } from "@lingui/react/macro";
import { Fragment } from "react";
import type { Answer, AnswerMatch, QuestionDifference } from "../../backend";
import { when } from "../../i18n/words";
import { langOf } from "../../lib/langOf";
import css from "./ask.module.css";

interface NearlySameProps {
  nearly: readonly AnswerMatch[];
  onShow: (answer: Answer) => void;
}

/** Questions that are nearly the same, with what differs underlined. None is taken for the answer. */
export function NearlySame({ nearly, onShow }: NearlySameProps) {
  const { t } = useLingui();
  if (nearly.length === 0) return null;
  const isSame = nearly.some(({ questionMatch }) => questionMatch === "exact");
  return (
    <section className={css.nearly} data-testid="ask-nearly">
      <h4>{isSame ? t`以前的回答` : t`差不多的问题`}</h4>
      <ul>
        {nearly.map(({ answer, differences }) => (
          <li key={answer.answerId}>
            <button type="button" className={css.earlier} onClick={() => onShow(answer)} data-testid="ask-near">
              <b lang={langOf(answer.question)}>
                <Different question={answer.question} differences={differences} />
              </b>
              <span>{when(answer.updatedAt)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Different({ question, differences }: { question: string; differences: readonly QuestionDifference[] }) {
  const ranges = differences.toSorted((a, b) => a.questionFrom - b.questionFrom);
  return (
    <>
      {ranges.map(({ questionFrom: from, questionTo: to }, index) => (
        <Fragment key={from}>
          {question.slice(ranges[index - 1]?.questionTo ?? 0, from)}
          {to > from && <ins>{question.slice(from, to)}</ins>}
        </Fragment>
      ))}
      {question.slice(ranges.at(-1)?.questionTo ?? 0)}
    </>
  );
}
