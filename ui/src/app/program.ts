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
  type MentionRange,
  type Passage,
  pickFolder,
  type Project,
  queries,
  toBackendError,
  type Settings,
  subscribeToChanges,
  watchEpisodesRestored,
  wholeSettings,
} from "../backend";
import { Assistant } from "../features/assistant";
import { EditorController } from "../features/editor";
import { BookFinder, type Hit } from "../features/find";
import type { MemoryPage, PastTarget } from "../features/memory";
import { speak, systemLocale } from "../i18n/locale";
import { skillName } from "../i18n/words";
import { AskActions } from "./askActions";
import { ChapterChanges } from "./chapterChanges";
import { lastLook } from "./look";
import { StoryActions } from "./storyActions";
import { createWindow, type PanelName } from "./window";

/** The parts of one window. Wired here because features do not import each other. */
export class Program {
  readonly client = createQueryClient();
  readonly window = createWindow();
  readonly editor: EditorController;
  readonly assistant: Assistant;
  readonly bookFinder: BookFinder;
  readonly story = new StoryActions(this);
  readonly ask = new AskActions(this);
  readonly chapterChanges = new ChapterChanges(this);
  private stops: (() => void)[] = [];
  private subscribing: Promise<void> | null = null;

  /** @param folder the folder of the book that opens first, from the arguments of the program */
  constructor(private folder: string | null = null) {
    this.editor = new EditorController({
      margin: {
        label: (skill, untouched) =>
          untouched
            ? t`AI ${skillName(skill)}，未改：为什么这样写？`
            : t`AI ${skillName(skill)}，你改过：为什么这样写？`,
        open: (generationId) => this.openWhy(this.window.getState().why === generationId ? null : generationId),
        cited: {
          label: (number) => t`[${number}]，答案引的这一处`,
          open: (number) => void this.ask.session.light(number),
        },
      },
      label: () => t`正文`,
      onChapterCreated: async (projectId, chapterId) => {
        await this.client.invalidateQueries({ queryKey: queries.chapters(projectId).queryKey });
        await this.openChapter(chapterId);
      },
      onUndone: (projectId, generationId) => void this.assistant.recordUndo(projectId, generationId),
      // Learning waits while the writer types. A failed report only delays or hastens a run.
      onActivity: (projectId) => void call("memory:editor:activity", { projectId }).catch(() => {}),
      onCaret: () => {
        this.assistant.guessSoon();
        this.story.session.onCaret();
      },
      onRead: () => this.ask.showCited(),
      nameAt: ({ projectId, chapterId }, offset) => this.story.nameAt(projectId, chapterId, offset),
      onSaved: ({ projectId, chapterId, title, words }) => {
        this.client.setQueryData(queries.chapters(projectId).queryKey, (chapters) =>
          chapters?.map((chapter) => (chapter.chapterId === chapterId ? { ...chapter, title, words } : chapter)),
        );
        this.story.session.follow();
      },
    });
    this.assistant = new Assistant(this.editor);
    this.assistant.state.subscribe(({ phase }) => {
      // A repeated run is idle for a moment, within the same task.
      if (phase === "idle" && this.window.getState().compared)
        queueMicrotask(
          () => this.assistant.state.getState().phase === "idle" && this.window.setState({ compared: false }),
        );
    });
    this.bookFinder = new BookFinder(async () => this.editor.unsaved && this.editor.flush());
  }

  /** Sets the language and subscribes to the backend's events. The first paint does not wait for the subscriptions. */
  prepare(): Promise<void> {
    if (!this.subscribing) {
      speak(lastLook().interfaceLanguage);
      this.subscribing = this.subscribe();
    }
    return this.subscribing;
  }

  /** If subscribing fails, open anyway: the window then does not refresh by itself. */
  private async subscribe(): Promise<void> {
    const subscriptions = await Promise.allSettled([
      subscribeToChanges(this.client),
      listen("ai:skill:chunk", (chunk) => this.assistant.onChunk(chunk)),
      listen("ai:skill:candidate", (ended) => this.assistant.onCandidate(ended)),
      listen("ai:skill:retry", (retry) => this.assistant.onRetry(retry)),
      listen("ai:skill:trimmed", (trimmed) => this.assistant.onTrimmed(trimmed)),
      listen("ai:skill:done", (done) => this.assistant.onDone(done)),
      listen("ask:step", (step) => this.ask.session.onStep(step)),
      listen("ask:chunk", (chunk) => this.ask.session.onChunk(chunk)),
      listen("ask:done", (done) => this.ask.session.onDone(done)),
      listen("memory:index:progress", ({ done, total }) =>
        this.window.setState({ index: done < total ? { done, total } : null }),
      ),
      listen("chapter:changed", (change) => void this.editor.onOutsideChange(change)),
      beforeClose(() => this.mayClose()),
    ]);
    this.stops = subscriptions.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    this.stops.push(watchEpisodesRestored(this.client, () => void this.editor.reloadOrigins()));
  }

  /** Opens the last book. Call after the first render; waits for the subscriptions so that no event is missed. */
  async start(): Promise<void> {
    this.window.setState({ starting: "starting" });
    await this.prepare();
    try {
      await this.client.fetchQuery(queries.settings());
      await this.openFirstBook();
      this.window.setState({ starting: "ready" });
    } catch (error) {
      this.window.setState({ starting: "failed", problem: toBackendError(error) });
    }
  }

  /** Closing once loses no text: if it cannot be saved, the window stays open and shows why. */
  private async mayClose(): Promise<boolean> {
    const saved = await this.editor.flush();
    // After `flush`: it reports pending undos, which are sent to the memory.
    await this.assistant.allSent();
    if (saved) return true;
    const code = (await this.editor.storeRecoveryCopy()) ? "UNSAVED_KEPT" : "UNSAVED";
    // A second close goes through only if the first notice is still true.
    const shown = this.window.getState().problem?.code;
    if (shown === code || (shown === "UNSAVED" && code === "UNSAVED_KEPT")) return true;
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
    this.window.setState({ panel, pastTarget: null, answerTarget: null, alone: false, compared: false });
  }

  /** Closes a panel and returns to the text. */
  closePanel(): void {
    this.show("book");
    this.editor.focus();
  }

  /** Hides or shows the panels, and returns to the text. */
  setAlone(alone: boolean): void {
    // Closes the trace and its highlight too.
    if (alone) this.openWhy(null);
    this.window.setState({ alone, compared: false });
    this.editor.focus();
  }

  /** Opens the search in all chapters, with `query` if it is not empty. */
  findInBook(query = ""): void {
    const { project } = this.window.getState();
    if (!project) return;
    this.show("find");
    if (query !== "" && query !== this.bookFinder.state.getState().query)
      void this.bookFinder.look(project.projectId, query);
    this.bookFinder.call();
  }

  /** Opens a chapter at a search result. */
  async openHit(chapterId: string, query: string, { from }: Hit): Promise<void> {
    await this.openChapter(chapterId);
    if (this.editor.state.getState().chapter?.chapterId === chapterId) this.editor.finder.reveal(query, from);
  }

  /** Opens a chapter at a passage, and selects it. */
  async openPassage({ chapterId, from, text }: Passage): Promise<void> {
    await this.openChapter(chapterId, from);
    if (this.editor.state.getState().chapter?.chapterId === chapterId) this.editor.selectText(text, from);
  }

  /** Opens a chapter at the text of a generation, if the chapter still has it. */
  async openGenerated(chapterId: string, generationId: string | null = null): Promise<void> {
    await this.openChapter(chapterId);
    if (generationId !== null && this.editor.state.getState().chapter?.chapterId === chapterId)
      this.editor.selectGenerated(generationId);
  }

  /** Opens the card of a past passage in the memory panel, among the results of the same search. */
  openPast(pastTarget: PastTarget): void {
    this.openMemory("past");
    this.window.setState({ pastTarget });
  }

  /** Opens the page of answers with this one first. */
  openAnswer(answerTarget: string): void {
    this.openMemory("answers");
    this.window.setState({ answerTarget });
  }

  /** Shows the drafts side by side below the text if there are at least two, or back in their panel. */
  setCompared(compared: boolean): void {
    if (compared && this.assistant.state.getState().candidates.length < 2) return;
    if (compared) this.show("book");
    this.window.setState({ compared, ...(compared && { assistantMode: "write" as const }) });
    this.assistant.redrawPreview();
  }

  /** Opens a sentence that a card rests on; the panel stays open beside it. */
  async openSource(range: MentionRange, text: string): Promise<void> {
    const { why } = this.window.getState();
    await this.story.openMention(range, text);
    if (why !== null && this.window.getState().why === null) this.openWhy(why);
  }

  closeWhy(): void {
    this.openWhy(null);
    this.editor.focus();
  }

  /** Makes the assistant panel visible. */
  showAssistant(): void {
    const { panel, why, alone } = this.window.getState();
    if (alone) this.setAlone(false);
    if (panel !== "book" || why) this.closePanel();
  }

  /** Opens a page of the memory panel. */
  openMemory(memoryPage: MemoryPage): void {
    this.window.setState({ memoryPage });
    this.show("memory");
  }

  /** Shows a success message once; `null`: removes it. `undo` undoes what it reports. */
  announce(toast: string | null, undo: (() => void) | null = null): void {
    this.window.setState({ toast, undo });
  }

  /** Reports a change in the memory of the open book, with its undo. */
  reportChange(message: string, undo: (() => Promise<unknown>) | null): void {
    this.announce(message, undo && (() => void this.takeBack(undo)));
  }

  private async takeBack(undo: () => Promise<unknown>): Promise<void> {
    this.announce(null);
    try {
      await undo();
      this.announce(t`已撤销，和原来一样`);
    } catch (error) {
      this.window.setState({ problem: toBackendError(error) });
    }
  }

  /** Updates the window after the writer decided about a known book in the list. */
  forgotten({ projectId, title }: Project, cleared: boolean): void {
    this.window.setState({ forgetting: null });
    if (!cleared) return;
    if (this.window.getState().project?.projectId === projectId) this.cleared(title, true);
    else this.announce(t`已忘掉《${title}》`);
  }

  /**
   * Updates the window after the memory of the open book, or of all books, was cleared. `forgotten`: the book was
   * removed too, and the window starts over as for a new writer.
   */
  cleared(title: string | null, forgotten: boolean): void {
    this.editor.forgetOrigins();
    this.assistant.forgetDecisions();
    this.ask.session.forget();
    const book = title ?? "";
    this.announce(title === null ? t`已清除全部记忆` : forgotten ? t`已忘掉《${book}》` : t`已清除项目“${book}”的记忆`);
    if (forgotten) void this.startOver();
  }

  private async startOver(): Promise<void> {
    this.openWhy(null);
    this.bookFinder.forget();
    this.story.session.forget();
    this.ask.session.moveTo(null);
    this.editor.clear();
    this.window.setState({ project: null, problem: null });
    this.client.removeQueries({ queryKey: ["chapters"] });
    try {
      await this.openFirstBook();
    } catch (error) {
      this.window.setState({ problem: toBackendError(error) });
    }
  }

  openWhy(why: string | null): void {
    // The trace must be visible, so hidden panels come back.
    this.window.setState(why === null ? { why } : { why, pastTarget: null, alone: false, compared: false });
    this.editor.highlightOrigins(why);
  }

  private async rememberProject(lastProjectId: string): Promise<void> {
    this.client.setQueryData(queries.settings().queryKey, wholeSettings(await call("settings:set", { lastProjectId })));
  }

  async changeSettings(part: Partial<Settings>): Promise<void> {
    try {
      this.client.setQueryData(queries.settings().queryKey, wholeSettings(await call("settings:set", part)));
    } catch (error) {
      this.window.setState({ problem: toBackendError(error) });
    }
  }

  // ---- books ----

  /** Opens the folder that the program was started with, else the last book, else the sample book. */
  private async openFirstBook(): Promise<void> {
    const { lastProjectId } = await this.client.fetchQuery(queries.settings());
    const { projects } = lastProjectId ? await this.client.fetchQuery(queries.projects()) : { projects: [] };
    const last = projects.find(({ projectId }) => projectId === lastProjectId);
    const paths = [this.folder, last?.path].filter((path) => path != null);
    // Once: after a clearing, the window starts over with another book.
    this.folder = null;
    let problem: BackendError | null = null;
    for (const path of paths) {
      await this.openPath(path);
      const { project, copied, problem: refused } = this.window.getState();
      problem ??= refused;
      if (project || copied) break;
    }
    const { project, copied } = this.window.getState();
    if (!project && !copied)
      await this.showBook(await call("project:sample", { language: languageOf(systemLocale()) }));
    // The first error is still shown beside the book that opened.
    if (problem) this.window.setState({ problem });
  }

  private async showBook({ project, chapters }: Book): Promise<void> {
    if (!(await this.editor.flush())) return;
    this.client.setQueryData(queries.chapters(project.projectId).queryKey, chapters);
    this.openWhy(null);
    this.bookFinder.forget();
    this.story.session.forget();
    this.ask.session.moveTo(project.projectId);
    // A message with an undo belongs to the book that was open.
    if (this.window.getState().undo !== null) this.announce(null);
    this.window.setState({ project, copied: null, problem: null });
    const settings = await this.client.fetchQuery(queries.settings());
    // A failure only means that the next start opens another book.
    if (settings.lastProjectId !== project.projectId) await this.rememberProject(project.projectId).catch(() => {});
    const chapter = chapters.find(({ chapterId }) => chapterId === rememberedChapter(project.projectId)) ?? chapters[0];
    if (chapter) await this.openChapter(chapter.chapterId);
    else this.editor.clear();
  }

  /** Opens a chapter with the caret at its end, at the start of its text, or at an offset in it. */
  async openChapter(chapterId: string, at?: "start" | number): Promise<void> {
    const { project } = this.window.getState();
    if (!project) return;
    const { projectId, language } = project;
    if (!(await this.editor.open(projectId, chapterId, language, at))) return;
    rememberChapter(projectId, chapterId);
    this.openWhy(null);
    this.story.session.onChapterOpened();
    const chapters = this.client.getQueryData(queries.chapters(projectId).queryKey);
    this.assistant.moveTo(
      { projectId, chapterId, language },
      chapters?.find((chapter) => chapter.chapterId === chapterId)?.sceneType ?? null,
    );
  }

  /**
   * Sets the scene type of the open chapter; `null`: each passage is guessed. If it cannot be stored, it holds until
   * another chapter is opened.
   */
  async setSceneType(sceneType: string | null): Promise<void> {
    this.assistant.setScene(sceneType);
    const chapter = this.editor.chapterRef;
    if (!chapter) return;
    try {
      const updated = await call("chapter:scene", { ...chapter, sceneType });
      this.client.setQueryData(queries.chapters(chapter.projectId).queryKey, (chapters) =>
        chapters?.map((one) => (one.chapterId === updated.chapterId ? { ...one, sceneType: updated.sceneType } : one)),
      );
    } catch (error) {
      this.window.setState({ problem: toBackendError(error) });
    }
  }

  /** Saves the open chapter before its file changes, and reads it again. */
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
      this.window.setState({ problem: toBackendError(error) });
    }
  }

  async openPath(path: string, copiedAs?: "sameBook" | "newBook"): Promise<void> {
    try {
      const answer = await call("project:open", { path, ...(copiedAs && { copiedAs }) });
      if (answer.book) await this.showBook(answer.book);
      else this.window.setState({ copied: { path, copiedFrom: answer.copiedFrom, knownTitle: answer.knownTitle } });
    } catch (error) {
      this.window.setState({ problem: toBackendError(error), copied: null });
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

/** The last open chapter of each book. Without local storage the first chapter opens. */
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
