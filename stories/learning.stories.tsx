import type { Meta } from "@storybook/react-vite";
import type { RunChange } from "../ui/src/backend";
import { shows, steps, Window, type Scenario, type Stage } from "./stage";

export default { title: "Memory/Learning", component: Window, args: { page: "rules" } } satisfies Meta<typeof Window>;

async function openHistory(w: Stage) {
  await w.press("learning-history");
  await w.see("learning-runs");
}

export const History: Scenario = {
  name: "Every run as a diff: learned, reworded, strengthened; one that found nothing, one that failed",
  args: { memory: { learned: true } },
  play: steps(async (w) => {
    await openHistory(w);
    await w.see("run-change", 3);
  }),
};

export const Undoing: Scenario = {
  name: "A whole run undone, after two confirmations",
  args: { memory: { learned: true } },
  play: steps(async (w) => {
    await openHistory(w);
    await w.press("run-undo");
    await w.see("run-undo-confirm");
  }),
};

export const Undone: Scenario = {
  name: "A run that was taken back, but for what the writer touched since",
  args: { memory: { learned: true } },
  play: steps(async (w) => {
    const touched = w.backend.rules.find(({ rule }) => rule.startsWith(w.say("老周", "Zhou")))!;
    await w.backend.invoke("memory:semantic:confirm", { ruleId: touched.id, version: touched.version });
    await openHistory(w);
    await w.press("run-undo");
    await w.press("run-undo-confirm");
    await w.see("run-change", 3);
  }),
};

export const NoRun: Scenario = {
  name: "No run yet: when the first one comes",
  args: { memory: { rules: false } },
  play: steps(async (w) => {
    await openHistory(w);
    await w.see("no-runs");
  }),
};

export const UnderWay: Scenario = {
  name: "A run under way, as far as it is",
  play: steps(async (w) => {
    w.backend.learning.next = { status: "nothing", held: true };
    await w.press("learn-now");
    await w.see("learning-progress");
    w.backend.learning.advance("reconciling", 0.8);
    await w.see("learning-status");
  }),
};

export const Elsewhere: Scenario = {
  name: "A run over another book",
  play: steps(async (w) => {
    await w.see("learn-now");
    w.backend.emit("memory:distill:progress", {
      runId: "other",
      projectId: "another-book",
      stage: "testing",
      fraction: 0.2,
      message: "testing",
    });
    await w.see("learning-progress");
  }),
};

export const Nothing: Scenario = {
  name: "Nothing learned this time, and why",
  play: steps(async (w) => {
    await w.press("learn-now");
    await w.see("learning-outcome");
  }),
};

export const Learned: Scenario = {
  name: "Something learned: counted, and there",
  play: steps(async (w) => {
    const [known] = w.backend.rules;
    const learned = {
      ...known!,
      id: "rule-new",
      rule: w.say("物件先写用处和尺寸，再写样子。", "Of an object, first what it is for and its size, then its looks."),
      userConfirmed: false,
      recentlyUpdated: true,
    };
    const changes: RunChange[] = [
      { ruleId: learned.id, projectId: w.projectId, kind: "learned", before: null, after: learned, kept: false },
      {
        ruleId: known!.id,
        projectId: w.projectId,
        kind: "strengthened",
        before: { ...known! },
        after: { ...known!, confidence: 0.95 },
        kept: false,
      },
    ];
    w.backend.learning.next = { status: "committed", changes };
    await w.press("learn-now");
    await w.see("learning-outcome");
  }),
};

export const Failed: Scenario = {
  name: "A run that failed: the rules are as they were",
  play: steps(async (w) => {
    w.backend.learning.next = { status: "failed", reason: { kind: "model", trouble: "unbelievable" } };
    await w.press("learn-now");
    await w.see("learning-outcome");
  }),
};

export const Waiting: Scenario = {
  name: "A run that would drop a quarter of the rules waits for a yes",
  play: steps(async (w) => {
    const own = w.backend.rules.filter(({ scope }) => scope === "project").slice(1);
    w.backend.learning.next = {
      status: "waiting",
      changes: own.map((before) => ({
        ruleId: before.id,
        projectId: w.projectId,
        kind: "dropped",
        before: { ...before },
        after: null,
        kept: false,
      })),
    };
    await w.press("learn-now");
    await w.see("waiting-approve");
    await w.see("run-change", own.length);
  }),
};

export const Unread: Scenario = {
  name: "A history that could not be read",
  args: {
    before: ({ backend }) =>
      backend.fail("memory:distill:list", { code: "MEMORY_STORE_UNAVAILABLE", message: "busy" }, 99),
  },
  play: steps(async (w) => {
    await openHistory(w);
    await w.reads("学习历史读不出来", "Couldn’t read the learning history");
  }),
};

export const FromBackup: Scenario = {
  name: "Rules out of a backup: nothing is learned into them",
  args: { memory: { past: true, learned: true }, before: ({ backend }) => backend.degrade("rules") },
  play: shows("missing-rulesOld", "rule-card"),
};
