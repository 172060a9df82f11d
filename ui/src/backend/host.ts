import type { Commands, Details, Error as WireError, Events } from "./bindings.gen";

/** Files that belong together: what they are called in a dialog, and how their names end. */
export interface FileKind {
  name: string;
  extensions: string[];
}

/** What stands behind the interface: the Tauri window, or a small backend in memory for tests and pictures. */
export interface Host {
  invoke(name: string, args: unknown): Promise<unknown>;
  /** Resolves once the events are sure to arrive; the answer stops them. */
  listen(event: string, handler: (payload: unknown) => void): Promise<() => void>;
  /** The folder the writer picked, or null when they thought better of it. */
  pickFolder(title: string): Promise<string | null>;
  /** The file the writer picked, of this kind, or null. */
  pickFile(title: string, kind: FileKind): Promise<string | null>;
  /** The files the writer picked, of these kinds; none when they thought better of it. */
  pickFiles(title: string, kinds: FileKind): Promise<string[]>;
  /** Where a new file shall go, or null. */
  pickSavePath(title: string, name: string, kinds: FileKind): Promise<string | null>;
  /** Asked before the window goes away, which waits for the answer: false keeps it open. */
  beforeClose(handler: () => Promise<boolean>): Promise<() => void>;
}

/** An error as it crossed the wire. `message` is for logs and bug reports; the writer reads the sentence of its code. */
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

/** Tauri refuses what is not granted, and arguments it cannot read, with a plain string. */
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

/** How a command went. */
export type Outcome =
  | { name: keyof Commands; error: BackendError; answer?: undefined }
  | { name: keyof Commands; error?: undefined; answer: unknown };

/** Who is told how every command went, whoever asked. */
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
