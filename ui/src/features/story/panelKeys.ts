import type { KeyboardEvent, RefObject } from "react";
import type { ChapterInfo } from "../../backend";
import { isComposing } from "../../lib/ime";
import { steppedTo } from "./position";
import type { StorySession } from "./session";

interface Options {
  panel: RefObject<HTMLElement | null>;
  session: StorySession;
  chapters: readonly ChapterInfo[];
  onReturn: () => void;
  onClose: () => void;
}

/** Keys that pin the chapter before or after; an input method may give the wide ones. */
const STEPS: Record<string, number> = { "[": -1, "【": -1, "]": 1, "】": 1 };

/** The keys of the panel: rows and mentions by the arrows, the position by [ ] and 0. */
export function usePanelKeys({ panel, session, chapters, onReturn, onClose }: Options) {
  const stops = () => [...(panel.current?.querySelectorAll<HTMLElement>("[data-stop]") ?? [])];
  const faceOf = (entityId: string) =>
    panel.current?.querySelector<HTMLElement>(`[data-entity="${CSS.escape(entityId)}"]`) ?? null;
  const openFace = () => {
    const { open } = session.state.getState();
    return open === null ? null : faceOf(open);
  };
  const closeDetail = () => {
    const face = openFace();
    session.toggle(null);
    face?.focus();
  };

  /** Moves the focus to the next or previous row or mention, from wherever it is in the panel. */
  const move = (from: Element, isDown: boolean): boolean => {
    const all = stops();
    const side = isDown ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING;
    const isBeyond = (stop: Element) =>
      from === panel.current || (stop !== from && (from.compareDocumentPosition(stop) & side) !== 0);
    const next = isDown ? all.find(isBeyond) : all.findLast(isBeyond);
    next?.focus();
    return next !== undefined;
  };

  const step = (by: number): boolean => {
    const chapterId = steppedTo(session.state.getState(), chapters, by);
    if (chapterId !== null) session.pin(chapterId);
    return true;
  };

  const act = (key: string, target: HTMLElement): boolean => {
    const isField = target.matches("input, textarea");
    const { open, isAway } = session.state.getState();
    const entityId = target.dataset["entity"] ?? null;
    switch (key) {
      case "ArrowDown":
        return move(target, true);
      case "ArrowUp":
        return !isField && move(target, false);
      case "ArrowRight": {
        if (isField || entityId === null) return false;
        if (open !== entityId) session.toggle(entityId);
        else target.nextElementSibling?.querySelector<HTMLElement>("button")?.focus();
        return true;
      }
      case "ArrowLeft": {
        const isInside = target.closest("[data-open]") !== null && openFace() !== null;
        if (isField || !isInside) return false;
        closeDetail();
        return true;
      }
      case "Escape":
        if (isAway) onReturn();
        else if (openFace()) closeDetail();
        else onClose();
        return true;
      case "0":
        if (isField) return false;
        session.unpin();
        return true;
      default: {
        const by = STEPS[key];
        return by !== undefined && !isField && step(by);
      }
    }
  };

  return (event: KeyboardEvent) => {
    const target = event.target as HTMLElement;
    // Events of a menu that a row has opened arrive here too.
    if (isComposing(event.nativeEvent) || event.defaultPrevented || !panel.current?.contains(target)) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (!act(event.key, target)) return;
    event.preventDefault();
    event.stopPropagation();
  };
}
