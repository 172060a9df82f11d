import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";

const TARGET = process.env["CARGO_TARGET_DIR"] ?? fileURLToPath(new URL("../../target", import.meta.url));
const NAME = process.platform === "win32" ? "palimpsest-host.exe" : "palimpsest-host";
const HOST = process.env["PALIMPSEST_HOST"] ?? join(TARGET, "debug", NAME);

declare module "vitest" {
  interface ProvidedContext {
    /** Address of the server. */
    hosts: string;
  }
}

/** The answer to a request that comes too late. */
const ENDED = { message: "the host has ended" };

/** One `palimpsest-host` on a data folder of its own. */
class HostProcess {
  private readonly folder = mkdtempSync(join(tmpdir(), "palimpsest-window-"));
  private readonly child: ChildProcess;
  private readonly waiting = new Map<number, (message: string) => void>();
  private readonly listeners = new Set<ServerResponse>();
  private readonly exited: Promise<void>;
  private requests = 0;

  constructor() {
    const options = ["--clock", "fixed:2026-10-20T14:32:00Z", "--embedder", join(this.folder, "none")];
    this.child = spawn(HOST, ["--data-dir", join(this.folder, "data"), ...options], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.exited = new Promise((resolve) => this.child.once("close", () => resolve()));
    createInterface({ input: this.child.stdout! }).on("line", (line) => {
      const { id } = JSON.parse(line) as { id?: number };
      if (id === undefined) for (const listener of this.listeners) listener.write(`data: ${line}\n\n`);
      else {
        this.waiting.get(id)?.(line);
        this.waiting.delete(id);
      }
    });
    void this.exited.then(() => {
      for (const answer of this.waiting.values()) answer(JSON.stringify({ error: ENDED }));
    });
  }

  /** The answer to a request, as JSON. */
  ask(method: string, params: unknown): Promise<string> {
    // A window may still ask while its test ends.
    if (this.child.stdin!.writableEnded) return Promise.resolve(JSON.stringify({ error: ENDED }));
    const id = (this.requests += 1);
    const answered = new Promise<string>((resolve) => this.waiting.set(id, resolve));
    this.child.stdin!.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return answered;
  }

  /** Sends every event from now on. */
  subscribe(listener: ServerResponse): void {
    listener.writeHead(200, { "content-type": "text/event-stream", "access-control-allow-origin": "*" });
    listener.flushHeaders();
    this.listeners.add(listener);
    listener.on("close", () => this.listeners.delete(listener));
  }

  async end(): Promise<void> {
    this.child.stdin!.end();
    await this.exited;
    for (const listener of this.listeners) listener.end();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

/**
 * Serves `palimpsest-host` processes to window tests in a browser: `POST /start` answers a number, `POST /N` executes a
 * request, `GET /N` streams events, `POST /N/end` ends the process.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!existsSync(HOST)) throw new Error(`${HOST} is missing: build it with \`npm test -- build\``);
  const hosts = new Map<string, HostProcess>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, name = "", act] = (request.url ?? "").split("/");
    if (request.method === "GET") return hosts.get(name)?.subscribe(response);
    let text = "{}";
    if (name === "start") {
      const next = String(hosts.size + 1);
      hosts.set(next, new HostProcess());
      text = next;
    } else if (act === "end") await hosts.get(name)?.end();
    else {
      const { method, params } = JSON.parse(await bodyOf(request)) as { method: string; params: unknown };
      text = (await hosts.get(name)?.ask(method, params)) ?? "{}";
    }
    response.writeHead(200, { "content-type": "application/json", "access-control-allow-origin": "*" });
    response.end(text);
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  project.provide("hosts", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    await Promise.all([...hosts.values()].map((host) => host.end()));
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
}
