import { useQueries, useQuery } from "@tanstack/react-query";
import { queries, type Reference, type Rule } from "../../backend";

/** What became of a rule after it went in. `unknown` where the rules cannot be asked now. */
export type Since = { kind: "same" | "edited"; rule: Rule } | { kind: "deleted" | "builtIn" | "unknown"; rule: null };

const UNKNOWN: Since = { kind: "unknown", rule: null };

/**
 * What became of the rules of a trace. A version is raised by every change of confidence too, and the words that went in
 * carry stand-ins for names: so an edit is told by the wording that the history has for the version that went in.
 */
export function useSince(projectId: string, memoryReferences: readonly Reference[]): (reference: Reference) => Since {
  const { data } = useQuery(queries.rules(projectId));
  // Those of a backup are older than what is asked.
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
