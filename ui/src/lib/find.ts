import type { Span } from "./survivingSpans";

/** Typed straight, set curly: whoever looks for one means the other. */
const QUOTES: Record<string, string> = { "‘": "'", "’": "'", "“": '"', "”": '"' };

/**
 * A text as it is compared when something is looked for: without case, quotation marks straight. As long as the text
 * itself, unit for unit: a letter whose other case is longer stays as it is.
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

/** Where `query` stands in `text`, in order, none over another; at most `most` of them. Nothing is looked for without a query. */
export function placesOf(text: string, query: string, most = Infinity): Span[] {
  const [where, what] = [folded(text), folded(query)];
  const places: Span[] = [];
  if (what === "") return places;
  for (let at = where.indexOf(what); at >= 0 && places.length < most; at = where.indexOf(what, at + what.length))
    places.push({ from: at, to: at + what.length });
  return places;
}
