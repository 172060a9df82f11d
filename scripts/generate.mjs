// npm run generate: writes what comes from the table of commands, the bindings and the permissions. The tests that
// compare them write them instead.

import { run } from "./run.mjs";

const tests = ["cargo", "test", "--workspace", "--quiet"];
const written =
  run([...tests, "--test", "integration", "contract::wire::the_typescript_bindings"], { PALIMPSEST_GENERATE: "1" }) ||
  run([...tests, "--lib", "permissions"], { PALIMPSEST_GENERATE: "1" });
process.exitCode = written;
