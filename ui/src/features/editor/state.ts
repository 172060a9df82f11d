import type { NamedHere } from "./nameHover";
import { createStore, type StoreApi } from "zustand/vanilla";
import type { BackendError, ChapterText, RecoveryCopyText } from "../../backend";
import type { MarginWords } from "./marks";

export interface ChapterRef {
  projectId: string;
  chapterId: string;
}

export interface OpenChapter extends ChapterRef {
  title: string;
}

/** The initial caret of a chapter: the start of its text, or an offset in UTF-16 code units. Without one, the end. */
export type CaretTarget = "start" | number;

/** The caret in the saved text of a chapter. */
export interface CaretPlace extends OpenChapter {
  text: string;
  /** In UTF-16 code units. */
  offset: number;
  baseHash: string;
}

export type SaveState = "saved" | "dirty" | "saving" | "conflict";

/** The editor's state as other parts of the window show it. */
export interface EditorStatus {
  chapter: OpenChapter | null;
  save: SaveState;
  savedAt: string | null;
  /** The last operation that failed. */
  problem: { of: "save" | "read" | "recovery"; error: BackendError } | null;
  /** Whether the unsaved text is stored as a recovery copy. */
  hasRecoveryCopy: boolean;
  /** Recovery copies of earlier runs that the writer has not decided about, newest first. */
  recoveryCopies: RecoveryCopyText[];
  /** Whether the last save stored the chapter but not its snapshot. */
  snapshotFailed: boolean;
  /** Another program changed the file: `changed` and `gone` are conflicts, `reloaded` is a notice. */
  outsideChange: "changed" | "gone" | "reloaded" | null;
  hasSelection: boolean;
  /** Number of origins whose range in the text could not be found. */
  unanchored: number;
  busy: boolean;
}

export interface EditorOptions {
  margin: MarginWords;
  /** Accessible name of the text field; also the title of a chapter created for text without a heading. */
  label(): string;
  onSaved?(chapter: OpenChapter & { words: number }): void;
  /** The text of a file was shown: that of a chapter just opened, or a newer one of the same chapter. */
  onRead?(): void;
  /** The writer undid generated text and did not redo it: seconds or hours after accepting it. */
  onUndone?(projectId: string, generationId: string): void;
  /** Called when the writer begins to type, then at most once per `ACTIVITY_INTERVAL_MS`. */
  onActivity?(projectId: string): void;
  /** Called whenever the caret or the selection may have moved. */
  onCaret?(): void;
  /** A chapter was created for recovered text. Resolves after the chapter has been opened. */
  onChapterCreated?(projectId: string, chapterId: string): Promise<unknown>;
  /** The name at an offset of a chapter, to be explained under the pointer; `null`: there is none. */
  nameAt?: (chapter: ChapterRef, offset: number) => Promise<NamedHere | null>;
}

/** An earlier text of the chapter that takes the place of the present one. */
export type EarlierVersion = Pick<ChapterText, "text" | "origins">;

/** Fields of the status that are the same for every chapter just opened. */
export const JUST_OPENED = {
  save: "saved",
  savedAt: null,
  problem: null,
  hasRecoveryCopy: false,
  recoveryCopies: [],
  snapshotFailed: false,
  outsideChange: null,
  unanchored: 0,
} satisfies Partial<EditorStatus>;

export type StatusStore = StoreApi<EditorStatus>;

export const createStatus = (): StatusStore =>
  createStore<EditorStatus>(() => ({
    ...JUST_OPENED,
    chapter: null,
    hasSelection: false,
    busy: false,
  }));
