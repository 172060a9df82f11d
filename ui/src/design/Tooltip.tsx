import { useEffect, useRef, useState } from "react";
import { Tooltip as Bubble, TooltipTriggerStateContext } from "react-aria-components/Tooltip";
import css from "./controls.module.css";

/** Milliseconds that the pointer rests on an element before its tooltip opens. */
const REST_MS = 600;

/** The attributes of an element with a tooltip. Screen readers read it as the description of the element. */
export const tooltip = (text: string | undefined): { "data-tooltip"?: string; "aria-description"?: string } =>
  text === undefined ? {} : { "data-tooltip": text, "aria-description": text };

/**
 * Shows the tooltip of the element under the pointer, or of the one with the keyboard's focus. One for the whole window:
 * elements outside of React, such as the marks in the margin of the editor, have tooltips too.
 */
export function Tooltips() {
  const [shown, setShown] = useState<{ element: HTMLElement; text: string } | null>(null);
  const trigger = useRef<HTMLElement>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let over: HTMLElement | null = null;
    const close = () => {
      clearTimeout(timer);
      over = null;
      setShown(null);
    };
    const open = (element: HTMLElement) => {
      const text = element.dataset["tooltip"];
      if (!text || !element.isConnected) return;
      trigger.current = element;
      setShown({ element, text });
    };
    const onPointerOver = ({ target, pointerType }: PointerEvent) => {
      const element = target instanceof Element ? target.closest<HTMLElement>("[data-tooltip]") : null;
      if (element === over) return;
      close();
      // A finger does not rest on anything.
      if (!element || pointerType === "touch") return;
      over = element;
      timer = setTimeout(() => open(element), REST_MS);
    };
    const onFocus = ({ target }: FocusEvent) => {
      close();
      if (target instanceof HTMLElement && target.dataset["tooltip"] && target.matches(":focus-visible")) open(target);
    };
    const listeners = { pointerover: onPointerOver, focusin: onFocus, pointerdown: close, keydown: close } as const;
    const added = Object.entries(listeners) as [string, EventListener][];
    for (const [name, listener] of added) document.addEventListener(name, listener, true);
    window.addEventListener("scroll", close, true);
    document.documentElement.addEventListener("pointerleave", close);
    return () => {
      close();
      for (const [name, listener] of added) document.removeEventListener(name, listener, true);
      window.removeEventListener("scroll", close, true);
      document.documentElement.removeEventListener("pointerleave", close);
    };
  }, []);
  const close = () => setShown(null);
  return (
    <TooltipTriggerStateContext value={{ isOpen: shown !== null, shouldSkipAnimation: true, open: () => {}, close }}>
      <Bubble triggerRef={trigger} placement="bottom" offset={6} className={css.tooltip} data-testid="tooltip">
        {shown?.text}
      </Bubble>
    </TooltipTriggerStateContext>
  );
}
