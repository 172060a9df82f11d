import { useLingui } from "@lingui/react/macro";
import type { Pattern, Rule } from "../../backend";
import { Picker, Seg } from "../../design";
import { dimensionName, directionName, FEATURE_KEYS, featureName } from "../../i18n/features";
import css from "./learning.module.css";

/** What a rule is about: derived from its words, nothing measurable, or a feature with a direction. */
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
  const plain = [
    ...(fromWords ? [{ key: "words", label: t`从字面看` }] : []),
    { key: "nothing", label: t`量不出来的` },
  ];
  return (
    <>
      <Picker
        label={t`说的是`}
        prefix={t`说的是：`}
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
          label={t`往哪边`}
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

/** What a rule was understood to be about, and by whom. A rule without it still applies, but contradicts no other. */
export function Understood({ rule: { pattern, patternBy } }: { rule: Rule }) {
  const { t } = useLingui();
  const by = { measured: t`量出来的`, lexicon: t`从字面看的`, model: t`模型说的`, writer: t`你定的` };
  if (!pattern)
    return (
      <p className={css.understood} data-testid="rule-understood">
        {patternBy === "writer"
          ? t`说的是量不出来的事（你定的）。照样会用。`
          : t`没看出它说的是哪一样能量的。照样会用，只是不和别的规则比。`}
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
