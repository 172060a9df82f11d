import { commonEnds, run, runsOf, type Run } from "./diff";

export interface Span {
  from: number;
  to: number;
}

/**
 * Maximum edits in characters. A larger comparison would delay the window noticeably; then only the common ends count.
 */
const MAX_EDITS = 2_000;

/**
 * The ranges of `final` that come from `draft`, in UTF-16 units. A single common character between two changes is a coincidence, not
 * the assistant's writing, so common runs inside the changed middle count only from `least` characters on.
 */
export function survivingSpans(draftText: string, finalText: string, least = 2): Span[] {
  // Code points, so surrogate pairs stay together; offsets are converted back to UTF-16 units at the end.
  const [draft, final] = [Array.from(draftText), Array.from(finalText)];
  const spans: Span[] = [];
  let at = 0;
  const runs = runsOf(draft, final, MAX_EDITS) ?? endsOf(draft, final);
  runs.forEach(({ kind, units }, index) => {
    if (kind === "del") return;
    const isEnd = index === 0 || index === runs.length - 1;
    if (kind === "same" && (isEnd || units.length >= least)) spans.push({ from: at, to: at + units.length });
    at += units.length;
  });
  const units = [0];
  for (const character of final) units.push(units.at(-1)! + character.length);
  return joined(spans).map(({ from, to }) => ({ from: units[from]!, to: units[to]! }));
}

/** The common ends, with everything between them as changed. */
function endsOf(draft: string[], final: string[]): Run[] {
  const { head, tail } = commonEnds(draft, final);
  const [end, finalEnd] = [draft.length - tail, final.length - tail];
  return [
    ...run("same", final.slice(0, head)),
    ...run("del", draft.slice(head, end)),
    ...run("ins", final.slice(head, finalEnd)),
    ...run("same", final.slice(finalEnd)),
  ];
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
