import type { Meta } from "@storybook/react-vite";
import type { TroubleKind } from "../ui/src/backend";
import { shows, steps, Window, type Scenario, type Stage } from "./stage";

export default { title: "Memory/Keeping", component: Window, args: { memory: { past: true }, page: "safety" } } satisfies Meta<typeof Window>;

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
  name: "A backup is to go back: what that means is said first",
  play: steps(async (w) => {
    await w.press("backup-restore", 2);
    await w.see("restore-dialog");
  }),
};

export const Unrestored: Scenario = {
  name: "A backup that turns out to be damaged",
  play: steps(async (w) => {
    w.backend.fail("memory:backup:restore", { code: "MEMORY_STORE_UNAVAILABLE", message: "damaged", details: { reason: "damaged" } });
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

export const Cleared: Scenario = {
  name: "The book is cleared: said once, and written down",
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

export const Tidied: Scenario = {
  name: "Tidied now: what was done",
  play: steps(async (w) => {
    await w.press("tidy-now");
    await w.see("tidied");
  }),
};

export const Anew: Scenario = {
  name: "A damaged file without a backup: begin anew?",
  args: { memory: {}, before: ({ backend }) => backend.degrade("episodes") },
  play: steps(async (w) => {
    await w.press("anew-episodes");
    await w.see("anew-episodes-confirm");
  }),
};

// ---- every kind of what may be missing, in its own words ----

/** The part is as `state` says, and nothing else has changed. */
function part({ backend }: Stage, which: "embedder" | "words", state: "substituted" | "unavailable", reason: string): void {
  const { life } = backend;
  life.status = { ...life.status, degraded: true, parts: life.status.parts.map((one) => (one.part === which ? { part: which, state, reason } : one)) };
}

const missing = (kind: TroubleKind, before: (w: Stage) => unknown, memory: object = { past: true }): Scenario => ({
  args: { memory, before },
  play: shows("degraded-notice", `trouble-${kind}`),
});

export const All: Scenario = { ...missing("all", ({ backend }) => backend.degrade("rules", "episodes")), name: "Missing: the whole memory" };
export const RulesOld: Scenario = { ...missing("rulesOld", ({ backend }) => backend.degradeFor("rules.db: the file is damaged", "rules")), name: "Missing: the rules, those of a backup serve" };
export const RulesBuiltIn: Scenario = { ...missing("rulesBuiltIn", ({ backend }) => backend.degrade("rules"), {}), name: "Missing: the rules, and no backup" };
export const RulesUnwritten: Scenario = { ...missing("rulesUnwritten", ({ backend }) => backend.life.degrade(["rules"], "the disk is full", "full")), name: "Missing: rules can be read and not written" };
export const Episodes: Scenario = { ...missing("episodes", ({ backend }) => backend.degradeFor("episodes.db: the file is damaged", "episodes")), name: "Missing: past examples" };
export const EpisodesUnwritten: Scenario = { ...missing("episodesUnwritten", ({ backend }) => backend.life.degrade(["episodes"], "the disk is full", "full")), name: "Missing: past examples can be read and not written" };
export const Meaning: Scenario = { ...missing("meaning", ({ backend }) => backend.degrade("embedder")), name: "Missing: finding by meaning" };
export const MeaningSubstituted: Scenario = { ...missing("meaningSubstituted", (w) => part(w, "embedder", "substituted", "unreachable")), name: "Missing: the chosen encoder, the built-in one serves" };
export const Words: Scenario = { ...missing("words", (w) => part(w, "words", "unavailable", "the index is being made again")), name: "Missing: finding by words" };
export const Maintenance: Scenario = { ...missing("maintenance", ({ backend }) => backend.degradeFor("the disk is full", "maintenance")), name: "Missing: the tidying of the night" };
export const Other: Scenario = { ...missing("other", ({ backend }) => void (backend.life.status = { ...backend.life.status, degraded: true })), name: "Missing: something this window has no words for" };
export const Several: Scenario = { ...missing("meaning", ({ backend }) => backend.degrade("rules", "embedder", "maintenance")), name: "Missing: several things, the gravest first" };
