import { useLingui } from "@lingui/react/macro";
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { useStore } from "zustand";
import { IconButton } from "../../design";
import { count } from "../../i18n/words";
import { isComposing } from "../../lib/ime";
import css from "./editor.module.css";
import type { Finder } from "./find";

interface FindBarProps {
  finder: Finder;
  /** Searches for the query in all chapters. */
  onWhole: (query: string) => void;
}

/** Search in the open chapter. */
export function FindBar(props: FindBarProps) {
  const open = useStore(props.finder.state, (state) => state.open);
  return open ? <Bar {...props} /> : null;
}

function Bar({ finder, onWhole }: FindBarProps) {
  const { t } = useLingui();
  const { query, total, at, called } = useStore(finder.state);
  const [text, setText] = useState(query);
  const [seen, setSeen] = useState(query);
  const composing = useRef(false);
  const field = useRef<HTMLInputElement>(null);
  // A query from a selection or from the book search replaces the typed one.
  if (seen !== query) {
    setSeen(query);
    setText(query);
  }
  const answered = useRef(0);
  useEffect(() => {
    // Focus only on the writer's request: a result of the book search keeps the focus in the text.
    if (called === answered.current || called === 0) return;
    answered.current = called;
    field.current?.focus();
    field.current?.select();
  }, [called]);

  const look = (next: string) => {
    if (!composing.current) finder.look(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return;
    if (event.key === "Escape") finder.close();
    else if (event.key === "Enter" && event.target === field.current && !event.ctrlKey && !event.metaKey) {
      if (event.shiftKey) finder.previous();
      else finder.next();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div role="search" className={css.find} aria-label={t`在本章中查找`} onKeyDown={onKeyDown} data-testid="find-bar">
      <input
        ref={field}
        type="text"
        className={css.findField}
        aria-label={t`在本章中查找`}
        placeholder={t`在本章中查找`}
        value={text}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => {
          setText(event.target.value);
          look(event.target.value);
        }}
        onCompositionStart={() => {
          composing.current = true;
        }}
        onCompositionEnd={(event) => {
          composing.current = false;
          look(event.currentTarget.value);
        }}
        data-testid="find-text"
      />
      <span className={css.findCount} role="status" data-testid="find-count">
        {query === "" ? "" : total === 0 ? t`没有找到` : t`${count(at)}/${count(total)}`}
      </span>
      <IconButton
        name="up"
        size="xs"
        label={t`上一处（Shift+Enter）`}
        isDisabled={total === 0}
        onPress={() => finder.previous()}
        data-testid="find-previous"
      />
      <IconButton
        name="below"
        size="xs"
        label={t`下一处（Enter）`}
        isDisabled={total === 0}
        onPress={() => finder.next()}
        data-testid="find-next"
      />
      <IconButton
        name="pen"
        size="xs"
        label={t`光标放到这里，接着写`}
        isDisabled={total === 0}
        onPress={() => finder.goThere()}
        data-testid="find-there"
      />
      <i className={css.findSep} />
      <IconButton
        name="book"
        size="xs"
        label={t`在全书中查找（F9）`}
        onPress={() => onWhole(text)}
        data-testid="find-whole"
      />
      <IconButton
        name="cross"
        size="xs"
        label={t`关闭（Esc）`}
        onPress={() => finder.close()}
        data-testid="find-close"
      />
    </div>
  );
}
