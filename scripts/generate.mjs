// npm run generate: writes the files that are generated from the table of commands, which are the bindings and the
// permissions. The tests that compare them write them in this mode.

import { run } from "./run.mjs";

const tests = ["cargo", "test", "--workspace", "--quiet"];
const written =
  run([...tests, "--test", "integration", "contract::wire::the_typescript_bindings"], { PALIMPSEST_GENERATE: "1" }) ||
  run([...tests, "--lib", "permissions"], { PALIMPSEST_GENERATE: "1" });
process.exitCode = written;
