// Drives the real window through WebKitWebDriver, with plain Node.
//
// Every wait has a condition and, on a timeout, names it; no wait has a fixed time. A page re-renders during a test, so
// elements are named by CSS selectors and looked up at every try, never cached.

import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = resolve(HERE, "../..");
export const OUT = join(HERE, "out");
export const BINARY =
  process.env.PALIMPSEST_BINARY ?? join(process.env.CARGO_TARGET_DIR ?? join(ROOT, "target"), "debug", "palimpsest");

/** Timeout of a condition, in milliseconds. A cold start on a busy machine is the slowest one. */
const TIMEOUT = Number(process.env.E2E_TIMEOUT ?? 20_000);
const STARTING = 60_000;
const POLL = 40;

const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";
/** Errors that mean "not yet": the page has not reached the expected state. */
const NOT_YET = new Set([
  "no such element",
  "stale element reference",
  "element not interactable",
  "element click intercepted",
  "move target out of bounds",
]);

export const Key = {
  backspace: "\uE003",
  tab: "\uE004",
  enter: "\uE007",
  escape: "\uE00C",
  end: "\uE010",
  home: "\uE011",
  left: "\uE012",
  up: "\uE013",
  right: "\uE014",
  down: "\uE015",
  shift: "\uE008",
  control: "\uE009",
};

/** A selector for an element by its `data-testid`, narrowed by further attributes. */
export function at(id, attributes = {}) {
  const more = Object.entries(attributes)
    .map(([name, value]) => `[${name}="${value}"]`)
    .join("");
  return `[data-testid="${id}"]${more}`;
}

const pause = (ms) =>
  new Promise((done) => {
    setTimeout(done, ms);
  });

/** Waits until `probe` returns a truthy value, and returns that value. */
export async function until(what, probe, timeout = TIMEOUT) {
  const deadline = Date.now() + timeout;
  let last;
  for (;;) {
    try {
      const value = await probe();
      if (value) return value;
      last = undefined;
    } catch (error) {
      if (!(error instanceof WireError) || !NOT_YET.has(error.code)) throw error;
      last = error;
    }
    if (Date.now() > deadline) {
      throw new Error(`waited ${timeout} ms in vain: ${what}${last ? ` (${last.message})` : ""}`);
    }
    await pause(POLL);
  }
}

class WireError extends Error {
  constructor(code, message) {
    super(`${code}: ${message}`);
    this.code = code;
  }
}

function freePort() {
  return new Promise((done, failed) => {
    const server = createServer();
    server.on("error", failed);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

const running = new Set();
function killAll() {
  for (const app of running) app.kill();
}
process.on("exit", killAll);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    killAll();
    process.exit(1);
  });
}

/** Creates a data folder for one test. Removed by `discard`. */
export async function freshFolder(name = "data") {
  return mkdtemp(join(tmpdir(), `palimpsest-${name}-`));
}

export function discard(folder) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** The window, open on a data folder. */
export class App {
  #port;
  #session = "";
  #driver;
  #options;
  #log = "";

  /** Starts the program and waits until its page is loaded. */
  static async start(options) {
    if (!existsSync(BINARY))
      throw new Error(`build the window first: cargo build -p palimpsest (${BINARY} is missing)`);
    const app = new App();
    app.#options = { locale: "en_US.UTF-8", ...options };
    await app.#open();
    return app;
  }

  async #open() {
    const { dataDir, locale, env, args = [] } = this.#options;
    this.#port = await freePort();
    // A process group of its own, so that the driver, the program and the helpers of the web view are killed together.
    this.#driver = spawn("WebKitWebDriver", ["--host=127.0.0.1", `--port=${this.#port}`], {
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...process.env,
        TAURI_WEBVIEW_AUTOMATION: "true",
        PALIMPSEST_DATA_DIR: dataDir,
        LANG: locale,
        LC_ALL: locale,
        LANGUAGE: "",
        // Tests do not touch the keychain of the user who runs them.
        PALIMPSEST_KEYCHAIN: "off",
        ...env,
      },
    });
    running.add(this);
    for (const stream of [this.#driver.stdout, this.#driver.stderr]) {
      stream.setEncoding("utf8");
      stream.on("data", (text) => {
        this.#log = (this.#log + text).slice(-8_000);
      });
    }
    await until(
      "WebKitWebDriver answers",
      async () => {
        if (this.#driver.exitCode !== null) throw new Error(`WebKitWebDriver ended: ${this.#log}`);
        return fetch(`http://127.0.0.1:${this.#port}/status`).then(
          (r) => r.ok,
          () => false,
        );
      },
      STARTING,
    );
    const opened = await this.#call(
      "POST",
      "",
      {
        capabilities: { alwaysMatch: { "webkitgtk:browserOptions": { binary: BINARY, args } } },
      },
      STARTING,
    );
    this.#session = `/${opened.sessionId}`;
    await this.#call("POST", "/timeouts", { script: TIMEOUT, pageLoad: STARTING, implicit: 0 });
    await until("the page is loaded", () => this.run(() => document.readyState === "complete"), STARTING);
  }

  async #call(method, path, body, timeout = TIMEOUT + 5_000) {
    const answer = await fetch(`http://127.0.0.1:${this.#port}/session${this.#session}${path}`, {
      method,
      headers: { "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(timeout),
    }).catch((error) => {
      throw new Error(`${method} ${path}: ${error.message}\n${this.#log}`);
    });
    const { value } = await answer.json();
    if (!answer.ok) throw new WireError(value?.error ?? String(answer.status), value?.message ?? "");
    return value;
  }

  /** The output of the program and the driver on their standard streams. */
  get log() {
    return this.#log;
  }

  /** Runs a function in the page and returns its result (JSON). */
  run(fn, ...args) {
    return this.#call("POST", "/execute/sync", { script: `return (${fn}).apply(null, arguments)`, args });
  }

  /** Runs an async function in the page and returns its resolved value (JSON). */
  async runAsync(fn, ...args) {
    const script = `const done = arguments[arguments.length - 1];
      Promise.resolve((${fn}).apply(null, Array.prototype.slice.call(arguments, 0, -1)))
        .then((value) => done({ value }), (error) => done({ error: String(error && error.stack || error) }));`;
    const { value, error } = await this.#call("POST", "/execute/async", { script, args });
    if (error) throw new Error(error);
    return value;
  }

  /** Whether the page answers within `ms`. */
  responds(ms) {
    return this.#call("POST", "/execute/sync", { script: "return true", args: [] }, ms).catch(() => false);
  }

  /** Calls a command as the page does: `{ok}` or `{error}`, with any rejection value. */
  invoke(name, args = {}) {
    return this.runAsync(
      (command, params) =>
        globalThis.__TAURI_INTERNALS__.invoke(command, params).then(
          (ok) => ({ ok }),
          (error) => ({ error }),
        ),
      name,
      args,
    );
  }

  async #element(selector) {
    const found = await this.#call("POST", "/element", { using: "css selector", value: selector });
    return found[ELEMENT];
  }

  /** The number of elements that match now. */
  count(selector) {
    return this.run((css) => document.querySelectorAll(css).length, selector);
  }

  /** Waits until a matching element exists. */
  see(selector, timeout) {
    return until(`${selector} is there`, async () => (await this.count(selector)) > 0, timeout);
  }

  /** Waits until no matching element exists. */
  gone(selector, timeout) {
    return until(`${selector} is gone`, async () => (await this.count(selector)) === 0, timeout);
  }

  /** Clicks as a pointer does; waits until that is possible. */
  click(selector, timeout) {
    return until(
      `${selector} can be clicked`,
      async () => {
        const ready = await this.runAsync(async (css) => {
          const place = document.querySelector(css);
          if (!place || place.disabled || place.getAttribute("aria-disabled") === "true") return false;
          place.scrollIntoView({ block: "nearest" });
          // An element of a page that still scrolls would move away from the pointer.
          const where = () => {
            const { x, y } = place.getBoundingClientRect();
            return `${x} ${y}`;
          };
          const frame = () =>
            new Promise((done) => {
              requestAnimationFrame(done);
            });
          const was = where();
          for (let i = 0; i < 3; i += 1) await frame();
          return place.isConnected && where() === was;
        }, selector);
        if (!ready) return false;
        await this.#call("POST", `/element/${await this.#element(selector)}/click`, {});
        return true;
      },
      timeout,
    );
  }

  /** Types into an element, key by key. */
  type(selector, text) {
    return until(`${selector} can be typed into`, async () => {
      await this.#call("POST", `/element/${await this.#element(selector)}/value`, {
        text: text.replaceAll("\n", Key.enter),
      });
      return true;
    });
  }

  /** Replaces the content of a field. */
  async fill(selector, text) {
    await this.click(selector);
    await this.press([Key.control, "a"], Key.backspace);
    await this.type(selector, text);
    await until(`${selector} holds the text`, async () => (await this.value(selector)) === text);
  }

  /** Presses keys at the focus; an array is a chord. */
  async press(...keys) {
    const actions = keys.flatMap((key) => {
      const chord = Array.isArray(key) ? key : [key];
      return [
        ...chord.map((value) => ({ type: "keyDown", value })),
        ...chord.toReversed().map((value) => ({ type: "keyUp", value })),
      ];
    });
    await this.#call("POST", "/actions", { actions: [{ type: "key", id: "keyboard", actions }] });
  }

  /** Whether the matching element has the focus. */
  stands(selector) {
    return this.run((css) => document.activeElement?.matches(css) ?? false, selector);
  }

  /** Moves the focus to an element by Tab alone, or backwards by Shift+Tab, as a writer without a pointer does. */
  async tabTo(selector, { back = false, most = 60 } = {}) {
    await this.see(selector);
    const way = [];
    for (let stops = 0; stops <= most; stops += 1) {
      if (await this.stands(selector)) return;
      await this.press(back ? [Key.shift, Key.tab] : Key.tab);
      way.push(
        await this.run(() => {
          // For a moment nothing has the focus, and no result cannot be read by the driver.
          const at = document.activeElement;
          return at?.dataset?.testid ?? at?.getAttribute("aria-label") ?? at?.tagName ?? "nothing";
        }),
      );
    }
    throw new Error(`Tab does not lead to ${selector}: ${way.join(" → ")}`);
  }

  /** The visible text of an element. */
  text(selector, timeout) {
    return until(
      `${selector} has text`,
      async () => {
        const text = await this.run((css) => document.querySelector(css)?.innerText ?? null, selector);
        return text === null ? false : { text };
      },
      timeout,
    ).then(({ text }) => text);
  }

  /** The texts of all elements that match now. */
  texts(selector) {
    return this.run((css) => [...document.querySelectorAll(css)].map((place) => place.innerText), selector);
  }

  value(selector) {
    return this.run((css) => {
      const place = document.querySelector(css);
      return place && ("value" in place ? place.value : place.innerText);
    }, selector);
  }

  attribute(selector, name) {
    return this.run((css, attr) => document.querySelector(css)?.getAttribute(attr) ?? null, selector, name);
  }

  attributes(selector, name) {
    return this.run(
      (css, attr) => [...document.querySelectorAll(css)].map((place) => place.getAttribute(attr)),
      selector,
      name,
    );
  }

  /** Saves a picture of the page in tests/e2e/out once no animation runs (endless ones do not count). */
  async screenshot(name) {
    await until("the page is still", () =>
      this.runAsync(
        () =>
          new Promise((done) => {
            const still = () =>
              document
                .getAnimations()
                .every((one) => one.playState !== "running" || one.effect?.getTiming().iterations === Infinity);
            requestAnimationFrame(() => requestAnimationFrame(() => done(still())));
          }),
      ),
    );
    mkdirSync(OUT, { recursive: true });
    const file = join(OUT, `${name}.png`);
    writeFileSync(file, Buffer.from(await this.#call("GET", "/screenshot"), "base64"));
    return file;
  }

  /** The identity of the program's process, found by this data folder and this binary; null if there is none. */
  get pid() {
    for (const entry of readdirSync("/proc")) {
      if (!/^\d+$/.test(entry)) continue;
      try {
        const command = readFileSync(`/proc/${entry}/cmdline`, "utf8").split("\0")[0];
        if (command !== BINARY) continue;
        const env = readFileSync(`/proc/${entry}/environ`, "utf8");
        if (env.split("\0").includes(`PALIMPSEST_DATA_DIR=${this.#options.dataDir}`)) return Number(entry);
      } catch {
        // The process ended during the search.
      }
    }
    return null;
  }

  /**
   * Whether a process has ended. A process that is ending has no command line while its files, and the lock on the data
   * folder, are still open: only a missing process or a zombie without other threads has released them. The first thread
   * of a process can be a zombie while another one still waits for the disk.
   */
  static #hasEnded(pid) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const isZombie = /^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
      return isZombie && readdirSync(`/proc/${pid}/task`).length <= 1;
    } catch {
      return true;
    }
  }

  /** Kills all processes at once, as a power cut would, and waits until the program's process has ended. */
  async kill() {
    running.delete(this);
    const program = this.pid;
    if (this.#driver?.pid) {
      try {
        process.kill(-this.#driver.pid, "SIGKILL");
      } catch {
        /* already gone */
      }
    }
    if (program) {
      try {
        process.kill(program, "SIGKILL");
      } catch {
        /* already gone */
      }
      await until("the program has ended", () => App.#hasEnded(program));
    }
    this.#session = "";
  }

  /** Ends the program and waits until its process is gone. */
  async close() {
    await this.#call("DELETE", "").catch(() => {});
    await this.kill();
  }

  /** Asks the window to close, as the button in its title bar does. Fails when there is no window yet. */
  static askToClose(pid) {
    return new Promise((done, failed) => {
      execFile("python3", [join(HERE, "close_window.py"), String(pid)], (error) => (error ? failed(error) : done()));
    });
  }

  askToClose() {
    return App.askToClose(this.pid);
  }

  /** Closes the window as a writer does, and waits until the program has exited by itself. */
  async leave(timeout) {
    const program = this.pid;
    await this.askToClose();
    await until("the program has ended by itself", () => App.#hasEnded(program), timeout);
    await this.kill();
  }

  /** Sends the program a signal, and waits until it has exited by itself. */
  async signal(name, timeout) {
    const program = this.pid;
    process.kill(program, name);
    await until("the program has ended by itself", () => App.#hasEnded(program), timeout);
    await this.kill();
  }

  /** Starts again on the same data folder, with changed options where given. */
  async restart(options = {}) {
    if (this.pid !== null) await this.close();
    this.#options = { ...this.#options, ...options };
    this.#log = "";
    await this.#open();
  }
}
