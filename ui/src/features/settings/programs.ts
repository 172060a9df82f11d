import type { BackendKind } from "../../backend";

const NAMES: Record<Exclude<BackendKind, "own">, string> = {
  claude: "Claude Code",
  codex: "Codex",
  gemini: "Gemini CLI",
};

/** The name under which a known program is added; empty for one of the writer's own. */
export const programName = (kind: BackendKind): string => (kind === "own" ? "" : NAMES[kind]);
