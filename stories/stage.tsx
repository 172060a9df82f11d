import type { StoryObj } from "@storybook/react-vite";
import { useEffect } from "react";
import { fireEvent, screen, userEvent, waitFor } from "storybook/test";
import { App } from "../ui/src/app/App";
import type { PanelName } from "../ui/src/app/window";
import { queries, type Language, type Theme } from "../ui/src/backend";
import type { FakeBackend, FakeOptions } from "../ui/src/backend/fake";
import type { MemoryPage } from "../ui/src/features/memory";
import { raise } from "../ui/test/window/stage";

/** What a story is about: what the memory holds, and where the writer stands in the window. */
export interface Scene {
  memory?: Omit<FakeOptions, "language" | "settings" | "pace" | "now">;
  /** Which chapter is open; the third is the one that the assistant wrote in. */
  chapter?: number;
  panel?: PanelName;
  /** A page of the memory; it opens the panel. */
  page?: MemoryPage;
  /** Whose *why* is open. */
  why?: string;
  /** What has happened before the window opens. */
  before?: (stage: Stage) => unknown;
}

export type Scenario = StoryObj<typeof Window>;

/** How long a command takes that does not answer while anybody looks. */
export const NEVER = 3_600_000;

/** A window on a fake backend in one language, and what a writer does in it, by name. */
export class Stage {
  /** The one that was raised last: it is on screen. */
  static last: Stage | null = null;

  private constructor(
    readonly language: Language,
    readonly scene: Scene,
    readonly backend: FakeBackend,
    readonly program: Awaited<ReturnType<typeof raise>>["program"],
  ) {}

  static async raise(scene: Scene, { language, theme }: Globals): Promise<Stage> {
    const { backend, program } = await raise({
      ...scene.memory,
      language,
      settings: { interfaceLanguage: language === "zh" ? "zh-CN" : "en", theme },
    });
    const stage = new Stage(language, scene, backend, program);
    // The last book is the sample in this language, whatever the system speaks.
    await backend.invoke("project:sample", { language });
    await backend.invoke("settings:set", { lastProjectId: stage.projectId });
    Stage.last = stage;
    await scene.before?.(stage);
    if (scene.page) program.openMemory(scene.page);
    else if (scene.panel) program.show(scene.panel);
    return stage;
  }

  get projectId(): string {
    return this.backend.books[0]!.project.projectId;
  }

  /** In the language of the story. */
  say(zh: string, en: string): string {
    return this.language === "zh" ? zh : en;
  }

  /** The window is there, with all that the scene asks for. */
  async opened(): Promise<void> {
    const { program, scene } = this;
    await waitFor(
      () => {
        if (program.window.getState().starting === "starting") throw new Error("the window is still opening");
      },
      { timeout: 5_000 },
    );
    const chapter = this.backend.books[0]?.files[scene.chapter ?? 0];
    if (scene.chapter && chapter) await program.openChapter(chapter.info.chapterId);
    if (scene.why) program.openWhy(scene.why);
  }

  /** That many of it are there; they say so. */
  async see(testId: string, times = 1): Promise<HTMLElement[]> {
    return waitFor(
      () => {
        const found = screen.queryAllByTestId(testId);
        if (found.length < times) throw new Error(`${testId}: ${found.length} of ${times}`);
        return found;
      },
      { timeout: 5_000 },
    );
  }

  /** The window says so. */
  async reads(zh: string, en: string): Promise<void> {
    const words = this.say(zh, en);
    await waitFor(
      () => {
        if (!document.body.textContent?.includes(words)) throw new Error(`nowhere: ${words}`);
      },
      { timeout: 5_000 },
    );
  }

  async press(testId: string, index = 0): Promise<void> {
    const found = await this.see(testId, index + 1);
    await userEvent.click(found.at(index)!, { pointerEventsCheck: 0 });
  }

  /** All of a text at once, as from the clipboard. */
  async fill(testId: string, text: string): Promise<void> {
    const [field] = await this.see(testId);
    field!.focus();
    await fireEvent.input(field!, { target: { value: text } });
  }

  /** The caret at the end of the last paragraph: there the writer goes on. */
  async toEnd(): Promise<void> {
    this.program.editor.focus();
    await userEvent.keyboard("{Control>}{End}{/Control}{ArrowLeft}");
  }

  /** The drafts that were asked for come, one each. */
  write(...texts: string[]): void {
    const { generationId } = this.program.assistant.state.getState().run!;
    texts.forEach((text, candidate) =>
      this.backend.emit("ai:skill:candidate", { generationId, candidate, text, error: null }),
    );
    this.backend.emit("ai:skill:done", { generationId, status: "finished", candidates: texts, error: null });
  }

  /** These words of the page are selected. */
  select(words: string): void {
    const view = this.program.editor.surface.view!;
    const from = view.state.doc.toString().indexOf(words);
    view.focus();
    view.dispatch({ selection: { anchor: from, head: from + words.length } });
  }

  /** The card of the rule with these words is opened. */
  async openRule(words: string): Promise<void> {
    const cards = await this.see("rule-card");
    const card = cards.find(({ textContent }) => textContent?.includes(words));
    if (!card) throw new Error("there is no such rule");
    await userEvent.click(card.querySelector("[role=button]")!, { pointerEventsCheck: 0 });
  }

  /** By day or by night, without touching what is kept. */
  async light(theme: Theme): Promise<void> {
    const { queryKey } = queries.settings();
    this.program.client.setQueryData(queryKey, (settings) => settings && { ...settings, theme });
    await waitFor(() => {
      if (document.documentElement.dataset["theme"] !== theme) throw new Error("still in the other light");
    });
  }
}

export interface Globals {
  language: Language;
  theme: Theme;
}

/** The window of a story: the real one. */
export function Window({ stage }: Scene & { stage?: Stage }) {
  useEffect(() => () => stage?.program.stop(), [stage]);
  return stage ? <App program={stage.program} /> : null;
}

/** Steps in the window, once it is open. */
export const steps =
  (walk: (stage: Stage) => Promise<unknown>) =>
  async ({ loaded }: { loaded: Record<string, unknown> }): Promise<void> => {
    const stage = loaded["stage"] as Stage;
    await stage.opened();
    await walk(stage);
  };

/** The window, and in it all of these. */
export const shows = (...testIds: string[]) =>
  steps(async (stage) => {
    for (const testId of testIds) await stage.see(testId);
  });
