// Prints figures of the window as a table with N, spread and limit.

const rows = [];

/** Adds a row of values; `at` names the figure that must not exceed `must`. */
export function row(what, values, { must: most = null, at = "p95" } = {}) {
  const sorted = values.toSorted((a, b) => a - b);
  const part = (share) => sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
  const figures = { p50: part(0.5), p95: part(0.95), least: sorted[0], most: sorted.at(-1) };
  rows.push({ what, n: sorted.length, ...figures, must: most, at, over: most !== null && figures[at] > most });
}

export function print() {
  const shown = (value) => (value >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(2));
  console.log("\n| what | N | p50 | p95 | least – most | must |\n| --- | ---: | ---: | ---: | ---: | ---: |");
  for (const { what, n, p50, p95, least, most, must: limit, at, over } of rows) {
    console.log(
      `| ${what} | ${n} | ${shown(p50)} | ${shown(p95)} | ${shown(least)} – ${shown(most)} | ${limit === null ? "–" : `${at} ≤ ${limit}${over ? " **over**" : ""}`} |`,
    );
  }
}
