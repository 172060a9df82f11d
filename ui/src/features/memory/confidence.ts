import { t } from "@lingui/core/macro";
import type { Rule } from "../../backend";

/** Under this many choices a number would say more than is known. */
export const ENOUGH = 10;

/** Whether the strokes are filled: with the writer's own word, or with enough evidence. */
export const isKnown = (rule: Rule) => rule.userConfirmed || rule.origin === "manual" || rule.evidenceCount >= ENOUGH;

/** The wire has no NaN, so a number may be missing where one should be. */
export const confidenceOf = (rule: Rule) => rule.confidence ?? 0;

/** Words first. The number stands beside them, and then how many choices it rests on. */
export function confidenceWords(rule: Rule): string {
  if (!isKnown(rule)) return t`还在学`;
  const confidence = confidenceOf(rule);
  if (confidence >= 0.9) return t`很确定`;
  if (confidence >= 0.75) return t`相当确定`;
  if (confidence >= 0.6) return t`有些把握`;
  return t`只是猜测`;
}
