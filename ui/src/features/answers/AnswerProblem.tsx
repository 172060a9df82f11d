import { useLingui } from "@lingui/react/macro";
import { useEffect, useRef } from "react";
import { BackendError, type Answer } from "../../backend";
import { LinkButton } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { firstOf } from "../../lib/cut";
import { langOf } from "../../lib/langOf";
import { PartlyChosen, type AnswerChanges, type Chosen } from "./answerChanges";
import css from "./answers.module.css";

interface AnswerProblemProps {
  answer: Answer;
  changes: AnswerChanges;
  isEditing?: boolean;
}

/** Why a change of an answer could not be stored; of a choice between answers, also what was stored. */
export function AnswerProblem({ answer, changes, isEditing = false }: AnswerProblemProps) {
  const { t } = useLingui();
  const { error } = changes;
  if (error == null) return null;
  if (error instanceof PartlyChosen) return <HalfChosen partly={error} changes={changes} />;
  const isStale = error instanceof BackendError && error.code === "MEMORY_STALE_VERSION";
  if (isStale && isEditing)
    return (
      <div className={css.problem} role="alert" data-testid="answer-problem">
        <p>{t`它刚刚在别处改过。你写的还在上面，再保存一次就用你的。现在那边写的是：`}</p>
        <p className={css.now} lang={langOf(answer.answer)}>
          {answer.answer}
        </p>
      </div>
    );
  return (
    <p className={css.problem} role="alert" data-testid="answer-problem">
      {isStale ? t`它刚刚在别处改过。现在显示的是最新的，看过再评。` : errorSentence(error)}
    </p>
  );
}

/** Longest beginning of an answer that names it, in UTF-16 units. */
const NAMING = 36;

/** The verdicts of a choice that were stored, those that were not, and why. */
function HalfChosen({ partly, changes }: { partly: PartlyChosen; changes: AnswerChanges }) {
  const { t } = useLingui();
  const { done, left, events, cause } = partly;
  const shown = useRef<HTMLDivElement>(null);
  useEffect(() => {
    void shown.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <div ref={shown} className={css.problem} role="alert" data-testid="answer-half-chosen">
      <p>{t`只做成了一部分。${errorSentence(cause)}`}</p>
      <ul>
        {done.map((one) => (
          <li key={one.answer.answerId}>
            <Named answer={one.answer} /> {stored(one)}
          </li>
        ))}
        {left.map((one) => (
          <li key={one.answer.answerId}>
            <Named answer={one.answer} /> {unstored(one)}
          </li>
        ))}
      </ul>
      <p>{t`上面再选一次，就接着做完。`}</p>
      {events.length > 0 && (
        <LinkButton
          isDisabled={changes.isPending}
          onPress={() => changes.undoChoice(partly)}
          data-testid="answer-half-undo"
        >{t`撤销做成的`}</LinkButton>
      )}
    </div>
  );

  function stored({ verdict }: Chosen): string {
    return verdict === "settled"
      ? t({ message: "定下来了", context: "behind an answer" })
      : t({ message: "停用了", context: "behind an answer" });
  }

  function unstored({ verdict }: Chosen): string {
    return verdict === "settled"
      ? t({ message: "没有定下来", context: "behind an answer" })
      : t({ message: "没有停用", context: "behind an answer" });
  }
}

function Named({ answer: { answer } }: { answer: Answer }) {
  const { t } = useLingui();
  const beginning = firstOf(answer, NAMING);
  return <span lang={langOf(answer)}>{beginning === answer ? t`“${answer}”` : t`“${beginning}……”`}</span>;
}
