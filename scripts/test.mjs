// npm test: all tests, from types to the real window. A failed stage does not stop the later ones. The last line is `N
// passed, N failed`, summed over all runners. `npm test -- window types` runs only these stages.

import { existsSync, readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";

import { ROOT, TARGET, TESTED, follow, frontEndIsFresh, has, npm } from "./run.mjs";
import { setup } from "./setup.mjs";

/** Tests of a Rust runner at once: two for each core, because they wait for the disk and for child processes. */
const RUST_TEST_THREADS = String(2 * availableParallelism());
const PLAIN = { CI: "true", NO_COLOR: "1", FORCE_COLOR: undefined, CARGO_TERM_COLOR: "never", LC_ALL: "C.UTF-8" };

/** The summary line of each runner, and its counts. */
const SUMMARIES = [
  // cargo
  [/^test result: \w+\. (\d+) passed; (\d+) failed/, (m) => ({ passed: +m[1], failed: +m[2] })],
  // vitest
  [
    /^\s*Tests\s+.*\(\d+\)/,
    ([line]) => ({ passed: number(line, /(\d+) passed/), failed: number(line, /(\d+) failed/) }),
  ],
  [/^\s*Errors\s+(\d+) error/, (m) => ({ passed: 0, failed: +m[1] })],
  // node --test
  [/^(?:ℹ|#) pass (\d+)$/, (m) => ({ passed: +m[1], failed: 0 })],
  [/^(?:ℹ|#) (?:fail|cancelled) (\d+)$/, (m) => ({ passed: 0, failed: +m[1] })],
];

/** The first and the last line of what a runner prints about one failure or about all of them. */
const FAILURES = [
  // cargo
  [/^---- .+ stdout ----$/, /^failures:$/],
  // vitest
  [/^\s*FAIL\s/, /⎯⎯\[\d+\/\d+\]⎯/],
  // node --test
  [/^✖ failing tests:$/, /^── /],
];
/** Maximum number of lines repeated of the failures of one stage. */
const MAX_FAILURE_LINES = 120;

function number(line, pattern) {
  return Number(pattern.exec(line)?.[1] ?? 0);
}

function endToEnd() {
  const folder = join("tests", "e2e");
  const files = existsSync(join(ROOT, folder))
    ? readdirSync(join(ROOT, folder)).filter((name) => name.endsWith(".test.mjs"))
    : [];
  // A missing file is a failure: node reports one for a pattern without matches.
  const paths = files.length > 0 ? files.sort().map((name) => join(folder, name)) : [join(folder, "*.test.mjs")];
  // One window at a time, because they share a display.
  const node = [process.execPath, "--test", "--test-reporter=spec", "--test-concurrency=1", ...paths];
  if (has("xvfb-run")) {
    return ["xvfb-run", "-a", "-s", "-screen 0 1280x800x24", "dbus-run-session", "--", ...node];
  }
  return node;
}

let built = true;
/**
 * Name, description, and command of each stage, or commands that run side by side; computed when the stage starts. Stages
 * in one array run side by side.
 */
const STEPS = [
  ["types", "types and lint of the interface", () => npm("run", "--silent", "ui:check")],
  [
    "interface",
    "the interface on a fake host",
    // A browser is busy on one core: two of them share the files.
    () => ["1/2", "2/2"].map((shard) => npm("run", "--silent", "ui:test", "--", `--shard=${shard}`)),
  ],
  ["pages", "building the interface", () => (frontEndIsFresh() ? null : npm("run", "--silent", "ui:build"))],
  // The stories keep one core busy. The compiler gets the rest, so that no story waits for it.
  [
    ["stories", "every story, in both languages and both lights", () => npm("run", "--silent", "stories:test")],
    [
      "build",
      "building engine, host and window",
      () => [...(has("nice") ? ["nice"] : []), "cargo", "build", ...TESTED, "--lib", "--bins", "--tests"],
    ],
  ],
  ["host", "the interface on the built host", () => npm("run", "--silent", "ui:test:host")],
  // One call, because cargo chooses features by the selected packages and would build everything twice for two calls.
  // The excluded package adds no feature to a shared dependency.
  [
    "rust",
    "the engine, the host and the shell",
    () => ["cargo", "test", ...TESTED, "--no-fail-fast", ...(built ? [] : ["--exclude", "palimpsest"])],
  ],
  ["window", "the real window, end to end", endToEnd],
];

const only = process.argv.slice(2);
const stages = STEPS.flatMap((step) => (Array.isArray(step[0]) ? step : [step]));
const unknown = only.find((name) => !stages.some(([stage]) => stage === name));
if (unknown) {
  console.error(`There is no stage ${unknown}; there are: ${stages.map(([name]) => name).join(" ")}`);
  process.exit(1);
}
setup("test");

const total = { passed: 0, failed: 0 };
const failures = [];
const report = [];
const summaries = [];

async function run([name, what, command]) {
  if (only.length > 0 && !only.includes(name)) return;
  const line = command();
  if (!line) return;
  console.log(`\n── ${name}: ${what}`);
  const counted = { passed: 0, failed: 0 };
  const from = Date.now();
  const said = [];
  // Commands that run side by side have a state each.
  const reader = () => {
    let end = null;
    return (text) => {
      tally(text);
      end ??= FAILURES.find(([first]) => first.test(text))?.[1] ?? null;
      if (end && said.length < MAX_FAILURE_LINES) said.push(text.slice(0, 400));
      if (end?.test(text)) end = null;
    };
  };
  const tally = (text) => {
    for (const [pattern, read] of SUMMARIES) {
      const match = pattern.exec(text);
      if (!match) continue;
      const { passed, failed } = read(match);
      counted.passed += passed;
      counted.failed += failed;
      if (passed + failed > 0) summaries.push(`${name.padEnd(10)} ${text.trim()}`);
    }
  };
  const lines = Array.isArray(line[0]) ? line : [line];
  const codes = await Promise.all(
    lines.map((one) => follow(one, reader(), { ...PLAIN, RUST_TEST_THREADS, CARGO_TARGET_DIR: TARGET })),
  );
  const code = codes.find((one) => one !== 0) ?? 0;
  // A failure without counts (a compiler error, a crashed runner) counts as one.
  if (code !== 0 && counted.failed === 0) counted.failed = 1;
  if (name === "build" && code !== 0) built = false;
  total.passed += counted.passed;
  total.failed += counted.failed;
  const seconds = ((Date.now() - from) / 1000).toFixed(1);
  report.push(
    `${code === 0 ? "ok    " : "FAILED"} ${name.padEnd(10)} ${seconds.padStart(7)} s  ${counted.passed} passed, ${counted.failed} failed`,
  );
  if (code !== 0) process.exitCode = 1;
  if (said.length > 0) failures.push(`── what failed in ${name}\n${said.join("\n")}\n`);
}

for (const step of STEPS) await Promise.all((Array.isArray(step[0]) ? step : [step]).map(run));
if (total.failed > 0) process.exitCode = 1;
if (failures.length > 0) console.log(`\n${failures.join("\n")}`);
console.log(`\n── what the runners counted\n${summaries.join("\n")}\n\n── stages\n${report.join("\n")}\n`);
console.log(`${total.passed} passed, ${total.failed} failed`);
