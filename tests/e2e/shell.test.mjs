// The guarantees of the shell, in the real web view: permitted commands answer, others are refused, no remote address
// is reached, and the window closes only after the page has saved.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { App, BINARY, discard, freshFolder, until } from "./driver.mjs";

let dataDir;
let app;

before(async () => {
  dataDir = await freshFolder("shell");
  app = await App.start({ dataDir, locale: "en_US.UTF-8" });
});

after(async () => {
  await app?.close();
  discard(dataDir);
});

/** Listens as `@tauri-apps/api/event` does, and collects the events in `window.heard`. */
const listen = (names, target = { kind: "Any" }) =>
  app.runAsync(
    async (events, to) => {
      globalThis.heard = [];
      const tauri = globalThis.__TAURI_INTERNALS__;
      for (const event of events) {
        await tauri.invoke("plugin:event|listen", {
          event,
          target: to,
          handler: tauri.transformCallback((it) => globalThis.heard.push(it)),
        });
      }
    },
    names,
    target,
  );

test("a granted command answers, colons and all", async () => {
  const { ok } = await app.invoke("project:list", {});
  assert.ok(Array.isArray(ok.projects));
});

test("bad arguments come back as a typed error that names the field", async () => {
  const { error } = await app.invoke("chapter:read", { projectId: 7, chapterId: "x" });
  assert.equal(error.code, "MEMORY_INVALID_ARGUMENT");
  assert.equal(error.details.field, "projectId");
});

test("what is not granted never reaches the program", async () => {
  for (const name of ["memory:no:such", "plugin:window|set_title", "plugin:event|emit"]) {
    const { error } = await app.invoke(name, {});
    assert.equal(typeof error, "string", name);
    assert.match(error, /not allowed/, name);
  }
});

test("events arrive under their own names", async () => {
  await listen(["memory:changed"]);
  const added = await app.invoke("memory:semantic:add", {
    rule: "Keep dialogue sentences short.",
    category: "style",
    scope: "global",
  });
  assert.ok(added.ok?.id, JSON.stringify(added));
  await until("memory:changed is heard", () =>
    app.run(() =>
      globalThis.heard.some(({ event, payload }) => event === "memory:changed" && payload.what.includes("rules")),
    ),
  );
});

test("no remote address is reached, by any door", async () => {
  const fetched = await app.runAsync(() =>
    fetch("https://example.org/").then(
      () => "answered",
      () => "refused",
    ),
  );
  assert.equal(fetched, "refused");
  const blocked = await app.runAsync(
    () =>
      new Promise((done) => {
        document.addEventListener("securitypolicyviolation", (e) => done(e.effectiveDirective), { once: true });
        const image = new Image();
        image.src = "https://example.org/x.png";
      }),
  );
  assert.equal(blocked, "img-src");
  const address = await app.run(() => location.href);
  await app.run(() => {
    location.href = "https://example.org/";
  });
  assert.equal(await app.run(() => location.href), address);
  assert.equal(await app.run(() => globalThis.open("https://example.org/")), null);
});

test("text never becomes a program", async () => {
  const attempts = await app.run(() =>
    [() => (0, eval)("1"), () => new Function("return 1")()].map((attempt) => {
      try {
        attempt();
        return "ran";
      } catch {
        return "blocked";
      }
    }),
  );
  assert.deepEqual(attempts, ["blocked", "blocked"]);
  const inline = await app.runAsync(
    () =>
      new Promise((done) => {
        document.addEventListener("securitypolicyviolation", (e) => done(e.effectiveDirective), { once: true });
        const script = document.createElement("script");
        script.textContent = "globalThis.ran = true";
        document.head.append(script);
      }),
  );
  assert.match(inline, /^script-src/);
  assert.equal(await app.run(() => "ran" in globalThis), false);
  assert.equal(await app.run(() => typeof globalThis.__TAURI__), "undefined");
  assert.equal(await app.run(() => Object.isFrozen(Object.prototype)), true);
});

test("a second window on the same data folder is refused with exit code 1", async () => {
  const second = spawn(BINARY, [], {
    env: { ...process.env, PALIMPSEST_DATA_DIR: dataDir, LANG: "en_US.UTF-8", LC_ALL: "en_US.UTF-8" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  second.stderr.setEncoding("utf8").on("data", (text) => {
    said += text;
  });
  const ended = new Promise((done) => {
    second.on("exit", done);
  });
  try {
    await until("it says why", () => said.includes("already open"));
    // The message waits for the writer; closing it ends the program.
    await until("the message is up and closes", async () => {
      await App.askToClose(second.pid).catch(() => {});
      return second.exitCode !== null;
    });
    assert.equal(await ended, 1);
    assert.doesNotMatch(said, /panicked/);
  } finally {
    second.kill("SIGKILL");
  }
  assert.ok((await app.invoke("project:list", {})).ok, "the first window is unharmed");
});

test("without a display it says so and ends", () => {
  const env = { ...process.env, PALIMPSEST_DATA_DIR: dataDir };
  for (const name of ["DISPLAY", "WAYLAND_DISPLAY", "TAURI_WEBVIEW_AUTOMATION"]) delete env[name];
  const { status, stderr } = spawnSync(BINARY, [], { env, encoding: "utf8", timeout: 20_000 });
  assert.equal(status, 1);
  assert.match(stderr, /needs a display/);
  assert.doesNotMatch(stderr, /panicked/);
});

test("the page speaks the language of the session", async () => {
  assert.match(await app.run(() => navigator.language), /^en/);
  await app.restart({ locale: "zh_CN.UTF-8" });
  assert.equal(await app.run(() => navigator.language), "zh-CN");
});

test("closing the window ends the program with everything on disk", async () => {
  await app.leave();
  await app.restart();
});

test("a page that hangs cannot hold the window", async () => {
  // The page takes over the close request, as the editor does, and then never handles it.
  await listen(["tauri://close-requested"], { kind: "Window", label: "main" });
  app
    .run(() => {
      setTimeout(() => {
        for (;;);
      }, 0);
    })
    .catch(() => {});
  await until("the page hangs", async () => !(await app.responds(500)));
  await app.leave(15_000);
});

test("a folder named in the arguments is the book that opens", async () => {
  const books = await freshFolder("books");
  const folder = join(books, "雨 & fog?");
  mkdirSync(folder);
  writeFileSync(join(folder, "01.md"), "# One\n\nThe ferry waited for the tide.\n");
  const data = await freshFolder("opened");
  const opened = await App.start({ dataDir: data, args: [folder] });
  try {
    await until("its chapter is shown", () =>
      opened.run(() => document.querySelector(".cm-content")?.textContent.includes("The ferry waited")),
    );
  } finally {
    await opened.close();
    discard(data);
    discard(books);
  }
});
