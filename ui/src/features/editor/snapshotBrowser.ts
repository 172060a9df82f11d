import { createStore, type StoreApi } from "zustand/vanilla";
import {
  call,
  toBackendError,
  type BackendError,
  type RecoveryCopyText,
  type SnapshotInfo,
  type SnapshotText,
} from "../../backend";
import type { ChapterRef } from "./state";

export interface SnapshotBrowserState {
  open: boolean;
  /** The chapter's text at the time of opening. */
  present: string;
  recoveryCopies: RecoveryCopyText[];
  /** Newest first; `null` while loading. */
  list: SnapshotInfo[] | null;
  /** Id of the selected snapshot or recovery copy. */
  chosen: string | null;
  /** The selected text; `null` while loading. */
  read: SnapshotText | null;
  problem: BackendError | null;
}

const CLOSED: SnapshotBrowserState = {
  open: false,
  present: "",
  recoveryCopies: [],
  list: null,
  chosen: null,
  read: null,
  problem: null,
};

interface Source {
  chapter(): ChapterRef | null;
  text(): string;
  /** Recovery copies of the open chapter. */
  recoveryCopies(): RecoveryCopyText[];
  /** Resolves after pending snapshots are stored. */
  allStored(): Promise<unknown>;
}

/** The earlier texts of the open chapter, to compare with the present one. */
export class SnapshotBrowser {
  readonly state: StoreApi<SnapshotBrowserState> = createStore<SnapshotBrowserState>(() => CLOSED);

  constructor(private readonly source: Source) {}

  /** Opens the list; `keptId`: the recovery copy to select. */
  async show(keptId: string | null = null): Promise<void> {
    const chapter = this.source.chapter();
    if (!chapter || this.state.getState().open) return;
    const recoveryCopies = this.source.recoveryCopies();
    this.state.setState({ ...CLOSED, open: true, present: this.source.text(), recoveryCopies });
    if (keptId !== null) this.choose(keptId);
    await this.source.allStored();
    try {
      const { snapshots } = await call("chapter:snapshot:list", { ...chapter });
      if (!this.state.getState().open) return;
      this.state.setState({ list: snapshots });
      const [first] = [
        ...this.state.getState().recoveryCopies.map((copy) => copy.keptId),
        ...snapshots.map(({ snapshotId }) => snapshotId),
      ];
      if (this.state.getState().chosen === null && first !== undefined) this.choose(first);
    } catch (error) {
      this.state.setState({ list: [], problem: toBackendError(error) });
    }
  }

  close(): void {
    this.state.setState(CLOSED);
  }

  choose(id: string): void {
    const copy = this.state.getState().recoveryCopies.find(({ keptId }) => keptId === id);
    this.state.setState({
      chosen: id,
      problem: null,
      read: copy ? { snapshotId: id, text: copy.text, words: copy.words, origins: [] } : null,
    });
    if (!copy) void this.load(id);
  }

  private async load(snapshotId: string): Promise<void> {
    const chapter = this.source.chapter();
    if (!chapter) return;
    try {
      const read = await call("chapter:snapshot:read", { ...chapter, snapshotId });
      if (this.state.getState().chosen === snapshotId) this.state.setState({ read });
    } catch (error) {
      if (this.state.getState().chosen === snapshotId) this.state.setState({ problem: toBackendError(error) });
    }
  }
}
