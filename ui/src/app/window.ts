import { createStore, type StoreApi } from "zustand/vanilla";
import type { BackendError, Project } from "../backend";
import type { MemoryPage, PastTarget } from "../features/memory";

/** The mode of the assistant: it writes drafts, or answers questions. */
export type AssistantMode = "write" | "ask";

export type PanelName = "book" | "memory" | "story" | "find" | "settings";

/** A position in a chapter at which it will be split. */
export interface SplitRequest {
  projectId: string;
  chapterId: string;
  /** In UTF-16 code units of the text. */
  offset: number;
  /** Content hash of the text. */
  baseHash: string;
  /** The heading at the position, or a suggestion after the title of the chapter. */
  title: string;
  /** The last words before the position and the first words after it. If either is empty, the chapter cannot be split there. */
  before: string;
  after: string;
}

/** State of the window itself: the open book and the panels. */
export interface WindowState {
  project: Project | null;
  panel: PanelName;
  assistantMode: AssistantMode;
  /** Page of the memory panel. */
  memoryPage: MemoryPage;
  /** The past passage that the memory panel was opened for; `null`: none. */
  pastTarget: PastTarget | null;
  /** The answer that the page of answers shows first; `null`: none before the others. */
  answerTarget: string | null;
  /** Whether the panels are hidden. */
  alone: boolean;
  /** Whether the drafts are shown side by side below the text instead of in their panel. */
  compared: boolean;
  /** Generation whose trace is open. */
  why: string | null;
  /** Set when the opened folder is a copy of a known book. */
  copied: { path: string; copiedFrom: string | null; knownTitle: string | null } | null;
  /** The last action of the writer that failed. */
  problem: BackendError | null;
  /** Progress of rebuilding the vectors for another encoder. */
  index: { done: number; total: number } | null;
  /** A success message, shown once. */
  toast: string | null;
  /** Undoes what the success message reports, while it is shown; `null`: nothing to undo. */
  undo: (() => void) | null;
  /** The request of the open split dialog; `null` while it is closed. */
  splitting: SplitRequest | null;
  /** The known book that is about to be forgotten. */
  forgetting: Project | null;
  starting: "starting" | "ready" | "failed";
}

export const createWindow = (): StoreApi<WindowState> =>
  createStore<WindowState>(() => ({
    project: null,
    panel: "book",
    assistantMode: "write",
    memoryPage: "rules",
    pastTarget: null,
    answerTarget: null,
    alone: false,
    compared: false,
    why: null,
    copied: null,
    problem: null,
    index: null,
    toast: null,
    undo: null,
    splitting: null,
    forgetting: null,
    starting: "starting",
  }));
