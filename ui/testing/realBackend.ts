import { inject } from "vitest";
import type { Commands, Host } from "../src/backend";
import { Waits } from "../src/backend/fake/waits";

type Name = keyof Commands;

/** A `palimpsest-host` behind the interface, through the server of `hostServer.ts`. It records all calls. */
export class RealBackend implements Host {
  readonly calls: { name: Name; args: unknown }[] = [];
  private readonly waits = new Waits<Name>();
  private readonly handlers = new Map<string, Set<(payload: unknown) => void>>();

  private constructor(
    private readonly address: string,
    private readonly events: EventSource,
  ) {
    events.addEventListener("message", ({ data }: MessageEvent<string>) => {
      const { method, params } = JSON.parse(data) as { method: string; params: unknown };
      for (const handler of this.handlers.get(method) ?? []) handler(params);
    });
  }

  /** Starts a host on an empty data folder. Events arrive from then on. */
  static async start(): Promise<RealBackend> {
    const hosts = inject("hosts");
    const number = await (await fetch(`${hosts}/start`, { method: "POST" })).text();
    const events = new EventSource(`${hosts}/${number}`);
    await new Promise<void>((resolve, reject) => {
      events.addEventListener("open", () => resolve(), { once: true });
      events.addEventListener("error", () => reject(new Error("no events")), { once: true });
    });
    return new RealBackend(`${hosts}/${number}`, events);
  }

  async invoke(name: string, args: unknown): Promise<unknown> {
    this.calls.push({ name: name as Name, args: structuredClone(args) });
    return this.waits.during(async () => {
      const body = JSON.stringify({ method: name, params: args });
      const { result, error } = (await (await fetch(this.address, { method: "POST", body })).json()) as {
        result?: unknown;
        error?: { message: string; data?: object };
      };
      if (error) throw { ...error.data, message: error.message };
      return result;
    });
  }

  listen(event: string, handler: (payload: unknown) => void): Promise<() => void> {
    const set = this.handlers.get(event) ?? new Set();
    this.handlers.set(event, set.add(handler));
    return Promise.resolve(() => void set.delete(handler));
  }

  /** The answer to a command, as the window would get it; not among the recorded calls. */
  async ask<K extends Name>(name: K, args: Commands[K]["args"]): Promise<Commands[K]["result"]> {
    const answer = await this.invoke(name, args);
    this.calls.pop();
    return answer as Commands[K]["result"];
  }

  /** Arguments of every call of a command. */
  callsOf<K extends Name>(name: K): Commands[K]["args"][] {
    return this.calls.filter((one) => one.name === name).map(({ args }) => args as Commands[K]["args"]);
  }

  /** Resolves after all calls are answered, the window is drawn and no further call has followed. */
  idle(): Promise<void> {
    return this.waits.idle();
  }

  /** Ends the host. */
  async end(): Promise<void> {
    this.events.close();
    await fetch(`${this.address}/end`, { method: "POST" });
  }

  pickFolder(): Promise<string | null> {
    return Promise.resolve(null);
  }

  pickFile(): Promise<string | null> {
    return Promise.resolve(null);
  }

  pickFiles(): Promise<string[]> {
    return Promise.resolve([]);
  }

  pickSavePath(): Promise<string | null> {
    return Promise.resolve(null);
  }

  beforeClose(): Promise<() => void> {
    return Promise.resolve(() => undefined);
  }
}
