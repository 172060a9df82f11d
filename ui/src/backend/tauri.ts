import { invoke } from "@tauri-apps/api/core";
import { listen } from "@tauri-apps/api/event";
import { getCurrentWindow } from "@tauri-apps/api/window";
import { open, save } from "@tauri-apps/plugin-dialog";
import type { ExchangeFormat } from "./bindings.gen";
import type { Host } from "./host";

/** What such a file is called and ends in, for the system's dialog. */
const FILTERS: Record<ExchangeFormat, { name: string; extensions: string[] }> = {
  jsonLines: { name: "JSON Lines", extensions: ["jsonl"] },
  markdown: { name: "Markdown", extensions: ["md", "markdown"] },
};

export function tauriHost(): Host {
  return {
    invoke: (name, args) => invoke(name, args as Record<string, unknown>),
    listen: (event, handler) => listen(event, ({ payload }) => handler(payload)),
    pickFolder: (title) => open({ directory: true, multiple: false, title }),
    pickFile: (title, format) => open({ directory: false, multiple: false, title, filters: [FILTERS[format]] }),
    pickPlace: (title, format, name) => save({ title, defaultPath: name, filters: [FILTERS[format]] }),
    // Tauri closes the window itself once the handler has answered (it needs `core:window:allow-destroy`).
    beforeClose: (handler) =>
      getCurrentWindow().onCloseRequested(async (event) => {
        if (!(await handler())) event.preventDefault();
      }),
  };
}
