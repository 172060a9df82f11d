import type { Category, Rule, RuleFollowed } from "../../backend";
import { folded } from "../../lib/find";
import { confidenceOf, isKnown } from "./confidence";

export type RuleState = "confirmed" | "learning" | "opposed" | "ignored" | "recent";
export type RuleSort = "category" | "confidence" | "changed";

/** The filter of the rules; `null`: any. */
export interface Wanted {
  text: string;
  category: Category | null;
  /** Scene type; `EVERY`: rules without one. */
  scene: string | null;
  state: RuleState | null;
}

/** No scene type is empty. */
export const EVERY = "";
export const ANYTHING: Wanted = { text: "", category: null, scene: null, state: null };
/** Minimum number of rules for which the search is shown. */
export const MIN_RULES_FOR_SEARCH = 6;

/** Facts about rules that are not part of them. */
export interface Surroundings {
  /** Ids of rules in a conflict. */
  opposed: ReadonlySet<string>;
  /** How recent generations followed each rule. */
  followed: ReadonlyMap<string, RuleFollowed>;
}

export const isWanting = (wanted: Wanted) => wanted.text !== "" || narrowings(wanted) > 0;

/** Number of filters apart from the text. */
export const narrowings = ({ category, scene, state }: Wanted) =>
  [category, scene, state].filter((one) => one !== null).length;

export function matches(rule: Rule, { text, category, scene, state }: Wanted, around: Surroundings): boolean {
  if (category !== null && rule.category !== category) return false;
  if (scene !== null && (rule.sceneType ?? EVERY) !== scene) return false;
  if (state !== null && !isIn(rule, state, around)) return false;
  return folded(rule.rule).includes(folded(text));
}

function isIn(rule: Rule, state: RuleState, { opposed, followed }: Surroundings): boolean {
  const kinds: Record<RuleState, boolean> = {
    confirmed: rule.userConfirmed,
    learning: !isKnown(rule),
    opposed: opposed.has(rule.id),
    ignored: followed.get(rule.id)?.ignored ?? false,
    recent: rule.recentlyUpdated,
  };
  return kinds[state];
}

/** Stable. Rules still being learned have no number and come last. */
export function inOrder(rules: readonly Rule[], sort: RuleSort): Rule[] {
  if (sort === "category") return [...rules];
  if (sort === "changed") return rules.toSorted((a, b) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt));
  const rank = (rule: Rule) => (isKnown(rule) ? 1 + confidenceOf(rule) : 0);
  return rules.toSorted((a, b) => rank(b) - rank(a));
}

/**
 * The order while no filter is set: a rule keeps its place although it was changed and no longer matches, deleted ones
 * disappear, and a new one comes after its predecessor.
 */
export function steady(held: readonly string[], found: readonly string[], there: ReadonlySet<string>): string[] {
  const listed = held.filter((id) => there.has(id));
  const known = new Set(listed);
  found.forEach((id, index) => {
    if (known.has(id)) return;
    const before = found[index - 1];
    listed.splice(before === undefined ? 0 : listed.indexOf(before) + 1, 0, id);
    known.add(id);
  });
  return listed;
}
