import { useId } from "react";
import { Button as Press } from "react-aria-components/Button";
import { Checkbox } from "react-aria-components/Checkbox";
import { ListBox, ListBoxItem } from "react-aria-components/ListBox";
import { Popover } from "react-aria-components/Popover";
import { Select, SelectValue } from "react-aria-components/Select";
import { ToggleButton } from "react-aria-components/ToggleButton";
import { ToggleButtonGroup } from "react-aria-components/ToggleButtonGroup";
import { Icon, type IconName } from "./Icon";
import css from "./controls.module.css";

export interface Option<K extends string> {
  key: K;
  label: string;
  note?: string;
  /** An explanation below the label of an option of a `Picker`. */
  detail?: string;
  /** Whether an option of a `Picker` is of no use now; it can be chosen all the same. */
  isFaint?: boolean;
  /** Before the label of an option of a `Seg`, and of the chosen one of a `Picker`. */
  icon?: IconName;
  /** Language of the label if it is not the window's. */
  lang?: string;
  /** Test id of an option of a `Seg`; options of a `Picker` get the picker's id and their key. */
  testId?: string;
}

interface ChoiceProps<K extends string> {
  label: string;
  options: Option<K>[];
  value: K;
  onChange: (key: K) => void;
  testId?: string;
}

interface CheckProps {
  label: string;
  /** One line of explanation. */
  note: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean | undefined;
  testId?: string;
}

/** A checkbox with an optional note. */
export function Check({ label, note, checked, onChange, disabled, testId }: CheckProps) {
  const noteId = useId();
  return (
    <div className={css.check}>
      <Checkbox
        className={css.checkLabel}
        isSelected={checked}
        onChange={onChange}
        isDisabled={disabled ?? false}
        aria-describedby={noteId}
        data-testid={testId}
      >
        <i className={css.checkBox} aria-hidden="true">
          {checked && <Icon name="check" size="xs" />}
        </i>
        {label}
      </Checkbox>
      <span id={noteId} className={css.checkNote}>
        {note}
      </span>
    </div>
  );
}

/** A select behind a button. `prefix` precedes the chosen label ("Scene: "). */
export function Picker<K extends string>({
  label,
  options,
  value,
  onChange,
  testId,
  prefix,
  quiet,
  onOpen,
}: ChoiceProps<K> & { prefix?: string; quiet?: boolean; onOpen?: (isOpen: boolean) => void }) {
  const id = useId();
  const chosen = options.find(({ key }) => key === value);
  const shown = <SelectValue>{() => <span lang={chosen?.lang}>{chosen?.label}</span>}</SelectValue>;
  return (
    <Select
      className={css.picker}
      aria-label={label}
      selectedKey={value}
      onSelectionChange={(key) => key !== null && onChange(key as K)}
      onOpenChange={(isOpen) => onOpen?.(isOpen)}
    >
      <Press
        className={quiet ? css.pickerQuiet : css.pickerButton}
        aria-labelledby={prefix ? id : undefined}
        data-testid={testId}
        data-value={value}
      >
        {chosen?.icon && <Icon name={chosen.icon} size="xs" />}
        {prefix ? (
          <span id={id} className={css.prefixed}>
            {prefix}
            {shown}
          </span>
        ) : (
          shown
        )}
        <Icon name="down" size="xs" />
      </Press>
      <Popover className={css.popover} offset={4}>
        <ListBox>
          {options.map(({ key, label: text, note, lang, detail, isFaint }) => (
            <ListBoxItem
              key={key}
              id={key}
              textValue={text}
              className={detail === undefined ? css.option : `${css.option} ${css.optionDetailed}`}
              data-testid={testId && `${testId}-${key}`}
            >
              {({ isSelected }) => (
                <>
                  {isSelected ? <Icon name="check" size="xs" /> : <span style={{ width: 14 }} />}
                  <span lang={lang} className={isFaint ? css.optionFaint : undefined}>
                    {text}
                  </span>
                  {note && <span className={css.optionNote}>{note}</span>}
                  {detail && <small className={css.optionDetail}>{detail}</small>}
                </>
              )}
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </Select>
  );
}

/** A segmented control: all options are visible. */
export function Seg<K extends string>({ label, options, value, onChange, testId }: ChoiceProps<K>) {
  return (
    <ToggleButtonGroup
      className={css.seg}
      aria-label={label}
      data-testid={testId}
      data-value={value}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={(keys) => {
        for (const key of keys) onChange(key as K);
      }}
    >
      {options.map(({ key, label: text, icon, testId: id }) => (
        <ToggleButton key={key} id={key} data-testid={id}>
          {icon && <Icon name={icon} size="xs" />}
          {text}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
