import { fileURLToPath } from "node:url";
import { lingui } from "@lingui/vite-plugin";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { linguiMacro } from "./macro.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here("."),
  base: "./",
  plugins: [linguiMacro(), react(), lingui({ configPath: here("./lingui.config.ts") })],
  build: {
    outDir: here("./dist"),
    emptyOutDir: true,
    // The oldest supported web view is WebKitGTK 2.42.
    target: ["es2022", "safari16.4", "chrome111"],
    // The content security policy allows fonts from the program only, not from data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1200,
  },
  server: { port: 5183, strictPort: true },
});
