// npm run test:agents: a question to each command-line assistant that is installed. Opt-in: it needs programs that are
// logged in (Claude Code, Codex, the Gemini CLI), and costs their tokens. It says which were not checked, and why.

import { run } from "./run.mjs";

// `--workspace`, because with `-p` cargo selects other features and builds half of the workspace again.
const test = ["cargo", "test", "--workspace", "--quiet", "--test", "integration", "agents::real"];
process.exitCode = run([...test, "--", "--ignored", "--nocapture"]);
