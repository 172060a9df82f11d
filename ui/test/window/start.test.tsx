import { afterEach, describe, expect, test } from "vitest";
import { render } from "vitest-browser-react";
import { App } from "../../src/app/App";
import { Program } from "../../src/app/program";
import { installHost } from "../../src/backend";
import { FakeBackend } from "../../src/backend/fake";
import { openWindow } from "./openWindow";

const root = document.documentElement;
let close = async () => {};
afterEach(() => close());

/** A window opened again, on a backend that does not answer yet. */
async function openedAgain(change: (backend: FakeBackend) => void, folder: string | null = null) {
  const backend = new FakeBackend({ pace: null });
  change(backend);
  installHost(backend);
  const program = new Program(folder);
  void program.prepare();
  const screen = await render(<App program={program} />);
  close = async () => {
    program.stop();
    await screen.unmount();
  };
}

const never = () => new Promise<never>(() => {});

describe("a window that opens", () => {
  test("looks as it did the last time, before the settings are read", async () => {
    const first = await openWindow({ settings: { interfaceLanguage: "en", theme: "dark" } });
    await expect.poll(() => root.dataset["theme"]).toBe("dark");
    await first.close();
    root.dataset["theme"] = "light";
    root.lang = "zh-CN";
    await openedAgain((backend) => {
      const invoke = backend.invoke.bind(backend);
      backend.invoke = (name, args) => (name === "settings:get" ? never() : invoke(name, args));
    });
    await expect
      .poll(() => document.querySelector("[data-testid=nav-memory]")?.getAttribute("aria-label"))
      .toContain("Memory");
    expect(root.dataset["theme"]).toBe("dark");
    expect(root.lang).toBe("en");
  });

  test("is there before it can hear the other side, and opens no book until it can", async () => {
    const asked: string[] = [];
    let subscribe = () => {};
    await openedAgain((backend) => {
      const [invoke, listen] = [backend.invoke.bind(backend), backend.listen.bind(backend)];
      const subscribed = new Promise<void>((resolve) => (subscribe = resolve));
      backend.invoke = (name, args) => {
        asked.push(name);
        return invoke(name, args);
      };
      backend.listen = async (event, handler) => {
        await subscribed;
        return listen(event, handler);
      };
    });
    await expect.poll(() => document.querySelector("[data-testid=nav-memory]")).not.toBeNull();
    expect(asked.filter((name) => name.startsWith("project:") || name.startsWith("chapter:"))).toEqual([]);
    subscribe();
    await expect.poll(() => document.querySelector(".cm-content")).not.toBeNull();
  });

  test("shows the book in the folder that the program was started with", async () => {
    await openedAgain(() => {}, "/books/雨");
    await expect.poll(() => document.querySelector("aside[aria-label=雨]")).not.toBeNull();
  });

  test("shows another book and the reason where that folder cannot be opened", async () => {
    await openedAgain((backend) => {
      const invoke = backend.invoke.bind(backend);
      backend.invoke = (name, args) =>
        name === "project:open"
          ? Promise.reject({ code: "MEMORY_NOT_FOUND", message: "no such folder" })
          : invoke(name, args);
    }, "/books/gone");
    await expect.poll(() => document.querySelector("[data-testid=problem]")).not.toBeNull();
    await expect.poll(() => document.querySelector(".cm-content")).not.toBeNull();
    expect(document.querySelector("[data-testid=problem]")).not.toBeNull();
  });
});
