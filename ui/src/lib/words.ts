const HAN = /\p{Script=Han}/gu;
const WORD = /[\p{L}\p{N}]+(?:['’\-_.][\p{L}\p{N}]+)*/gu;

/** Counts Han characters and words of other scripts. */
export function countWords(text: string): number {
  const han = text.match(HAN)?.length ?? 0;
  const others = text.replace(HAN, " ").match(WORD)?.length ?? 0;
  return han + others;
}
