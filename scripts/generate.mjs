// npm run generate: writes the files that are generated: bindings, permissions, and the answers that the fake backend is
// compared with. The tests that compare them write them in this mode.

import { run } from "./run.mjs";

const tests = ["cargo", "test", "--workspace", "--quiet"];
const written =
  run(
    [
      ...tests,
      "--test",
      "integration",
      "--",
      "contract::wire::the_typescript_bindings",
      "contract::wire_pairs::the_recorded_answers",
    ],
    { PALIMPSEST_GENERATE: "1" },
  ) || run([...tests, "--lib", "permissions"], { PALIMPSEST_GENERATE: "1" });
process.exitCode = written;
