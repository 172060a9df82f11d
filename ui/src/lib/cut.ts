const low = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;

/** At most `length` UTF-16 units from the end, never half a character. */
export function lastOf(text: string, length: number): string {
  if (text.length <= length) return text;
  let start = text.length - length;
  if (low(text.charCodeAt(start))) start += 1;
  return text.slice(start);
}

/** At most `length` UTF-16 units from the start, never half a character. */
export function firstOf(text: string, length: number): string {
  if (text.length <= length) return text;
  let end = length;
  if (low(text.charCodeAt(end))) end -= 1;
  return text.slice(0, end);
}

/** At most `length` UTF-16 units before a place: from the start of its line, or of a word. */
export function contextOf(before: string, length: number): string {
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const end = lastOf(line, length);
  return end === line || /\p{Script=Han}/u.test(line) ? end : end.replace(/^\S*\s/, "");
}
