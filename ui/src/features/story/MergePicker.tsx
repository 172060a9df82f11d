import { useLingui } from "@lingui/react/macro";
import { useRef, useState, type KeyboardEvent } from "react";
import type { Entity, Language } from "../../backend";
import { isComposing } from "../../lib/ime";
import css from "./detail.module.css";
import { isNamed } from "./entities";
import { firstLine } from "./words";

/** Names offered at once. */
const MAX_OFFERED = 6;

interface MergePickerProps {
  entity: Entity;
  others: readonly Entity[];
  language: Language;
  onPick: (other: Entity) => void;
  onCancel: () => void;
}

/** Asks which entity another one is, by a part of its name. */
export function MergePicker({ entity, others, language, onPick, onCancel }: MergePickerProps) {
  const { t } = useLingui();
  const [text, setText] = useState("");
  const box = useRef<HTMLDivElement>(null);
  const rank = (other: Entity) => (other.kind === entity.kind ? 0 : 1);
  const offered = others
    .filter((other) => other.entityId !== entity.entityId && isNamed(other, text.trim()))
    .toSorted((a, b) => rank(a) - rank(b))
    .slice(0, MAX_OFFERED);
  const lang = language === "zh" ? "zh-CN" : "en";

  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return;
    const places = [...(box.current?.querySelectorAll<HTMLElement>("input, [data-other]") ?? [])];
    const at = places.indexOf(document.activeElement as HTMLElement);
    const isInField = event.target instanceof HTMLInputElement;
    const [first] = offered;
    if (event.key === "ArrowDown") places[Math.min(at + 1, places.length - 1)]?.focus();
    else if (event.key === "ArrowUp") places[Math.max(at - 1, 0)]?.focus();
    else if (event.key === "Escape") onCancel();
    else if (event.key === "Enter" && isInField && text.trim() !== "" && first) onPick(first);
    else if (event.key === "ArrowLeft" && !isInField) places[0]?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      ref={box}
      className={css.picker}
      role="group"
      aria-label={t`“${entity.name}”和谁是同一个`}
      onKeyDown={onKeyDown}
      data-testid="story-merge"
    >
      <input
        className={css.input}
        aria-label={t`写一个名字来找`}
        placeholder={t`写一个名字来找`}
        value={text}
        autoFocus
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
        data-testid="story-merge-name"
      />
      <ul>
        {offered.map((other) => (
          <li key={other.entityId}>
            <button
              type="button"
              className={css.other}
              data-other
              data-testid="story-merge-other"
              onClick={() => onPick(other)}
            >
              <span lang={lang}>{other.name}</span>
              <small>{firstLine(other)}</small>
            </button>
          </li>
        ))}
      </ul>
      {offered.length === 0 && <p className={css.quiet}>{t`没有这个名字。`}</p>}
    </div>
  );
}
