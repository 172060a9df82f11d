// npm run test:llm: continue, polish and why against a real model. Opt-in: it needs a server, and takes minutes.
//   PALIMPSEST_LLM_URL=http://127.0.0.1:8091/v1 npm run test:llm
// PALIMPSEST_LLM_MODEL names the model (else the first the server lists), PALIMPSEST_LLM_KEY is the key, where it wants one.

import { run } from "./run.mjs";

if (!process.env.PALIMPSEST_LLM_URL) {
  console.error(`No model was named, and nothing was tested. Name an OpenAI-compatible server:
  PALIMPSEST_LLM_URL=http://127.0.0.1:8091/v1 npm run test:llm
and, where need be, PALIMPSEST_LLM_MODEL and PALIMPSEST_LLM_KEY.`);
  process.exit(1);
}
// The whole workspace's features: with `-p` cargo picks others and builds half of it again.
const test = ["cargo", "test", "--workspace", "--quiet", "--test", "integration", "llm::"];
process.exitCode = run([...test, "--", "--ignored", "--nocapture"]);
