import type { Span } from "./survivingSpans";

/** A line end inside a wrapped paragraph, in UTF-16 units: shown as a space or as nothing. */
export interface SoftBreak extends Span {
  isSpaced: boolean;
}

/** A text as it is shown: each wrapped paragraph in one line. */
export interface JoinedText {
  text: string;
  /** The range in the text as it is stored, of a range with at least one character of `text`. */
  stored: (span: Span) => Span;
}

/** Joins the wrapped lines of a text. The breaks are in order and do not overlap. */
export function joinedText(text: string, breaks: readonly SoftBreak[]): JoinedText {
  if (breaks.length === 0) return { text, stored: (span) => span };
  // Parts of the joined text, in order: stretches of the stored text, and spaces in the place of breaks.
  const parts: { at: number; from: number; to: number; isBreak: boolean }[] = [];
  let joined = "";
  let end = 0;
  const add = (part: string, from: number, to: number, isBreak: boolean) => {
    if (part === "") return;
    parts.push({ at: joined.length, from, to, isBreak });
    joined += part;
  };
  for (const { from, to, isSpaced } of breaks) {
    add(text.slice(end, from), end, from, false);
    add(isSpaced ? " " : "", from, to, true);
    end = to;
  }
  add(text.slice(end), end, text.length, false);
  /** The stored range of one character of the joined text. */
  const storedCharacter = (at: number): Span => {
    let [low, high] = [0, parts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (parts[middle]!.at <= at) low = middle;
      else high = middle - 1;
    }
    const part = parts[low]!;
    const from = part.from + at - part.at;
    return part.isBreak ? part : { from, to: from + 1 };
  };
  return {
    text: joined,
    stored: ({ from, to }) => ({ from: storedCharacter(from).from, to: storedCharacter(to - 1).to }),
  };
}

/** Straight and curly quotation marks match each other. */
const QUOTES: Record<string, string> = { "‘": "'", "’": "'", "“": '"', "”": '"' };

/**
 * Folds a text for searching: lower case, straight quotation marks. Keeps the length in UTF-16 units: a letter whose
 * lower case is longer stays.
 */
export function folded(text: string): string {
  const low = text.toLowerCase();
  const even =
    low.length === text.length
      ? low
      : text.replace(/./gsu, (letter) =>
          letter.toLowerCase().length === letter.length ? letter.toLowerCase() : letter,
        );
  return even.replace(/[‘’“”]/g, (mark) => QUOTES[mark] ?? mark);
}

/** Ranges of `query` in `text`, in order and without overlaps, at most `most`. Empty for an empty query. */
export function placesOf(text: string, query: string, most = Infinity): Span[] {
  const [where, what] = [folded(text), folded(query)];
  const places: Span[] = [];
  if (what === "") return places;
  for (let at = where.indexOf(what); at >= 0 && places.length < most; at = where.indexOf(what, at + what.length))
    places.push({ from: at, to: at + what.length });
  return places;
}
