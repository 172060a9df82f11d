import { t } from "@lingui/core/macro";
import {
  call,
  queries,
  toBackendError,
  type Answer,
  type AnswerChange,
  type AskCitation,
  type Position,
} from "../backend";
import { AskSession, passagesOf, type AskAsOf, type AskState } from "../features/ask";
import { positionOf } from "../features/story";
import type { Program } from "./program";

const NO_PASSAGES: AskCitation[] = [];

const citedOf = ({ exchange }: AskState): AskCitation[] => (exchange ? passagesOf(exchange) : NO_PASSAGES);

/** Questions and the text: asks as of the writer's caret, lights passages, and stores the writer's verdicts. */
export class AskActions {
  readonly session: AskSession;
  private isJudging = false;

  constructor(private readonly program: Program) {
    this.session = new AskSession({
      position: (asOf) => this.position(asOf),
      open: ({ chapterId, from, to, quote }) => this.program.story.openMention({ chapterId, from, to }, quote),
    });
    this.session.state.subscribe((now, before) => {
      const areOthers = now.exchange !== before.exchange && citedOf(now) !== citedOf(before);
      if (areOthers || now.lit !== before.lit) this.showCited();
    });
    program.story.session.state.subscribe(({ isAway }, before) => {
      if (!isAway && before.isAway) this.session.unlight();
    });
  }

  /** Opens the question field beside the text, with the selected words if there are any. */
  open(): void {
    const { editor, window } = this.program;
    const { selection } = editor.passage();
    // A passage that was opened from a panel is selected too, and is not the writer's selection.
    if (selection !== null && !this.program.story.session.state.getState().isAway) this.session.setSelection(selection);
    this.program.showAssistant();
    window.setState({ assistantMode: "ask" });
    this.session.call();
  }

  /** Starts what the assistant's mode does: asks, or writes. */
  start(): void {
    this.program.showAssistant();
    if (this.isShown) this.ask();
    else void this.program.assistant.start();
  }

  /** Asks the question in the field, once the model or program that answers is known and named in the panel. */
  ask(): void {
    const { client } = this.program;
    const { backendId } = this.session.state.getState();
    const programs = client.getQueryData(queries.backends().queryKey)?.backends ?? [];
    const isProgramKnown = backendId === null || programs.some((one) => one.backendId === backendId);
    if (client.getQueryData(queries.models().queryKey) !== undefined && isProgramKnown) void this.session.start();
  }

  /** True while the panel of questions is visible. */
  get isShown(): boolean {
    const { panel, why, alone, assistantMode } = this.program.window.getState();
    return assistantMode === "ask" && panel === "book" && why === null && !alone;
  }

  /** Stops the run, else returns from a lit passage, else from the panel to the text; false if none applies. */
  escape(): boolean {
    const { story, editor } = this.program;
    if (!this.isShown) return false;
    if (this.session.isUnderWay) void this.session.stop();
    else if (this.session.state.getState().lit !== null) void story.returnToCaret(true);
    else if (document.activeElement?.closest("[data-ask]")) editor.focus();
    else return false;
    return true;
  }

  private async position(asOf: AskAsOf): Promise<Position | null> {
    const { editor, story, client, window } = this.program;
    story.session.follow();
    await editor.flush();
    const { caret } = story.session.state.getState();
    const pinned = asOf.mode === "pinned" ? asOf.chapterId : null;
    const position = positionOf({ mode: asOf.mode, caret, pinned });
    const { project } = window.getState();
    if (position || asOf.mode === "whole" || !project) return position;
    // Without a caret no chapter is known yet.
    const chapters = await client.fetchQuery(queries.chapters(project.projectId));
    return chapters[0] ? { chapterId: chapters[0].chapterId, offset: 0 } : null;
  }

  /** Numbers the passages of the answer in the margin of the open chapter. */
  showCited(): void {
    const state = this.session.state.getState();
    this.program.editor.showCited(citedOf(state), state.lit);
  }

  // ---- verdicts on a kept answer ----

  /** Stores a verdict. On a served answer it ends the offer to use it. */
  async judge({ projectId, answerId, version }: Answer, isRight: boolean): Promise<void> {
    const isStored = await this.change(projectId, isRight ? t`记下了：有用` : t`记下了：不对`, () =>
      call("answer:validate", {
        projectId,
        answerId,
        version,
        result: isRight ? "pass" : "fail",
        source: "writer",
      }),
    );
    if (isStored) this.session.take();
  }

  settle({ projectId, answerId, version }: Answer, userConfirmed: boolean): Promise<boolean> {
    return this.change(
      projectId,
      userConfirmed ? t`定下来了` : t`不再算定论`,
      () => call("answer:confirm", { projectId, answerId, version, userConfirmed }),
      // The confirmation is what was undone, so there is no event: the writer settles it again.
      userConfirmed
        ? undefined
        : (changed) => call("answer:confirm", { projectId, answerId, version: changed.version, userConfirmed: true }),
    );
  }

  setBlocked({ projectId, answerId, version }: Answer, isBlocked: boolean): Promise<boolean> {
    return this.change(projectId, isBlocked ? t`停用了，不再带给模型` : t`重新用了`, () =>
      call(isBlocked ? "answer:block" : "answer:unblock", { projectId, answerId, version }),
    );
  }

  /** Stores a change and reports it with its undo; false if it could not be stored. */
  private async change(
    projectId: string,
    message: string,
    run: () => Promise<AnswerChange>,
    undo?: (changed: Answer) => Promise<AnswerChange>,
  ): Promise<boolean> {
    if (this.isJudging) return false;
    this.isJudging = true;
    this.session.reportVerdict(null);
    try {
      const { answer, eventId } = await run();
      this.session.update(answer);
      const takeBack =
        undo?.bind(null, answer) ?? (eventId === null ? null : () => call("answer:undo", { projectId, eventId }));
      this.program.reportChange(message, takeBack && (async () => this.session.update((await takeBack()).answer)));
      return true;
    } catch (error) {
      this.session.reportVerdict(toBackendError(error));
      return false;
    } finally {
      this.isJudging = false;
      void this.program.client.invalidateQueries({ queryKey: ["answers"] });
    }
  }

  /** Puts an answer into the text at the writer's caret; for a kept one, that is a validation. */
  async insert(text: string, kept: Answer | null): Promise<void> {
    const { editor, story } = this.program;
    if (story.session.state.getState().isAway) await story.returnToCaret(false);
    if (!editor.chapterRef) return;
    editor.insertText(text);
    this.program.announce(t`放进正文了`);
    if (!kept) return;
    const { projectId, answerId } = kept;
    void this.recordUse(() => call("answer:validate", { projectId, answerId, result: "pass", source: "inserted" }));
  }

  async copy(text: string, kept: Answer | null): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
    } catch (error) {
      this.program.window.setState({ problem: toBackendError(error) });
      return;
    }
    this.program.announce(t`复制好了`);
    if (!kept) return;
    const { projectId, answerId } = kept;
    void this.recordUse(() => call("answer:copied", { projectId, answerId }));
  }

  /** Records a use of a kept answer. A failure is shown on the card, and takes nothing back. */
  private async recordUse(record: () => Promise<AnswerChange>): Promise<void> {
    try {
      this.session.update((await record()).answer);
    } catch (error) {
      this.session.reportVerdict(toBackendError(error));
    }
  }
}
