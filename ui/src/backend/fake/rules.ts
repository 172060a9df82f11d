import type {
  Commands,
  DeletedWords,
  Language,
  Pattern,
  Rule,
  RuleChange,
  RuleFollowed,
  RuleVersion,
} from "../bindings.gen";
import { invalid, notFound } from "./refusals";
import { FAKE_RULES } from "./sample";

type Name =
  | Extract<keyof Commands, `memory:semantic:${"list" | "add" | "update" | "confirm" | "delete" | "history" | "undo"}`>
  | "memory:promote";

interface Context {
  rules: Rule[];
  id: () => string;
  now: () => string;
  changed: (projectId: string | null) => void;
  /** Why the rules come from a backup, or `null`; throws if there is no backup. */
  readFrom: () => string | null;
  /** Number of episodes of a project; `null`: of all. */
  recorded: (projectId: string | null) => number;
  /** Number of hidden names, of all books, in a text. */
  hiddenNames: (text: string) => number;
  /** Erases the words of a rule with that many versions, or reports where they remain. */
  erase: (rule: Rule, everywhere: boolean, versions: number) => DeletedWords;
  paused: () => boolean;
  followed: () => RuleFollowed[];
  learnedAt: (projectId: string | null) => string | null;
}

/** Categories, in the order of the list. */
const CATEGORIES: Rule["category"][] = ["character", "pacing", "structure", "style", "vocabulary"];

const normalized = (words: string): string => words.trim().replace(/\s+/g, " ");

/** Rules with all their versions. */
export class FakeRules {
  /** Rules whose words were erased everywhere. */
  private readonly erased = new Set<string>();
  private readonly versions = new Map<string, { version: RuleVersion; rule: Rule }[]>();

  constructor(private readonly context: Context) {}

  readonly commands: { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "memory:semantic:list": ({ projectId, scope, category }) => {
      const degradedReason = this.context.readFrom();
      return {
        ...(degradedReason === null ? {} : { degradedReason }),
        rules: this.context.rules
          .filter(
            (rule) =>
              (rule.scope === "global" || rule.projectId === projectId) &&
              (!scope || rule.scope === scope) &&
              (!category || rule.category === category),
          )
          .toSorted(
            (a, b) =>
              CATEGORIES.indexOf(a.category) - CATEGORIES.indexOf(b.category) ||
              Number(b.userConfirmed) - Number(a.userConfirmed) ||
              (b.confidence ?? 0) - (a.confidence ?? 0) ||
              a.createdAt.localeCompare(b.createdAt),
          ),
        learningPaused: this.context.paused(),
        episodesRecorded: this.context.recorded(projectId ?? null),
        followed: this.context.followed(),
        lastDistilledAt: this.context.learnedAt(projectId ?? null),
      };
    },
    "memory:semantic:add": ({ rule, category, scope, projectId, sceneType, skillUsed, dimension }) => {
      const understood = dimension ? { pattern: dimension.pattern, patternBy: "writer" as const } : read(rule);
      return this.recordChange(
        this.add({
          rule: normalized(rule),
          category,
          scope,
          projectId: projectId ?? null,
          sceneType: sceneType ?? null,
          skillUsed: skillUsed ?? null,
          confidence: 1,
          confidenceLow: 1,
          evidenceCount: 0,
          userConfirmed: true,
          origin: "manual",
          ...understood,
        }),
        "added",
      );
    },
    "memory:semantic:update": ({ ruleId, version, category, sceneType, skillUsed, dimension, ...given }) => {
      const found = this.rule(ruleId, version);
      const rule = typeof given.rule === "string" ? normalized(given.rule) : null;
      const reworded = rule !== null && rule !== found.rule;
      if (reworded && found.patternBy !== "measured" && found.patternBy !== "writer") Object.assign(found, read(rule));
      if (dimension) Object.assign(found, { pattern: dimension.pattern, patternBy: "writer" });
      Object.assign(found, {
        rule: rule ?? found.rule,
        category: category ?? found.category,
        sceneType: sceneType === "" ? null : (sceneType ?? found.sceneType),
        skillUsed: skillUsed === "" ? null : (skillUsed ?? found.skillUsed),
        userModified: found.userModified || reworded,
        version: version + 1,
        updatedAt: this.context.now(),
      });
      if (found.standing === "suspended") Object.assign(found, { standing: "active", wrongCount: 0 });
      return this.recordChange(found, "edited");
    },
    "memory:semantic:confirm": ({ ruleId, version }) =>
      this.recordChange(
        Object.assign(this.rule(ruleId, version), {
          userConfirmed: true,
          standing: "active",
          challenged: false,
          wrongCount: 0,
          version: version + 1,
          updatedAt: this.context.now(),
        }),
        "confirmed",
      ),
    "memory:semantic:delete": ({ ruleId, everywhere }) => {
      const deleted = this.rule(ruleId);
      this.remove(ruleId);
      const versions = this.versions.get(ruleId) ?? [];
      if (everywhere) {
        this.erased.add(ruleId);
        for (const { version, rule } of versions) version.rule = rule.rule = "";
      }
      return { ruleId, words: this.context.erase(deleted, everywhere ?? false, versions.length) };
    },
    "memory:semantic:history": ({ ruleId }) => ({ versions: this.history(ruleId).map(({ version }) => version) }),
    "memory:semantic:undo": ({ ruleId }) => {
      const known = this.history(ruleId);
      if (this.erased.has(ruleId)) throw invalid("ruleId", { reason: "wordsErased" });
      const now = this.context.rules.find(({ id }) => id === ruleId);
      const contentOf = ({ rule, category, scope, standing, userConfirmed, pattern }: Rule) =>
        JSON.stringify({ rule, category, scope, standing, userConfirmed, pattern });
      const before = now ? known.findLast(({ rule }) => contentOf(rule) !== contentOf(now)) : known.at(-1);
      if (!before) throw invalid("ruleId");
      const again = { ...before.rule, version: known.at(-1)!.rule.version + 1, updatedAt: this.context.now() };
      this.put(again, null, "restored");
      this.context.changed(again.projectId);
      return again;
    },
    "memory:promote": ({ ruleId, preview }) => {
      const rule = this.rule(ruleId);
      const hiddenNames = this.context.hiddenNames(rule.rule);
      if (preview) return { ...rule, hiddenNames };
      if (rule.scope === "global") throw invalid("ruleId");
      return {
        ...this.recordChange(
          Object.assign(rule, {
            scope: "global",
            projectId: null,
            version: rule.version + 1,
            updatedAt: this.context.now(),
          }),
          "promoted",
        ),
        hiddenNames,
      };
    },
  };

  /** Adds the sample rules of a language. */
  learn(language: Language): void {
    for (const { rule, category, global, scene, confidence, n, confirmed, modified, recent } of FAKE_RULES[language]) {
      this.add({
        rule,
        category,
        scope: global ? "global" : "project",
        sceneType: scene ?? null,
        confidence,
        evidenceCount: n,
        userConfirmed: confirmed ?? false,
        userModified: modified ?? false,
        recentlyUpdated: recent ?? false,
      });
    }
  }

  /** Stores a new or changed rule. */
  put(rule: Rule, runId: string | null, change: RuleChange = "updated"): void {
    const at = this.context.rules.findIndex(({ id }) => id === rule.id);
    if (at < 0) this.context.rules.push(rule);
    else this.context.rules[at] = rule;
    this.note(rule, change, runId);
  }

  remove(ruleId: string): void {
    const at = this.context.rules.findIndex(({ id }) => id === ruleId);
    const [deleted] = at < 0 ? [] : this.context.rules.splice(at, 1);
    if (deleted) this.note({ ...deleted, version: deleted.version + 1 }, "deleted");
  }

  /** Assigns all project rules to the project. */
  belong(projectId: string): void {
    const earlier = [...this.versions.values()].flat().map(({ rule }) => rule);
    for (const rule of [...this.context.rules, ...earlier]) if (rule.scope === "project") rule.projectId = projectId;
  }

  private note(rule: Rule, change: RuleChange, runId: string | null = null): void {
    const version = { version: rule.version, rule: rule.rule, change, runId, at: this.context.now() };
    this.versions.set(rule.id, [...(this.versions.get(rule.id) ?? []), { version, rule: { ...rule } }]);
  }

  add(part: Pick<Rule, "rule" | "category" | "scope"> & Partial<Rule>): Rule {
    const at = this.context.now();
    const rule: Rule = {
      id: this.context.id(),
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
    this.put(rule, rule.origin === "manual" ? null : "run-0", rule.origin === "manual" ? "added" : "learned");
    return rule;
  }

  private recordChange(rule: Rule, change: RuleChange): Rule {
    if (change !== "added") this.note(rule, change);
    this.context.changed(rule.projectId);
    return rule;
  }

  private history(ruleId: string) {
    const known = this.versions.get(ruleId);
    if (!known) throw notFound("ruleId");
    return known;
  }

  private rule(ruleId: string, version?: number): Rule {
    const rule = this.context.rules.find(({ id }) => id === ruleId);
    if (!rule) throw notFound("ruleId");
    if (version !== undefined && version !== rule.version)
      throw {
        code: "MEMORY_STALE_VERSION",
        message: "it was changed since it was read",
        details: { field: "version", currentVersion: rule.version },
      };
    return rule;
  }
}

/** The feature a sentence is about, by a few keywords. */
function read(rule: string): { pattern: Pattern | null; patternBy: "lexicon" | null } {
  const direction = /多用|more /i.test(rule) ? 1 : -1;
  const feature = /感叹号|exclamation/i.test(rule)
    ? "exclamations"
    : /句.*短|short/i.test(rule)
      ? "sentenceLength"
      : null;
  return feature
    ? { pattern: { feature, direction, threshold: null }, patternBy: "lexicon" }
    : { pattern: null, patternBy: null };
}
