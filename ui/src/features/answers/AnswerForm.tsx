import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { Answer } from "../../backend";
import { Button, GrowingText } from "../../design";
import { langOf } from "../../lib/langOf";
import type { EditedAnswer } from "./answerChanges";
import css from "./answers.module.css";

interface AnswerFormProps {
  answer: Answer;
  isPending: boolean;
  onSave: (edited: EditedAnswer) => void;
  onCancel: () => void;
}

/** Question and answer in the writer's words. */
export function AnswerForm({ answer, isPending, onSave, onCancel }: AnswerFormProps) {
  const { t } = useLingui();
  const [edited, setEdited] = useState<EditedAnswer>({ question: answer.question, answer: answer.answer });
  const isComplete = edited.question.trim() !== "" && edited.answer.trim() !== "";
  const isSame = edited.question.trim() === answer.question && edited.answer.trim() === answer.answer;
  const save = () => {
    if (!isComplete || isPending) return;
    if (isSame) onCancel();
    else onSave({ question: edited.question.trim(), answer: edited.answer.trim() });
  };
  return (
    <div className={css.form} role="group" aria-label={t`改这个答案`} data-testid="answer-form">
      <GrowingText
        prose
        autoFocus
        label={t`问题`}
        lang={langOf(edited.question)}
        value={edited.question}
        onChange={(question) => setEdited({ ...edited, question })}
        onEnter={save}
        onEscape={onCancel}
        testId="answer-question"
      />
      <GrowingText
        prose
        label={t({ message: "答案", context: "field" })}
        lang={langOf(edited.answer)}
        value={edited.answer}
        onChange={(text) => setEdited({ ...edited, answer: text })}
        onCommandEnter={save}
        onEscape={onCancel}
        maxRows={14}
        testId="answer-text-field"
      />
      <div className={css.formActs}>
        <small>{t`改过以后，对错从头算起。`}</small>
        <Button kind="quiet" size="s" onPress={onCancel}>{t`取消`}</Button>
        <Button
          kind="primary"
          size="s"
          isDisabled={!isComplete || isPending}
          onPress={save}
          data-testid="answer-save"
        >{t`保存`}</Button>
      </div>
    </div>
  );
}
