import type { HiddenName, Language } from "../../backend";

/** Aliases that hint at no character and that a model reads as names. */
const STAND_INS: Record<Language, string[]> = {
  zh: [..."甲乙丙丁戊己庚辛壬癸"].map((stem) => `闻人${stem}`),
  en: ["Avery", "Blair", "Casey", "Devon", "Emery", "Frankie", "Harper", "Jules", "Marlow", "Quinn"],
};

/** An alias that is not used yet. */
export function standIn(language: Language, taken: readonly HiddenName[]): string {
  const free = STAND_INS[language].find(
    (alias) => !taken.some((pair) => pair.alias === alias || pair.name.includes(alias) || standsIn(pair.name, alias)),
  );
  return free ?? "";
}

/** An alias for a form of a name on the list: an unused one, or that of the name with a number. */
export function freeAlias(language: Language, names: readonly HiddenName[], name: string, form: string): string {
  const free = standIn(language, [...names, { name: form, alias: "" }]);
  if (free !== "") return free;
  const own = names.find((pair) => pair.name === name)?.alias ?? name;
  let number = 2;
  while (names.some(({ alias }) => alias === `${own}${number}`)) number += 1;
  return `${own}${number}`;
}

export type NameProblem = "letters" | "long" | "twice" | "shared" | "says" | "hides" | "many";

const MAX_CHARACTERS = 100;
const MAX_NAMES = 500;

/** Why the memory would reject a name beside the others; `null` if it is valid. */
export function problemOf(
  { name: asName, alias: asAlias }: HiddenName,
  others: readonly HiddenName[],
): NameProblem | null {
  const [name, alias] = [asName.trim(), asAlias.trim()];
  if (!/\p{L}/u.test(name) || alias === "") return "letters";
  if (Math.max(Array.from(name).length, Array.from(alias).length) > MAX_CHARACTERS) return "long";
  if (others.length >= MAX_NAMES) return "many";
  if (others.some((pair) => pair.name === name)) return "twice";
  if (others.some((pair) => pair.alias === alias)) return "shared";
  if ([name, ...others.map((pair) => pair.name)].some((one) => standsIn(one, alias))) return "says";
  if (others.some((pair) => standsIn(name, pair.alias))) return "hides";
  return null;
}

/** Names in scripts with spaces match whole words: `Al` does not match `Also`. */
function standsIn(name: string, text: string): boolean {
  if (name === "") return false;
  if (/\p{Script=Han}/u.test(name)) return text.includes(name);
  const word = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<![\\p{L}\\p{N}])${word}(?![\\p{L}\\p{N}])`, "iu").test(text);
}
