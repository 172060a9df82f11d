import { call, type RecoveryCopyText, type MarkedPassage } from "../../backend";
import type { ChapterRef } from "./state";

interface Stored extends ChapterRef {
  keptId: string;
  text: string;
  baseHash: string;
}

/** The copy that a save of the same text replaces; the save's own command deletes it. */
export type RecoveryTicket = Stored | null;

/**
 * The recovery copy of the open chapter: text that cannot be saved, stored outside the book. There is at most one; each
 * new one replaces the one before. Calls run one after another.
 */
export class RecoveryCopy {
  private stored: Stored | null = null;
  private queue: Promise<unknown> = Promise.resolve();

  /** Resolves to whether the text is on disk. Never deletes the copy of another chapter. */
  store(chapter: ChapterRef, text: string, baseHash: string, origins: readonly MarkedPassage[]): Promise<boolean> {
    return this.enqueue(async () => {
      const present = this.of(chapter);
      if (present?.text === text && present.baseHash === baseHash) return true;
      try {
        const { keptId } = await call("chapter:keep", {
          ...chapter,
          text,
          baseHash,
          origins: [...origins],
          ...(present && { keptId: present.keptId }),
        });
        this.stored = { ...chapter, keptId, text, baseHash };
        return true;
      } catch {
        return false;
      }
    });
  }

  /** Takes over a copy of an earlier run, so that the next save deletes it. */
  adopt(projectId: string, { chapterId, keptId, text, baseHash }: RecoveryCopyText): void {
    this.stored = { projectId, chapterId, keptId, text, baseHash };
  }

  ticket(chapter: ChapterRef): RecoveryTicket {
    return this.of(chapter);
  }

  /** Call after a successful save with the ticket it carried: deletes a copy that was stored since. */
  onSaved(ticket: RecoveryTicket): Promise<void> {
    return this.enqueue(async () => {
      const { stored } = this;
      this.stored = null;
      if (stored && stored !== ticket) await this.drop(stored);
    });
  }

  discard(): Promise<void> {
    return this.onSaved(null);
  }

  /** Call when another chapter is shown. The copy of the one before stays on disk. */
  detach(): void {
    this.stored = null;
  }

  private of({ projectId, chapterId }: ChapterRef): Stored | null {
    const { stored } = this;
    return stored?.projectId === projectId && stored.chapterId === chapterId ? stored : null;
  }

  /** A copy that cannot be deleted is offered to the writer again the next time the chapter is opened. */
  private async drop({ projectId, chapterId, keptId }: Stored): Promise<void> {
    await call("chapter:keep:drop", { projectId, chapterId, keptId }).catch(() => {});
  }

  private enqueue<T>(step: () => Promise<T>): Promise<T> {
    const done = this.queue.then(step);
    this.queue = done.catch(() => {});
    return done;
  }
}
