import { useQuery } from "@tanstack/react-query";
import type { Part, PartState, Reason, Status } from "./bindings.gen";
import { queries } from "./queries";

/** What is missing, as the writer notices it. The words of each stand in `i18n/troubles`. */
export type TroubleKind =
  /** Neither file serves. */
  | "all"
  /** `rules.db` cannot be opened; the rules are those of a backup, and cannot be changed. */
  | "rulesOld"
  /** The same, without a backup. */
  | "rulesBuiltIn"
  /** `rules.db` is read, and cannot be written. */
  | "rulesUnwritten"
  | "episodes"
  /** `episodes.db` is read, and cannot be written. */
  | "episodesUnwritten"
  /** Nothing is found by meaning. */
  | "meaning"
  /** The chosen encoder does not answer; the bundled one fills in. */
  | "meaningSubstituted"
  /** Nothing is found by words. */
  | "words"
  /** A job that runs on schedule has failed. */
  | "maintenance"
  /** Entries that were recorded are missing from a file. */
  | "missingWrites"
  /** Something else that this window has no words for. */
  | "other";

export interface Trouble {
  kind: TroubleKind;
  part: Part | null;
  /** Why; null where only `message` is known. */
  reason: Reason | null;
  /** As the backend says it: names of files and kinds of errors, in English, for a bug report. */
  message: string | null;
  /** When a job that failed was begun. */
  failedAt: string | null;
}

/** How the list of rules was answered: it tells whether they are those of a backup. */
interface RulesAnswer {
  failed: boolean;
  fromBackup: boolean;
}

/** What is missing, the gravest first; nothing when all is well. */
export function troublesOf(status: Status | undefined, statusFailed: boolean, rules: RulesAnswer): Trouble[] {
  const trouble = (kind: TroubleKind, part: Part | null = null, failedAt: string | null = null): Trouble => {
    const health = status?.parts.find((one) => one.part === part);
    return { kind, part, failedAt, reason: health?.reason ?? null, message: health?.message ?? null };
  };
  if (statusFailed) return [trouble("all")];
  if (!status) return [];
  const state = (part: Part): PartState => status.parts.find((one) => one.part === part)?.state ?? "ok";
  const down = (part: Part) => state(part) === "unavailable";
  // The index of words stands in `episodes.db`: where it can be asked, the file can be read.
  const episodesRead = !down("words");
  const noEpisodes = down("episodes") && !episodesRead;
  const rulesRead = !rules.failed && !rules.fromBackup;

  const found: Trouble[] = [];
  if (down("rules") && !rulesRead && noEpisodes) found.push(trouble("all"));
  else {
    if (down("rules"))
      found.push(trouble(rulesRead ? "rulesUnwritten" : rules.failed ? "rulesBuiltIn" : "rulesOld", "rules"));
    if (down("episodes")) found.push(trouble(noEpisodes ? "episodes" : "episodesUnwritten", "episodes"));
    if (!noEpisodes) {
      if (down("embedder")) found.push(trouble("meaning", "embedder"));
      else if (state("embedder") === "substituted") found.push(trouble("meaningSubstituted", "embedder"));
      if (down("words")) found.push(trouble("words", "words"));
    }
  }
  if (down("maintenance")) {
    const failed = status.maintenance
      .filter(({ failure }) => failure !== null)
      .toSorted((a, b) => b.begunAt.localeCompare(a.begunAt))[0];
    found.push(trouble("maintenance", "maintenance", failed?.begunAt ?? null));
  }
  if (status.missing.length > 0) found.push(trouble("missingWrites"));
  if (status.degraded && found.length === 0) found.push(trouble("other"));
  return found;
}

/** What is missing now. Asked again by itself, so that it goes when it is mended. */
export function useTroubles(projectId: string | null): Trouble[] {
  const { data: status, isError } = useQuery(queries.status());
  const { data: rules, isError: rulesFailed } = useQuery(queries.rules(projectId));
  return troublesOf(status, isError, { failed: rulesFailed, fromBackup: Boolean(rules?.degradedReason) });
}
