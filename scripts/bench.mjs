// npm run bench, npm run eval:…: measures what the design promises figures for, in a release build. Arguments go on.

import { run } from "./run.mjs";
import { setup } from "./setup.mjs";

const [first, ...rest] = process.argv.slice(2);
const isEvaluation = first?.startsWith("eval-");
setup("start");
process.exitCode = run([
  "cargo",
  "run",
  "--quiet",
  "--release",
  "-p",
  "palimpsest-tests",
  "--bin",
  isEvaluation ? first : "bench",
  "--",
  ...(isEvaluation ? rest : process.argv.slice(2)),
]);
