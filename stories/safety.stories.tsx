import type { Meta } from "@storybook/react-vite";
import type { Reason, HealthProblemKind } from "../ui/src/backend";
import { taken } from "../ui/src/backend/fake/exchange";
import { NEVER, shows, steps, Window, type Scenario, type Stage } from "./stage";

export default {
  title: "Memory/Safety",
  component: Window,
  args: { memory: { past: true }, page: "safety" },
} satisfies Meta<typeof Window>;

export const Usual: Scenario = {
  name: "All is well: backups, and how full it is",
  play: steps(async (w) => {
    await w.see("all-well");
    await w.see("backup", 8);
    await w.see("full", 2);
  }),
};

export const NoBackups: Scenario = {
  name: "No backup yet",
  args: { memory: {} },
  play: shows("no-backups", "backup-now"),
};

export const Restoring: Scenario = {
  name: "A backup is to be restored: the effects are explained first",
  play: steps(async (w) => {
    await w.press("backup-restore", 2);
    await w.see("restore-dialog");
  }),
};

export const Unrestored: Scenario = {
  name: "A backup that turns out to be damaged",
  play: steps(async (w) => {
    w.backend.fail("memory:backup:restore", {
      code: "MEMORY_STORE_UNAVAILABLE",
      message: "damaged",
      details: { reason: "damaged" },
    });
    await w.press("backup-restore");
    await w.press("restore-confirm");
    await w.see("restore-problem");
  }),
};

export const ClearingABook: Scenario = {
  name: "Clearing this book: how much goes, what stays, and the title typed",
  play: steps(async (w) => {
    await w.press("clear-project");
    await w.see("clear-gone");
    await w.fill("clear-title", w.say("验潮所", "The Tide House"));
  }),
};

export const ForgettingABook: Scenario = {
  name: "Forgetting this book: how much goes, what stays, and the title typed",
  play: steps(async (w) => {
    await w.press("forget-project");
    await w.see("clear-gone");
    await w.fill("clear-title", w.say("验潮所", "The Tide House"));
  }),
};

export const Cleared: Scenario = {
  name: "The book is cleared: reported once, and recorded in the log",
  play: steps(async (w) => {
    await w.press("clear-project");
    await w.see("clear-gone");
    await w.fill("clear-title", w.say("验潮所", "The Tide House"));
    await w.press("clear-confirm");
    await w.see("toast");
    await w.see("clearing");
  }),
};

export const ClearingAll: Scenario = {
  name: "Clearing everything: asked a second time",
  play: steps(async (w) => {
    await w.press("clear-all");
    await w.see("clear-gone");
    await w.press("clear-next");
    await w.see("clear-confirm");
  }),
};

const ALL = "/elsewhere/Palimpsest.jsonl";

/** Opens the import of a file from another machine. */
const incoming = (
  format: "jsonLines" | "markdown",
  file: Parameters<Stage["backend"]["exchange"]["files"]["set"]>[1],
) =>
  steps(async (w) => {
    w.backend.chosenFile = format === "markdown" ? w.say("/elsewhere/写作风格.md", "/elsewhere/Writing style.md") : ALL;
    w.backend.exchange.files.set(w.backend.chosenFile, file);
    await w.press(format === "markdown" ? "rules-in" : "all-in");
    await w.see("code" in file ? "incoming-problem" : "incoming-verdict");
  });

export const Exported: Scenario = {
  name: "Everything has gone out: what is in the file",
  play: steps(async (w) => {
    w.backend.savePath = ALL;
    w.backend.exchange.leftOut = 3;
    await w.press("all-out");
    await w.see("exchanged");
  }),
};

export const Incoming: Scenario = {
  name: "A memory is to come in: by kind, what is new, the same and otherwise here",
  play: incoming("jsonLines", {
    kinds: [
      taken("project", { new: 1, same: 1 }),
      taken("ruleVersion", { new: 14, same: 31 }),
      taken("tombstone", { new: 1 }),
      taken("rule", { new: 4, newer: 1, same: 22, conflicting: 1 }),
      taken("evidence", { new: 310, same: 1_204 }),
      taken("episode", { new: 318, newer: 2, same: 1_204, leftOut: 3 }),
      taken("trace", { new: 120, same: 502 }),
      taken("name", { new: 2 }),
    ],
  }),
};

export const IncomingPage: Scenario = {
  name: "A page of rules is to come in",
  play: incoming("markdown", { kinds: [taken("rule", { new: 2, same: 7, leftOut: 1 })] }),
};
export const NothingNew: Scenario = {
  name: "A file that has nothing new",
  play: incoming("jsonLines", { kinds: [taken("rule", { same: 7 }), taken("episode", { same: 318 })] }),
};
export const BrokenLine: Scenario = {
  name: "A page that cannot be taken: which line, and why",
  play: incoming("markdown", {
    code: "MEMORY_INVALID_ARGUMENT",
    message: "",
    details: { reason: "unknownCategory", line: 12 },
  }),
};
export const AnotherBooks: Scenario = {
  name: "A file that takes what is one book’s for another’s",
  play: incoming("jsonLines", {
    code: "MEMORY_SCOPE_DENIED",
    message: "",
    details: { reason: "otherBook", line: 4_021 },
  }),
};

export const ReadingIn: Scenario = {
  name: "A file is being read",
  play: steps(async (w) => {
    w.backend.chosenFile = ALL;
    w.backend.waits.delay("memory:import", NEVER);
    await w.press("all-in");
    await w.see("incoming-dialog");
  }),
};

export const Tidied: Scenario = {
  name: "Tidied now: what was done",
  play: steps(async (w) => {
    await w.press("tidy-now");
    await w.see("tidied");
  }),
};

export const Anew: Scenario = {
  name: "A damaged file without a backup: replace it by an empty one?",
  args: { memory: {}, before: ({ backend }) => backend.degrade("episodes") },
  play: steps(async (w) => {
    await w.press("anew-episodes");
    await w.see("anew-episodes-confirm");
  }),
};

// ---- every health problem in its own words ----

/** Sets the state of one part and announces nothing. */
function part(
  { backend }: Stage,
  which: "embedder" | "words",
  state: "substituted" | "unavailable",
  reason: Reason | null,
  message: string,
): void {
  const { life } = backend;
  life.status = {
    ...life.status,
    degraded: true,
    parts: life.status.parts.map((one) => (one.part === which ? { part: which, state, reason, message } : one)),
  };
}

const missing = (
  kind: HealthProblemKind,
  before: (w: Stage) => unknown,
  memory: object = { past: true },
): Scenario => ({
  args: { memory, before },
  play: shows("degraded-notice", `health-problem-${kind}`),
});

export const All: Scenario = {
  ...missing("all", ({ backend }) => backend.degrade("rules", "episodes")),
  name: "Missing: the whole memory",
};
export const RulesOld: Scenario = {
  ...missing("rulesOld", ({ backend }) => backend.degradeFor("damaged", "rules")),
  name: "Missing: the rules, those of a backup serve",
};
export const RulesBuiltIn: Scenario = {
  ...missing("rulesBuiltIn", ({ backend }) => backend.degrade("rules"), {}),
  name: "Missing: the rules, and no backup",
};
export const RulesUnwritten: Scenario = {
  ...missing("rulesUnwritten", ({ backend }) => backend.life.degrade(["rules"], "unwritable", "full")),
  name: "Missing: rules can be read and not written",
};
export const Episodes: Scenario = {
  ...missing("episodes", ({ backend }) => backend.degradeFor("damaged", "episodes")),
  name: "Missing: past examples",
};
export const EpisodesUnwritten: Scenario = {
  ...missing("episodesUnwritten", ({ backend }) => backend.life.degrade(["episodes"], "unwritable", "full")),
  name: "Missing: past examples can be read and not written",
};
export const Meaning: Scenario = {
  ...missing("meaning", ({ backend }) => backend.degrade("embedder")),
  name: "Missing: finding by meaning",
};
export const MeaningSubstituted: Scenario = {
  ...missing("meaningSubstituted", (w) => part(w, "embedder", "substituted", "unreachable", "unreachable")),
  name: "Missing: the chosen encoder, the built-in one serves",
};
export const Words: Scenario = {
  ...missing("words", (w) => part(w, "words", "unavailable", null, "the index is being made again")),
  name: "Missing: finding by words",
};
export const Maintenance: Scenario = {
  ...missing("maintenance", ({ backend }) => backend.degrade("maintenance")),
  name: "Missing: the tidying of the night",
};
export const Other: Scenario = {
  ...missing("other", ({ backend }) => void (backend.life.status = { ...backend.life.status, degraded: true })),
  name: "Missing: something this window has no words for",
};
export const MissingWrites: Scenario = {
  ...missing(
    "missingWrites",
    ({ backend }) =>
      void (backend.life.status = {
        ...backend.life.status,
        degraded: true,
        missing: [{ file: "episodes", count: 3 }],
      }),
  ),
  name: "Missing: entries that were recorded",
};
const doubt = (reason: "ahead" | "behind", now: string): Scenario => ({
  args: {
    memory: { past: true },
    before: ({ backend }) =>
      void (backend.life.status = { ...backend.life.status, clock: { reason, now, newest: "2026-03-15T21:00:00Z" } }),
  },
  play: shows("clock-doubt"),
});
export const ClockAhead: Scenario = {
  ...doubt("ahead", "2026-07-20T10:00:00Z"),
  name: "The clock is far after the newest time in the memory",
};
export const ClockBehind: Scenario = {
  ...doubt("behind", "1970-01-01T00:00:30Z"),
  name: "The clock is far before the newest time in the memory",
};
export const Several: Scenario = {
  ...missing("meaning", ({ backend }) => backend.degrade("rules", "embedder", "maintenance")),
  name: "Missing: several things, the gravest first",
};
