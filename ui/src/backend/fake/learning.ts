import type {
  Commands,
  Conflict,
  Language,
  Pattern,
  Rule,
  RuleEpisode,
  Run,
  RunAnswer,
  RunChange,
  RunProgress,
  RunReason,
  RunStage,
  RunStatus,
} from "../bindings.gen";
import { FAKE_EVIDENCE, FAKE_LEARNED, FAKE_SIDES } from "./learned";
import { invalid, notFound } from "./refusals";

type Name =
  | Extract<keyof Commands, `memory:conflict:${string}` | `memory:distill:${string}` | `memory:learning:${string}`>
  | "memory:semantic:distill"
  | "memory:semantic:evidence";

interface Context {
  rules: Rule[];
  /** Stores a rule, with its previous version in the history. */
  put: (rule: Rule, runId: string | null) => void;
  remove: (ruleId: string) => void;
  add: (part: Pick<Rule, "rule" | "category" | "scope"> & Partial<Rule>) => Rule;
  id: (kind: string) => string;
  now: () => string;
  changed: (projectId: string | null) => void;
  tell: (progress: RunProgress) => void;
}

/** Result of a run. */
export interface Ending {
  status: RunStatus;
  reason?: RunReason | null;
  changes?: RunChange[];
}

const NOT_YET: Ending = {
  status: "nothing",
  reason: { kind: "notYet", choices: 0, edits: 9, nearest: "sentenceLength", progress: 0.62 },
};

/** Learning runs, conflicts and the pause, controlled by tests. */
export class FakeLearning {
  paused = false;
  runs: Run[] = [];
  conflicts: { conflictId: string; projectId: string | null; first: string; second: string; openedAt: string }[] = [];
  readonly evidence = new Map<string, RuleEpisode[]>();
  /** Result of the next run; `held`: it runs until `end` is called. */
  next: Ending & { held?: boolean } = NOT_YET;

  constructor(private readonly context: Context) {}

  /** Adds a finished run. */
  ran(projectId: string | null, ending: Ending, hoursAgo: number, cause: Run["cause"] = "click"): Run {
    const at = new Date(new Date(this.context.now()).getTime() - hoursAgo * 3_600_000).toISOString();
    const run: Run = {
      runId: this.context.id("run"),
      projectId,
      cause,
      status: ending.status,
      begunAt: at,
      endedAt: at,
      episodes: 58,
      reason: ending.reason ?? null,
      changes: ending.changes ?? [],
    };
    this.runs = [run, ...this.runs].toSorted((a, b) => b.begunAt.localeCompare(a.begunAt));
    return run;
  }

  /** Adds a conflict between two rules. */
  oppose(first: Rule, second: Rule): void {
    this.conflicts.push({
      conflictId: this.context.id("conflict"),
      projectId: first.projectId,
      first: first.id,
      second: second.id,
      openedAt: this.context.now(),
    });
    this.context.changed(first.projectId);
  }

  /** Reports progress of the current run. */
  advance(stage: RunStage, fraction: number): void {
    const run = this.runs.find(({ status }) => status === "running");
    if (run) this.context.tell({ runId: run.runId, projectId: run.projectId, stage, fraction, message: stage });
  }

  /** Ends the current run. */
  end({ status, reason, changes }: Ending): void {
    const run = this.runs.find((one) => one.status === "running");
    if (!run) return;
    Object.assign(run, {
      status,
      reason: reason ?? null,
      changes: changes ?? [],
      endedAt: this.context.now(),
      episodes: reason?.kind === "noEvidence" ? 0 : 58,
    });
    if (status === "committed") this.commit(run);
    this.context.tell({ runId: run.runId, projectId: run.projectId, stage: "done", fraction: 1, message: status });
    this.context.changed(run.projectId);
  }

  /** Fills a book with one rule of each kind the panel can show: waiting, suspended, doubted, in conflict. */
  fill(language: Language, projectId: string): void {
    for (const { text, ...rest } of FAKE_LEARNED[language])
      this.context.add({ rule: text, scope: "project", projectId, origin: "distilled", ...rest });
    const [short, long] = [this.by(FAKE_LEARNED[language][3]!.text), this.by(FAKE_LEARNED[language][4]!.text)];
    this.oppose(short, long);
    const known = this.context.rules.filter((rule) => rule.evidenceCount > 0);
    for (const rule of known)
      this.evidence.set(
        rule.id,
        FAKE_EVIDENCE[language].map((episode) => ({
          ...episode,
          passedOver: [],
          episodeId: this.context.id("episode"),
        })),
      );
    [short, long].forEach((rule, side) => {
      const examples = FAKE_SIDES[language][side === 0 ? 0 : 1];
      this.evidence.set(
        rule.id,
        examples.map(([before, after], index): RuleEpisode => ({
          episodeId: this.context.id("episode"),
          agrees: true,
          at: FAKE_EVIDENCE[language][index]!.at,
          before,
          after,
          passedOver: [],
          measured: null,
        })),
      );
    });
    for (const rule of known) {
      const ids = this.evidence.get(rule.id)!;
      rule.supportingEpisodes = ids.filter(({ agrees }) => agrees).map(({ episodeId }) => episodeId);
      rule.contradictingEpisodes = ids.filter(({ agrees }) => !agrees).map(({ episodeId }) => episodeId);
      rule.confidenceLow = Math.max(0, (rule.confidence ?? 0) - 0.12);
    }
    const [dialogue, , , zhou] = known;
    const pattern: Pattern = { feature: "sentenceLength", direction: -1, threshold: null };
    if (dialogue) Object.assign(dialogue, { pattern, patternBy: "measured" });
    const older = {
      ...dialogue!,
      rule: dialogue!.rule.startsWith("对白")
        ? "对白里的句子要短，平均不超过二十字。"
        : "Keep lines of dialogue short, twenty words at the most.",
    };
    this.ran(projectId, { status: "nothing", reason: NOT_YET.reason! }, 16, "idle");
    this.ran(
      projectId,
      {
        status: "committed",
        changes: [
          { ruleId: zhou!.id, projectId, kind: "learned", before: null, after: { ...zhou! }, kept: false },
          { ruleId: dialogue!.id, projectId, kind: "replaced", before: older, after: { ...dialogue! }, kept: false },
          {
            ruleId: short.id,
            projectId,
            kind: "strengthened",
            before: { ...short, confidence: 0.58 },
            after: { ...short },
            kept: false,
          },
        ],
      },
      40,
      "episodes",
    );
    this.ran(projectId, { status: "failed", reason: { kind: "model", trouble: "timeout" } }, 72, "weekly");
  }

  private by(text: string): Rule {
    return this.context.rules.find(({ rule }) => rule === text)!;
  }

  private commit({ runId, projectId, changes }: Run): void {
    for (const { after, before, ruleId } of changes) {
      if (after)
        this.context.put(
          { ...after, projectId: after.scope === "project" ? (after.projectId ?? projectId) : null },
          runId,
        );
      else if (before) this.context.remove(ruleId);
    }
  }

  private find(runId: string): Run {
    const run = this.runs.find((one) => one.runId === runId);
    if (!run) throw notFound("runId");
    return run;
  }

  private rule(ruleId: string): Rule {
    const rule = this.context.rules.find(({ id }) => id === ruleId);
    if (!rule) throw notFound("ruleId");
    return rule;
  }

  readonly commands: { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "memory:semantic:distill": ({ projectId }): RunAnswer => {
      if (this.paused) throw { code: "MEMORY_LEARNING_PAUSED", message: "learning is paused" };
      const running = this.runs.find(({ status }) => status === "running");
      if (running) return { runId: running.runId, status: "alreadyRunning" };
      const waiting = this.runs.find((run) => run.status === "waiting" && run.projectId === (projectId ?? null));
      if (waiting) return { runId: waiting.runId, status: "waiting", diff: waiting.changes };
      const run: Run = {
        runId: this.context.id("run"),
        projectId: projectId ?? null,
        cause: "click",
        status: "running",
        begunAt: this.context.now(),
        endedAt: null,
        episodes: 0,
        reason: null,
        changes: [],
      };
      this.runs = [run, ...this.runs];
      this.advance("gathering", 0);
      if (!this.next.held) setTimeout(() => this.end(this.next), 0);
      return { runId: run.runId, status: "running" };
    },
    "memory:semantic:evidence": ({ ruleId }) => ({ episodes: this.evidence.get(this.rule(ruleId).id) ?? [] }),
    "memory:distill:list": ({ projectId }) => ({
      runs: this.runs.filter((run) => run.projectId === null || run.projectId === projectId),
    }),
    "memory:distill:approve": ({ runId }) => {
      const run = this.find(runId);
      if (run.status !== "waiting") throw invalid("runId");
      run.status = "running";
      this.end({ status: "committed", changes: run.changes });
      return run;
    },
    "memory:distill:cancel": ({ runId }) => {
      const run = this.find(runId);
      if (run.status === "running") this.end({ status: "cancelled" });
      else {
        if (run.status === "waiting") Object.assign(run, { status: "discarded", endedAt: this.context.now() });
        this.context.changed(run.projectId);
      }
      return run;
    },
    "memory:distill:undo": ({ runId }) => {
      const run = this.find(runId);
      if (run.status !== "committed") throw invalid("runId");
      for (const change of run.changes) {
        const now = this.context.rules.find(({ id }) => id === change.ruleId);
        change.kept = now !== undefined && change.after !== null && now.version !== change.after.version;
        if (change.kept) continue;
        if (change.before)
          this.context.put({ ...change.before, version: (now?.version ?? change.before.version) + 1 }, runId);
        else this.context.remove(change.ruleId);
      }
      run.status = "undone";
      this.context.changed(run.projectId);
      return run;
    },
    "memory:conflict:list": ({ projectId }) => ({
      conflicts: this.conflicts
        .filter((one) => one.projectId === null || one.projectId === projectId)
        .filter(({ first, second }) => [first, second].every((id) => this.context.rules.some((rule) => rule.id === id)))
        .map(({ conflictId, projectId: of, first, second, openedAt }): Conflict => ({
          conflictId,
          projectId: of,
          first: this.rule(first),
          second: this.rule(second),
          openedAt,
        })),
    }),
    "memory:conflict:resolve": ({ conflictId, keepRuleId }) => {
      const conflict = this.conflicts.find((one) => one.conflictId === conflictId);
      if (!conflict) throw notFound("conflictId");
      if (keepRuleId !== conflict.first && keepRuleId !== conflict.second) throw invalid("keepRuleId");
      this.conflicts.splice(this.conflicts.indexOf(conflict), 1);
      const winner = this.rule(keepRuleId);
      this.context.put(
        {
          ...winner,
          userConfirmed: true,
          standing: "active",
          challenged: false,
          wrongCount: 0,
          version: winner.version + 1,
        },
        null,
      );
      this.context.remove(keepRuleId === conflict.first ? conflict.second : conflict.first);
      this.context.changed(conflict.projectId);
      return this.rule(keepRuleId);
    },
    "memory:learning:pause": () => this.pause(true),
    "memory:learning:resume": () => this.pause(false),
  };

  private pause(paused: boolean): { learningPaused: boolean } {
    this.paused = paused;
    this.context.changed(null);
    return { learningPaused: paused };
  }
}
