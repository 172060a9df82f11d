import type {
  ChapterText,
  Commands,
  EarlierText,
  Error as WireError,
  KeptText,
  OriginMark,
  SnapshotInfo,
} from "../bindings.gen";
import { countWords } from "../../lib/words";

interface Snapshot extends SnapshotInfo {
  text: string;
}

interface Around {
  id(kind: string): string;
  now(): string;
  /** The marks of a chapter, and the text they stand in. */
  marks(chapterId: string): { origins: OriginMark[]; text: string };
}

type Own = "chapter:keep" | "chapter:keep:drop" | "chapter:snapshot:list" | "chapter:snapshot:read";

/** What chapters were, and what could not be saved. */
export class FakeDrafts {
  /** By chapter, the newest first. */
  readonly snapshots = new Map<string, Snapshot[]>();
  /** By chapter, the newest first. It outlives the window. */
  readonly kept = new Map<string, KeptText[]>();
  /** The book's folder takes no snapshots. */
  full = false;

  constructor(private readonly around: Around) {}

  readonly commands: { [K in Own]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "chapter:keep": ({ chapterId, text, baseHash, origins, keptId: known }) => {
      const kept = {
        chapterId,
        keptId: known ?? this.around.id("kept"),
        at: this.around.now(),
        baseHash,
        text,
        words: countWords(text),
        origins: origins ?? [],
      };
      this.kept.set(chapterId, [kept, ...this.of(chapterId).filter(({ keptId }) => keptId !== kept.keptId)]);
      return { keptId: kept.keptId, at: kept.at };
    },
    "chapter:keep:drop": ({ chapterId, keptId }) => ({ letGo: this.letGo(chapterId, keptId) }),
    "chapter:snapshot:list": ({ chapterId }) => ({
      snapshots: (this.snapshots.get(chapterId) ?? []).map(({ snapshotId, takenAt, reason, generationId, words }) => ({
        snapshotId,
        takenAt,
        reason,
        generationId,
        words,
      })),
    }),
    "chapter:snapshot:read": ({ chapterId, snapshotId }) => {
      const found = this.snapshots.get(chapterId)?.find((one) => one.snapshotId === snapshotId);
      if (!found)
        throw {
          code: "MEMORY_NOT_FOUND",
          message: "there is no such snapshot",
          details: { field: "snapshotId" },
        } satisfies WireError;
      const { text, words } = found;
      const { origins, text: now } = this.around.marks(chapterId);
      const anchored = origins.flatMap((mark) => {
        const quote = now.slice(mark.from, mark.to);
        const from = text.indexOf(quote);
        return from < 0 || text.includes(quote, from + 1) ? [] : [{ ...mark, from, to: from + quote.length }];
      });
      return { snapshotId, text, words, origins: anchored };
    },
  };

  of(chapterId: string): ChapterText["kept"] {
    return this.kept.get(chapterId) ?? [];
  }

  /** What was kept of chapters that are none of these. */
  lost(chapterIds: string[]): ChapterText["kept"] {
    return [...this.kept.values()].flat().filter(({ chapterId }) => !chapterIds.includes(chapterId));
  }

  letGo(chapterId: string, keptId: string): boolean {
    const before = this.of(chapterId);
    this.kept.set(
      chapterId,
      before.filter((one) => one.keptId !== keptId),
    );
    return this.of(chapterId).length < before.length;
  }

  /** Whether all of it is kept. */
  take(chapterId: string, earlier: EarlierText[]): boolean {
    if (this.full && earlier.length > 0) return false;
    for (const { text, reason, generationId } of earlier) {
      const others = (this.snapshots.get(chapterId) ?? []).filter((one) => one.text !== text);
      this.snapshots.set(chapterId, [
        {
          snapshotId: this.around.id("snapshot"),
          takenAt: this.around.now(),
          reason,
          generationId: generationId ?? null,
          words: countWords(text),
          text,
        },
        ...others,
      ]);
    }
    return true;
  }
}
