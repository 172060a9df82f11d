import { useLingui } from "@lingui/react/macro";
import type { Pattern, Rule } from "../../backend";
import { Picker, Seg } from "../../design";
import { dimensionName, directionName, FEATURE_KEYS, featureName } from "../../i18n/features";
import css from "./learning.module.css";

/** The subject of a rule: derived from its words, nothing measurable, or a feature with a direction. */
export type Meaning = "words" | "nothing" | { feature: string; direction: number };

export const meaningOf = ({ pattern, patternBy }: Rule): Meaning =>
  pattern
    ? { feature: pattern.feature, direction: Math.sign(pattern.direction) }
    : patternBy === "writer"
      ? "nothing"
      : "words";

/** The value on the wire; undefined: derive it from the words. */
export function patchOf(meaning: Meaning, before: Pattern | null = null): { dimension?: { pattern: Pattern | null } } {
  if (meaning === "words") return {};
  if (meaning === "nothing") return { dimension: { pattern: null } };
  const threshold =
    before?.feature === meaning.feature && Math.sign(before.direction) === meaning.direction ? before.threshold : null;
  return { dimension: { pattern: { ...meaning, threshold } } };
}

export const sameMeaning = (one: Meaning, other: Meaning) => JSON.stringify(one) === JSON.stringify(other);

/** Lets the writer choose what a rule is about. */
export function DimensionPicker({
  value,
  onChange,
  fromWords,
}: {
  value: Meaning;
  onChange: (meaning: Meaning) => void;
  fromWords: boolean;
}) {
  const { t } = useLingui();
  const key = typeof value === "string" ? value : value.feature;
  const plain = [...(fromWords ? [{ key: "words", label: t`按字面` }] : []), { key: "nothing", label: t`无法测量的` }];
  return (
    <>
      <Picker
        label={t`关于什么`}
        prefix={t`关于：`}
        value={key}
        onChange={(next) =>
          onChange(
            next === "words" || next === "nothing"
              ? next
              : { feature: next, direction: typeof value === "string" ? -1 : value.direction },
          )
        }
        options={[...plain, ...FEATURE_KEYS.map((feature) => ({ key: feature, label: featureName(feature) }))]}
        testId="rule-dimension"
      />
      {typeof value !== "string" && (
        <Seg
          label={t`方向`}
          value={value.direction > 0 ? "more" : "less"}
          onChange={(next) => onChange({ feature: value.feature, direction: next === "more" ? 1 : -1 })}
          options={[
            { key: "more", label: directionName(value.feature, 1), testId: "rule-direction-more" },
            { key: "less", label: directionName(value.feature, -1), testId: "rule-direction-less" },
          ]}
          testId="rule-direction"
        />
      )}
    </>
  );
}

/** The subject that a rule was classified with, and the source of that. A rule without it still applies, but contradicts no other. */
export function Understood({ rule: { pattern, patternBy } }: { rule: Rule }) {
  const { t } = useLingui();
  const by = { measured: t`测量得出`, lexicon: t`按字面判断`, model: t`模型判断`, writer: t`你指定` };
  if (!pattern)
    return (
      <p className={css.understood} data-testid="rule-understood">
        {patternBy === "writer"
          ? t`说的是无法测量的事（你指定的），仍会使用。`
          : t`从字面看不出它对应哪项可以测量的特征。仍会使用，只是不和别的规则比较。`}
      </p>
    );
  const source = patternBy ? by[patternBy] : null;
  return (
    <p className={css.understood} data-testid="rule-understood">
      {t`理解为：`}
      <b>{dimensionName(pattern)}</b>
      {source && t`（${source}）`}
    </p>
  );
}
