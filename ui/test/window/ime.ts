import { cdp } from "vitest/browser";

/** The part of the browser's protocol that controls an input method. */
interface Session {
  send(
    method: "Input.imeSetComposition",
    params: { text: string; selectionStart: number; selectionEnd: number },
  ): Promise<void>;
  send(method: "Input.insertText", params: { text: string }): Promise<void>;
  send(
    method: "Input.dispatchKeyEvent",
    params: { type: "rawKeyDown" | "keyUp"; key: string; windowsVirtualKeyCode: number; modifiers: number },
  ): Promise<void>;
}

const CONTROL = 2;
const SHIFT = 8;

/** All keys with a function in this window. During a composition they belong to the input method. */
export const KEYS: readonly [key: string, modifiers: number][] = [
  ...[
    "Enter",
    "Escape",
    "Backspace",
    "Delete",
    "Tab",
    "ArrowDown",
    "ArrowUp",
    "ArrowLeft",
    "ArrowRight",
    "Home",
    "End",
    " ",
    "e",
    "F1",
    "F2",
    "F4",
    "F7",
    "F8",
    "F9",
  ].map((key): [string, number] => [key, 0]),
  ["Enter", SHIFT],
  ...["Enter", "f", "s", "z", "y", "a", "Home", "End", "Backspace"].map((key): [string, number] => [key, CONTROL]),
  ["z", CONTROL + SHIFT],
  ["Enter", CONTROL + SHIFT],
];

/** A real composition in the focused field, with the browser's own events and ranges. */
export const ime = {
  compose: (text: string) =>
    session().send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length }),
  commit: (text: string) => session().send("Input.insertText", { text }),
  /** A key the input method consumes: the page receives it with key code 229. */
  async key(key: string, modifiers = 0): Promise<void> {
    await session().send("Input.dispatchKeyEvent", { type: "rawKeyDown", key, windowsVirtualKeyCode: 229, modifiers });
    await session().send("Input.dispatchKeyEvent", { type: "keyUp", key, windowsVirtualKeyCode: 229, modifiers });
  },
  async allKeys(): Promise<void> {
    for (const [key, modifiers] of KEYS) await ime.key(key, modifiers);
  },
};

const session = () => cdp() as unknown as Session;

/** WebKit sends the key that ends a composition after its end, marked by key code 229 only. */
export function lateKeys(target: Element): void {
  for (const key of ["Enter", "Escape", " "]) {
    const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
    Object.defineProperty(event, "keyCode", { value: 229 });
    target.dispatchEvent(event);
  }
}
