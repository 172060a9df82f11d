// npm run test:llm: continue, polish and why with a real model. Opt-in: it needs a server, and takes minutes.
//   PALIMPSEST_LLM_URL=http://127.0.0.1:8091/v1 npm run test:llm
// PALIMPSEST_LLM_MODEL names the model (default: the first that the server lists), PALIMPSEST_LLM_KEY is the key, if
// the server requires one.

import { run } from "./run.mjs";

if (!process.env.PALIMPSEST_LLM_URL) {
  console.error(`No model was named, and nothing was tested. Name an OpenAI-compatible server:
  PALIMPSEST_LLM_URL=http://127.0.0.1:8091/v1 npm run test:llm
and, where need be, PALIMPSEST_LLM_MODEL and PALIMPSEST_LLM_KEY.`);
  process.exit(1);
}
// `--workspace`, because with `-p` cargo selects other features and builds half of the workspace again.
const test = ["cargo", "test", "--workspace", "--quiet", "--test", "integration", "llm::"];
process.exitCode = run([...test, "--", "--ignored", "--nocapture"]);
