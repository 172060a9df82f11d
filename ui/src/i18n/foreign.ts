import type { I18n } from "@lingui/core";

/** The longest value in a sentence, in characters: a rule has at most 500. */
const MAX_CHARACTERS = 600;

/** Characters that turn the direction of the text around them, or end such a turn. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
/** Characters that begin another line or stand for nothing: no value has them for the sake of a sentence. */
const BREAKS = /[\p{Cc}\u2028\u2029]+/gu;
/** Letters that are written from right to left, and what joins them. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** More marks over one letter than any script puts there: they would be drawn over the lines above. */
const PILES = /(\p{M}{4})\p{M}+/gu;

/**
 * A value as it may stand in a sentence of the interface: on one line, of bearable length, and without any power over the
 * words around it. A value that was written with such a power (a title with U+202E) could say something in our name.
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

/** From now on every value that is put into a sentence passes {@link foreign}. Here, so that no sentence can forget it. */
export function guardSentences(i18n: I18n): void {
  const sentence = i18n._.bind(i18n) as (id: unknown, values?: Values, options?: unknown) => string;
  const guarded = (id: unknown, values?: Values, options?: unknown): string => {
    const isDescriptor = typeof id === "object" && id !== null && "values" in id;
    return sentence(isDescriptor ? { ...id, values: harmless(id.values as Values) } : id, harmless(values), options);
  };
  i18n._ = guarded as typeof i18n._;
  i18n.t = guarded as typeof i18n.t;
}
