import type { ViewUpdate } from "@codemirror/view";
import { marksField } from "./marks";

/**
 * Detects generated text that the writer undoes after accepting it. An undo may be one of several steps and be followed
 * by a redo, so it is reported only if the text stays away for `graceMs`.
 */
export class UndoDetector {
  /** Generations whose marks came back with a restored snapshot: undoing the restore is no verdict on them. */
  private ignored: ReadonlySet<string> = new Set();
  private readonly pending = new Map<string, { projectId: string; timer: ReturnType<typeof setTimeout> }>();

  constructor(
    private readonly graceMs: number,
    private readonly onUndone: (projectId: string, generationId: string) => void,
  ) {}

  ignore(generationIds: readonly string[]): void {
    this.ignored = new Set([...this.ignored, ...generationIds]);
  }

  /** Call when another chapter is shown. */
  reset(): void {
    this.ignored = new Set();
  }

  /** Takes in an update that changed the marks: starts the wait for each generation undone, stops it for each redone. */
  onUpdate(projectId: string, { startState, state, transactions }: ViewUpdate): void {
    const present = new Set(state.field(marksField).map(({ generationId }) => generationId));
    for (const generationId of present) this.cancel(generationId);
    if (!transactions.some((transaction) => transaction.isUserEvent("undo"))) return;
    for (const { generationId } of startState.field(marksField)) {
      if (present.has(generationId) || this.pending.has(generationId) || this.ignored.has(generationId)) continue;
      const timer = setTimeout(() => this.report(generationId), this.graceMs);
      this.pending.set(generationId, { projectId, timer });
    }
  }

  /** Reports every pending undo now: once the chapter is left or the window closes, no redo can follow. */
  settle(): void {
    for (const generationId of this.pending.keys()) this.report(generationId);
  }

  private report(generationId: string): void {
    const projectId = this.pending.get(generationId)?.projectId;
    this.cancel(generationId);
    if (projectId !== undefined) this.onUndone(projectId, generationId);
  }

  private cancel(generationId: string): void {
    clearTimeout(this.pending.get(generationId)?.timer);
    this.pending.delete(generationId);
  }
}
