import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { queries, type Answer } from "../../backend";
import { Button } from "../../design";
import { when } from "../../i18n/words";
import { langOf } from "../../lib/langOf";
import type { AnswerChanges } from "./answerChanges";
import css from "./answers.module.css";

interface DisagreeingAnswerProps {
  answer: Answer;
  changes: AnswerChanges;
}

/** Another answer to the same question beside this one, the older first, and which of them is right. */
export function DisagreeingAnswer({ answer, changes }: DisagreeingAnswerProps) {
  const { t } = useLingui();
  const { projectId, disagreesWith } = answer;
  const { data: other } = useQuery({
    ...queries.answer(projectId, disagreesWith[0] ?? ""),
    enabled: disagreesWith.length > 0,
  });
  if (!other) return null;
  const [first, second] = other.createdAt < answer.createdAt ? [other, answer] : [answer, other];
  const { isPending, choose } = changes;
  return (
    <div className={css.warning} data-testid="answer-disagreeing">
      <p>{t`两个答案对不上`}</p>
      <div className={css.pair}>
        {[first, second].map((one) => (
          <div key={one.answerId}>
            <p className={css.now} lang={langOf(one.answer)}>
              {one.answer}
            </p>
            <time dateTime={one.createdAt}>{when(one.createdAt)}</time>
          </div>
        ))}
      </div>
      <div className={css.doubt}>
        <Button
          size="s"
          kind="quiet"
          isDisabled={isPending}
          onPress={() => choose([first], [second])}
          data-testid="answer-first"
        >{t`前一个对`}</Button>
        <Button
          size="s"
          kind="quiet"
          isDisabled={isPending}
          onPress={() => choose([second], [first])}
          data-testid="answer-second"
        >{t`后一个对`}</Button>
        <Button
          size="s"
          kind="quiet"
          isDisabled={isPending}
          onPress={() => choose([first, second], [])}
          data-testid="answer-both"
        >{t`都对`}</Button>
      </div>
    </div>
  );
}
