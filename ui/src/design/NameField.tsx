import { useState, type KeyboardEvent } from "react";
import { isComposing } from "../lib/ime";
import css from "./controls.module.css";

interface NameFieldProps {
  initial: string;
  label: string;
  /** Called with the name; `null`: cancelled. */
  onDone: (name: string | null) => void;
  testId: string;
  /** Maximum length in UTF-16 code units. */
  longest?: number;
}

/** A field for renaming. Enter and leaving it save, Escape cancels; inactive while an input method composes. */
export function NameField({ initial, label, onDone, testId, longest }: NameFieldProps) {
  const [name, setName] = useState(initial);
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return;
    if (event.key === "Enter") onDone(name.trim() || null);
    else if (event.key === "Escape") onDone(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <input
      className={css.nameField}
      aria-label={label}
      placeholder={label}
      value={name}
      maxLength={longest}
      autoFocus
      spellCheck={false}
      onFocus={(event) => event.target.select()}
      onChange={(event) => setName(event.target.value)}
      onKeyDown={onKeyDown}
      onBlur={() => onDone(name.trim() || null)}
      data-testid={testId}
    />
  );
}
