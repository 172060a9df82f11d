import { call, toBackendError, type ChapterText, type RecoveryCopyText } from "../../backend";
import type { ChapterSession } from "./chapterSession";
import type { RecoveryCopy } from "./recoveryCopy";
import type { StatusStore } from "./state";
import type { EditorSurface } from "./surface";
import { marksOf, titleOf } from "./texts";

const MAX_TITLE_LENGTH = 200;

interface OfferOptions {
  /** Title of a chapter created for text without a heading. */
  defaultTitle(): string;
  onChapterCreated?(projectId: string, chapterId: string): Promise<unknown>;
}

/** Recovery copies of earlier runs: the writer restores or discards each. */
export class RecoveryOffer {
  /** Content hash of the open chapter when it was opened. */
  private openedHash = "";

  constructor(
    private readonly store: StatusStore,
    private readonly surface: EditorSurface,
    private readonly session: ChapterSession,
    private readonly recovery: RecoveryCopy,
    private readonly options: OfferOptions,
  ) {}

  onOpened({ contentHash, kept }: ChapterText): void {
    this.openedHash = contentHash;
    this.store.setState({ recoveryCopies: kept });
  }

  /** The copies of the open chapter itself, without those of chapters whose file is gone. */
  ofOpenChapter(): RecoveryCopyText[] {
    return this.copies.filter(({ chapterId }) => chapterId === this.session.ref?.chapterId);
  }

  /** Shows the copy in the editor. If the file was changed since the copy was made, that is a conflict. */
  async restore(keptId: string): Promise<void> {
    const [copy, ref] = [this.copies.find((one) => one.keptId === keptId), this.session.ref];
    if (!copy || !ref) return;
    const isFileGone = copy.chapterId !== ref.chapterId;
    if (isFileGone && !(await this.createChapter(ref.projectId, copy))) return;
    this.recovery.adopt(ref.projectId, copy);
    this.remove(keptId);
    this.session.restore(copy.text, marksOf(copy), !isFileGone);
    this.surface.focus();
    if (!this.session.unsaved) void this.recovery.discard();
    else if (!isFileGone && copy.baseHash !== this.openedHash) this.session.enterConflict("changed");
    else this.session.saveNow();
  }

  async discard({ keptId, chapterId }: RecoveryCopyText): Promise<void> {
    const { ref } = this.session;
    if (!ref) return;
    try {
      await call("chapter:keep:drop", { projectId: ref.projectId, chapterId, keptId });
      this.remove(keptId);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Creates a chapter for a copy whose file is gone. Resolves to whether it is open. */
  private async createChapter(projectId: string, { text }: RecoveryCopyText): Promise<boolean> {
    try {
      const title = (titleOf(text) ?? this.options.defaultTitle()).slice(0, MAX_TITLE_LENGTH);
      const { chapterId } = await call("chapter:create", { projectId, title });
      await this.options.onChapterCreated?.(projectId, chapterId);
      return this.session.ref?.chapterId === chapterId;
    } catch (error) {
      this.fail(error);
      return false;
    }
  }

  private get copies(): RecoveryCopyText[] {
    return this.store.getState().recoveryCopies;
  }

  private remove(keptId: string): void {
    this.store.setState({ recoveryCopies: this.copies.filter((one) => one.keptId !== keptId) });
  }

  private fail(error: unknown): void {
    this.store.setState({ problem: { of: "recovery", error: toBackendError(error) } });
  }
}
