import { useLingui } from "@lingui/react/macro";
import { useState, type KeyboardEvent } from "react";
import type { Certainty } from "../../backend";
import { Button, GrowingText, Picker } from "../../design";
import { isComposing } from "../../lib/ime";
import type { Named } from "./entities";
import css from "./facts.module.css";
import { factWords, type FactWords } from "./factChanges";
import { CERTAINTIES, certaintyWords } from "./words";

/** Characters of an attribute, a value and a time, at most. */
const MAX = { attribute: 60, value: 500, time: 100 };

interface FactFormProps {
  label: string;
  initial?: FactWords;
  lang: string;
  /** Attributes that the card has, offered first. */
  attributes: readonly string[];
  /** The entities that a relation may lead to. */
  others: readonly Named[];
  /** Whether the fields for the time are shown from the start. */
  isTimed?: boolean;
  onSave: (words: FactWords) => void;
  onCancel: () => void;
}

const EMPTY = factWords("", "");
const NONE = "";

/** A fact in one line: of what, and what holds. Enter saves, Escape cancels; inactive while an input method composes. */
export function FactForm({ label, initial = EMPTY, lang, attributes, others, ...rest }: FactFormProps) {
  const { isTimed = false, onSave, onCancel } = rest;
  const { t } = useLingui();
  const [words, setWords] = useState(initial);
  const [hasTimes, setTimes] = useState(isTimed || (initial.validFrom ?? initial.validUntil) !== null);
  const listId = `attributes-${lang}`;
  const isWhole = words.attribute.trim() !== "" && words.value.trim() !== "";
  const save = () => {
    if (!isWhole) return;
    const time = (written: string | null) => written?.trim() || null;
    const [validFrom, validUntil] = [time(words.validFrom), time(words.validUntil)];
    onSave({ ...words, attribute: words.attribute.trim(), value: words.value.trim(), validFrom, validUntil });
  };
  const relate = (key: string) => {
    const object = others.find(({ entityId }) => entityId === key);
    const value = words.value.trim() === "" && object ? object.name : words.value;
    setWords({ ...words, value, objectId: object?.entityId ?? null });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return;
    const isField = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
    if (event.key === "Enter" && isField) save();
    else if (event.key === "Escape") onCancel();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div className={css.form} role="group" aria-label={label} onKeyDown={onKeyDown} data-testid="fact-form">
      <input
        className={css.attributeField}
        aria-label={t`哪一方面`}
        placeholder={t`哪一方面`}
        list={listId}
        lang={lang}
        value={words.attribute}
        maxLength={MAX.attribute}
        autoFocus={initial.attribute === ""}
        spellCheck={false}
        onChange={(event) => setWords({ ...words, attribute: event.target.value })}
        data-testid="fact-attribute"
      />
      <datalist id={listId}>
        {attributes.map((attribute) => (
          <option key={attribute}>{attribute}</option>
        ))}
      </datalist>
      <GrowingText
        label={t`是什么`}
        hideLabel
        prose
        className={css.valueField}
        placeholder={t`是什么`}
        lang={lang}
        value={words.value}
        autoFocus={initial.attribute !== ""}
        onChange={(value) => setWords({ ...words, value: oneLine(value) })}
        testId="fact-value"
      />
      {hasTimes && (
        <span className={css.timeFields} data-testid="fact-time-fields">
          <input
            className={css.attributeField}
            aria-label={t`故事里从什么时候起`}
            placeholder={t`从什么时候起`}
            lang={lang}
            value={words.validFrom ?? ""}
            maxLength={MAX.time}
            spellCheck={false}
            onChange={(event) => setWords({ ...words, validFrom: event.target.value })}
            data-testid="fact-from"
          />
          <input
            className={css.attributeField}
            aria-label={t`故事里到什么时候为止`}
            placeholder={t`到什么时候为止`}
            lang={lang}
            value={words.validUntil ?? ""}
            maxLength={MAX.time}
            spellCheck={false}
            onChange={(event) => setWords({ ...words, validUntil: event.target.value })}
            data-testid="fact-until"
          />
        </span>
      )}
      <span className={css.formActs}>
        <Picker<Certainty>
          quiet
          label={t`书里怎么说`}
          value={words.certainty}
          onChange={(certainty) => setWords({ ...words, certainty })}
          options={CERTAINTIES.map((key) => ({ key, label: certaintyWords(key) }))}
          testId="fact-certainty"
        />
        {others.length > 0 && (
          <Picker
            quiet
            prefix={t`关联：`}
            label={t`和谁、和什么有关`}
            value={others.some(({ entityId }) => entityId === words.objectId) ? words.objectId! : NONE}
            onChange={relate}
            options={[
              { key: NONE, label: t({ message: "无", context: "a relation" }) },
              ...others.map(({ entityId, name }) => ({ key: entityId, label: name, lang })),
            ]}
            testId="fact-object"
          />
        )}
        {!hasTimes && (
          <Button
            size="s"
            kind="quiet"
            onPress={() => setTimes(true)}
            data-testid="fact-times-add"
          >{t`写明什么时候`}</Button>
        )}
        <span className="grow" />
        <Button size="s" kind="quiet" onPress={onCancel} data-testid="fact-cancel">{t`不记了`}</Button>
        <Button size="s" kind="primary" onPress={save} isDisabled={!isWhole} data-testid="fact-save">{t`记下`}</Button>
      </span>
    </div>
  );
}

/** A pasted text in one line of the greatest length. */
const oneLine = (text: string): string => [...text.replaceAll(/\s*\n\s*/g, " ")].slice(0, MAX.value).join("");
