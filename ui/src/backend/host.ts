import type { Commands, Details, Error as WireError, Events } from "./bindings.gen";

/** A kind of file as a system dialog shows it: its name and its extensions. */
export interface FileKind {
  name: string;
  extensions: string[];
}

/** The backend behind the interface: the Tauri window, or the fake for tests and stories. */
export interface Host {
  invoke(name: string, args: unknown): Promise<unknown>;
  /** Resolves once events are sure to arrive, to a function that unsubscribes. */
  listen(event: string, handler: (payload: unknown) => void): Promise<() => void>;
  /** The chosen folder; `null`: cancelled. */
  pickFolder(title: string): Promise<string | null>;
  /** The chosen file; `null`: cancelled. */
  pickFile(title: string, kind: FileKind): Promise<string | null>;
  /** The chosen files; empty: cancelled. */
  pickFiles(title: string, kinds: FileKind): Promise<string[]>;
  /** The path of a new file; `null`: cancelled. */
  pickSavePath(title: string, name: string, kinds: FileKind): Promise<string | null>;
  /**
   * Registers a handler that runs before the window closes; `false` keeps it open. Resolves to a function that
   * unregisters.
   */
  beforeClose(handler: () => Promise<boolean>): Promise<() => void>;
}

/** An error from the backend. `message` is for logs and bug reports; the writer reads the sentence of the code. */
export class BackendError extends Error {
  readonly code: string;
  readonly details: Details;

  constructor(error: Omit<WireError, "code"> & { code: string }) {
    super(error.message);
    this.name = "BackendError";
    this.code = error.code;
    this.details = error.details ?? {};
  }
}

/** Tauri rejects calls without permission, and unreadable arguments, with a plain string. */
export function toBackendError(reason: unknown): BackendError {
  if (reason instanceof BackendError) return reason;
  if (typeof reason === "object" && reason !== null && "code" in reason) {
    const { code, message, details } = reason as WireError;
    return new BackendError({ code: String(code), message: String(message ?? ""), details: details ?? null });
  }
  return new BackendError({ code: "IPC_REFUSED", message: reason instanceof Error ? reason.message : String(reason) });
}

let host: Host | null = null;

export function installHost(next: Host): void {
  host = next;
}

function current(): Host {
  if (!host) throw new BackendError({ code: "IPC_REFUSED", message: "no host" });
  return host;
}

export type Outcome =
  | { name: keyof Commands; error: BackendError; answer?: undefined }
  | { name: keyof Commands; error?: undefined; answer: unknown };

/** Called after every command, with its outcome. */
const watchers = new Set<(outcome: Outcome) => void>();

export function watchCalls(watcher: (outcome: Outcome) => void): () => void {
  watchers.add(watcher);
  return () => void watchers.delete(watcher);
}

function tell(outcome: Outcome): void {
  for (const watcher of watchers) watcher(outcome);
}

export async function call<K extends keyof Commands>(
  name: K,
  args: Commands[K]["args"],
): Promise<Commands[K]["result"]> {
  try {
    const answer = (await current().invoke(name, args)) as Commands[K]["result"];
    tell({ name, answer });
    return answer;
  } catch (reason) {
    const error = toBackendError(reason);
    tell({ name, error });
    throw error;
  }
}

export function listen<K extends keyof Events>(event: K, handler: (payload: Events[K]) => void): Promise<() => void> {
  return current().listen(event, (payload) => handler(payload as Events[K]));
}

const picked = async <T>(pick: (from: Host) => Promise<T>): Promise<T> => {
  try {
    return await pick(current());
  } catch (reason) {
    throw toBackendError(reason);
  }
};

export const pickFolder = (title: string): Promise<string | null> => picked((from) => from.pickFolder(title));

export const pickFile = (title: string, kind: FileKind): Promise<string | null> =>
  picked((from) => from.pickFile(title, kind));

export const pickFiles = (title: string, kinds: FileKind): Promise<string[]> =>
  picked((from) => from.pickFiles(title, kinds));

export const pickSavePath = (title: string, name: string, kinds: FileKind): Promise<string | null> =>
  picked((from) => from.pickSavePath(title, name, kinds));

export function beforeClose(handler: () => Promise<boolean>): Promise<() => void> {
  return current().beforeClose(handler);
}
