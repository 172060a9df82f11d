import type { Commands, Language, Rule } from "../bindings.gen";
import { FAKE_RULES } from "./sample";

type Name = Extract<keyof Commands, `memory:semantic:${string}` | `memory:conflict:${string}` | `memory:distill:${string}` | `memory:learning:${string}`> | "memory:promote";

const missing = { code: "MEMORY_NOT_FOUND", message: "there is no such thing" } as const;

/** What the rules stand among. */
interface Held {
  rules: Rule[];
  id: () => string;
  now: () => string;
  changed: (projectId: string | null) => void;
  /** Why the rules are those of a backup; fails when there are none to be had. */
  readFrom: () => string | null;
  recorded: () => number;
}

/** Rules, and the writer's word on them. Of learning there is only the pause: runs and conflicts are none. */
export class FakeRules {
  private paused = false;

  constructor(private readonly held: Held) {}

  readonly commands: { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "memory:semantic:list": ({ projectId, scope, category }) => ({
      degradedReason: this.held.readFrom(),
      rules: this.held.rules.filter((rule) => (rule.scope === "global" || rule.projectId === projectId) && (!scope || rule.scope === scope) && (!category || rule.category === category)),
      learningPaused: this.paused,
      episodesRecorded: this.held.recorded(),
      lastDistilledAt: null,
    }),
    "memory:semantic:add": ({ rule, category, scope, projectId, sceneType, skillUsed }) => {
      if (rule.trim() === "") throw { code: "MEMORY_INVALID_ARGUMENT", message: "rule: empty", details: { field: "rule" } };
      return this.told(this.addRule({ rule, category, scope, projectId: projectId ?? null, sceneType: sceneType ?? null, skillUsed: skillUsed ?? null, confidence: 1, evidenceCount: 0, userConfirmed: true, origin: "manual" }));
    },
    "memory:semantic:update": ({ ruleId, version, rule, category, sceneType }) => {
      const found = this.rule(ruleId, version);
      Object.assign(found, { rule: rule ?? found.rule, category: category ?? found.category, sceneType: sceneType ?? found.sceneType, userModified: true, version: version + 1, updatedAt: this.held.now() });
      return this.told(found);
    },
    "memory:semantic:confirm": ({ ruleId, version }) => this.told(Object.assign(this.rule(ruleId, version), { userConfirmed: true, version: version + 1 })),
    "memory:semantic:delete": ({ ruleId }) => {
      this.held.rules.splice(this.held.rules.indexOf(this.rule(ruleId)), 1);
      this.held.changed(null);
      return { ruleId };
    },
    "memory:semantic:history": ({ ruleId }) => ({ versions: [{ version: 1, rule: this.rule(ruleId).rule, change: "added", runId: null, at: this.held.now() }] }),
    "memory:semantic:undo": ({ ruleId }) => this.told(this.rule(ruleId)),
    "memory:semantic:evidence": () => ({ episodes: [] }),
    "memory:semantic:distill": () => {
      if (this.paused) throw { code: "MEMORY_LEARNING_PAUSED", message: "learning is paused" };
      return { runId: this.held.id(), status: "nothing" };
    },
    "memory:distill:list": () => ({ runs: [] }),
    "memory:distill:approve": () => {
      throw missing;
    },
    "memory:distill:cancel": () => {
      throw missing;
    },
    "memory:distill:undo": () => {
      throw missing;
    },
    "memory:conflict:list": () => ({ conflicts: [] }),
    "memory:conflict:resolve": () => {
      throw missing;
    },
    "memory:learning:pause": () => this.pause(true),
    "memory:learning:resume": () => this.pause(false),
    "memory:promote": ({ ruleId }) => {
      const rule = this.rule(ruleId);
      return this.told(Object.assign(rule, { scope: "global", projectId: null, version: rule.version + 1 }));
    },
  };

  /** What a writer of this language has been found to prefer. */
  learn(language: Language): void {
    for (const { rule, category, global, scene, confidence, n, confirmed, modified, recent } of FAKE_RULES[language]) {
      this.addRule({ rule, category, scope: global ? "global" : "project", sceneType: scene ?? null, confidence, evidenceCount: n, userConfirmed: confirmed ?? false, userModified: modified ?? false, recentlyUpdated: recent ?? false });
    }
  }

  private addRule(part: Pick<Rule, "rule" | "category" | "scope"> & Partial<Rule>): Rule {
    const at = this.held.now();
    const rule: Rule = {
      id: this.held.id(),
      projectId: null,
      sceneType: null,
      skillUsed: null,
      confidence: 0.5,
      supportingEpisodes: [],
      contradictingEpisodes: [],
      userConfirmed: false,
      userModified: false,
      recentlyUpdated: false,
      pattern: null,
      evidenceCount: 0,
      confidenceLow: 0,
      origin: "distilled",
      standing: "active",
      patternBy: null,
      challenged: false,
      wrongCount: 0,
      otherBooks: 0,
      learnedAt: null,
      version: 1,
      createdAt: at,
      updatedAt: at,
      ...part,
    };
    this.held.rules.push(rule);
    return rule;
  }

  private pause(paused: boolean): { learningPaused: boolean } {
    this.paused = paused;
    this.held.changed(null);
    return { learningPaused: paused };
  }

  private told(rule: Rule): Rule {
    this.held.changed(rule.projectId);
    return rule;
  }

  private rule(ruleId: string, version?: number): Rule {
    const rule = this.held.rules.find(({ id }) => id === ruleId);
    if (!rule) throw { code: "MEMORY_NOT_FOUND", message: "there is no such rule", details: { field: "ruleId" } };
    if (version !== undefined && version !== rule.version) throw { code: "MEMORY_STALE_VERSION", message: "it was changed since it was read", details: { currentVersion: rule.version } };
    return rule;
  }
}
