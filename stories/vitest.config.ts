import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { chromium, FOUND, plugins } from "../ui/vitest.browser.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Folder of the screenshots; undefined: none are taken. */
const pictures = process.env["STORIES_PICTURES"];

// A production build: React's development checks run in the tests on the built host; here they would double the time.
process.env["NODE_ENV"] = "production";

/** Runs every story as a test, in both languages and themes. */
export default defineConfig({
  root: here(".."),
  cacheDir: here("../node_modules/.vite/stories"),
  plugins: plugins(),
  define: { "import.meta.env.VITE_PICTURES": JSON.stringify(pictures) ?? "undefined" },
  ...(pictures && { server: { fs: { allow: [here(".."), pictures] } } }),
  optimizeDeps: {
    include: [
      ...FOUND,
      "@storybook/react-vite",
      "storybook/test",
      "storybook/preview-api",
      "storybook/internal/core-events",
    ],
    entries: ["ui/src/main.tsx", "stories/*.stories.tsx"],
  },
  test: {
    name: "stories",
    include: ["stories/test/*.test.ts"],
    testTimeout: 20_000,
    // One file per language.
    maxWorkers: 2,
    browser: chromium({ asSeen: true }),
  },
});
