import type { Meta } from "@storybook/react-vite";
import type { Backend, BackendKind, Reason } from "../ui/src/backend";
import { ASK_SCRIPTS, PROGRAM_STEPS } from "../ui/src/backend/fake/askScripts";
import { answered, ask, asked, open, withModel } from "./asking";
import { steps, Window, type Scenario, type Stage } from "./stage";

const program = (kind: BackendKind, name: string): Backend => ({
  backendId: kind,
  kind,
  name,
  program: kind === "own" ? "/opt/tide/answer" : kind,
  arguments: [],
  model: null,
  isolation: "asked",
});

/** A model, and three programs. */
function withPrograms(stage: Stage): void {
  withModel(stage);
  stage.backend.backends.backends = [
    program("claude", "Claude Code"),
    program("codex", "Codex"),
    program("own", stage.say("我的脚本", "My script")),
  ];
}

/** Opens the questions and chooses a program. */
async function choose(w: Stage, kind: BackendKind = "claude"): Promise<void> {
  await open(w);
  await w.press("ask-who");
  await w.press(`ask-who-program:${kind}`);
  await w.see("ask-leaves");
}

/** Asks a program, which ends for a reason after that many pieces. */
const failed = (reason: Reason, pieces = 0, seconds = 2) =>
  steps(async (w) => {
    await choose(w);
    const { statements } = ASK_SCRIPTS[w.language];
    w.backend.asking.script = { steps: PROGRAM_STEPS, statements, seconds };
    await asked(w, pieces);
    w.backend.asking.end("failed", {
      code: "MEMORY_MODEL_UNAVAILABLE",
      message: "the program did not answer",
      details: { reason },
    });
    await w.see("ask-program-failed");
  });

export default {
  title: "Ask a program",
  component: Window,
  args: { chapter: 2, before: withPrograms },
} satisfies Meta<typeof Window>;

export const WhoAnswers: Scenario = {
  name: "Who answers: programs with their versions, each with what leaves",
  play: steps(async (w) => {
    await open(w);
    await w.press("ask-who");
    await w.see("ask-who-program:own");
    await w.reads("2.1.0", "2.1.0");
  }),
};

export const NotReady: Scenario = {
  name: "Who answers: the programs are not ready, and why",
  args: {
    before: (stage) => {
      withPrograms(stage);
      stage.backend.backends.tested = { version: "2.1.0", ready: false, fence: "system", reason: "notLoggedIn" };
    },
  },
  play: steps(async (w) => {
    await open(w);
    await w.press("ask-who");
    await w.reads("用不了", "not ready");
  }),
};

export const Chosen: Scenario = {
  name: "A program is chosen: what leaves stands above the field",
  play: steps(choose),
};

export const OwnChosen: Scenario = {
  name: "A program of the writer's own is chosen",
  play: steps((w) => choose(w, "own")),
};

export const WholeBook: Scenario = {
  name: "A program is to read the whole book",
  play: steps(async (w) => {
    await choose(w);
    await w.press("ask-as-of");
    await w.press("ask-as-of-whole");
    await w.see("ask-whole");
  }),
};

export const Working: Scenario = {
  name: "At work, its steps open",
  play: steps(async (w) => {
    await choose(w);
    await asked(w, 5);
    await w.press("ask-loop");
    await w.see("ask-step", 3);
  }),
};

export const Answered: Scenario = {
  name: "Answered by a program, its steps open",
  play: steps(async (w) => {
    await choose(w);
    await answered(w);
    await w.press("ask-loop");
    await w.see("ask-steps");
  }),
};

export const WithoutSteps: Scenario = {
  name: "A program that names no steps",
  play: steps(async (w) => {
    await choose(w, "own");
    w.backend.asking.script = {
      steps: [],
      statements: [{ text: w.say("是父亲改的。", "The father did."), status: "plain" }],
    };
    await answered(w);
  }),
};

export const NotFenced: Scenario = {
  name: "The system cannot keep it from reading other files: this once, or a model",
  args: {
    before: (stage) => {
      withPrograms(stage);
      stage.backend.backends.tested = { version: "2.1.0", ready: true, fence: "asked", reason: null };
    },
  },
  play: steps(async (w) => {
    await choose(w);
    await ask(w);
    await w.see("ask-unfenced");
  }),
};

export const NotFencedNoModel: Scenario = {
  name: "The same where no model can answer",
  args: {
    before: (stage) => {
      stage.backend.backends.backends = [program("claude", "Claude Code")];
      stage.backend.backends.tested = { version: "2.1.0", ready: true, fence: "asked", reason: null };
    },
  },
  play: steps(async (w) => {
    await choose(w);
    await ask(w);
    await w.see("ask-only-book");
  }),
};

export const Missing: Scenario = { name: "The program is missing", play: failed("programMissing") };
export const NotLoggedIn: Scenario = { name: "The program is not signed in", play: failed("notLoggedIn") };
export const TooOld: Scenario = { name: "The program is too old", play: failed("versionTooOld") };
export const Untrusted: Scenario = { name: "The program does not trust the folder", play: failed("untrustedFolder") };
export const NotStarted: Scenario = { name: "The program could not be started", play: failed("startFailed") };
export const Silent: Scenario = { name: "The program said nothing for 30 seconds", play: failed("silent", 0, 30) };
export const FellSilent: Scenario = { name: "The program fell silent in the middle", play: failed("silent", 10) };
export const TookTooLong: Scenario = { name: "The program took too long", play: failed("timeout") };
export const SaidTooMuch: Scenario = { name: "The program said too much", play: failed("tooMuch", 10) };
export const WroteFiles: Scenario = { name: "The program tried to change the book", play: failed("wroteFiles", 10) };
