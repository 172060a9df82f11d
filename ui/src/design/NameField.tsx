import { useState, type KeyboardEvent } from "react";
import { isComposing } from "../lib/ime";
import css from "./controls.module.css";

interface NameFieldProps {
  initial: string;
  label: string;
  /** The name; null where there is to be none. */
  onDone: (name: string | null) => void;
  testId: string;
  /** UTF-16 code units, at most. */
  longest?: number;
}

/** Enter keeps it, Escape forgets it, leaving the field keeps it: but never while an input method is at work. */
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
