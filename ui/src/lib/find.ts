import type { Span } from "./survivingSpans";

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
