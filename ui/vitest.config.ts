import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { chromium, FOUND, plugins, POLL } from "./vitest.browser.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// A production build: React's development checks run in the tests on the built host; here they would
// take a third of the time.
process.env["NODE_ENV"] = "production";

export default defineConfig({
  root: here("."),
  test: {
    projects: [
      {
        root: here("."),
        plugins: plugins(),
        test: { name: "unit", include: ["test/unit/**/*.test.ts"], environment: "node", testTimeout: 60_000 },
      },
      {
        root: here("."),
        plugins: plugins(),
        optimizeDeps: { include: FOUND, entries: ["src/main.tsx", "test/window/*.tsx"] },
        test: {
          name: "window",
          include: ["test/window/**/*.test.tsx"],
          // A test that lets axe look ten times takes 3 s on a quiet machine and 16 s on a loaded one.
          testTimeout: 40_000,
          expect: { poll: POLL },
          browser: chromium(),
        },
      },
    ],
  },
});
