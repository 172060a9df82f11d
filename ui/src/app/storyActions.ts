import { t } from "@lingui/core/macro";
import { call, queries, toBackendError, type CitationDraft, type MentionRange } from "../backend";
import type { NamedHere } from "../features/editor";
import { StorySession, type Undoable } from "../features/story";
import { count } from "../i18n/words";
import type { Program } from "./program";

/** Facts and other names under the pointer, at most. */
const MAX_FACTS = 4;
const MAX_ALIASES = 3;
/** Characters of a quote, at most. */
const MAX_QUOTE = 500;

/** The story panel and the text: opens the one from the other, and reports changes with their undo. */
export class StoryActions {
  readonly session: StorySession;

  constructor(private readonly program: Program) {
    this.session = new StorySession(() => program.editor.caret());
  }

  open(): void {
    this.session.follow();
    this.session.call();
    this.program.show("story");
  }

  toggle(): void {
    const { panel, why } = this.program.window.getState();
    if (panel === "story" && why === null) this.program.closePanel();
    else this.open();
  }

  /** Opens the details of the entity that is named at the caret. */
  async openNamed(): Promise<void> {
    const { window, editor } = this.program;
    const { project } = window.getState();
    const caret = editor.caret();
    if (!project || !caret) return;
    const { chapterId, offset } = caret;
    try {
      const { named } = await call("story:at", { projectId: project.projectId, at: { chapterId, offset } });
      if (named === null) return this.program.announce(t`光标这里没有认出名字`);
      this.show(named);
    } catch (error) {
      window.setState({ problem: toBackendError(error) });
    }
  }

  /** Opens the details of the entity whose name is under the pointer, as of the caret. */
  private async openHovered(projectId: string, entityId: string): Promise<void> {
    const { client, editor, window } = this.program;
    editor.surface.closeHover();
    const caret = editor.caret();
    if (!caret) return;
    try {
      const at = { chapterId: caret.chapterId, offset: caret.paragraphEnd };
      await client.fetchQuery(queries.card(projectId, entityId, at));
      this.show(entityId);
    } catch (error) {
      const problem = toBackendError(error);
      if (problem.code === "MEMORY_NOT_FOUND") this.program.announce(t`到光标这里，书里还没有写到这个名字`);
      else window.setState({ problem });
    }
  }

  private show(entityId: string): void {
    this.session.return();
    this.session.seek(entityId);
    this.open();
  }

  /**
   * The name at an offset of a chapter, with its facts as far as its paragraph; `null`: there is none. A failure only
   * leaves the name unexplained.
   */
  async nameAt(projectId: string, chapterId: string, offset: number): Promise<NamedHere | null> {
    const { client, editor } = this.program;
    try {
      const { named } = await client.fetchQuery(queries.presence(projectId, { chapterId, offset }));
      if (named === null) return null;
      const at = { chapterId, offset: editor.surface.paragraphEnd(offset) };
      const card = await client.fetchQuery(queries.card(projectId, named, at));
      const chapters = await client.fetchQuery(queries.chapters(projectId));
      const number = chapters.findIndex((one) => one.chapterId === card.last?.chapterId) + 1;
      return {
        entityId: named,
        name: card.name,
        aliases: card.aliases.slice(0, MAX_ALIASES).join(editor.surface.language === "zh" ? "、" : ", "),
        facts: card.facts.filter(({ isStale }) => !isStale).slice(0, MAX_FACTS),
        foot: [
          ...(number > 0 && card.last?.chapterId !== chapterId ? [t`上次 第 ${count(number)} 章`] : []),
          t`打开卡片 F2`,
        ],
      };
    } catch {
      return null;
    }
  }

  /** The words that are selected in the text, to be cited. They are saved before they are. */
  selection(): CitationDraft | null {
    const { editor } = this.program;
    const { selection, offset } = editor.passage();
    const chapterId = editor.chapterRef?.chapterId;
    const quote = selection?.trim();
    if (!quote || chapterId === undefined || quote.length > MAX_QUOTE) return null;
    void editor.flush();
    return { chapterId, from: offset + selection!.indexOf(quote), quote };
  }

  /** The same; says why there are none. */
  cited(): CitationDraft | null {
    const citation = this.selection();
    if (!citation && this.program.editor.hasSelection)
      this.program.announce(t`选中的太长了，一次最多记 500 个字的一句`);
    return citation;
  }

  /**
   * Opens the card of the name under the pointer, which says that F2 does; else the panel to write a fact down from the
   * selected words; without a selection, the card at the caret.
   */
  rememberOrOpen(): void {
    const { project } = this.program.window.getState();
    const { hoveredEntity } = this.program.editor.surface;
    if (project && hoveredEntity !== null) return void this.openHovered(project.projectId, hoveredEntity);
    const citation = this.cited();
    if (citation) {
      this.session.remember(citation);
      this.open();
    } else if (!this.program.editor.hasSelection) void this.openNamed();
  }

  /**
   * Opens a mention of an entity and lights it. The focus stays in the panel, and the position of the panel with the
   * writer's caret. `text`: its words; `null`: those of the range.
   */
  openMention({ chapterId, from, to }: MentionRange, text: string | null): Promise<void> {
    const { editor } = this.program;
    return this.session.jump(async () => {
      await this.program.openChapter(chapterId, from);
      const isOpen = editor.chapterRef?.chapterId === chapterId;
      if (isOpen) editor.selectText(text ?? editor.text.slice(from, to), from, false);
      return isOpen;
    });
  }

  /** Opens words of the text, selected, with the focus on them: the writer edits them. */
  async openToEdit({ chapterId, from }: MentionRange, text: string): Promise<void> {
    const { editor } = this.program;
    this.session.return();
    await this.program.openChapter(chapterId, from);
    if (editor.chapterRef?.chapterId === chapterId) editor.selectText(text, from);
  }

  /** Returns from a mention to the writer's caret. */
  async returnToCaret(isFocused: boolean): Promise<void> {
    const { editor } = this.program;
    const { caret } = this.session.state.getState();
    if (caret) {
      await this.program.openChapter(caret.chapterId, caret.offset);
      if (editor.chapterRef?.chapterId === caret.chapterId) editor.moveCaret(caret.offset);
    }
    this.session.return();
    if (isFocused) editor.focus();
  }

  /** Reports a change of the entities, with its undo. */
  report(message: string, { changeId, completes }: Undoable): void {
    const { project } = this.program.window.getState();
    const changes = completes === undefined ? [changeId] : [changeId, completes];
    if (project) this.program.announce(message, () => void this.undo(project.projectId, changes));
  }

  /** Takes changes back, the latest first. */
  private async undo(projectId: string, changes: readonly string[]): Promise<void> {
    this.program.announce(null);
    try {
      for (const changeId of changes) await call("story:undo", { projectId, changeId });
      this.program.announce(t`已撤销，和原来一样`);
    } catch (error) {
      this.program.window.setState({ problem: toBackendError(error) });
    }
  }
}
