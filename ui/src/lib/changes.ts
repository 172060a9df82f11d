/** A piece of a text that was changed: kept, taken out, or put in. */
export interface Piece {
  kind: "same" | "del" | "ins";
  text: string;
}

/** Han characters one by one, other scripts by words: what a reader sees as one thing. */
const UNIT = /\p{Script=Han}|[\p{L}\p{N}]+(?:['’\-_.][\p{L}\p{N}]+)*|\s+|./gsu;
/** Beyond this the exact comparison would take too long to be worth it; head and tail still count. */
const MAX_CELLS = 1_000_000;
/** A kept stretch as short as this between two changes is chance, and only makes both hard to read. */
const LEAST = 2;

/** What became of a draft, as pieces in reading order. Together, kept and taken out give the draft; kept and put in, the final text. */
export function changesOf(draft: string, final: string): Piece[] {
  const [a, b] = [draft.match(UNIT) ?? [], final.match(UNIT) ?? []];
  const short = Math.min(a.length, b.length);
  let head = 0;
  while (head < short && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < short - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const pieces: Piece[] = [];
  const put = (kind: Piece["kind"], units: readonly string[]) => {
    if (units.length > 0) pieces.push({ kind, text: units.join("") });
  };
  put("same", a.slice(0, head));
  const middle = between(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  for (const { kind, units } of middle) put(kind, units);
  put("same", a.slice(a.length - tail));
  return pieces;
}

interface Run {
  kind: Piece["kind"];
  units: string[];
}

function between(a: string[], b: string[]): Run[] {
  if (a.length === 0 || b.length === 0 || a.length * b.length > MAX_CELLS) {
    return [
      { kind: "del", units: a },
      { kind: "ins", units: b },
    ];
  }
  const width = b.length + 1;
  const longest = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      longest[i * width + j] = a[i] === b[j] ? longest[(i + 1) * width + j + 1]! + 1 : Math.max(longest[(i + 1) * width + j]!, longest[i * width + j + 1]!);
    }
  }
  const runs: Run[] = [];
  const add = (kind: Piece["kind"], unit: string) => {
    const last = runs.at(-1);
    if (last?.kind === kind) last.units.push(unit);
    else runs.push({ kind, units: [unit] });
  };
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      add("same", a[i]!);
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && longest[(i + 1) * width + j]! >= longest[i * width + j + 1]!)) {
      add("del", a[i]!);
      i += 1;
    } else {
      add("ins", b[j]!);
      j += 1;
    }
  }
  return gathered(runs);
}

/** Neighbouring changes as one, with what was kept by chance between them. */
function gathered(runs: Run[]): Run[] {
  const out: Run[] = [];
  let del: string[] = [];
  let ins: string[] = [];
  const flush = () => {
    if (del.length > 0) out.push({ kind: "del", units: del });
    if (ins.length > 0) out.push({ kind: "ins", units: ins });
    [del, ins] = [[], []];
  };
  runs.forEach(({ kind, units }, index) => {
    const chance = kind === "same" && units.length < LEAST && index > 0 && index < runs.length - 1;
    if (kind === "del" || chance) del.push(...units);
    if (kind === "ins" || chance) ins.push(...units);
    if (kind === "same" && !chance) {
      flush();
      out.push({ kind, units });
    }
  });
  flush();
  return out;
}
