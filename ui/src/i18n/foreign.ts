import type { I18n } from "@lingui/core";

/** Maximum length of a value in a sentence, in characters: a rule has at most 500. */
const MAX_CHARACTERS = 600;

/** Characters that change the direction of text, or end such a change. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
/** Line breaks and invisible characters. */
const BREAKS = /[\p{Cc}\u2028\u2029]+/gu;
/** Right-to-left letters, and what joins them. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** More combining marks than any script uses: they would be drawn over other lines. */
const PILES = /(\p{M}{4})\p{M}+/gu;

/**
 * A value safe for a sentence of the interface: on one line, of limited length, and without control over the text
 * around it. A title with U+202E could otherwise reorder the sentence.
 */
export function foreign(value: string): string {
  const plain = value.replace(DIRECTIONS, "").replace(BREAKS, " ").replace(PILES, "$1");
  const cut = plain.length > MAX_CHARACTERS ? `${Array.from(plain).slice(0, MAX_CHARACTERS).join("")}…` : plain;
  return RIGHT_TO_LEFT.test(cut) ? `\u2068${cut}\u2069` : cut;
}

type Values = Record<string, unknown> | undefined;

const harmless = (values: Values): Values =>
  values &&
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === "string" ? foreign(value) : value]),
  );

/** Passes every value of every sentence through {@link foreign}. Installed once, so no sentence can bypass it. */
export function guardSentences(i18n: I18n): void {
  const sentence = i18n._.bind(i18n) as (id: unknown, values?: Values, options?: unknown) => string;
  const guarded = (id: unknown, values?: Values, options?: unknown): string => {
    const isDescriptor = typeof id === "object" && id !== null && "values" in id;
    return sentence(isDescriptor ? { ...id, values: harmless(id.values as Values) } : id, harmless(values), options);
  };
  i18n._ = guarded as typeof i18n._;
  i18n.t = guarded as typeof i18n.t;
}
