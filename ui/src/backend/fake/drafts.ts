import type { ChapterText, Commands, EarlierText, RecoveryCopyText, OriginMark, SnapshotInfo } from "../bindings.gen";
import { countWords } from "../../lib/words";
import { notFound } from "./refusals";

interface Snapshot extends SnapshotInfo {
  text: string;
}

interface Context {
  id(kind: string): string;
  now(): string;
  /** Origins and text of a chapter. */
  marks(chapterId: string, projectId: string): { origins: OriginMark[]; text: string };
}

type Name = "chapter:keep" | "chapter:keep:drop" | "chapter:snapshot:list" | "chapter:snapshot:read";

/** Snapshots and recovery copies of chapters. */
export class FakeDrafts {
  /** By chapter id, newest first. */
  readonly snapshots = new Map<string, Snapshot[]>();
  /** By chapter id, newest first. Survives a restart of the window. */
  readonly recoveryCopies = new Map<string, RecoveryCopyText[]>();
  /** Whether the book's folder refuses snapshots. */
  full = false;

  constructor(private readonly context: Context) {}

  readonly commands: { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "chapter:keep": ({ chapterId, text, baseHash, origins, keptId: known }) => {
      const copy = {
        chapterId,
        keptId: known ?? this.context.id("kept"),
        at: this.context.now(),
        baseHash,
        text,
        words: countWords(text),
        origins: origins ?? [],
      };
      this.recoveryCopies.set(chapterId, [copy, ...this.of(chapterId).filter(({ keptId }) => keptId !== copy.keptId)]);
      return { keptId: copy.keptId, at: copy.at };
    },
    "chapter:keep:drop": ({ chapterId, keptId }) => ({ letGo: this.drop(chapterId, keptId) }),
    "chapter:snapshot:list": ({ projectId, chapterId }) => {
      this.context.marks(chapterId, projectId);
      const snapshots = (this.snapshots.get(chapterId) ?? []).map(
        ({ snapshotId, takenAt, reason, generationId, words }) => ({
          snapshotId,
          takenAt,
          reason,
          generationId,
          words,
        }),
      );
      return { snapshots };
    },
    "chapter:snapshot:read": ({ projectId, chapterId, snapshotId }) => {
      const found = this.snapshots.get(chapterId)?.find((one) => one.snapshotId === snapshotId);
      if (!found) throw notFound("snapshotId");
      const { text, words } = found;
      const { origins, text: now } = this.context.marks(chapterId, projectId);
      const anchored = origins.flatMap((mark) => {
        const quote = now.slice(mark.from, mark.to);
        const from = text.indexOf(quote);
        return from < 0 || text.includes(quote, from + 1) ? [] : [{ ...mark, from, to: from + quote.length }];
      });
      return { snapshotId, text, words, origins: anchored };
    },
  };

  of(chapterId: string): ChapterText["kept"] {
    return this.recoveryCopies.get(chapterId) ?? [];
  }

  /** Copies of chapters other than these. */
  ofMissingChapters(chapterIds: string[]): ChapterText["kept"] {
    return [...this.recoveryCopies.values()].flat().filter(({ chapterId }) => !chapterIds.includes(chapterId));
  }

  drop(chapterId: string, keptId: string): boolean {
    const before = this.of(chapterId);
    this.recoveryCopies.set(
      chapterId,
      before.filter((one) => one.keptId !== keptId),
    );
    return this.of(chapterId).length < before.length;
  }

  /** False if the snapshots could not be stored. */
  storeSnapshots(chapterId: string, earlier: EarlierText[]): boolean {
    if (this.full && earlier.length > 0) return false;
    for (const { text, reason, generationId } of earlier) {
      const others = (this.snapshots.get(chapterId) ?? []).filter((one) => one.text !== text);
      this.snapshots.set(chapterId, [
        {
          snapshotId: this.context.id("snapshot"),
          takenAt: this.context.now(),
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
