import type { Commands, Details, Error as WireError, Events, ExchangeFormat } from "./bindings.gen";

/** What stands behind the interface: the Tauri window, or a small backend in memory for tests and pictures. */
export interface Host {
  invoke(name: string, args: unknown): Promise<unknown>;
  /** Resolves once the events are sure to arrive; the answer stops them. */
  listen(event: string, handler: (payload: unknown) => void): Promise<() => void>;
  /** The folder the writer picked, or null when they thought better of it. */
  pickFolder(title: string): Promise<string | null>;
  /** The file the writer picked to be read, or null. */
  pickFile(title: string, format: ExchangeFormat): Promise<string | null>;
  /** Where the writer wants a file to be written, or null. `name` is what it may be called. */
  pickPlace(title: string, format: ExchangeFormat, name: string): Promise<string | null>;
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
export type Outcome = { name: keyof Commands; error: BackendError; answer?: undefined } | { name: keyof Commands; error?: undefined; answer: unknown };

/** Who is told how every command went, whoever asked. */
const watchers = new Set<(outcome: Outcome) => void>();

export function watchCalls(watcher: (outcome: Outcome) => void): () => void {
  watchers.add(watcher);
  return () => void watchers.delete(watcher);
}

function tell(outcome: Outcome): void {
  for (const watcher of watchers) watcher(outcome);
}

export async function call<K extends keyof Commands>(name: K, args: Commands[K]["args"]): Promise<Commands[K]["result"]> {
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

export const pickFolder = (title: string) => picked((its) => its.pickFolder(title));
export const pickFile = (title: string, format: ExchangeFormat) => picked((its) => its.pickFile(title, format));
export const pickPlace = (title: string, format: ExchangeFormat, name: string) => picked((its) => its.pickPlace(title, format, name));

async function picked(pick: (host: Host) => Promise<string | null>): Promise<string | null> {
  try {
    return await pick(current());
  } catch (reason) {
    throw toBackendError(reason);
  }
}

export function beforeClose(handler: () => Promise<boolean>): Promise<() => void> {
  return current().beforeClose(handler);
}
