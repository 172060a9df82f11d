import { invoke } from "@tauri-apps/api/core";
import { listen } from "@tauri-apps/api/event";
import { getCurrentWindow } from "@tauri-apps/api/window";
import { open, save } from "@tauri-apps/plugin-dialog";
import type { Host } from "./host";

export function tauriHost(): Host {
  return {
    invoke: (name, args) => invoke(name, args as Record<string, unknown>),
    listen: (event, handler) => listen(event, ({ payload }) => handler(payload)),
    pickFolder: (title) => open({ directory: true, multiple: false, title }),
    pickFile: (title, kind) => open({ directory: false, multiple: false, title, filters: [kind] }),
    pickFiles: async (title, kinds) => (await open({ multiple: true, title, filters: [kinds] })) ?? [],
    pickSavePath: (title, name, kinds) => save({ title, defaultPath: name, filters: [kinds] }),
    // Tauri closes the window itself after the handler (needs `core:window:allow-destroy`).
    beforeClose: (handler) =>
      getCurrentWindow().onCloseRequested(async (event) => {
        if (!(await handler())) event.preventDefault();
      }),
  };
}
