import type { Answer, AnswerEvent, AnswerPosterior } from "../bindings.gen";

/** The standing of an answer as its events leave it; trust in thousandths, failures in halves. */
interface Standing {
  level: number;
  trust: number;
  fails: number;
  passes: number;
  used: number;
  blockedBy: Answer["blockedBy"];
  userConfirmed: boolean;
  challenged: number;
  verifiedAt: string;
}

/** An event before its level and trust are known. */
export type BareEvent = Omit<AnswerEvent, "validationLevel" | "trust">;

const initial = (at: string): Standing => ({
  level: 0,
  trust: 500,
  fails: 0,
  passes: 0,
  used: 0,
  blockedBy: null,
  userConfirmed: false,
  challenged: 0,
  verifiedAt: at,
});

const raised = (trust: number, step: number) => Math.min(1_000, trust + step);

function levelAfterPass({ level, passes, used }: Standing): number {
  if (level === 0) return 1;
  if (level === 1 && passes >= 3) return 2;
  if (level === 2 && used >= 10) return 3;
  return level;
}

function failed(before: Standing, halves: number): Standing {
  const fails = before.fails + halves;
  return { ...before, fails, blockedBy: fails >= 6 && before.blockedBy !== "writer" ? "run" : before.blockedBy };
}

function validated(before: Standing, event: BareEvent): Standing {
  const byWriter = event.source === "writer";
  if (!event.isApplied || !(event.result === "pass" || event.wasUsed || byWriter)) return before;
  if (event.result === "pass") {
    const after = {
      ...before,
      passes: before.passes + 1,
      trust: raised(before.trust, 50),
      fails: 0,
      verifiedAt: event.at,
      blockedBy: before.blockedBy === "run" ? null : before.blockedBy,
    };
    return { ...after, level: levelAfterPass(after) };
  }
  if (event.result === "partial") {
    const after = { ...before, trust: raised(before.trust, 20) };
    return before.userConfirmed ? after : failed(after, 1);
  }
  if (before.userConfirmed && !byWriter) return { ...before, challenged: before.challenged + 1 };
  return failed({ ...before, userConfirmed: false, trust: Math.max(0, before.trust - 100) }, 2);
}

const confirmedOf = (before: Standing): Standing => ({
  ...before,
  level: Math.max(2, before.level),
  trust: Math.max(500, before.trust),
});

function next(before: Standing, event: BareEvent): Standing {
  switch (event.kind) {
    case "hit":
      return { ...before, used: before.used + (event.wasUsed ? 1 : 0) };
    case "validated":
      return validated(before, event);
    case "confirmed":
      return confirmedOf({
        ...before,
        userConfirmed: true,
        challenged: 0,
        blockedBy: null,
        fails: 0,
        verifiedAt: event.at,
      });
    case "blocked":
      return { ...before, blockedBy: "writer" };
    case "unblocked":
      return { ...before, blockedBy: null, trust: Math.max(400, before.trust), fails: 0 };
    case "promoted":
      return before;
    case "edited": {
      const after = { ...initial(event.at), blockedBy: before.blockedBy === "writer" ? before.blockedBy : null };
      return before.userConfirmed ? confirmedOf({ ...after, userConfirmed: true }) : after;
    }
  }
}

/** The standing after each event, from the first one on. An undone one changes nothing. */
function each(createdAt: string, events: readonly BareEvent[]): Standing[] {
  let standing = initial(createdAt);
  return events.map((event) => (standing = event.undoneAt === null ? next(standing, event) : standing));
}

/** Weight of a validation: strong 1, medium .5, weak .1; nothing for a run that did not use the answer. */
function weightOf({ source, signalStrength, wasUsed }: BareEvent): number {
  if (source === "run" && !wasUsed) return 0;
  if (source === "run" || source === "client" || source === "reasked") return 0.1;
  return { strong: 1, medium: 0.5, weak: 0.1 }[signalStrength ?? "weak"];
}

/** The counted events since the last edit that are validations with a weight. */
export function triesOf(events: readonly BareEvent[]): BareEvent[] {
  const counted = events.filter(({ undoneAt }) => undoneAt === null);
  const since = counted.findLastIndex(({ kind }) => kind === "edited") + 1;
  return counted.slice(since).filter((event) => event.kind === "validated" && weightOf(event) > 0);
}

const PRIOR = 4;
const Z = 1.645;

/** The chance that an answer is right, with Wilson's interval. `rate`: the share of answers that the writer accepts. */
function posteriorOf(events: readonly BareEvent[], rate: number): AnswerPosterior {
  const sums = { right: 0, weight: 0, firmRight: 0, firmWeight: 0 };
  const tries = triesOf(events);
  for (const event of tries) {
    const weight = weightOf(event);
    const right = event.result === "pass" ? weight : event.result === "partial" ? weight / 2 : 0;
    const isFirm = weight >= 0.5;
    sums.right = sums.right * 0.985 + right;
    sums.weight = sums.weight * 0.985 + weight;
    sums.firmRight = sums.firmRight * 0.985 + (isFirm ? right : 0);
    sums.firmWeight = sums.firmWeight * 0.985 + (isFirm ? weight : 0);
  }
  const mean = (right: number, weight: number) => (PRIOR * rate + right) / (PRIOR + weight);
  const firm = sums.firmWeight > 0 ? mean(sums.firmRight, sums.firmWeight) : 0;
  const all = mean(sums.right, sums.weight);
  const value = sums.weight > sums.firmWeight ? Math.min(all, Math.max(firm, 0.6)) : all;
  const n = PRIOR + sums.weight;
  const centre = value + (Z * Z) / (2 * n);
  const half = Z * Math.sqrt((value * (1 - value)) / n + (Z * Z) / (4 * n * n));
  const bound = (end: number) => end / (1 + (Z * Z) / n);
  return {
    value,
    low: Math.min(value, Math.max(0, bound(centre - half))),
    high: Math.max(value, Math.min(1, bound(centre + half))),
    weight: sums.weight,
    tries: tries.length,
    passed: tries.filter(({ result }) => result === "pass").length,
  };
}

type Judged = Pick<
  Answer,
  | "status"
  | "blockedBy"
  | "validationLevel"
  | "trust"
  | "consecutiveFail"
  | "passes"
  | "hitCount"
  | "useCount"
  | "posterior"
  | "userConfirmed"
  | "userModified"
  | "isChallenged"
  | "verifiedAt"
>;

/** The standing of an answer after its events, as it is shown. */
export function judged(createdAt: string, events: readonly BareEvent[], rate: number): Judged {
  const counted = events.filter(({ undoneAt }) => undoneAt === null);
  const last = each(createdAt, counted).at(-1) ?? initial(createdAt);
  const hits = counted.filter(({ kind }) => kind === "hit");
  return {
    status: last.blockedBy ? "blocked" : last.level >= 1 ? "verified" : "active",
    blockedBy: last.blockedBy,
    validationLevel: last.level,
    trust: last.trust / 1_000,
    consecutiveFail: last.fails / 2,
    passes: last.passes,
    hitCount: hits.filter(({ wasShown }) => wasShown).length,
    useCount: hits.filter(({ wasUsed }) => wasUsed).length,
    posterior: posteriorOf(events, rate),
    userConfirmed: last.userConfirmed,
    userModified: counted.some(({ kind }) => kind === "edited"),
    isChallenged: last.challenged > 0,
    verifiedAt: last.verifiedAt,
  };
}

/** The history of an answer, latest first, each event with the level and the trust after it. */
export function historyOf(createdAt: string, events: readonly BareEvent[]): AnswerEvent[] {
  const standings = each(createdAt, events);
  return events
    .map((event, index) => ({
      ...event,
      validationLevel: standings[index]!.level,
      trust: standings[index]!.trust / 1_000,
    }))
    .toReversed();
}
