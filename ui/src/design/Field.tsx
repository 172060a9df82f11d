import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { Button as Press } from "react-aria-components/Button";
import { ComboBox } from "react-aria-components/ComboBox";
import { Input } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { ListBox, ListBoxItem } from "react-aria-components/ListBox";
import { NumberField } from "react-aria-components/NumberField";
import { Popover } from "react-aria-components/Popover";
import { ProgressBar } from "react-aria-components/ProgressBar";
import { Text } from "react-aria-components/Text";
import { TextField } from "react-aria-components/TextField";
import { isComposing } from "../lib/ime";
import { Icon } from "./Icon";
import css from "./controls.module.css";

interface FieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** Hides the value, and keeps the browser from storing it. */
  secret?: boolean;
  placeholder?: string;
  note?: ReactNode;
  problem?: string | null;
  autoFocus?: boolean;
  /** Language of the value if it is the book's. */
  lang?: string;
  onEnter?: () => void;
  onEscape?: () => void;
  testId?: string;
}

/** A one-line text field. Enter and Escape are ignored while an input method composes. */
export function Field({
  label,
  value,
  onChange,
  secret,
  placeholder,
  note,
  problem,
  autoFocus,
  lang,
  onEnter,
  onEscape,
  testId,
}: FieldProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return;
    const meant = event.key === "Enter" ? onEnter : event.key === "Escape" ? onEscape : undefined;
    if (!meant) return;
    event.preventDefault();
    event.stopPropagation();
    meant();
  };
  return (
    <TextField
      className={css.field}
      value={value}
      onChange={onChange}
      type={secret ? "password" : "text"}
      autoComplete={secret ? "new-password" : "off"}
      isInvalid={Boolean(problem)}
      // A problem is what the backend refused: the form can be sent again after a change.
      validationBehavior="aria"
      autoFocus={autoFocus}
    >
      <Label className={css.fieldLabel}>{label}</Label>
      <Input
        className={css.input}
        placeholder={placeholder}
        spellCheck="false"
        autoCapitalize="off"
        autoCorrect="off"
        lang={lang}
        onKeyDown={onKeyDown}
        data-testid={testId}
      />
      {(problem || note) && (
        <Text slot="description" className={problem ? css.fieldProblem : css.fieldNote}>
          {problem ?? note}
        </Text>
      )}
    </TextField>
  );
}

interface ComboProps {
  label: string;
  value: string;
  options: string[];
  onChange: (value: string) => void;
  /** Called when the list opens. */
  onOpen?: () => void;
  /** Shown in an empty list. */
  empty: string;
  placeholder?: string;
  testId?: string;
}

/** A combo box that accepts any text. */
export function Combo({ label, value, options, onChange, onOpen, empty, placeholder, testId }: ComboProps) {
  const [text, setText] = useState(value);
  const [seen, setSeen] = useState(value);
  // A new value from outside replaces the typed text; the focus stays.
  if (seen !== value) {
    setSeen(value);
    setText(value);
  }
  return (
    <ComboBox
      className={css.combo}
      aria-label={label}
      allowsCustomValue
      allowsEmptyCollection
      inputValue={text}
      onInputChange={setText}
      onSelectionChange={(key) => key !== null && onChange(String(key))}
      onOpenChange={(open) => open && onOpen?.()}
      defaultItems={options.map((id) => ({ id }))}
    >
      <Input
        className={css.input}
        placeholder={placeholder}
        spellCheck="false"
        data-testid={testId}
        onBlur={(event) => onChange(event.currentTarget.value.trim())}
        onKeyDown={(event) => {
          const chosen = event.currentTarget.getAttribute("aria-activedescendant");
          if (event.key === "Enter" && !chosen && !isComposing(event.nativeEvent))
            onChange(event.currentTarget.value.trim());
        }}
      />
      <Press className={css.comboOpen}>
        <Icon name="down" size="xs" />
      </Press>
      <Popover className={css.popover} offset={4}>
        <ListBox<{ id: string }> renderEmptyState={() => <p className={css.optionEmpty}>{empty}</p>}>
          {({ id }) => (
            <ListBoxItem id={id} textValue={id} className={css.option} data-testid={testId && `${testId}-option`}>
              {id}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}

/** Milliseconds of quiet before the search runs. */
const SEARCH_DELAY_MS = 250;

interface SearchProps {
  label: string;
  /** The query; the parent may change or clear it. */
  value?: string;
  onSearch: (text: string) => void;
  /** Enter searches at once, also for the same text. Without it, Enter searches like typing. */
  onEnter?: (text: string) => void;
  /** Number of results, shown at the end of the field. */
  found?: string;
  testId?: string;
}

/** A search field that searches while the writer types, but not while an input method composes. */
export function Search({ label, value = "", onSearch, onEnter, found, testId }: SearchProps) {
  const [text, setText] = useState(value);
  const [seen, setSeen] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const composing = useRef(false);
  useEffect(() => () => clearTimeout(timer.current), []);
  // The present query follows the typed text; any other value comes from outside and replaces it.
  if (seen !== value) {
    setSeen(value);
    if (value !== text.trim()) setText(value);
  }
  const look = (next: string, delay: number) => {
    clearTimeout(timer.current);
    if (!composing.current) timer.current = setTimeout(() => onSearch(next.trim()), delay);
  };
  return (
    <span className={found === undefined ? css.search : `${css.search} ${css.counting}`}>
      <Icon name="find" />
      <input
        type="search"
        className={css.input}
        aria-label={label}
        placeholder={label}
        value={text}
        spellCheck={false}
        onChange={(event) => {
          setText(event.target.value);
          look(event.target.value, SEARCH_DELAY_MS);
        }}
        onCompositionStart={() => {
          composing.current = true;
          clearTimeout(timer.current);
        }}
        onCompositionEnd={(event) => {
          composing.current = false;
          look(event.currentTarget.value, SEARCH_DELAY_MS);
        }}
        onKeyDown={(event) => {
          if (isComposing(event.nativeEvent)) return;
          if (event.key === "Enter" && onEnter) {
            clearTimeout(timer.current);
            onEnter(event.currentTarget.value.trim());
          } else if (event.key === "Enter") look(event.currentTarget.value, 0);
          else if (event.key === "Escape" && text !== "") {
            event.stopPropagation();
            setText("");
            look("", 0);
          }
        }}
        data-testid={testId}
      />
      {found !== undefined && (
        <span className={css.found} role="status" data-testid={testId && `${testId}-found`}>
          {found}
        </span>
      )}
    </span>
  );
}

/** A field for a whole number from 1, or none. */
export function NumberInput({
  label,
  value,
  max = 4_000_000_000,
  onChange,
  placeholder,
  describedBy,
  testId,
}: {
  label: string;
  value: number | null;
  /** The largest number; a larger one becomes it. */
  max?: number;
  onChange: (value: number | null) => void;
  placeholder?: string;
  /** Id of the element that explains the number. */
  describedBy?: string;
  testId?: string;
}) {
  return (
    <NumberField
      className={css.number}
      aria-label={label}
      aria-describedby={describedBy}
      value={value ?? Number.NaN}
      minValue={1}
      maxValue={max}
      step={1}
      onChange={(next) => onChange(Number.isNaN(next) ? null : next)}
    >
      <Input className={css.input} placeholder={placeholder} data-testid={testId} />
    </NumberField>
  );
}

/** A progress bar. */
export function Progress({ label, done, total }: { label: string; done: number; total: number }) {
  return (
    <ProgressBar className={css.progress} aria-label={label} value={done} minValue={0} maxValue={Math.max(total, 1)}>
      {({ percentage }) => (
        <span className={css.track}>
          <i style={{ width: `${percentage ?? 0}%` }} />
        </span>
      )}
    </ProgressBar>
  );
}

/** An indeterminate progress indicator. */
/** A breathing dot: something is under way. */
export const Pulse = () => <i className={css.pulse} aria-hidden="true" />;

export const Busy = ({ children }: { children: ReactNode }) => (
  <span className={css.busy} role="status">
    <Pulse />
    {children}
  </span>
);
