import { invoke } from "@tauri-apps/api/core";
import { listen } from "@tauri-apps/api/event";
import { getCurrentWindow } from "@tauri-apps/api/window";
import { open } from "@tauri-apps/plugin-dialog";
import type { Host } from "./host";

export function tauriHost(): Host {
  return {
    invoke: (name, args) => invoke(name, args as Record<string, unknown>),
    listen: (event, handler) => listen(event, ({ payload }) => handler(payload)),
    pickFolder: (title) => open({ directory: true, multiple: false, title }),
    // Tauri closes the window itself once the handler has answered (it needs `core:window:allow-destroy`).
    beforeClose: (handler) =>
      getCurrentWindow().onCloseRequested(async (event) => {
        if (!(await handler())) event.preventDefault();
      }),
  };
}
