import { createStore, type StoreApi } from "zustand/vanilla";
import type { BackendError, Project } from "../backend";
import type { MemoryPage } from "../features/memory";

export type PanelName = "book" | "memory" | "find" | "settings";

/** What only the window knows: which book is open, and which panels. */
export interface WindowState {
  project: Project | null;
  panel: PanelName;
  /** Which page of the memory. */
  memoryPage: MemoryPage;
  /** The page alone, without the panels around it. */
  alone: boolean;
  /** The drafts side by side below the page, instead of in their panel. */
  compared: boolean;
  /** The generation whose *why* is open. */
  why: string | null;
  /** The folder turned out to be a copy of a book we know. */
  copied: { path: string; copiedFrom: string | null; knownTitle: string | null } | null;
  /** Something the writer asked of the window went wrong. */
  problem: BackendError | null;
  /** The past is being read anew for another model. */
  index: { done: number; total: number } | null;
  /** Something is done, and is said once. */
  toast: string | null;
  starting: "starting" | "ready" | "failed";
}

export const createWindow = (): StoreApi<WindowState> =>
  createStore<WindowState>(() => ({
    project: null,
    panel: "book",
    memoryPage: "rules",
    alone: false,
    compared: false,
    why: null,
    copied: null,
    problem: null,
    index: null,
    toast: null,
    starting: "starting",
  }));
