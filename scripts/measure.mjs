// npm run bench, npm run eval:…: runs a program of tests/measure in a release build. Arguments after its name go to it.

import { run } from "./run.mjs";
import { setup } from "./setup.mjs";

const [program, ...rest] = process.argv.slice(2);
setup("start");
process.exitCode = run([
  "cargo",
  "run",
  "--quiet",
  "--release",
  "-p",
  "palimpsest-measure",
  "--bin",
  program,
  "--",
  ...rest,
]);
