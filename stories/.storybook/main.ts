import { fileURLToPath } from "node:url";
import { lingui } from "@lingui/vite-plugin";
import type { StorybookConfig } from "@storybook/react-vite";
import react from "@vitejs/plugin-react";
import { linguiMacro } from "../../ui/macro.ts";

/** Everything is local: no requests to a server, no telemetry. */
const config: StorybookConfig = {
  stories: ["../*.stories.tsx"],
  framework: "@storybook/react-vite",
  core: { disableTelemetry: true, disableWhatsNewNotifications: true, enableCrashReports: false },
  typescript: { check: false, reactDocgen: false },
  viteFinal: (vite) => ({
    ...vite,
    plugins: [
      linguiMacro(),
      react(),
      lingui({ configPath: fileURLToPath(new URL("../../ui/lingui.config.ts", import.meta.url)) }),
      ...(vite.plugins ?? []),
    ],
  }),
};

export default config;
