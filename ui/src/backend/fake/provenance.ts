import type {
  Commands,
  Followed,
  Influence,
  MeasureCost,
  MeasureEnd,
  MeasureProgress,
  Reference,
  Rule,
  Topic,
  Trace,
  TraceVerdict,
} from "../bindings.gen";

import { invalid, notFound, otherProject } from "./refusals";

type Name =
  "answer:measure" | "memory:trace:get" | "memory:trace:feedback" | "memory:trace:record" | "memory:trace:measure";

interface Context {
  traces: Map<string, Trace>;
  rules: Rule[];
  /** Records or removes the episode of a verdict that a rule is wrong. */
  remark: (trace: Trace, note: string | null, isWrong: boolean) => void;
  /** Called when the writer's verdict changes the rule. */
  dispute: (rule: Rule) => void;
  now: () => string;
  changed: (projectId: string | null, what: Topic[]) => void;
  tell: (progress: MeasureProgress) => void;
}

/** Effect and compliance of the first rules, in order. */
const RULE_EFFECTS: [number | null, Followed | null][] = [
  [0.42, "yes"],
  [0.24, "partly"],
  [0, "no"],
  [null, null],
  [0, "yes"],
];
/** Effect of an episode. */
const EPISODE_EFFECT = 0.16;

/** The influence of each reference on a candidate: w = c / (1 + Σ c). */
export function influenceOf(memoryReferences: Reference[], candidate: number, measuredAt: string): Influence {
  let rule = 0;
  const found = memoryReferences.map(({ referenceId, kind }) => {
    const [effect, followed]: [number | null, Followed | null] =
      kind === "rule"
        ? (RULE_EFFECTS[rule++] ?? [null, null])
        : kind === "episode"
          ? [EPISODE_EFFECT, null]
          : [null, null];
    return { referenceId, effect, followed, change: null };
  });
  const whole = 1 + found.reduce((sum, { effect }) => sum + (effect ?? 0), 0);
  const weights = found.map((one) => ({ ...one, weight: (one.effect ?? 0) / whole }));
  return { tier: "compliance", weights, remainder: 1 / whole, measuredAt, candidate, regenerations: null };
}

const REGENERATIONS = 32;

/** A measurement in which only the first rule matters. */
function measuredOf({ memoryReferences, influenceWeights }: Trace, measuredAt: string): Influence {
  const estimate = influenceWeights[0] ?? influenceOf(memoryReferences, 0, measuredAt);
  const weights = estimate.weights.map(({ referenceId, effect }, index) => {
    if (effect === null) return { referenceId, weight: 0, effect, followed: null, change: null };
    const [by, low, high] = index === 0 ? [1.24, 0.61, 1.87] : [0.11, -0.42, 0.64];
    return {
      referenceId,
      weight: index === 0 ? 0.2 : 0,
      effect: index === 0 ? 0.25 : 0,
      followed: null,
      change: { by, low, high },
    };
  });
  return {
    tier: "masked",
    weights,
    remainder: 0.8,
    measuredAt,
    candidate: estimate.candidate,
    regenerations: REGENERATIONS,
  };
}

/** Traces, verdicts and measurements. */
export class FakeProvenance {
  /** The cost reported before a measurement. */
  cost: MeasureCost = {
    regenerations: REGENERATIONS,
    memories: 4,
    promptTokens: 58_880,
    answerTokens: 32_000,
    requestsLeft: null,
    provider: { provider: "sample", model: "sample-1", sample: true },
  };
  /** Whether notes that follow a verdict are stored. */
  keepsNotes = true;
  private run: { projectId: string; generationId: string; done: number } | null = null;

  constructor(private readonly context: Context) {}

  readonly commands: { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "memory:trace:get": ({ projectId, generationId }) => this.trace(projectId, generationId),
    "memory:trace:feedback": ({ projectId, generationId, referenceId, verdict, note }) => {
      const trace = this.trace(projectId, generationId);
      const reference = trace.memoryReferences.find((one) => one.referenceId === referenceId);
      if (!reference) throw invalid("referenceId");
      const before: TraceVerdict | undefined = trace.feedback.find((one) => one.referenceId === referenceId);
      const had = before?.verdict;
      if (had === verdict && (!note || before?.note === note || !this.keepsNotes)) {
        this.context.changed(projectId, ["traces"]);
        return { ...trace, changed: false };
      }
      const noted: TraceVerdict = { referenceId, verdict, at: this.context.now(), note: note ?? null };
      const judged = {
        ...trace,
        feedback: [...trace.feedback.filter((one) => one.referenceId !== referenceId), noted],
      };
      this.context.traces.set(generationId, judged);
      const rule = reference.kind === "rule" ? this.context.rules.find(({ id }) => id === reference.id) : undefined;
      const counts = Number(verdict === "wrong") - Number(had === "wrong");
      if (rule && counts !== 0) this.context.remark(trace, note ?? null, counts > 0);
      if (rule && counts !== 0) this.context.dispute(disputed(rule, counts, this.context.now()));
      this.context.changed(
        rule && counts !== 0 ? null : projectId,
        rule && counts !== 0 ? ["traces", "rules", "episodes"] : ["traces"],
      );
      return { ...judged, changed: true };
    },
    "answer:measure": ({ runId, ...args }) =>
      this.commands["memory:trace:measure"]({ ...args, generationId: runId, tier: "masked" }),
    "memory:trace:measure": ({ projectId, generationId, confirmed, cancel }) => {
      const trace = this.trace(projectId, generationId);
      const answer = { cost: null, done: null, trace: null };
      if (cancel) {
        const is = this.run?.generationId === generationId;
        if (is) setTimeout(() => this.endMeasuring({ kind: "cancelled" }), 0);
        return { ...answer, status: is ? "cancelling" : "notRunning" };
      }
      if (this.run)
        return this.run.generationId === generationId
          ? { ...answer, status: "running", done: this.run.done }
          : { ...answer, status: "alreadyRunning" };
      if (trace.influenceWeights.some(({ tier }) => tier === "masked")) return { ...answer, status: "measured", trace };
      if (!confirmed) return { ...answer, status: "unconfirmed", cost: this.cost };
      this.run = { projectId, generationId, done: 0 };
      return { ...answer, status: "running", cost: this.cost, done: 0 };
    },
    // For editors with a model of their own; this window never calls it. Accepts drafts of known generations only.
    "memory:trace:record": ({ projectId, generationId, drafts }) => {
      const trace = this.trace(projectId, generationId ?? "");
      if (drafts && drafts.length > 0)
        trace.influenceWeights = [influenceOf(trace.memoryReferences, 0, this.context.now())];
      this.context.changed(projectId, ["traces", "episodes"]);
      return trace;
    },
  };

  /** Advances the measurement by `more` regenerations; the last one ends it. */
  measure(more: number): void {
    const run = this.run;
    if (!run) return;
    run.done = Math.min(REGENERATIONS, run.done + more);
    this.context.tell({ ...run, regenerations: REGENERATIONS, end: null });
    if (run.done < REGENERATIONS) return;
    const trace = this.context.traces.get(run.generationId);
    if (trace)
      this.context.traces.set(run.generationId, {
        ...trace,
        influenceWeights: [...trace.influenceWeights, measuredOf(trace, this.context.now())],
      });
    this.endMeasuring({ kind: "measured" });
    this.context.changed(run.projectId, ["traces"]);
  }

  endMeasuring(end: MeasureEnd): void {
    if (this.run) this.context.tell({ ...this.run, regenerations: REGENERATIONS, end });
    this.run = null;
  }

  private trace(projectId: string, generationId: string): Trace {
    const trace = this.context.traces.get(generationId);
    if (!trace) throw notFound("generationId");
    if (trace.projectId !== projectId) throw otherProject;
    return trace;
  }
}

/**
 * Adds a "wrong" verdict or takes one back: four contradictions each. The second suspends a rule that is not confirmed.
 */
function disputed(rule: Rule, counts: number, updatedAt: string): Rule {
  const wrongCount = Math.max(0, rule.wrongCount + counts);
  const now = { ...rule, version: rule.version + 1, wrongCount, updatedAt };
  if (rule.userConfirmed) return { ...now, challenged: wrongCount > 0 };
  const left = (rule.evidenceCount + 8) / (rule.evidenceCount + 12);
  return {
    ...now,
    confidence: (rule.confidence ?? 0) * (counts > 0 ? left : 1 / left),
    standing: wrongCount > 1 ? "suspended" : "active",
  };
}
