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

type Name = "memory:trace:get" | "memory:trace:feedback" | "memory:trace:record" | "memory:trace:measure";

/** What traces stand among. */
interface Context {
  traces: Map<string, Trace>;
  rules: Rule[];
  /** The writer called it wrong: it is so from now on. */
  dispute: (rule: Rule) => void;
  now: () => string;
  changed: (projectId: string | null, what: Topic[]) => void;
  tell: (progress: MeasureProgress) => void;
}

/** Of the rules in their order: followed or not, by chance or not, and one that nothing can be said of. */
const RULES: [number | null, Followed | null][] = [
  [0.42, "yes"],
  [0.24, "partly"],
  [0, "no"],
  [null, null],
  [0, "yes"],
];
/** Of examples. */
const EXAMPLE = 0.16;

/** What each reference weighed in a draft: w = c / (1 + Σ c). */
export function influenceOf(references: Reference[], candidate: number, measuredAt: string): Influence {
  let rule = 0;
  const found = references.map(({ referenceId, kind }) => {
    const [effect, followed]: [number | null, Followed | null] =
      kind === "rule" ? (RULES[rule++] ?? [null, null]) : kind === "episode" ? [EXAMPLE, null] : [null, null];
    return { referenceId, effect, followed };
  });
  const whole = 1 + found.reduce((sum, { effect }) => sum + (effect ?? 0), 0);
  const weights = found.map((one) => ({ ...one, weight: (one.effect ?? 0) / whole }));
  return { tier: "compliance", weights, remainder: 1 / whole, measuredAt, candidate, regenerations: null };
}

const REGENERATIONS = 32;

/** The first rule is found to matter, and nothing else. */
function measuredOf({ references, influences }: Trace, measuredAt: string): Influence {
  const estimate = influences[0] ?? influenceOf(references, 0, measuredAt);
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

/** A verdict as it is kept: with the writer's words on it, if there are any. */

const missing = {
  code: "MEMORY_NOT_FOUND",
  message: "there is no such generation",
  details: { field: "generationId" },
} as const;

/** Traces, and the writer's word on what went in. */
export class FakeProvenance {
  /** What a measurement costs; tests say otherwise. */
  cost: MeasureCost = {
    regenerations: REGENERATIONS,
    memories: 4,
    promptTokens: 58_880,
    answerTokens: 32_000,
    requestsLeft: null,
    provider: { provider: "sample", model: "sample", sample: true },
  };
  /** Whether words that come after their verdict are kept. */
  keepsNotes = true;
  private run: { projectId: string; generationId: string; done: number } | null = null;

  constructor(private readonly context: Context) {}

  readonly commands: { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "memory:trace:get": ({ projectId, generationId }) => this.trace(projectId, generationId),
    "memory:trace:feedback": ({ projectId, generationId, referenceId, verdict, note }) => {
      const trace = this.trace(projectId, generationId);
      const reference = trace.references.find((one) => one.referenceId === referenceId);
      if (!reference)
        throw {
          code: "MEMORY_INVALID_ARGUMENT",
          message: "referenceId: the trace has no such reference",
          details: { field: "referenceId" },
        };
      const before: TraceVerdict | undefined = trace.feedback.find((one) => one.referenceId === referenceId);
      const had = before?.verdict;
      if (had === verdict && (!note || before?.note === note || !this.keepsNotes)) return { ...trace, changed: false };
      const noted: TraceVerdict = { referenceId, verdict, at: this.context.now(), note: note ?? null };
      const judged = {
        ...trace,
        feedback: [...trace.feedback.filter((one) => one.referenceId !== referenceId), noted],
      };
      this.context.traces.set(generationId, judged);
      const rule = reference.kind === "rule" ? this.context.rules.find(({ id }) => id === reference.id) : undefined;
      const counts = Number(verdict === "wrong") - Number(had === "wrong");
      if (rule && counts !== 0) this.context.dispute(disputed(rule, counts, this.context.now()));
      this.context.changed(
        rule && counts !== 0 ? null : projectId,
        rule && counts !== 0 ? ["traces", "rules", "episodes"] : ["traces"],
      );
      return { ...judged, changed: true };
    },
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
      if (trace.influences.some(({ tier }) => tier === "masked")) return { ...answer, status: "measured", trace };
      if (!confirmed) return { ...answer, status: "unconfirmed", cost: this.cost };
      this.run = { projectId, generationId, done: 0 };
      return { ...answer, status: "running", cost: this.cost, done: 0 };
    },
    // What an editor with a model of its own would say; this window never does. Only drafts of a known generation are taken.
    "memory:trace:record": ({ projectId, generationId, drafts }) => {
      const trace = this.trace(projectId, generationId ?? "");
      if (drafts && drafts.length > 0) trace.influences = [influenceOf(trace.references, 0, this.context.now())];
      return trace;
    },
  };

  /** As many regenerations more; all of them are the end of it. */
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
        influences: [...trace.influences, measuredOf(trace, this.context.now())],
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
    if (!trace) throw missing;
    if (trace.projectId !== projectId)
      throw { code: "MEMORY_SCOPE_DENIED", message: "this generation belongs to another project" };
    return trace;
  }
}

/** One "wrong" more, or one taken back: four disagreements each; the second suspends what the writer has not agreed to. */
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
