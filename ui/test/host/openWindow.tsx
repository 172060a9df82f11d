import { page, userEvent } from "vitest/browser";
import { expect } from "vitest";
import { render } from "vitest-browser-react";
import { App } from "../../src/app/App";
import { Program } from "../../src/app/program";
import { installHost } from "../../src/backend";
import { RealBackend } from "../../testing/realBackend";
import "../../src/design/base.css";

/** Opens a window on a `palimpsest-host` of its own, or on the one given. Its book is the sample. */
export async function openWindow(running?: RealBackend) {
  const backend = running ?? (await RealBackend.start());
  localStorage.clear();
  if (!running) await backend.ask("settings:set", { interfaceLanguage: "zh-CN" });
  installHost(backend);
  const program = new Program();
  await program.prepare();
  const screen = await render(<App program={program} />);
  const id = (testId: string) => page.getByTestId(testId);
  await expect.element(id("chapter-item").first()).toBeVisible();
  await expect.poll(() => document.querySelector(".cm-content")).not.toBeNull();
  await expect.poll(() => program.window.getState().starting).toBe("ready");
  const projectId = program.window.getState().project!.projectId;
  const { chapters } = await backend.ask("chapter:list", { projectId });
  const content = () => document.querySelector<HTMLElement>(".cm-content")!;
  const closeWindow = async () => {
    program.stop();
    await screen.unmount();
  };

  return {
    backend,
    program,
    projectId,
    chapters,
    id,
    press: (keys: string) => userEvent.keyboard(keys),
    get text() {
      return content().textContent ?? "";
    },
    /** A chapter as it is on disk. */
    chapter: (index: number) => backend.ask("chapter:read", { projectId, chapterId: chapters[index]!.chapterId }),
    /** The episodes of the book, newest first. */
    past: async () => (await backend.ask("memory:episode:query", { projectId, limit: 50 })).episodes,
    async openChapter(index: number) {
      await id("chapter-item").nth(index).click();
      await expect.poll(() => program.editor.state.getState().chapter?.chapterId).toBe(chapters[index]!.chapterId);
    },
    /** Moves the caret to the end of the last paragraph. */
    async toEnd() {
      content().focus();
      await userEvent.keyboard("{Control>}{End}{/Control}{ArrowLeft}");
    },
    saved: () => expect.poll(() => id("save-state").element().getAttribute("data-state")).toBe("saved"),
    /** Lets the assistant continue the text, and returns its three drafts. */
    async drafts(): Promise<string[]> {
      await id("run").click();
      await expect
        .poll(
          () =>
            id("candidate")
              .elements()
              .map((card) => card.getAttribute("data-state")),
          { timeout: 10_000 },
        )
        .toEqual(["ready", "ready", "ready"]);
      return program.assistant.state.getState().candidates.map(({ text }) => text);
    },
    /** Opens a page of the memory panel. */
    async openMemory(name?: "past" | "names" | "safety") {
      await id("nav-memory").click();
      await expect.element(id("memory-panel")).toBeVisible();
      if (name) await id(`memory-page-${name}`).click();
    },
    /** Closes the window and opens another on the same host. */
    async reopened() {
      await closeWindow();
      return openWindow(backend);
    },
    async close() {
      await closeWindow();
      await backend.end();
    },
  };
}

export type Window = Awaited<ReturnType<typeof openWindow>>;
