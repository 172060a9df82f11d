import type { AnswerMatch, AnswerRunMatch, AnswerRunSummary, Answer, Commands, Topic } from "../bindings.gen";
import type { BareEvent } from "./answerStanding";
import { notFound, otherProject, staleVersion } from "./refusals";

interface Context {
  search: (args: Commands["answer:search"]["args"]) => Commands["answer:search"]["result"];
  /** Counts that an answer was shown in a run, and if it was used. */
  countHit: (projectId: string, answerId: string, hit: Partial<BareEvent>) => void;
  /** Keeps the outcome of a run as an answer; returns its id. */
  keep: (answer: Pick<Answer, "projectId" | "question" | "answer" | "origin">) => string;
  id: (kind: string) => string;
  now: () => string;
  changed: (projectId: string | null, topics: Topic[]) => void;
}

interface Run {
  projectId: string;
  query: string;
  kind: Answer["kind"];
  preparedAt: string;
  endedAt: string | null;
  given: string[];
  matches: AnswerRunMatch[];
  done: Completed | null;
}

/** The outcome of a completed run, and the answer to it. */
interface Completed {
  outcome: string;
  answer: Commands["answer:complete"]["result"];
}

const USUALLY_LISTED = 50;

/** The runs of the answers: prepared, completed and listed. */
export class FakeAnswerRuns {
  /** With the answers that each run was given. */
  private readonly runs = new Map<string, Run>();

  constructor(private readonly context: Context) {}

  countOf(projectId: string): number {
    return [...this.runs.values()].filter((run) => run.projectId === projectId).length;
  }

  /** Ids of the answers that a run was given; none for an unknown run. */
  given(runId: string): string[] {
    return this.runs.get(runId)?.given ?? [];
  }

  get({ projectId, runId }: Commands["answer:run:get"]["args"]): Commands["answer:run:get"]["result"] {
    const { matches, done } = this.run(projectId, runId, "runId");
    return { summary: this.summary(projectId, runId), matches, completed: done?.answer ?? null };
  }

  prepare(args: Commands["answer:prepare"]["args"]): Commands["answer:prepare"]["result"] {
    const { matches, degraded, degradedReason } = this.context.search({ ...args, includeBlocked: true });
    const given = matches.filter(({ answer }) => answer.status === "verified" && answer.staleness === "current");
    const runId = this.context.id("run");
    const ids = given.map(({ answer }) => answer.answerId);
    this.runs.set(runId, {
      projectId: args.projectId,
      query: args.query,
      kind: args.kind ?? "research",
      preparedAt: this.context.now(),
      endedAt: null,
      given: ids,
      matches: matches.map((match) => runMatch(match, ids.indexOf(match.answer.answerId))),
      done: null,
    });
    return {
      runId,
      injected: ids.map((answerId, index) => ({
        answerId,
        handle: `QA:${index + 1}`,
        isProbation: false,
        isOfService: false,
      })),
      leftOut: matches
        .filter((one) => !given.includes(one))
        .map(({ answer }) => ({ answerId: answer.answerId, why: answer.status === "blocked" ? "blocked" : "level" })),
      mergedPrompt: args.query,
      namesHidden: 0,
      served: given.find(({ questionMatch }) => questionMatch === "exact")?.answer ?? null,
      nearly: matches.filter(({ answer, questionMatch }) => questionMatch !== "related" && answer.status !== "blocked"),
      degraded,
      degradedReason,
      service: null,
    };
  }

  complete({ projectId, runId, outcome }: Commands["answer:complete"]["args"]): Commands["answer:complete"]["result"] {
    const run = this.runs.get(runId);
    if (!run) throw notFound("runId");
    if (run.projectId !== projectId) throw otherProject;
    if (run.done?.outcome === JSON.stringify(outcome)) return run.done.answer;
    if (run.done) throw { ...staleVersion(0), details: { field: "runId", reason: "settled" as const } };
    const hits = run.given.map((answerId, index) => ({
      answerId,
      shown: true,
      used: outcome.answer.includes(`[QA:${index + 1}]`),
    }));
    for (const { answerId, used } of hits)
      this.context.countHit(projectId, answerId, { runId, wasShown: true, wasUsed: used });
    const isKept = outcome.exitCode === 0 && [...outcome.answer].length >= 200;
    const candidate = isKept
      ? this.context.keep({ projectId, question: run.query, answer: outcome.answer, origin: "asked" })
      : null;
    this.context.changed(projectId, ["answers"]);
    const result = outcome.exitCode === 0 ? ("pass" as const) : ("fail" as const);
    const answer: Commands["answer:complete"]["result"] = {
      runId,
      assessment: { result, signalStrength: "weak" as const, reasons: [] },
      hits,
      validations: [],
      candidateId: candidate,
      whyNot: candidate ? [] : ["tooShort"],
      invented: 0,
      tools: (outcome.tools ?? []).map(({ ok }) => ok),
    };
    for (const match of run.matches)
      match.wasUsed = hits.some(({ answerId, used }) => used && answerId === match.answerId);
    run.endedAt = this.context.now();
    run.done = { outcome: JSON.stringify(outcome), answer };
    return answer;
  }

  private run(projectId: string, runId: string, field: string): Run {
    const run = this.runs.get(runId);
    if (!run) throw notFound(field);
    if (run.projectId !== projectId) throw otherProject;
    return run;
  }

  list({ projectId, before, limit }: Commands["answer:run:list"]["args"]) {
    if (before != null) this.run(projectId, before, "before");
    const ids = [...this.runs].filter(([, run]) => run.projectId === projectId).map(([runId]) => runId);
    const latest = ids.toReversed();
    const from = before == null ? 0 : latest.indexOf(before) + 1;
    return latest.slice(from, from + (limit ?? USUALLY_LISTED)).map((runId) => this.summary(projectId, runId));
  }

  private summary(projectId: string, runId: string): AnswerRunSummary {
    const { kind, preparedAt, endedAt, matches, given, done } = this.run(projectId, runId, "runId");
    return {
      runId,
      kind,
      state: done ? "completed" : "prepared",
      preparedAt,
      endedAt,
      found: matches.length,
      shown: given.length,
      used: matches.filter(({ wasUsed }) => wasUsed).length,
      result: done?.answer.assessment.result ?? null,
      candidateId: done?.answer.candidateId ?? null,
    };
  }
}

/** A match as a run records it; `place` in the prompt from 0, -1 for one that was left out. */
function runMatch({ answer, score, same, freshness }: AnswerMatch, place: number): AnswerRunMatch {
  const { answerId, version, validationLevel, trust, consecutiveFail, hitCount, useCount } = answer;
  const { status, blockedBy, userConfirmed, staleness } = answer;
  return {
    answerId,
    version,
    handle: place < 0 ? null : `QA:${place + 1}`,
    score,
    same,
    validationLevel,
    trust,
    freshness,
    consecutiveFail,
    hitCount,
    useCount,
    status,
    blockedBy,
    userConfirmed,
    staleness,
    decision: place < 0 ? "leftOut" : "injected",
    why: place >= 0 ? null : status === "blocked" ? "blocked" : "level",
    wasUsed: null,
  };
}
