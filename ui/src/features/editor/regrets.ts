import type { ViewUpdate } from "@codemirror/view";
import { marksField } from "./origins";

/**
 * Passages that the writer undid after taking them. An undo may be one of several on the way to something else, and
 * come back by a redo: it counts when the passage has stayed away for a moment.
 */
export class Regrets {
  /** Those that were put back with an earlier text. */
  private spared: ReadonlySet<string> = new Set();
  private readonly waiting = new Map<string, { projectId: string; timer: ReturnType<typeof setTimeout> }>();

  constructor(
    private readonly patience: number,
    private readonly tell: (projectId: string, generationId: string) => void,
  ) {}

  /** Of these it says nothing when they go by undoing; of none, where there are none. */
  spare(generationIds: readonly string[]): void {
    this.spared = new Set(generationIds.length > 0 ? [...this.spared, ...generationIds] : []);
  }

  /** What an update of the page took away by undoing, and what it brought back. */
  look(projectId: string, { startState, state, transactions }: ViewUpdate): void {
    const now = new Set(state.field(marksField).map(({ generationId }) => generationId));
    for (const generationId of now) this.forget(generationId);
    if (!transactions.some((transaction) => transaction.isUserEvent("undo"))) return;
    for (const { generationId } of startState.field(marksField)) {
      if (now.has(generationId) || this.waiting.has(generationId) || this.spared.has(generationId)) continue;
      this.waiting.set(generationId, { projectId, timer: setTimeout(() => this.told(generationId), this.patience) });
    }
  }

  /** Nothing can be brought back any more: the chapter is left, or the window closes. */
  settle(): void {
    for (const generationId of this.waiting.keys()) this.told(generationId);
  }

  private told(generationId: string): void {
    const projectId = this.waiting.get(generationId)?.projectId;
    this.forget(generationId);
    if (projectId !== undefined) this.tell(projectId, generationId);
  }

  private forget(generationId: string): void {
    clearTimeout(this.waiting.get(generationId)?.timer);
    this.waiting.delete(generationId);
  }
}
