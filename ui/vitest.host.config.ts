import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { chromium, FOUND, plugins, POLL } from "./vitest.browser.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Window tests on `palimpsest-host`, which has to be built. */
export default defineConfig({
  root: here("."),
  plugins: plugins(),
  optimizeDeps: { include: FOUND, entries: ["src/main.tsx", "test/host/*.tsx"] },
  test: {
    name: "host",
    include: ["test/host/**/*.test.tsx"],
    setupFiles: here("./testing/developmentChecks.ts"),
    globalSetup: here("./testing/hostServer.ts"),
    testTimeout: 20_000,
    expect: { poll: POLL },
    browser: chromium(),
  },
});
