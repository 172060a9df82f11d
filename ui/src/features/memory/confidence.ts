import { t } from "@lingui/core/macro";
import type { Rule } from "../../backend";

/** Minimum number of choices before a number is shown. */
export const MIN_CHOICES = 10;

/** Whether the meter is filled: confirmed by the writer, or enough evidence. */
export const isKnown = (rule: Rule) =>
  rule.userConfirmed || rule.origin === "manual" || rule.evidenceCount >= MIN_CHOICES;

/** JSON has no NaN, so a number may be missing. */
export const confidenceOf = (rule: Rule) => rule.confidence ?? 0;

/** Words first, then the number, then how many choices it rests on. */
export function confidenceWords(rule: Rule): string {
  if (!isKnown(rule)) return t`还在学习`;
  const confidence = confidenceOf(rule);
  if (confidence >= 0.9) return t`很确定`;
  if (confidence >= 0.75) return t`相当确定`;
  if (confidence >= 0.6) return t`有些把握`;
  return t`只是猜测`;
}
