import { fileURLToPath } from "node:url";
import { lingui } from "@lingui/vite-plugin";
import react from "@vitejs/plugin-react";
import { playwright } from "@vitest/browser-playwright";
import { linguiMacro } from "./macro.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Plugins of the interface and the stories. */
export const plugins = () => [linguiMacro(), react(), lingui({ configPath: here("./lingui.config.ts") })];

/** An installed browser; none is downloaded. */
const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const viewport = { width: 1280, height: 800 };

/** Browser settings; `asSeen`: full size, with the scrollbars a writer has. */
export const chromium = ({ asSeen = false } = {}) => ({
  enabled: true,
  headless: true,
  screenshotFailures: false,
  provider: playwright({
    launchOptions: { executablePath, args, ...(asSeen && { ignoreDefaultArgs: ["--hide-scrollbars"] }) },
    contextOptions: { locale: "zh-CN", reducedMotion: "reduce", ...(asSeen && { viewport }) },
  }),
  instances: [{ browser: "chromium" as const, viewport }],
});

/** Dependencies to optimize beforehand: one found during a run would reload the page. */
export const FOUND = [
  "axe-core",
  "react-dom/client",
  "zustand/react/shallow",
  ...["Tabs", "Button", "Select", "ComboBox", "Input", "Label", "NumberField", "ProgressBar", "Text", "TextField"].map(
    (part) => `react-aria-components/${part}`,
  ),
];

/**
 * `expect.poll` waits 1 s by default. A save begins after 800 ms of quiet and a search after 250 ms: with two loaded
 * cores, what is left is too short. `expect.element` waits as long as its test may take.
 */
export const POLL = { timeout: 10_000 };
