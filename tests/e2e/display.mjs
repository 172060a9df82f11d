// The parts that WebDriver cannot reach: the system's file dialogs, which are no part of the page, and dragging, which
// begins only with a real pointer.
//
// By default the answer of a dialog is substituted where the page asks for one. With E2E_DISPLAY=1 the dialogs are
// opened and driven by the keyboard of the display, and chapters are dragged (xdotool): that is slower, and less
// reliable on a display without a window manager.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { OUT, until } from "./driver.mjs";

const run = promisify(execFile);
/** Whether keyboard and pointer of the display are used. */
export const HANDS = process.env.E2E_DISPLAY === "1";

/** The output of xdotool; empty where it finds no window. */
async function xdotool(...args) {
  try {
    return (await run("xdotool", args)).stdout.trim();
  } catch (error) {
    if (error.code === 1) return "";
    throw error;
  }
}

/** The open dialog of the program; null when there is none; undefined while the display gives no answer. */
async function open(pid) {
  const ids = (await xdotool("search", "--onlyvisible", "--pid", String(pid), "--name", "."))
    .split("\n")
    .filter(Boolean);
  let isWhole = false;
  for (const id of ids) {
    const name = await xdotool("getwindowname", id);
    if (name.startsWith("Palimpsest")) isWhole = true;
    else if (name !== "") return { id, name };
    else return undefined; // a window that is closing
  }
  // The main window is always present: while it is not found, nothing is known about a dialog.
  return isWhole ? null : undefined;
}

/** Presses keys in one window, focused first because there may be no window manager to focus it. */
async function keys(id, ...args) {
  // One call: if the window is gone by now, no key is pressed elsewhere.
  await xdotool("windowfocus", "--sync", id, ...args);
}

/**
 * Calls `press`, which opens a file dialog, chooses a file by its absolute path, or none for null, and returns the
 * title of the dialog.
 */
export async function chooseFile(app, press, path) {
  if (HANDS) {
    await press();
    return path === null ? sendAway(app) : name(app, path);
  }
  await app.run((chosen) => {
    const real = globalThis.fetch;
    globalThis.dialogAsked = null;
    globalThis.fetch = async (url, init) => {
      if (!/plugin(%3A|:)dialog(%7C|\|)(open|save)/.test(String(url))) return real(url, init);
      globalThis.fetch = real;
      const { options } = await new Response(init.body).json();
      globalThis.dialogAsked = options.title;
      const answer = chosen !== null && options.multiple ? [chosen] : chosen;
      return new Response(JSON.stringify(answer), {
        headers: { "content-type": "application/json", "tauri-response": "ok" },
      });
    };
  }, path);
  await press();
  return until("the page asks for a file", () => app.run(() => globalThis.dialogAsked));
}

/** Waits for the dialog, chooses a file in it, and returns its title. */
async function name(app, path) {
  const { pid } = app;
  const { id, name: called } = await until("the system asks for a file", () => open(pid));
  await until("the dialog has its answer", async () => {
    if ((await open(pid)) === null) return true;
    // Ctrl+L focuses the path field, or creates it. A key before that is lost, and an invalid path is then refused in a
    // message box: Return closes the box, and the path is typed again.
    await keys(id, "key", "--clearmodifiers", "ctrl+l");
    await keys(id, "key", "--clearmodifiers", "ctrl+a");
    await keys(id, "type", "--clearmodifiers", "--delay", "15", path);
    await keys(id, "key", "--clearmodifiers", "Return");
    return until("it is gone", async () => (await open(pid)) === null, 2_000).catch(async () => {
      // Only while there is a dialog: otherwise the page would receive the key.
      const left = await open(pid);
      if (left) await keys(left.id, "key", "--clearmodifiers", "Return");
      return left === null;
    });
  }).catch(async (error) => {
    // Only a picture of the display shows the fault of a dialog.
    await run("import", ["-window", "root", join(OUT, "failed-dialog.png")]).catch(() => {});
    throw error;
  });
  return called;
}

/** Waits for the dialog, cancels it, and returns its title. */
async function sendAway(app) {
  const { pid } = app;
  const { id, name: called } = await until("the system asks for a file", () => open(pid));
  await until("the dialog is gone", async () => {
    await keys(id, "key", "--clearmodifiers", "Escape");
    return (await open(pid)) === null;
  });
  return called;
}

/** Drags an element to the upper edge of another one, at the speed of a hand. */
export async function drag(app, from, to) {
  const window = (await xdotool("search", "--onlyvisible", "--pid", String(app.pid), "--name", "^Palimpsest")).split(
    "\n",
  )[0];
  const at = Object.fromEntries(
    (await xdotool("getwindowgeometry", "--shell", window)).split("\n").map((line) => line.split("=")),
  );
  const box = (selector) =>
    app.run((css) => {
      const { x, y, height } = document.querySelector(css).getBoundingClientRect();
      return { x, y, height };
    }, selector);
  const [start, end] = [await box(from), await box(to)];
  const x = Math.round(Number(at.X) + start.x + 60);
  const [top, bottom] = [Number(at.Y) + end.y + 4, Number(at.Y) + start.y + start.height / 2];
  const steps = Array.from({ length: 12 }, (_, step) => [
    "mousemove",
    String(x + step),
    String(Math.round(bottom + ((top - bottom) * (step + 1)) / 12)),
    "sleep",
    "0.05",
  ]);
  await xdotool(
    "mousemove",
    String(x),
    String(Math.round(bottom)),
    "mousedown",
    "1",
    "sleep",
    "0.1",
    ...steps.flat(),
    "mouseup",
    "1",
  );
}
