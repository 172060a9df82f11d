import { useLingui } from "@lingui/react/macro";
import type { Rule } from "../../backend";
import { TenDotMeter, tooltip } from "../../design";
import { count } from "../../i18n/words";
import { confidenceOf, confidenceWords, isKnown } from "./confidence";
import css from "./memory.module.css";

/** Confidence in words, then the number, then how many choices it rests on; the lower bound is in the tooltip. */
export function ConfidenceOf({ rule }: { rule: Rule }) {
  const { t } = useLingui();
  const words = confidenceWords(rule);
  const known = isKnown(rule);
  const number = confidenceOf(rule).toFixed(2);
  const choices = rule.evidenceCount > 0 ? t`${count(rule.evidenceCount)} 次` : "";
  const low = rule.evidenceCount > 0 && rule.confidenceLow !== null ? rule.confidenceLow.toFixed(2) : null;
  const bounded = known && low !== null;
  const label = bounded ? t`把握 ${number}，至少 ${low}` : known ? t`把握 ${number}` : t`还在学习`;
  return (
    <span className={css.confidence} data-testid="rule-confidence" {...tooltip(bounded ? t`至少 ${low}` : undefined)}>
      <TenDotMeter value={known ? confidenceOf(rule) : null} ink={rule.userConfirmed} label={label} />
      <span>
        <b>{known ? t`${words} ${number}` : words}</b>
        {choices && t`·${choices}`}
      </span>
    </span>
  );
}
