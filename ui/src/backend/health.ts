import { useQuery } from "@tanstack/react-query";
import type { Part, PartState, Reason, Status } from "./bindings.gen";
import { queries } from "./queries";

/** Kinds of health problems. Their texts are in `i18n/healthProblems`. */
export type HealthProblemKind =
  /** Neither file can be read. */
  | "all"
  /** `rules.db` cannot be opened; the rules come from a backup and cannot be changed. */
  | "rulesOld"
  /** `rules.db` cannot be opened, and there is no backup. */
  | "rulesBuiltIn"
  /** `rules.db` can be read but not written. */
  | "rulesUnwritten"
  | "episodes"
  /** `episodes.db` can be read but not written. */
  | "episodesUnwritten"
  /** Search by meaning is unavailable. */
  | "meaning"
  /** The chosen encoder does not answer; the bundled one is used. */
  | "meaningSubstituted"
  /** Search by words is unavailable. */
  | "words"
  /** A scheduled job failed. */
  | "maintenance"
  /** Something in `config.toml` is not taken. */
  | "config"
  /** The audit of questions cannot be written. */
  | "audit"
  /** Recorded entries are missing from a file. */
  | "missingWrites"
  /** A problem without a text of its own. */
  | "other";

export interface HealthProblem {
  kind: HealthProblemKind;
  part: Part | null;
  /** Null where only `message` is known. */
  reason: Reason | null;
  /** The backend's English wording, with file names and kinds of errors, for bug reports. */
  message: string | null;
  /** Start time of the failed job. */
  failedAt: string | null;
}

/** Result of the last query for rules, which says whether they come from a backup. */
interface RulesAnswer {
  failed: boolean;
  fromBackup: boolean;
}

/** All health problems, most severe first; empty if there are none. */
export function healthProblems(status: Status | undefined, statusFailed: boolean, rules: RulesAnswer): HealthProblem[] {
  const problem = (
    kind: HealthProblemKind,
    part: Part | null = null,
    failedAt: string | null = null,
  ): HealthProblem => {
    const health = status?.parts.find((one) => one.part === part);
    return { kind, part, failedAt, reason: health?.reason ?? null, message: health?.message ?? null };
  };
  if (statusFailed) return [problem("all")];
  if (!status) return [];
  const state = (part: Part): PartState => status.parts.find((one) => one.part === part)?.state ?? "ok";
  const down = (part: Part) => state(part) === "unavailable";
  // The word index is part of `episodes.db`: if it answers, the file can be read.
  const episodesRead = !down("words");
  const noEpisodes = down("episodes") && !episodesRead;
  const rulesRead = !rules.failed && !rules.fromBackup;

  const found: HealthProblem[] = [];
  if (down("rules") && !rulesRead && noEpisodes) found.push(problem("all"));
  else {
    if (down("rules"))
      found.push(problem(rulesRead ? "rulesUnwritten" : rules.failed ? "rulesBuiltIn" : "rulesOld", "rules"));
    if (down("episodes")) found.push(problem(noEpisodes ? "episodes" : "episodesUnwritten", "episodes"));
    if (!noEpisodes) {
      if (down("embedder")) found.push(problem("meaning", "embedder"));
      else if (state("embedder") === "substituted") found.push(problem("meaningSubstituted", "embedder"));
      if (down("words")) found.push(problem("words", "words"));
    }
  }
  if (down("maintenance")) {
    const failed = status.maintenance
      .filter(({ failure }) => failure !== null)
      .toSorted((a, b) => b.begunAt.localeCompare(a.begunAt))[0];
    found.push(problem("maintenance", "maintenance", failed?.begunAt ?? null));
  }
  if (state("config") === "substituted") found.push(problem("config", "config"));
  if (down("audit")) found.push(problem("audit", "audit"));
  if (status.missing.length > 0) found.push(problem("missingWrites"));
  if (status.degraded && found.length === 0) found.push(problem("other"));
  return found;
}

/** The current health problems. Polled, so they disappear once solved. */
export function useHealthProblems(projectId: string | null): HealthProblem[] {
  const { data: status, isError } = useQuery(queries.status());
  const { data: rules, isError: rulesFailed } = useQuery(queries.rules(projectId));
  return healthProblems(status, isError, { failed: rulesFailed, fromBackup: Boolean(rules?.degradedReason) });
}
