export interface Span {
  from: number;
  to: number;
}

/** Beyond this the exact comparison would take too long to be worth it; head and tail still count. */
const MAX_CELLS = 4_000_000;

/**
 * What of `draft` is still in `final`, as ranges of `final`. Longest common subsequence over characters;
 * a lone character between two changes is chance, not the assistant's writing, so runs shorter than
 * `least` characters inside the changed middle do not count.
 */
export function keptOf(draftText: string, finalText: string, least = 2): Span[] {
  // Characters, not halves of them; the offsets are turned back into UTF-16 units at the end.
  const [draft, final] = [Array.from(draftText), Array.from(finalText)];
  let head = 0;
  const short = Math.min(draft.length, final.length);
  while (head < short && draft[head] === final[head]) head += 1;
  let tail = 0;
  while (tail < short - head && draft[draft.length - 1 - tail] === final[final.length - 1 - tail]) tail += 1;

  const a = draft.slice(head, draft.length - tail);
  const b = final.slice(head, final.length - tail);
  const spans: Span[] = [];
  if (head > 0) spans.push({ from: 0, to: head });
  if (a.length > 0 && b.length > 0 && a.length * b.length <= MAX_CELLS) {
    for (const { from, to } of common(a, b)) if (to - from >= least) spans.push({ from: from + head, to: to + head });
  }
  if (tail > 0) spans.push({ from: final.length - tail, to: final.length });
  const units = [0];
  for (const character of final) units.push(units.at(-1)! + character.length);
  return joined(spans).map(({ from, to }) => ({ from: units[from]!, to: units[to]! }));
}

function common(a: string[], b: string[]): Span[] {
  const width = b.length + 1;
  const longest = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      longest[i * width + j] =
        a[i] === b[j] ? longest[(i + 1) * width + j + 1]! + 1 : Math.max(longest[(i + 1) * width + j]!, longest[i * width + j + 1]!);
    }
  }
  const spans: Span[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      const last = spans.at(-1);
      if (last?.to === j) last.to = j + 1;
      else spans.push({ from: j, to: j + 1 });
      i += 1;
      j += 1;
    } else if (longest[(i + 1) * width + j]! >= longest[i * width + j + 1]!) i += 1;
    else j += 1;
  }
  return spans;
}

function joined(spans: Span[]): Span[] {
  const out: Span[] = [];
  for (const span of spans) {
    const last = out.at(-1);
    if (last && last.to >= span.from) last.to = span.to;
    else out.push({ ...span });
  }
  return out;
}
