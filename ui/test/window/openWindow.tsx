import { page, userEvent } from "vitest/browser";
import { expect, onTestFinished, vi } from "vitest";
import { render } from "vitest-browser-react";
import { App } from "../../src/app/App";
import type { FakeBackend, FakeOptions } from "../../src/backend/fake";
import { raise } from "../../testing/stage";
import "../../src/design/base.css";

/** Opens a window on a fake backend, with the steps of scenarios as functions. */
export async function openWindow({
  before,
  ...options
}: FakeOptions & { before?: (backend: FakeBackend) => void } = {}) {
  const { backend, program } = await raise(options);
  if (before) {
    await backend.invoke("project:sample", { language: options.language ?? "zh" });
    before(backend);
  }
  const screen = await render(<App program={program} />);
  const id = (testId: string) => page.getByTestId(testId);
  await expect.element(id("chapter-item").first()).toBeVisible();
  await expect.poll(() => document.querySelector(".cm-content")).not.toBeNull();
  await expect.poll(() => program.window.getState().starting).toBe("ready");
  const content = () => document.querySelector<HTMLElement>(".cm-content")!;
  const book = () => backend.books[0]!;

  return {
    backend,
    program,
    id,
    content,
    press: (keys: string) => userEvent.keyboard(keys),
    file: (index: number) => book().files[index]!,
    projectId: () => book().project.projectId,
    get text() {
      return content().textContent ?? "";
    },
    async openChapter(index: number) {
      await id("chapter-item").nth(index).click();
      await expect.element(id("chapter-item").nth(index)).toHaveAttribute("aria-current", "page");
      await expect
        .poll(() => program.editor.state.getState().chapter?.chapterId)
        .toBe(book().files[index]!.info.chapterId);
    },
    /** Focuses the editor; the caret stays where it is. */
    focus: () => content().focus(),
    /** Moves the caret to the end of the last paragraph. */
    async toEnd() {
      content().focus();
      await userEvent.keyboard("{Control>}{End}{/Control}{ArrowLeft}");
    },
    saved: () => expect.poll(() => id("save-state").element().getAttribute("data-state")).toBe("saved"),
    state: () => id("save-state").element().getAttribute("data-state"),
    async close() {
      program.stop();
      await screen.unmount();
    },
  };
}

export type Window = Awaited<ReturnType<typeof openWindow>>;

/** Composition events as an input method causes them; only the text at the end is the writer's. */
export function composition(target: HTMLElement) {
  return {
    begin: () => target.dispatchEvent(new CompositionEvent("compositionstart", { bubbles: true, data: "" })),
    update: (data: string) => target.dispatchEvent(new CompositionEvent("compositionupdate", { bubbles: true, data })),
    key: (key: string, keyCode = 229) => {
      const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, isComposing: true });
      Object.defineProperty(event, "keyCode", { value: keyCode });
      return target.dispatchEvent(event);
    },
    /** Some engines send the confirming key after the end, with its key code only. */
    lateKey: (key: string) => {
      const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
      Object.defineProperty(event, "keyCode", { value: 229 });
      return target.dispatchEvent(event);
    },
    end: (data: string) => target.dispatchEvent(new CompositionEvent("compositionend", { bubbles: true, data })),
  };
}

/** Real milliseconds in which a faked clock advances by one. */
const REAL_MS = 10;

/**
 * Fakes timers and clocks until the end of the test. Time goes on by itself, but ten times slower: a key that takes long
 * on a loaded machine is no pause in typing. A poll advances it as far as it waits; the returned function jumps ahead.
 * Call it before the edit whose delay is tested: timers that are set already stay real.
 */
export function fakeClock(): (milliseconds: number) => Promise<unknown> {
  const stop = window.clearInterval.bind(window);
  const ticking = window.setInterval(() => vi.advanceTimersByTime(1), REAL_MS);
  vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date", "performance"],
  });
  onTestFinished(() => {
    stop(ticking);
    vi.useRealTimers();
  });
  return (milliseconds) => vi.advanceTimersByTimeAsync(milliseconds);
}
