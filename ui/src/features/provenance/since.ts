import { useQueries, useQuery } from "@tanstack/react-query";
import { queries, type Reference, type Rule } from "../../backend";

/** The changes of a rule since it was in the prompt. `unknown`: the rules are unavailable. */
export type Since = { kind: "same" | "edited"; rule: Rule } | { kind: "deleted" | "builtIn" | "unknown"; rule: null };

const UNKNOWN: Since = { kind: "unknown", rule: null };

/**
 * What happened to the rules of a trace since. Changes of confidence raise the version too, and the prompt has aliases
 * for names: so edits are detected by comparing the wording of the version in the prompt.
 */
export function useSince(projectId: string, memoryReferences: readonly Reference[]): (reference: Reference) => Since {
  const { data } = useQuery(queries.rules(projectId));
  // Rules of a backup may be older than the trace.
  const rules = data && !data.degradedReason ? new Map(data.rules.map((rule) => [rule.id, rule])) : null;
  const changed = memoryReferences.filter(({ kind, id, version, text }) => {
    const rule = kind === "rule" ? rules?.get(id) : undefined;
    return rule !== undefined && rule.version !== version && !text.includes(rule.rule);
  });
  const histories = useQueries({ queries: changed.map(({ id }) => queries.versions(id)) });

  return (reference) => {
    if (reference.kind !== "rule") return UNKNOWN;
    if (reference.id.startsWith("builtin:")) return { kind: "builtIn", rule: null };
    if (!rules) return UNKNOWN;
    const rule = rules.get(reference.id);
    if (!rule) return { kind: "deleted", rule: null };
    const then = histories[changed.indexOf(reference)]?.data?.find(({ version }) => version === reference.version);
    return { kind: then !== undefined && then.rule !== rule.rule ? "edited" : "same", rule };
  };
}
