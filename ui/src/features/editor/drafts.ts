import { createStore, type StoreApi } from "zustand/vanilla";
import {
  call,
  toBackendError,
  type BackendError,
  type KeptText,
  type SnapshotInfo,
  type SnapshotText,
} from "../../backend";
import type { Place } from "./keeping";

export interface DraftsState {
  open: boolean;
  /** The chapter's own text, as it stood on the page when they were opened. */
  present: string;
  /** What could not be saved the last time. */
  kept: KeptText[];
  /** The newest first; null while they are being listed. */
  list: SnapshotInfo[] | null;
  /** A snapshot, or what was kept. */
  chosen: string | null;
  /** The chosen one; null while it is being read. */
  read: SnapshotText | null;
  problem: BackendError | null;
}

const SHUT: DraftsState = { open: false, present: "", kept: [], list: null, chosen: null, read: null, problem: null };

/** What the page has to offer for it. */
interface Desk {
  place(): Place | null;
  text(): string;
  kept(): KeptText[];
  /** Everything that is to be among them is. */
  settled(): Promise<unknown>;
}

/** The earlier texts of the chapter that is open, looked at beside the present one. */
export class Drafts {
  readonly state: StoreApi<DraftsState> = createStore<DraftsState>(() => SHUT);

  constructor(private readonly desk: Desk) {}

  /** `keptId`: what could not be saved is looked at first. */
  async show(keptId: string | null = null): Promise<void> {
    const place = this.desk.place();
    if (!place || this.state.getState().open) return;
    this.state.setState({ ...SHUT, open: true, present: this.desk.text(), kept: this.desk.kept() });
    if (keptId !== null) this.choose(keptId);
    await this.desk.settled();
    try {
      const { snapshots } = await call("chapter:snapshot:list", { ...place });
      if (!this.state.getState().open) return;
      this.state.setState({ list: snapshots });
      const [first] = [
        ...this.state.getState().kept.map((kept) => kept.keptId),
        ...snapshots.map(({ snapshotId }) => snapshotId),
      ];
      if (this.state.getState().chosen === null && first !== undefined) this.choose(first);
    } catch (error) {
      this.state.setState({ list: [], problem: toBackendError(error) });
    }
  }

  close(): void {
    this.state.setState(SHUT);
  }

  choose(id: string): void {
    const kept = this.state.getState().kept.find(({ keptId }) => keptId === id);
    this.state.setState({
      chosen: id,
      problem: null,
      read: kept ? { snapshotId: id, text: kept.text, words: kept.words, origins: [] } : null,
    });
    if (!kept) void this.readOne(id);
  }

  private async readOne(snapshotId: string): Promise<void> {
    const place = this.desk.place();
    if (!place) return;
    try {
      const read = await call("chapter:snapshot:read", { ...place, snapshotId });
      if (this.state.getState().chosen === snapshotId) this.state.setState({ read });
    } catch (error) {
      if (this.state.getState().chosen === snapshotId) this.state.setState({ problem: toBackendError(error) });
    }
  }
}
