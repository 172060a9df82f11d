import type { Meta } from "@storybook/react-vite";
import { NEVER, shows, steps, Window, type Scenario } from "./stage";
import { another, fiveHundred, LONG, UNBROKEN } from "./words";

export default { title: "Memory/Rules", component: Window, args: { page: "rules" } } satisfies Meta<typeof Window>;

export const Usual: Scenario = {
  name: "A few rules, by what they are about",
  play: shows("rule-card", "learn-now"),
};

export const FiveHundred: Scenario = {
  name: "Five hundred rules",
  args: { before: fiveHundred },
  play: steps((w) => w.see("rule-card", 5)),
};

export const Empty: Scenario = {
  name: "A new writer: nothing is known yet",
  args: { memory: { rules: false } },
  play: shows("rule-add", "episodes-recorded"),
};

export const StillLearning: Scenario = {
  name: "Still learning: too few choices to say",
  args: {
    before: ({ backend }) => {
      backend.rules.forEach((rule, index) =>
        Object.assign(rule, {
          evidenceCount: 2 + index,
          confidence: 0.55,
          userConfirmed: false,
          userModified: false,
          scope: "project",
          projectId: backend.books[0]!.project.projectId,
        }),
      );
    },
  },
  play: shows("rule-confidence"),
};

export const Paused: Scenario = {
  name: "Learning is paused",
  args: { before: ({ backend }) => void (backend.learning.paused = true) },
  play: shows("learning-paused", "paused-note", "learning-resume"),
};

export const Resuming: Scenario = {
  name: "Learning resumed: is what was recorded meanwhile to count?",
  args: { before: ({ backend }) => void (backend.learning.paused = true) },
  play: steps(async (w) => {
    await w.press("learning-resume");
    await w.see("resume-choice");
  }),
};

export const Conflict: Scenario = {
  name: "Two rules contradict each other",
  args: { memory: { learned: true } },
  play: shows("conflict-notice"),
};

export const BothSides: Scenario = {
  name: "A conflict with both sides, one of them chosen",
  args: { memory: { learned: true } },
  play: steps(async (w) => {
    await w.press("conflict-open");
    await w.press("conflict-side");
    await w.see("conflict-keep");
  }),
};

export const Deleted: Scenario = {
  name: "A rule is deleted, and may be brought back",
  play: steps(async (w) => {
    await w.openRule(w.say("章末好像爱停在", "Chapters seem to end"));
    await w.press("rule-delete");
    await w.press("rule-delete-confirm");
    await w.see("rule-gone-undo");
  }),
};

export const DeletingEverywhere: Scenario = {
  name: "A rule is to go: with its words everywhere, or not",
  play: steps(async (w) => {
    await w.openRule(w.say("章末好像爱停在", "Chapters seem to end"));
    await w.press("rule-delete");
    await w.press("rule-delete-everywhere");
    await w.see("rule-delete-confirm");
  }),
};

export const Standing: Scenario = {
  name: "Rules that ask: proposed, stepped back, suspended, challenged",
  args: {
    memory: { learned: true },
    before: ({ backend }) => {
      const asking = backend.rules.filter(({ standing, challenged }) => standing !== "active" || challenged);
      backend.rules.splice(0, backend.rules.length, ...asking);
      backend.learning.conflicts = [];
    },
  },
  play: steps((w) => w.see("rule-question", 3)),
};

export const Evidence: Scenario = {
  name: "What a rule rests on: for it, and all that is against it",
  args: { memory: { learned: true } },
  play: steps(async (w) => {
    await w.openRule(w.say("对白里的句子要短", "Keep lines of dialogue short"));
    await w.press("rule-evidence");
    await w.see("rule-episode", 3);
  }),
};

export const Versions: Scenario = {
  name: "What a rule was before",
  play: steps(async (w) => {
    const rule = w.backend.rules.find(({ rule: text }) => text.startsWith(w.say("老周", "Zhou")))!;
    await w.backend.invoke("memory:semantic:update", {
      ruleId: rule.id,
      version: rule.version,
      rule: w.say("老周只说半句。", "Zhou says half a sentence."),
    });
    await w.see("rule-card");
    await w.openRule(w.say("老周", "Zhou"));
    await w.press("rule-history");
    await w.see("rule-version", 2);
  }),
};

export const Ignored: Scenario = {
  name: "A rule that the model does not follow",
  args: {
    before: ({ backend }) => {
      backend.followed = [{ ruleId: backend.rules[2]!.id, yes: 0, partly: 2, no: 8, ignored: true }];
    },
  },
  play: steps(async (w) => {
    await w.openRule(w.backend.rules[2]!.rule);
    await w.see("rule-followed");
  }),
};

export const Adding: Scenario = {
  name: "A rule of the writer's own, and what it is about",
  play: steps(async (w) => {
    await w.press("rule-add");
    await w.fill(
      "rule-text",
      w.say("老周话少，对白不用感叹号。", "Zhou says little, and never with an exclamation mark."),
    );
    await w.press("rule-dimension");
    await w.press("rule-dimension-exclamations");
    await w.see("rule-direction-less");
  }),
};

export const Stale: Scenario = {
  name: "An edit of what has changed elsewhere meanwhile",
  play: steps(async (w) => {
    const rule = w.backend.rules.find(({ rule: text }) => text.startsWith(w.say("老周", "Zhou")))!;
    await w.openRule(w.say("老周", "Zhou"));
    await w.press("rule-edit");
    await w.fill("rule-text", w.say("老周只说半句。", "Zhou says half a sentence."));
    Object.assign(rule, { rule: w.say("老周从不解释。", "Zhou never explains."), version: rule.version + 1 });
    await w.press("rule-save");
    await w.see("rule-problem");
  }),
};

export const Unwritten: Scenario = {
  name: "A pause that could not be written",
  play: steps(async (w) => {
    w.backend.fail("memory:learning:pause", { code: "MEMORY_WRITE_FAILED", message: "disk full" });
    await w.press("learning-pause");
    await w.see("learning-problem");
  }),
};

export const Long: Scenario = {
  name: "Rules longer than anybody expects",
  args: {
    before: (w) => {
      w.backend.rules.splice(3);
      another(w, "long", {
        rule: LONG[w.language],
        sceneType: "description",
        userConfirmed: true,
        userModified: true,
        recentlyUpdated: true,
        category: "style",
      });
      another(w, "unbroken", { rule: UNBROKEN[w.language].repeat(4), category: "vocabulary", evidenceCount: 48_271 });
    },
  },
  play: steps(async (w) => {
    await w.openRule(LONG[w.language]);
    await w.see("rule-edit");
  }),
};

export const Loading: Scenario = {
  name: "While the rules are read",
  args: { before: ({ backend }) => backend.waits.delay("memory:semantic:list", NEVER) },
  play: shows("memory-tab-global"),
};

export const Unread: Scenario = {
  name: "Rules that could not be read",
  args: {
    before: ({ backend }) =>
      backend.fail("memory:semantic:list", { code: "MEMORY_STORE_UNAVAILABLE", message: "busy" }, 99),
  },
  play: steps((w) => w.reads("规则读不出来", "The rules can’t be read")),
};
