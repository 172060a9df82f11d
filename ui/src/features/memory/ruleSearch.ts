import type { Category, Rule, RuleFollowed } from "../../backend";
import { folded } from "../../lib/find";
import { confidenceOf, isKnown } from "./confidence";

export type RuleState = "confirmed" | "learning" | "opposed" | "ignored" | "recent";
export type RuleSort = "category" | "confidence" | "changed";

/** What is looked for among the rules; `null` where anything will do. */
export interface Wanted {
  text: string;
  category: Category | null;
  /** The kind of scene; `EVERY` for rules that hold in all of them. */
  scene: string | null;
  state: RuleState | null;
}

/** No name of a scene: names are never empty. */
export const EVERY = "";
export const ANYTHING: Wanted = { text: "", category: null, scene: null, state: null };
/** From so many rules on it is worth looking for one. */
export const MANY = 6;

/** What is known of rules beside what they say. */
export interface Surroundings {
  /** Those that another rule contradicts. */
  opposed: ReadonlySet<string>;
  /** How the last generations went with each. */
  followed: ReadonlyMap<string, RuleFollowed>;
}

export const isWanting = (wanted: Wanted) => wanted.text !== "" || narrowings(wanted) > 0;

/** By how many things beside the words the rules are narrowed down. */
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

/** The first stay first among equals. What is still learned has no number yet, and comes after all that has one. */
export function inOrder(rules: readonly Rule[], sort: RuleSort): Rule[] {
  if (sort === "category") return [...rules];
  if (sort === "changed") return rules.toSorted((a, b) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt));
  const rank = (rule: Rule) => (isKnown(rule) ? 1 + confidenceOf(rule) : 0);
  return rules.toSorted((a, b) => rank(b) - rank(a));
}

/**
 * What is listed while nothing else is asked for: a rule keeps its place, and stays although it was changed and no
 * longer fits; what is gone goes, and what has come stands behind the one that it follows.
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
