import { t } from "@lingui/core/macro";
import { createContext, useContext } from "react";
import {
  BackendError,
  beforeClose,
  type Book,
  call,
  createQueryClient,
  type Language,
  listen,
  pickFolder,
  queries,
  type Settings,
  subscribeToChanges,
  watchEpisodesRestored,
  wholeSettings,
} from "../backend";
import { Assistant } from "../features/assistant";
import { EditorController } from "../features/editor";
import { BookFinder, type Hit } from "../features/find";
import type { MemoryPage } from "../features/memory";
import { speak, systemLocale } from "../i18n/locale";
import { skillName } from "../i18n/words";
import { lastLook } from "./look";
import { createWindow, type PanelName } from "./window";

/** The parts of one window, wired here: features do not know each other. */
export class Program {
  readonly client = createQueryClient();
  readonly window = createWindow();
  readonly editor: EditorController;
  readonly assistant: Assistant;
  readonly bookFinder: BookFinder;
  private stops: (() => void)[] = [];
  private subscribing: Promise<void> | null = null;

  constructor() {
    this.editor = new EditorController({
      margin: {
        label: (skill, untouched) =>
          untouched
            ? t`AI ${skillName(skill)}，未改：为什么这样写？`
            : t`AI ${skillName(skill)}，你改过：为什么这样写？`,
        open: (generationId) => this.openWhy(this.window.getState().why === generationId ? null : generationId),
      },
      label: () => t`正文`,
      onChapterCreated: async (projectId, chapterId) => {
        await this.client.invalidateQueries({ queryKey: queries.chapters(projectId).queryKey });
        await this.openChapter(chapterId);
      },
      onUndone: (projectId, generationId) => void this.assistant.undone(projectId, generationId),
      // Learning waits until nobody writes. Where it cannot be told, it comes at another time, and that is all.
      onActivity: (projectId) => void call("memory:editor:activity", { projectId }).catch(() => {}),
      onSaved: ({ projectId, chapterId, title, words }) => {
        this.client.setQueryData(queries.chapters(projectId).queryKey, (chapters) =>
          chapters?.map((chapter) => (chapter.chapterId === chapterId ? { ...chapter, title, words } : chapter)),
        );
      },
    });
    this.assistant = new Assistant(this.editor);
    this.assistant.state.subscribe(({ phase }) => {
      // A run that is asked for again is over for a moment, and begins in the same turn.
      if (phase === "idle" && this.window.getState().compared)
        queueMicrotask(
          () => this.assistant.state.getState().phase === "idle" && this.window.setState({ compared: false }),
        );
    });
    this.bookFinder = new BookFinder(async () => this.editor.unsaved && this.editor.flush());
  }

  /** The language, at once; and the subscriptions, for which the page's first picture does not wait. */
  prepare(): Promise<void> {
    if (!this.subscribing) {
      speak(lastLook().interfaceLanguage);
      this.subscribing = this.subscribe();
    }
    return this.subscribing;
  }

  /** A deaf window is still better than none. */
  private async subscribe(): Promise<void> {
    const subscriptions = await Promise.allSettled([
      subscribeToChanges(this.client),
      listen("ai:skill:chunk", (chunk) => this.assistant.onChunk(chunk)),
      listen("ai:skill:candidate", (ended) => this.assistant.onCandidate(ended)),
      listen("ai:skill:trimmed", (trimmed) => this.assistant.onTrimmed(trimmed)),
      listen("ai:skill:done", (done) => this.assistant.onDone(done)),
      listen("memory:index:progress", ({ done, total }) =>
        this.window.setState({ index: done < total ? { done, total } : null }),
      ),
      listen("chapter:changed", (change) => void this.editor.onOutsideChange(change)),
      beforeClose(() => this.mayClose()),
    ]);
    this.stops = subscriptions.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    this.stops.push(watchEpisodesRestored(this.client, () => void this.editor.reloadOrigins()));
  }

  /** Once the page is on screen. Nothing is opened that could not be heard of. */
  async start(): Promise<void> {
    this.window.setState({ starting: "starting" });
    await this.prepare();
    try {
      await this.client.fetchQuery(queries.settings());
      await this.openFirstBook();
      this.window.setState({ starting: "ready" });
    } catch (error) {
      this.window.setState({ starting: "failed", problem: error as BackendError });
    }
  }

  /** Nothing written is lost by closing once: what cannot be saved holds the window, and says so. */
  private async mayClose(): Promise<boolean> {
    const saved = await this.editor.flush();
    // After it: leaving the page settles what was undone there.
    await this.assistant.settled();
    if (saved) return true;
    const code = (await this.editor.storeRecoveryCopy()) ? "UNSAVED_KEPT" : "UNSAVED";
    // What was promised the first time has to hold the second time.
    const said = this.window.getState().problem?.code;
    if (said === code || (said === "UNSAVED" && code === "UNSAVED_KEPT")) return true;
    this.window.setState({ problem: new BackendError({ code, message: "unsaved text" }) });
    return false;
  }

  stop(): void {
    for (const stop of this.stops) stop();
    this.client.clear();
  }

  // ---- panels ----

  show(panel: PanelName): void {
    this.openWhy(null);
    this.window.setState({ panel, alone: false, compared: false });
  }

  /** A panel is done with: the writer goes on writing. */
  leave(): void {
    this.show("book");
    this.editor.focus();
  }

  /** The page alone, or the panels again as they were. Either way the writer goes on writing. */
  setAlone(alone: boolean): void {
    // What stands beside the page is put away, and with it what it lights on the page.
    if (alone) this.openWhy(null);
    this.window.setState({ alone, compared: false });
    this.editor.focus();
  }

  /** To where the whole book is looked through; for `query`, where there is one. */
  findInBook(query = ""): void {
    const { project } = this.window.getState();
    if (!project) return;
    this.show("find");
    if (query !== "" && query !== this.bookFinder.state.getState().query)
      void this.bookFinder.look(project.projectId, query);
    this.bookFinder.call();
  }

  /** To a place that was found there. */
  async openHit(chapterId: string, query: string, { from }: Hit): Promise<void> {
    await this.openChapter(chapterId);
    if (this.editor.state.getState().chapter?.chapterId === chapterId) this.editor.finder.reveal(query, from);
  }

  /** The drafts side by side below the page, where there are several; or back in their panel. */
  setCompared(compared: boolean): void {
    if (compared && this.assistant.state.getState().candidates.length < 2) return;
    if (compared) this.show("book");
    this.window.setState({ compared });
    this.assistant.showAgain();
  }

  closeWhy(): void {
    this.openWhy(null);
    this.editor.focus();
  }

  /** Drafts come where they can be seen. */
  showAssistant(): void {
    const { panel, why, alone } = this.window.getState();
    if (alone) this.setAlone(false);
    if (panel !== "book" || why) this.leave();
  }

  /** To a page of the memory, from wherever something about it is said. */
  openMemory(memoryPage: MemoryPage): void {
    this.window.setState({ memoryPage });
    this.show("memory");
  }

  /**
   * The memory of this book, or of all, was cleared: what the window still shows of it goes too. `forgotten`: the book is
   * known no longer, or none is; the window then begins as it does for a new writer.
   */
  cleared(title: string | null, forgotten: boolean): void {
    this.editor.forgetOrigins();
    this.assistant.forget();
    const book = title ?? "";
    this.window.setState({
      toast: title === null ? t`已清除全部记忆` : forgotten ? t`已忘掉《${book}》` : t`已清除项目“${book}”的记忆`,
    });
    if (forgotten) void this.startOver();
  }

  private async startOver(): Promise<void> {
    this.openWhy(null);
    this.bookFinder.forget();
    this.editor.clear();
    this.window.setState({ project: null, problem: null });
    this.client.removeQueries({ queryKey: ["chapters"] });
    try {
      await this.openFirstBook();
    } catch (error) {
      this.window.setState({ problem: error as BackendError });
    }
  }

  openWhy(why: string | null): void {
    // Whoever asks why wants to see it.
    this.window.setState(why === null ? { why } : { why, alone: false, compared: false });
    this.editor.highlightOrigins(why);
  }

  private async rememberProject(lastProjectId: string): Promise<void> {
    this.client.setQueryData(queries.settings().queryKey, wholeSettings(await call("settings:set", { lastProjectId })));
  }

  async changeSettings(part: Partial<Settings>): Promise<void> {
    try {
      this.client.setQueryData(queries.settings().queryKey, wholeSettings(await call("settings:set", part)));
    } catch (error) {
      this.window.setState({ problem: error as BackendError });
    }
  }

  // ---- books ----

  private async openFirstBook(): Promise<void> {
    const { lastProjectId } = await this.client.fetchQuery(queries.settings());
    if (lastProjectId) {
      const { projects } = await this.client.fetchQuery(queries.projects());
      const last = projects.find(({ projectId }) => projectId === lastProjectId);
      if (last?.path) await this.openPath(last.path);
      if (this.window.getState().project || this.window.getState().copied) return;
    }
    const { problem } = this.window.getState();
    await this.showBook(await call("project:sample", { language: languageOf(systemLocale()) }));
    // That the last book could not be opened is still worth saying.
    if (problem) this.window.setState({ problem });
  }

  private async showBook({ project, chapters }: Book): Promise<void> {
    if (!(await this.editor.flush())) return;
    this.client.setQueryData(queries.chapters(project.projectId).queryKey, chapters);
    this.openWhy(null);
    this.bookFinder.forget();
    this.window.setState({ project, copied: null, problem: null });
    const settings = await this.client.fetchQuery(queries.settings());
    // Nobody asked for it: where it cannot be kept, the next start opens another book, and that is all.
    if (settings.lastProjectId !== project.projectId) await this.rememberProject(project.projectId).catch(() => {});
    const chapter = chapters.find(({ chapterId }) => chapterId === rememberedChapter(project.projectId)) ?? chapters[0];
    if (chapter) await this.openChapter(chapter.chapterId);
    else this.editor.clear();
  }

  async openChapter(chapterId: string): Promise<void> {
    const { project } = this.window.getState();
    if (!project) return;
    const { projectId, language } = project;
    if (!(await this.editor.open(projectId, chapterId, language))) return;
    rememberChapter(projectId, chapterId);
    this.openWhy(null);
    const chapters = this.client.getQueryData(queries.chapters(projectId).queryKey);
    this.assistant.moveTo(
      { projectId, chapterId, language },
      chapters?.find((chapter) => chapter.chapterId === chapterId)?.sceneType ?? null,
    );
  }

  /** What kind of scene the passages of the open chapter are; null: each is guessed. Where it cannot be kept, it holds until another chapter is opened. */
  async setSceneType(sceneType: string | null): Promise<void> {
    this.assistant.setScene(sceneType);
    const place = this.editor.chapterRef;
    if (!place) return;
    try {
      const said = await call("chapter:scene", { ...place, sceneType });
      this.client.setQueryData(queries.chapters(place.projectId).queryKey, (chapters) =>
        chapters?.map((chapter) =>
          chapter.chapterId === said.chapterId ? { ...chapter, sceneType: said.sceneType } : chapter,
        ),
      );
    } catch (error) {
      this.window.setState({ problem: error as BackendError });
    }
  }

  /** The open chapter is saved before its file is changed, and read again after. */
  async renameChapter(chapterId: string, title: string): Promise<void> {
    const { project } = this.window.getState();
    if (!project) return;
    const open = this.editor.state.getState().chapter?.chapterId === chapterId;
    if (open && !(await this.editor.flush())) return;
    await call("chapter:rename", { projectId: project.projectId, chapterId, title });
    if (open) await this.editor.reload();
  }

  async openFolder(): Promise<void> {
    try {
      const path = await pickFolder(t`打开一本书的文件夹`);
      if (path) await this.openPath(path);
    } catch (error) {
      this.window.setState({ problem: error as BackendError });
    }
  }

  async openPath(path: string, copiedAs?: "sameBook" | "newBook"): Promise<void> {
    try {
      const answer = await call("project:open", { path, ...(copiedAs && { copiedAs }) });
      if (answer.book) await this.showBook(answer.book);
      else this.window.setState({ copied: { path, copiedFrom: answer.copiedFrom, knownTitle: answer.knownTitle } });
    } catch (error) {
      this.window.setState({ problem: error as BackendError, copied: null });
    }
  }
}

export const ProgramContext = createContext<Program | null>(null);

export function useProgram(): Program {
  const program = useContext(ProgramContext);
  if (!program) throw new Error("outside of the window");
  return program;
}

const languageOf = (locale: "zh-CN" | "en"): Language => (locale === "zh-CN" ? "zh" : "en");

const lastChapterKey = (projectId: string) => `palimpsest:chapter:${projectId}`;

/** Which chapter was open is a convenience of this window; a window without storage opens at the first. */
function rememberedChapter(projectId: string): string | null {
  try {
    return localStorage.getItem(lastChapterKey(projectId));
  } catch {
    return null;
  }
}

function rememberChapter(projectId: string, chapterId: string): void {
  try {
    localStorage.setItem(lastChapterKey(projectId), chapterId);
  } catch {
    // as above
  }
}
