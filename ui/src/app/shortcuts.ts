import { useEffect } from "react";
import { isComposing } from "../lib/ime";
import { keepFocus } from "../lib/focus";
import { useProgram } from "./program";

/** The window's shortcuts. Inactive while an input method composes. */
export function useShortcuts(): void {
  const program = useProgram();
  useEffect(() => {
    const { assistant, editor } = program;
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isComposing(event)) return;
      const command = (event.ctrlKey || event.metaKey) && !event.altKey;
      if (command && event.key === "s") void editor.flush();
      else if (event.key === "F1" || (command && event.shiftKey && event.key === "Enter")) {
        // A modal dialog comes first.
        if (isAsked()) return;
        program.ask.open();
      } else if (command && event.key === "Enter") {
        if (isAsked()) return;
        program.ask.start();
      } else if (command && !event.shiftKey && event.key.toLowerCase() === "f") {
        if (isAsked()) return;
        editor.finder.show();
      } else if (event.key === "F9") {
        if (isAsked()) return;
        const { open, query } = editor.finder.state.getState();
        program.findInBook(open ? query : "");
      } else if (event.key === "F4") {
        if (isAsked()) return;
        program.story.toggle();
      } else if (event.key === "F2") {
        // Elsewhere the key is free.
        if (isAsked() || !(editor.hasFocus || editor.surface.hoveredEntity !== null)) return;
        program.story.rememberOrOpen();
      } else if (event.key === "F6") {
        if (isAsked()) return;
        void editor.snapshots.show();
      } else if (event.key === "F7") {
        if (isAsked()) return;
        program.setCompared(!program.window.getState().compared);
      } else if (event.key === "F8") {
        if (isAsked()) return;
        program.setAlone(!program.window.getState().alone);
      } else if (event.key === "Escape") {
        const { phase } = assistant.state.getState();
        // Escape closes what is visible first; a run elsewhere goes on.
        if (editor.finder.state.getState().open) editor.finder.close();
        else if (program.window.getState().alone) program.setAlone(false);
        else if (program.ask.escape()) {
          // It has stopped the question, or returned to the text.
        } else if (phase === "writing" || phase === "asking") void assistant.stop();
        else if (program.window.getState().compared) program.setCompared(false);
        else if (program.window.getState().why) program.closeWhy();
        else return;
      } else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [program]);
}

/** Whether a modal dialog is open. */
const isAsked = () => document.querySelector('[role="dialog"], [role="alertdialog"]') !== null;

/** Restores the focus whenever the focused element disappears. */
export function useKeepFocus(): void {
  useEffect(() => keepFocus(), []);
}
