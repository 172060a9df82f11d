import { t } from "@lingui/core/macro";
import { call, queries, toBackendError, type ChangedChapters, type ChapterInfo } from "../backend";
import { firstOf, lastOf } from "../lib/cut";
import type { Program } from "./program";

/** Length of the words shown on both sides of a place, in UTF-16 units. */
const CONTEXT = 48;

/**
 * Deletes, restores, splits and merges chapters: saves first, and opens the right chapter afterwards. Each can be undone
 * from the message that reports it.
 */
export class ChapterChanges {
  constructor(private readonly program: Program) {}

  async delete(chapterId: string): Promise<void> {
    await this.attempt(async (projectId) => {
      const before = this.listed(projectId);
      const at = before.findIndex((chapter) => chapter.chapterId === chapterId);
      const isOpen = this.isOpen(chapterId);
      if (isOpen && !(await this.program.editor.flush())) return;
      const { deletedId, chapters } = await call("chapter:delete", { projectId, chapterId });
      await this.show(projectId, chapters);
      if (isOpen) await this.reopen(chapters[Math.min(Math.max(at, 0), chapters.length - 1)]?.chapterId ?? null);
      const title = before[at]?.title ?? "";
      this.program.announce(t`已删除《${title}》`, () => void this.restore(deletedId));
    });
  }

  async restore(deletedId: string): Promise<void> {
    await this.attempt(async (projectId) => {
      const { chapterId, title } = await call("chapter:deleted:restore", { projectId, deletedId });
      await this.program.client.invalidateQueries({ queryKey: queries.chapters(projectId).queryKey });
      await this.program.openChapter(chapterId);
      this.program.announce(t`已放回《${title}》`);
    });
  }

  /** Asks for the title of the second part of the open chapter, which begins at the caret. */
  async askSplit(): Promise<void> {
    const { editor, window } = this.program;
    const { project } = window.getState();
    if (!project || !(await editor.flush())) return;
    const place = editor.caretPlace();
    if (!place) return;
    const { text, offset, title: present, ...chapter } = place;
    const [before, after] = [text.slice(0, offset), text.slice(offset)];
    const heading = /^\s*#{1,6}[ \t　]+(.*\S)[ \t]*(?:\n|$)/.exec(before.endsWith("\n") || before === "" ? after : "");
    const body = before.replace(/^---\n[^]*?\n(?:---|\.\.\.)(?:\n|$)/, "").replace(/^#[ \t　].*$/m, "");
    window.setState({
      splitting: {
        ...chapter,
        offset,
        title: heading?.[1] ?? (project.language === "zh" ? `${present}（二）` : `${present} (2)`),
        before: lastWords(body.trim()),
        after: firstWords(after.slice(heading?.[0].length ?? 0).trim()),
      },
    });
  }

  /** Splits where the writer was asked. Rejects if it cannot be done, so that the dialog shows why. */
  async split(title: string): Promise<void> {
    const { editor, window } = this.program;
    const { splitting } = window.getState();
    if (!splitting) return;
    const { projectId, chapterId, offset, baseHash } = splitting;
    const change = await call("chapter:split", { projectId, chapterId, offset, baseHash, title });
    window.setState({ splitting: null });
    await this.show(projectId, change.chapters);
    await this.reopen(change.secondId, "start");
    editor.focus();
    this.program.announce(t`已拆成两章`, () => void this.undo(change));
  }

  async merge(chapterId: string, nextId: string): Promise<void> {
    await this.attempt(async (projectId) => {
      const { editor } = this.program;
      const isOpen = this.isOpen(chapterId);
      if ((isOpen || this.isOpen(nextId)) && !(await editor.flush())) return;
      const end = isOpen ? editor.text.trimEnd().length : undefined;
      const change = await call("chapter:merge", { projectId, chapterId, nextId });
      await this.show(projectId, change.chapters);
      await this.reopen(chapterId, end);
      this.program.announce(t`已合并成一章`, () => void this.undo(change));
    });
  }

  private async undo({ changeId, chapterId, secondId }: ChangedChapters): Promise<void> {
    await this.attempt(async (projectId) => {
      const isOpen = this.isOpen(chapterId) || this.isOpen(secondId);
      if (isOpen && !(await this.program.editor.flush())) return;
      const { chapters } = await call("chapter:change:undo", { projectId, changeId });
      await this.show(projectId, chapters);
      if (isOpen) await this.reopen(chapterId);
      this.program.announce(t`已撤销，章节和原来一样`);
    });
  }

  /** Runs an action on the open book; its error is shown. */
  private async attempt(action: (projectId: string) => Promise<void>): Promise<void> {
    const { project } = this.program.window.getState();
    if (!project) return;
    this.program.announce(null);
    try {
      await action(project.projectId);
    } catch (error) {
      this.program.window.setState({ problem: toBackendError(error) });
    }
  }

  private isOpen(chapterId: string): boolean {
    return this.program.editor.chapterRef?.chapterId === chapterId;
  }

  private listed(projectId: string): ChapterInfo[] {
    return this.program.client.getQueryData(queries.chapters(projectId).queryKey) ?? [];
  }

  private async show(projectId: string, chapters: ChapterInfo[]): Promise<void> {
    const { client } = this.program;
    client.setQueryData(queries.chapters(projectId).queryKey, chapters);
    await client.invalidateQueries({ queryKey: queries.deletedChapters(projectId).queryKey });
  }

  /**
   * Opens a chapter as for the first time: its text is another one now, and an undo in the editor would bring back the
   * former one beside it. `null`: the book has no chapters.
   */
  private async reopen(chapterId: string | null, at?: "start" | number): Promise<void> {
    this.program.assistant.moveTo(null);
    this.program.editor.clear();
    if (chapterId !== null) await this.program.openChapter(chapterId, at);
  }
}

const HAN = /\p{Script=Han}/u;

/** The end of a text, from the start of a word. */
function lastWords(text: string): string {
  const end = lastOf(text, CONTEXT);
  return end === text || HAN.test(end) ? end : end.replace(/^\S*\s/, "");
}

/** The beginning of a text, to the end of a word. */
function firstWords(text: string): string {
  const start = firstOf(text, CONTEXT);
  return start === text || HAN.test(start) ? start : start.replace(/\s\S*$/, "");
}
