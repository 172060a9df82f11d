import type { Backend, Commands, FoundBackend, TestedBackend } from "../bindings.gen";

import { invalid, notFound } from "./refusals";

type Name = Extract<keyof Commands, `backend:${string}`>;

const USUAL_PROGRAMS = { claude: "claude", codex: "codex", gemini: "gemini", own: null };

/** Programs that answer questions. None of them is started. */
export class FakeBackends {
  backends: Backend[] = [];
  /** Programs that are installed. */
  installed: FoundBackend[] = [{ kind: "claude", program: "/usr/local/bin/claude" }];
  /** The result of every test. */
  tested: TestedBackend = { version: "2.1.0", ready: true, fence: "system", reason: null };
  private ids = 0;

  /** `changed` is called after every change. */
  constructor(private readonly changed: () => void) {}

  readonly commands: { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "backend:list": () => ({ backends: this.backends }),
    "backend:find": () => ({ programs: this.installed, fence: this.tested.fence }),
    "backend:save": (draft) => {
      const { backendId, kind, name, model = null, isolation = "asked" } = draft;
      const args = draft.arguments ?? [];
      const program = draft.program ?? USUAL_PROGRAMS[kind];
      if (!program || (/[/\\]/.test(program) && !program.startsWith("/"))) throw invalid("program");
      if (model?.startsWith("-")) throw invalid("model");
      if (kind !== "own" && args.length > 0) throw invalid("arguments");
      const hasPlace = args.some((argument) => argument.includes("{model}"));
      if (kind === "own" && hasPlace !== (model !== null)) throw invalid("model");
      const known = backendId ? this.find(backendId) : null;
      const backend: Backend = {
        backendId: known?.backendId ?? `backend-${(this.ids += 1)}`,
        kind,
        name: name.trim(),
        program,
        arguments: args,
        model,
        isolation,
      };
      this.backends = known ? this.backends.map((one) => (one === known ? backend : one)) : [...this.backends, backend];
      this.changed();
      return backend;
    },
    "backend:delete": ({ backendId }) => {
      const found = this.find(backendId);
      this.backends = this.backends.filter((one) => one !== found);
      this.changed();
      return { backendId };
    },
    "backend:test": ({ backendId }) => {
      this.find(backendId);
      return this.tested;
    },
  };

  /** Whether the system keeps programs from reading other files. */
  get isFencing(): boolean {
    return this.tested.fence === "system";
  }

  find(backendId: string): Backend {
    const found = this.backends.find((one) => one.backendId === backendId);
    if (!found) throw notFound("backendId");
    return found;
  }
}
