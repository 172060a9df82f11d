import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { JudgedFact, ProposedFact } from "../../backend";
import { Button, Field, LinkButton } from "../../design";
import css from "./study.module.css";

/** Characters of an attribute and of a value, at most. */
const MAX = { attribute: 60, value: 500 };

interface StudyFactProps {
  fact: ProposedFact;
  /** The writer's word on it; `null`: it is kept as it is. */
  judged: JudgedFact | null;
  /** Language of the book. */
  lang: string;
  /** Whether it can be changed. */
  isOpen: boolean;
  onChange: (judged: JudgedFact | null) => void;
}

/** A fact that is written on a card with its record, in the writer's words, or is left out. */
export function StudyFact({ fact, judged, lang, isOpen, onChange }: StudyFactProps) {
  const { t } = useLingui();
  const [isEdited, setEdited] = useState(false);
  const { factId, entityName } = fact;
  const attribute = judged?.attribute ?? fact.attribute;
  const value = judged?.value ?? fact.value;
  const words = <span lang={lang}>{t({ message: `${entityName}·${attribute} ${value}`, context: "a fact" })}</span>;
  if (isEdited && isOpen)
    return (
      <FactWordsForm
        entityName={entityName}
        initial={{ attribute, value }}
        lang={lang}
        onSave={(changed) => {
          const isSame = changed.attribute === fact.attribute && changed.value === fact.value;
          onChange(isSame ? null : { factId, ...changed });
          setEdited(false);
        }}
        onCancel={() => setEdited(false)}
      />
    );
  if (judged?.isLeftOut)
    return (
      <p className={css.fact} data-left-out data-testid="study-fact">
        {t`不记到卡上：`}
        {words}
        {isOpen && <LinkButton onPress={() => onChange(null)} data-testid="study-fact-restore">{t`还是记`}</LinkButton>}
      </p>
    );
  return (
    <p className={css.fact} data-testid="study-fact">
      {t`认下就记到卡上：`}
      {words}
      {isOpen && (
        <>
          <LinkButton
            onPress={() => setEdited(true)}
            aria-label={t`改这一条：${entityName}·${attribute}`}
            data-testid="study-fact-edit"
          >
            {t({ message: "改", context: "a proposed fact" })}
          </LinkButton>
          <LinkButton
            onPress={() => onChange({ factId, isLeftOut: true })}
            aria-label={t`不记这一条：${entityName}·${attribute}`}
            data-testid="study-fact-leave-out"
          >
            {t`不记`}
          </LinkButton>
        </>
      )}
    </p>
  );
}

type FactWords = Pick<ProposedFact, "attribute" | "value">;

interface FactWordsFormProps {
  entityName: string;
  initial: FactWords;
  lang: string;
  onSave: (words: FactWords) => void;
  onCancel: () => void;
}

/** The words of a fact. Enter saves, Escape cancels; both are ignored while an input method composes. */
function FactWordsForm({ entityName, initial, lang, onSave, onCancel }: FactWordsFormProps) {
  const { t } = useLingui();
  const [words, setWords] = useState(initial);
  const changed = { attribute: words.attribute.trim(), value: words.value.trim() };
  const isWithin = (text: string, max: number) => text !== "" && [...text].length <= max;
  const isWhole = isWithin(changed.attribute, MAX.attribute) && isWithin(changed.value, MAX.value);
  const save = () => isWhole && onSave(changed);
  return (
    <div role="group" aria-label={t`记到${entityName}卡上的话`} className={css.factForm} data-testid="study-fact-form">
      <Field
        label={t`哪一方面`}
        value={words.attribute}
        onChange={(attribute) => setWords({ ...words, attribute })}
        onEnter={save}
        onEscape={onCancel}
        lang={lang}
        testId="study-fact-attribute"
      />
      <Field
        label={t`怎么记`}
        value={words.value}
        onChange={(value) => setWords({ ...words, value })}
        onEnter={save}
        onEscape={onCancel}
        autoFocus
        lang={lang}
        testId="study-fact-value"
      />
      <div className={css.acts}>
        <Button size="s" isDisabled={!isWhole} onPress={save} data-testid="study-fact-save">{t`就这么记`}</Button>
        <Button size="s" kind="quiet" onPress={onCancel} data-testid="study-fact-cancel">{t`不改了`}</Button>
      </div>
    </div>
  );
}
