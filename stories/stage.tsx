import type { StoryObj } from "@storybook/react-vite";
import { useEffect } from "react";
import { fireEvent, screen, userEvent, waitFor } from "storybook/test";
import { App } from "../ui/src/app/App";
import type { PanelName } from "../ui/src/app/window";
import { queries, type Language, type Theme } from "../ui/src/backend";
import type { FakeBackend, FakeOptions } from "../ui/src/backend/fake";
import type { MemoryPage } from "../ui/src/features/memory";
import { raise } from "../ui/testing/stage";

/** Setup of a story: the memory's contents and the open chapter, panel and page. */
export interface Scene {
  memory?: Omit<FakeOptions, "language" | "settings" | "pace" | "now">;
  /** Index of the open chapter; the third one has generated text. */
  chapter?: number;
  panel?: PanelName;
  /** Page of the memory panel, which is opened. */
  page?: MemoryPage;
  /** Generation whose trace is open. */
  why?: string;
  /** Prepares the backend before the window opens. */
  before?: (stage: Stage) => unknown;
}

export type Scenario = StoryObj<typeof Window>;

/** The error of a book whose memory is being cleared. */
export const CLEARING = {
  code: "MEMORY_STORE_UNAVAILABLE" as const,
  message: "clearing",
  details: { reason: "clearing" as const },
};

/** Delay of a command that does not answer during a story, in milliseconds. */
export const NEVER = 3_600_000;

/** A window on a fake backend in one language, with the steps a writer takes in it. */
export class Stage {
  /** The stage on screen. */
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
    // The sample in the story's language is the last book, whatever the system's language.
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

  /** The text in the language of the story. */
  say(zh: string, en: string): string {
    return this.language === "zh" ? zh : en;
  }

  /** Waits for the window and everything the scene opens. */
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

  /** Waits for that many elements with a test id. */
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

  /** Waits for a text in an element. */
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

  /** Pastes a text as from the clipboard. */
  async fill(testId: string, text: string): Promise<void> {
    const [field] = await this.see(testId);
    field!.focus();
    await fireEvent.input(field!, { target: { value: text } });
  }

  /** Moves the caret to the end of the last paragraph. */
  async toEnd(): Promise<void> {
    this.program.editor.focus();
    await userEvent.keyboard("{Control>}{End}{/Control}{ArrowLeft}");
  }

  /** Runs a skill and completes its candidates. */
  write(...texts: string[]): void {
    const { generationId } = this.program.assistant.state.getState().run!;
    texts.forEach((text, candidate) =>
      this.backend.emit("ai:skill:candidate", {
        generationId,
        candidate,
        text,
        error: null,
        unusable: null,
        writtenBy: null,
      }),
    );
    this.backend.emit("ai:skill:done", { generationId, status: "finished", candidates: texts, error: null });
  }

  /** Selects these words of the chapter. */
  select(words: string): void {
    const view = this.program.editor.surface.view!;
    const from = view.state.doc.toString().indexOf(words);
    view.focus();
    view.dispatch({ selection: { anchor: from, head: from + words.length } });
  }

  /** Opens the card of the rule with this text. */
  async openRule(words: string): Promise<void> {
    const cards = await this.see("rule-card");
    const card = cards.find(({ textContent }) => textContent?.includes(words));
    if (!card) throw new Error("there is no such rule");
    await userEvent.click(card.querySelector("[role=button]")!, { pointerEventsCheck: 0 });
  }

  /** Changes the theme without storing it. */
  async light(theme: Theme): Promise<void> {
    const { queryKey } = queries.settings();
    this.program.client.setQueryData(queryKey, (settings) => settings && { ...settings, theme });
    await waitFor(
      () => {
        if (document.documentElement.dataset["theme"] !== theme) throw new Error("still in the other light");
      },
      { timeout: 5_000 },
    );
  }
}

export interface Globals {
  language: Language;
  theme: Theme;
}

/** The real window, on the story's backend. */
export function Window({ stage }: Scene & { stage?: Stage }) {
  useEffect(() => () => stage?.program.stop(), [stage]);
  return stage ? <App program={stage.program} /> : null;
}

/** The play function of a story: steps in the open window. */
export const steps =
  (walk: (stage: Stage) => Promise<unknown>) =>
  async ({ loaded }: { loaded: Record<string, unknown> }): Promise<void> => {
    const stage = loaded["stage"] as Stage;
    await stage.opened();
    await walk(stage);
  };

/** A play function that waits for these test ids. */
export const shows = (...testIds: string[]) =>
  steps(async (stage) => {
    for (const testId of testIds) await stage.see(testId);
  });
