import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { Practice } from "../../backend";
import { Button, Field, GrowingText } from "../../design";
import { langOf } from "../../lib/langOf";
import css from "./study.module.css";

/** Characters of a title and of a description, at most. */
const MAX = { title: 200, description: 4_000 };

export type CraftNoteWords = Pick<Practice, "title" | "description">;

interface CraftNoteFormProps {
  initial: CraftNoteWords;
  isPending: boolean;
  onSave: (words: CraftNoteWords) => void;
  onCancel: () => void;
}

/** A craft note: what to do, and more about it. Enter in the first field saves, Escape cancels. */
export function CraftNoteForm({ initial, isPending, onSave, onCancel }: CraftNoteFormProps) {
  const { t } = useLingui();
  const [words, setWords] = useState({ title: initial.title, description: initial.description });
  const isWhole =
    words.title.trim() !== "" &&
    [...words.title].length <= MAX.title &&
    [...words.description].length <= MAX.description &&
    !words.title.includes("\n");
  const save = () => {
    if (isWhole && !isPending) onSave({ title: words.title.trim(), description: words.description.trim() });
  };
  return (
    <div className={css.stack} data-testid="study-practice-form">
      <Field
        label={t`怎么写`}
        value={words.title}
        onChange={(title) => setWords({ ...words, title })}
        onEnter={save}
        onEscape={onCancel}
        autoFocus
        lang={langOf(words.title)}
        testId="study-practice-title"
      />
      <GrowingText
        label={t`说得细一点`}
        value={words.description}
        onChange={(description) => setWords({ ...words, description })}
        onCommandEnter={save}
        onEscape={onCancel}
        maxRows={6}
        lang={langOf(words.description)}
        testId="study-practice-description"
      />
      <div className={css.acts}>
        <Button size="s" isDisabled={!isWhole || isPending} onPress={save} data-testid="study-practice-save">
          {t`保存`}
        </Button>
        <Button size="s" kind="quiet" onPress={onCancel} data-testid="study-practice-cancel">{t`不改了`}</Button>
      </div>
    </div>
  );
}
