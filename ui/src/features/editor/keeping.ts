import { call, type KeptText, type MarkedPassage } from "../../backend";

export interface Place {
  projectId: string;
  chapterId: string;
}

interface Kept extends Place {
  keptId: string;
  text: string;
  baseHash: string;
}

/** What a save takes along, so that it lets go of what was kept of the same text. */
export type Ticket = Kept | null;

/**
 * What the page holds and cannot save, kept beside its book for as long as that lasts: one text a page, each in the
 * place of the one before. Everything is asked for in turn.
 */
export class Keeping {
  private kept: Kept | null = null;
  private turn: Promise<unknown> = Promise.resolve();

  /** Whether the text is on disk. What was kept of another chapter is let go of by its own save, and not here. */
  keep(place: Place, text: string, baseHash: string, origins: readonly MarkedPassage[]): Promise<boolean> {
    return this.inTurn(async () => {
      const now = this.of(place);
      if (now?.text === text && now.baseHash === baseHash) return true;
      try {
        const { keptId } = await call("chapter:keep", {
          ...place,
          text,
          baseHash,
          origins: [...origins],
          ...(now && { keptId: now.keptId }),
        });
        this.kept = { ...place, keptId, text, baseHash };
        return true;
      } catch {
        return false;
      }
    });
  }

  /** What was kept before the program ended is the page's own from now on: its next save lets go of it. */
  adopt(projectId: string, { chapterId, keptId, text, baseHash }: KeptText): void {
    this.kept = { projectId, chapterId, keptId, text, baseHash };
  }

  ticket(place: Place): Ticket {
    return this.of(place);
  }

  /** A save has ended well, and took the ticket along: nothing is kept any more, and what was since is let go. */
  saved(ticket: Ticket): Promise<void> {
    return this.inTurn(async () => {
      const { kept } = this;
      this.kept = null;
      if (kept && kept !== ticket) await this.drop(kept);
    });
  }

  /** The writer has chosen the other text. */
  letGo(): Promise<void> {
    return this.saved(null);
  }

  /** Another chapter is on the page. What is kept of the one before stays where it is. */
  leave(): void {
    this.kept = null;
  }

  private of({ projectId, chapterId }: Place): Kept | null {
    const { kept } = this;
    return kept?.projectId === projectId && kept.chapterId === chapterId ? kept : null;
  }

  /** Where it cannot be let go of, the writer is asked about it once more. */
  private async drop({ projectId, chapterId, keptId }: Kept): Promise<void> {
    await call("chapter:keep:drop", { projectId, chapterId, keptId }).catch(() => {});
  }

  private inTurn<T>(step: () => Promise<T>): Promise<T> {
    const done = this.turn.then(step);
    this.turn = done.catch(() => {});
    return done;
  }
}
