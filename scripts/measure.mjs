// npm run bench, npm run eval:…: runs a program of tests/measure in a release build, with the arguments after its name.

import { join } from "node:path";

import { postgres } from "./postgres.mjs";
import { TARGET, must, run } from "./run.mjs";
import { setup } from "./setup.mjs";

const [program, ...rest] = process.argv.slice(2);
const bins = ["--bin", program];
// It starts the headless host, which it expects beside itself.
if (program === "bench" && rest[0]?.startsWith("host")) bins.push("--bin", "palimpsest-host");
const packages = ["-p", "palimpsest-measure", "-p", "palimpsest-host"];
setup("start");
if (program === "bench" && rest[0]?.startsWith("server")) {
  if (!postgres()) process.exit(1);
  packages.push("-p", "palimpsest-server");
  bins.push("--bin", "palimpsest-server");
}
// Always both packages: with another selection cargo may choose other features and build half of it again.
must(["cargo", "build", "--quiet", "--release", ...packages, ...bins]);
process.exitCode = run([join(TARGET, "release", process.platform === "win32" ? `${program}.exe` : program), ...rest]);
