import type { Meta } from "@storybook/react-vite";
import type { Backend } from "../ui/src/backend";
import { shows, steps, Window, type Scenario, type Stage } from "./stage";
import { UNBROKEN } from "./words";

export default { title: "Settings", component: Window, args: { panel: "settings" } } satisfies Meta<typeof Window>;

/** Adds a provider with a key, whose model writes. */
function served({ backend }: Stage): void {
  backend.models.providers = [
    { providerId: "p1", kind: "openAi", name: "DeepSeek", baseUrl: "https://api.deepseek.com/v1", keyKept: "keychain" },
    { providerId: "p2", kind: "ollama", name: "Ollama", baseUrl: "http://127.0.0.1:11434", keyKept: "none" },
  ];
  backend.models.purposes = [
    { purpose: "writing", providerId: "p1", model: "deepseek-chat", contextTokens: 65_536 },
    { purpose: "distilling", providerId: "p1", model: "deepseek-chat", contextTokens: 65_536 },
    { purpose: "embedding", providerId: "p2", model: "bge-m3", contextTokens: null },
    { purpose: "journal", providerId: null, model: null, contextTokens: null },
  ];
  backend.models.usage = { ...backend.models.usage, requests: 12, tokens: 34_567, tokensPerDay: 50_000 };
}

export const NoProvider: Scenario = {
  name: "No service: the built-in sentences write",
  play: shows("what-leaves", "provider-add"),
};

export const Provider: Scenario = {
  name: "A service writes, a machine near by finds",
  args: { before: served },
  play: steps((w) => w.see("provider", 2)),
};

export const AtHome: Scenario = {
  name: "All of it on this machine",
  args: {
    before: (w) => {
      served(w);
      w.backend.models.purposes = w.backend.models.purposes.map((one) => ({
        ...one,
        providerId: "p2",
        model: one.purpose === "embedding" ? "bge-m3" : "qwen3:8b",
      }));
    },
  },
  play: steps((w) => w.see("provider", 2)),
};

export const NoKeychain: Scenario = {
  name: "No keychain on this machine: keys last for this session",
  args: {
    before: (w) => {
      served(w);
      w.backend.models.keychain = false;
      w.backend.models.providers[0]!.keyKept = "session";
    },
  },
  play: shows("no-keychain"),
};

export const Adding: Scenario = {
  name: "A provider is added: the destination of the text is shown",
  play: steps(async (w) => {
    await w.press("provider-add");
    await w.see("provider-form");
  }),
};

export const Refused: Scenario = {
  name: "An invalid address, reported at its field",
  play: steps(async (w) => {
    await w.press("provider-add");
    await w.fill("provider-name", w.say("自己的", "My own"));
    await w.fill("provider-url", "http://example.com/v1");
    await w.press("provider-save");
    await w.see("provider-form");
  }),
};

export const Deleting: Scenario = {
  name: "A provider is deleted: the fallbacks are listed",
  args: { before: served },
  play: steps(async (w) => {
    await w.press("provider-delete");
    await w.see("provider-delete-confirm");
  }),
};

export const Tested: Scenario = {
  name: "The connection works, the model writes",
  args: { before: served },
  play: steps(async (w) => {
    await w.press("provider-test");
    await w.see("provider-tested");
  }),
};

export const TestFailed: Scenario = {
  name: "The connection does not work, and what to do",
  args: { before: served },
  play: steps(async (w) => {
    w.backend.fail("ai:provider:test", {
      code: "MEMORY_MODEL_UNAVAILABLE",
      message: "401",
      details: { reason: "keyRefused" },
    });
    await w.press("provider-test");
    await w.see("provider-tested");
  }),
};

export const NoModels: Scenario = {
  name: "The models of a service cannot be listed: one may be typed",
  args: { before: served },
  play: steps(async (w) => {
    w.backend.fail(
      "ai:provider:models",
      { code: "MEMORY_MODEL_UNAVAILABLE", message: "refused", details: { reason: "unreachable" } },
      9,
    );
    await w.press("purpose-distilling-provider");
    await w.press("purpose-distilling-provider-p2");
    await w.see("purpose-distilling-problem");
  }),
};

export const OllamaFound: Scenario = {
  name: "Ollama is on this machine",
  args: { before: ({ backend }) => void (backend.models.found = ["qwen3:8b", "bge-m3"]) },
  play: shows("ollama-add"),
};

/** Two known programs are installed, and one is set up beside a program of the writer's own. */
function assisted({ backend, language }: Stage): void {
  backend.backends.installed = [
    { kind: "claude", program: "/usr/local/bin/claude" },
    { kind: "codex", program: "/usr/local/bin/codex" },
  ];
  backend.backends.backends = [
    { kind: "claude", name: "Claude Code", program: "claude", arguments: [] },
    {
      kind: "own",
      name: language === "zh" ? "我的脚本" : "My script",
      program: "/opt/tide/answer",
      arguments: ["--quiet"],
    },
  ].map((one) => ({ ...one, backendId: one.kind, model: null, isolation: "asked" }) as Backend);
}

/** Shows the programs with one in the middle of the panel. */
const atAssistants = (testId: string, walk: (w: Stage) => Promise<unknown> = async () => {}) =>
  steps(async (w) => {
    await w.see("assistants");
    await walk(w);
    const [part] = await w.see(testId);
    part!.scrollIntoView({ block: "center" });
  });

export const Assistants: Scenario = {
  name: "Assistants: two are set up, another was found",
  args: { before: assisted },
  play: atAssistants("assistant-add"),
};

export const NoAssistants: Scenario = {
  name: "Assistants: none is installed",
  args: { before: ({ backend }) => void (backend.backends.installed = []) },
  play: atAssistants("assistants-none"),
};

export const AssistantReady: Scenario = {
  name: "Assistants: one is ready, and the system keeps it in the copy",
  args: { before: assisted },
  play: atAssistants("assistant", async (w) => {
    await w.press("assistant-test");
    await w.reads("2.1.0", "2.1.0");
  }),
};

export const AssistantUnfenced: Scenario = {
  name: "Assistants: one is ready, and reads other places too",
  args: {
    before: (w) => {
      assisted(w);
      w.backend.backends.tested = { version: "2.1.0 (Claude Code)", ready: true, fence: "asked", reason: null };
    },
  },
  play: atAssistants("assistant", async (w) => {
    await w.press("assistant-test");
    await w.reads("2.1.0", "2.1.0");
  }),
};

export const AssistantNotReady: Scenario = {
  name: "Assistants: one is not signed in",
  args: {
    before: (w) => {
      assisted(w);
      w.backend.backends.tested = { version: "2.1.0", ready: false, fence: "system", reason: "notLoggedIn" };
    },
  },
  play: atAssistants("assistant", async (w) => {
    await w.press("assistant-test");
    await w.reads("2.1.0", "2.1.0");
  }),
};

export const AssistantRemoved: Scenario = {
  name: "Assistants: one is to be removed",
  args: { before: assisted },
  play: atAssistants("assistant-remove-confirm", (w) => w.press("assistant-remove")),
};

export const OwnAssistant: Scenario = {
  name: "Assistants: a program of the writer's own, whose path is refused",
  args: { before: assisted },
  play: atAssistants("assistant-form", async (w) => {
    await w.press("assistant-own");
    await w.fill("assistant-name", w.say("我的脚本", "My script"));
    await w.fill("assistant-program", "bin/answer");
    await w.fill("assistant-arguments", "--model\n{model}");
    await w.fill("assistant-model", "large");
    await w.press("assistant-save");
    await w.see("assistant-form");
  }),
};

export const AssistantEdited: Scenario = {
  name: "Assistants: one is changed, its path is refused, and the old one stays",
  args: { before: assisted },
  play: atAssistants("assistant-form", async (w) => {
    await w.press("assistant-edit");
    await w.fill("assistant-program", "bin/claude");
    await w.fill("assistant-model", "opus");
    await w.press("assistant-save");
    await w.see("assistant-form");
  }),
};

export const Questions: Scenario = {
  name: "How much is looked up for a question",
  args: { before: served },
  play: steps(async (w) => {
    await w.press("question-rounds-2");
    const [entries] = await w.see("question-entries");
    entries!.focus();
  }),
};

export const QuestionsRefused: Scenario = {
  name: "How much is looked up for a question could not be stored",
  args: { before: served },
  play: steps(async (w) => {
    w.backend.fail("settings:set", { code: "MEMORY_WRITE_FAILED", message: "disk full" });
    await w.press("question-rounds-1");
    const [problem] = await w.see("questions-problem");
    problem!.scrollIntoView({ block: "center" });
  }),
};

export const TeamAnswers: Scenario = {
  name: "The team's answer service is asked, and something waits to be sent",
  args: {
    before: (w) => {
      served(w);
      Object.assign(w.backend.answerService, { baseUrl: "https://answers.example.org", enabled: true, key: "k" });
      w.backend.life.status = { ...w.backend.life.status, answerOutbox: 3 };
    },
  },
  play: steps(async (w) => {
    const [waiting] = await w.see("answer-service-waiting");
    waiting!.scrollIntoView({ block: "center" });
  }),
};

export const TeamAnswersRefused: Scenario = {
  name: "The address of the answer service is refused",
  args: {
    before: (w) => {
      served(w);
      w.backend.answerService.baseUrl = "http://answers.example.org";
    },
  },
  play: steps(async (w) => {
    await w.press("answer-service-on");
    const [url] = await w.see("answer-service-url");
    url!.scrollIntoView({ block: "center" });
  }),
};

export const QuestionsSetByFile: Scenario = {
  name: "Settings of questions that config.toml sets",
  args: {
    before: ({ backend }) => {
      backend.answers.settings.file.set("gatekeeper.max_inject", 2);
      backend.answers.settings.file.set("gatekeeper.active_statuses", ["active"]);
    },
  },
  play: steps(async (w) => {
    const [list] = await w.see("set-by-file");
    list!.scrollIntoView({ block: "center" });
  }),
};

export const Rereading: Scenario = {
  name: "Another encoder: episodes are being indexed again",
  args: { before: served },
  play: steps(async (w) => {
    await w.see("provider");
    w.backend.emit("memory:index:progress", { part: "embedder", done: 120, total: 400 });
    await w.see("rereading");
    await w.see("index-progress");
  }),
};

export const EncoderGone: Scenario = {
  name: "The encoder does not answer",
  args: {
    before: (w) => {
      served(w);
      w.backend.degradeFor("unreachable", "embedder");
    },
  },
  play: shows("embedder-problem"),
};

export const Long: Scenario = {
  name: "A service with a long name and a long address",
  args: {
    before: (w) => {
      served(w);
      Object.assign(w.backend.models.providers[0]!, {
        name: UNBROKEN[w.language].repeat(2),
        baseUrl: `https://${"gateway.".repeat(9)}example.com/v1`,
      });
      w.backend.models.purposes[0]!.model = "organisation/a-very-long-name-of-a-model-with-everything-in-it-0123456789";
    },
  },
  play: steps((w) => w.see("provider", 2)),
};
