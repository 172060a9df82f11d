import { createStore, type StoreApi } from "zustand/vanilla";
import type { CitationDraft } from "../../backend";
import type { AsOf, Caret } from "./position";
import type { StoryPage } from "./entities";

/** Milliseconds that the caret rests before the panel follows it. */
const CARET_REST_MS = 1_000;

export interface StoryState extends AsOf {
  page: StoryPage;
  /** The entity whose details are open. */
  open: string | null;
  /** Whether `open` was asked for from elsewhere, and its page and place in the list are not shown yet. */
  isSought: boolean;
  /** Whether the editor shows a passage that was opened from the panel, away from the caret. */
  isAway: boolean;
  /** The words of the text that a fact is being written from; `null`: none. */
  remembered: CitationDraft | null;
  /** Counts requests to focus the panel. */
  called: number;
}

const INITIAL: Omit<StoryState, "called"> = {
  page: "people",
  open: null,
  isSought: false,
  isAway: false,
  mode: "caret",
  caret: null,
  pinned: null,
  remembered: null,
};

/** The story panel between its openings: page, open entity, and the position up to which the book is known. */
export class StorySession {
  readonly state: StoreApi<StoryState> = createStore<StoryState>(() => ({
    ...INITIAL,
    called: 0,
  }));
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isJumping = false;

  /** `read` reads the caret of the open chapter. */
  constructor(private readonly read: () => Caret | null) {}

  /** Called whenever the caret may have moved. The caret of a jump from the panel is not the writer's. */
  onCaret(): void {
    if (this.isJumping) return;
    if (this.state.getState().isAway) this.state.setState({ isAway: false });
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.follow(), CARET_REST_MS);
  }

  /** Reads the caret now. Without effect while the editor shows a passage opened from the panel. */
  follow(): void {
    clearTimeout(this.timer);
    if (this.isJumping || this.state.getState().isAway) return;
    const caret = this.read();
    const before = this.state.getState().caret;
    if (caret && before && JSON.stringify(caret) === JSON.stringify(before)) return;
    this.state.setState({ caret });
  }

  call(): void {
    this.state.setState(({ called }) => ({ called: called + 1 }));
  }

  /** A chapter was opened by the writer, or by a jump from the panel. */
  onChapterOpened(): void {
    if (!this.isJumping) this.return();
  }

  /** Runs a jump into the text, which resolves to whether it succeeded: the caret of the writer stays where it was. */
  async jump(go: () => Promise<boolean>): Promise<void> {
    this.follow();
    this.isJumping = true;
    try {
      if (await go()) this.state.setState({ isAway: true });
    } finally {
      this.isJumping = false;
    }
  }

  /** Ends a jump: the caret is the writer's again. */
  return(): void {
    this.state.setState({ isAway: false });
    this.follow();
  }

  pin(pinned: string): void {
    this.state.setState({ mode: "pinned", pinned });
  }

  unpin(): void {
    this.state.setState({ mode: "caret", pinned: null });
    this.follow();
  }

  showWhole(): void {
    this.state.setState({ mode: "whole", pinned: null });
  }

  toggle(entityId: string | null): void {
    this.state.setState({ open: entityId, isSought: false });
  }

  /** Opens the details of an entity that is named at the caret. */
  seek(entityId: string): void {
    this.unpin();
    this.show(entityId);
  }

  /** Opens the details of an entity as of the present position, on whatever page it is. */
  show(entityId: string): void {
    this.state.setState({ open: entityId, isSought: true });
  }

  /** Asks for a fact from words of the text. */
  remember(remembered: CitationDraft): void {
    this.state.setState({ remembered });
  }

  /** Ends it, and opens the card that the fact was written on; `null`: none was written. */
  endRemembering(entityId: string | null): void {
    this.state.setState({ remembered: null });
    if (entityId === null) this.call();
    else this.show(entityId);
  }

  /** Resets for another book. */
  forget(): void {
    clearTimeout(this.timer);
    this.state.setState(INITIAL);
  }
}
