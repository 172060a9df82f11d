import type { BackendError, KeptText } from "../../backend";
import type { MarginWords } from "./origins";

export type SaveState = "saved" | "dirty" | "saving" | "conflict";

/** What the rest of the window may show of the page. */
export interface DeskState {
  chapter: { projectId: string; chapterId: string; title: string } | null;
  save: SaveState;
  savedAt: string | null;
  /** What could not be written, or read. */
  problem: { of: "save" | "read" | "letGo"; error: BackendError } | null;
  /** What cannot be saved is kept beside the book, and outlives the window. */
  isKept: boolean;
  /** What could not be saved before the program ended, the newest first. */
  left: KeptText[];
  /** The text is saved, and what it was before could not be kept. */
  snapshotFailed: boolean;
  /** Something outside changed the file: `changed` and `gone` wait for the writer, `reloaded` only tells. */
  outside: "changed" | "gone" | "reloaded" | null;
  hasSelection: boolean;
  /** Passages by the assistant whose place in the text is no longer known. */
  unanchored: number;
  busy: boolean;
}

export interface DeskOptions {
  margin: MarginWords;
  label(): string;
  onSaved?(chapter: { projectId: string; chapterId: string; title: string; words: number }): void;
  /** The writer undid what the assistant wrote, and did not bring it back: seconds or hours after taking it. */
  onUndone?(projectId: string, generationId: string): void;
  /** The writer is writing: told as it begins, and then once in a while as long as it goes on. */
  onActivity?(projectId: string): void;
  /** A chapter was made for text that had none: it is to be opened. */
  onMade?(projectId: string, chapterId: string): Promise<unknown>;
  /** Milliseconds of quiet before the text is saved. */
  quiet?: number;
  /** Milliseconds that an edit waits at most, however long the writer goes on. */
  longest?: number;
  /** Milliseconds after which a save that has not ended counts as one that may never. */
  slow?: number;
  /** Milliseconds until a failed save is tried again. */
  retry?: number;
  /** Milliseconds in which an undone passage may be brought back. */
  regret?: number;
}

/** A chapter as it was just read. */
export const FRESH = {
  save: "saved",
  savedAt: null,
  problem: null,
  isKept: false,
  left: [],
  snapshotFailed: false,
  outside: null,
} satisfies Partial<DeskState>;
