// npm run bench, npm run eval:…: runs a program of tests/measure in a release build, with the arguments after its name.

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
