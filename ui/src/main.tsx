import { createRoot } from "react-dom/client";
import { installHost } from "./backend";
import { tauriHost } from "./backend/tauri";
import { App } from "./app/App";
import { Program } from "./app/program";
import { chooseFaces } from "./design";
import "./design/base.css";

/** The fake backend is for development and tests; a release build leaves it out. */
async function host() {
  if (import.meta.env.DEV || import.meta.env.MODE === "fake") {
    const { fakeFromAddress } = await import("./backend/fake");
    const fake = fakeFromAddress(location.search);
    if (fake) return fake;
  }
  return tauriHost();
}

const root = document.getElementById("root");
if (root) {
  chooseFaces();
  installHost(await host());
  const program = new Program(new URLSearchParams(location.search).get("folder"));
  void program.prepare();
  createRoot(root).render(<App program={program} />);
}
