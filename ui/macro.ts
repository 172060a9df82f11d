import { fileURLToPath } from "node:url";
import { transformAsync } from "@babel/core";
import { getConfig } from "@lingui/conf";
import type { Plugin } from "vite";

/** Expands Lingui's macros only: Vite compiles everything else. */
export function linguiMacro(): Plugin {
  const linguiConfig = getConfig({ configPath: fileURLToPath(new URL("./lingui.config.ts", import.meta.url)) });
  return {
    name: "lingui-macro",
    enforce: "pre",
    transform: {
      filter: { id: /\.tsx?$/, code: /@lingui\/(core|react)\/macro/ },
      async handler(code, id) {
        const result = await transformAsync(code, {
          filename: id,
          babelrc: false,
          configFile: false,
          sourceMaps: true,
          parserOpts: { plugins: ["typescript", "jsx"] },
          plugins: [["@lingui/babel-plugin-lingui-macro", { linguiConfig }]],
        });
        return result?.code ? { code: result.code, map: result.map ?? null } : null;
      },
    },
  };
}
