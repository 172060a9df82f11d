import type { Commands } from "../../src/backend";

type Name = keyof Commands;

const TRACES: Name[] = ["memory:trace:get", "memory:trace:feedback", "memory:trace:record"];
const STATUS: Name[] = ["memory:status", "memory:clock:confirm", "memory:missing:acknowledge"];

const SIZE = "sizes of databases are recorded as 0";
const ENCODER = "the sentence about the encoder; the interface has its own";
const SCORE = "scores of recall need the index";
const INFLUENCE = "the fake measures no influence: it answers fixed effects, so that a story has some";
const CLEARED = "the fake has one version of each rule, counts no origins, and its sample brings traces";
const JOURNAL = "the fake writes no entries about sessions and undone drafts";
const SAMPLE = "the fake's sample is a shorter book";
const GATE = "the fake's gatekeeper knows levels alone, and the window prepares no runs yet";
const PROVIDER = "the fake's providers answer, and nothing answers at the recorded address";

/**
 * The only fields in which the fake backend may differ from the engine in an answer, with the reason. The type of a
 * field never differs, and no field is missing. `[]` at the end: the number of items. A needless entry fails the test.
 */
export const DIFFERENCES: { commands: Name[]; path: string; reason: string }[] = [
  { commands: ["ai:provider:list"], path: "answer.purposes[].contextTokens", reason: PROVIDER },
  { commands: ["ai:purpose:set"], path: "answer.contextTokens", reason: PROVIDER },
  { commands: ["ai:skill:run"], path: "ended.candidates[]", reason: "generated prose" },
  { commands: ["answer:search", "answer:prepare"], path: "answer.degradedReason", reason: ENCODER },
  { commands: ["answer:search"], path: "answer.matches[].components.questionWords", reason: SCORE },
  { commands: ["answer:search"], path: "answer.matches[].components.answerWords", reason: SCORE },
  { commands: ["answer:search"], path: "answer.matches[].freshness", reason: "the fake's answers stay fresh" },
  { commands: ["answer:prepare"], path: "answer.nearly[].components.questionWords", reason: SCORE },
  { commands: ["answer:prepare"], path: "answer.nearly[].components.answerWords", reason: SCORE },
  { commands: ["answer:prepare"], path: "answer.nearly[].freshness", reason: "the fake's answers stay fresh" },
  { commands: ["answer:prepare"], path: "answer.mergedPrompt", reason: GATE },
  ...["assessment.reasons[]", "validations[]", "whyNot[]"].map((field) => ({
    commands: ["answer:complete"] as Name[],
    path: `answer.${field}`,
    reason: GATE,
  })),
  ...["completed.assessment.reasons[]", "completed.validations[]", "completed.whyNot[]", "matches[].freshness"].map(
    (field) => ({ commands: ["answer:run:get"] as Name[], path: `answer.${field}`, reason: GATE }),
  ),
  { commands: ["memory:backup:create", "memory:backup:list"], path: "answer.backups[].bytes", reason: SIZE },
  { commands: ["memory:backup:restore"], path: "answer.restored.bytes", reason: SIZE },
  { commands: ["memory:clear:project"], path: "answer.journal", reason: JOURNAL },
  { commands: ["memory:clear:log"], path: "answer.clearings[].counts.journal", reason: JOURNAL },
  { commands: ["memory:clear:all"], path: "answer.ruleVersions", reason: CLEARED },
  { commands: ["memory:clear:all"], path: "answer.traces", reason: CLEARED },
  { commands: ["memory:clear:log"], path: "answer.clearings[].counts.origins", reason: CLEARED },
  { commands: ["memory:clear:log"], path: "answer.clearings[].counts.ruleVersions", reason: CLEARED },
  { commands: ["memory:clear:log"], path: "answer.clearings[].counts.traces", reason: CLEARED },
  { commands: ["memory:clear:log"], path: "answer.erasures[]", reason: "the fake keeps no log of erasures" },
  { commands: ["memory:clear:project"], path: "answer.origins", reason: CLEARED },
  { commands: ["memory:clear:project"], path: "answer.ruleVersions", reason: CLEARED },
  { commands: ["memory:context:assemble"], path: "answer.layers[]", reason: "the fake has no budgets of layers" },
  {
    commands: ["memory:context:assemble", ...TRACES],
    path: "answer.messages[].content",
    reason: "the system message of the fake is shorter",
  },
  { commands: ["memory:context:assemble", ...TRACES], path: "answer.totalTokens", reason: "the fake has no tokenizer" },
  {
    commands: ["memory:episode:confirm", "memory:episode:feedback"],
    path: "answer.importance",
    reason: "the fake computes no importance",
  },
  {
    commands: ["memory:episode:query"],
    path: "answer.episodes[].episode.importance",
    reason: "the fake computes no importance",
  },
  { commands: ["memory:episode:query"], path: "answer.episodes[].score", reason: SCORE },
  { commands: ["memory:episode:query"], path: "answer.episodes[].components.words", reason: SCORE },
  { commands: ["memory:episode:query"], path: "answer.degradedReason", reason: ENCODER },
  ...["episodes", "traces", "workingItems"].map((kind) => ({
    commands: ["memory:episode:delete"] as Name[],
    path: `answer.words.alsoIn.${kind}`,
    reason: "the fake does not search other texts for the erased sentences",
  })),
  { commands: ["knowledge:load"], path: "answer.contextSummary", reason: "the fake words no summary" },
  ...["tokensPerQuestion", "tokensPerDay"].map((field) => ({
    commands: ["knowledge:study:estimate"] as Name[],
    path: `answer.${field}`,
    reason: "the fake's cost of a question is fixed",
  })),
  { commands: ["memory:export"], path: "answer.kinds[]", reason: "the fake has fewer kinds of records" },
  { commands: ["memory:import"], path: "answer.kinds[]", reason: "the fake has fewer kinds of records" },
  { commands: ["memory:skills:order"], path: "answer.skills[].weight", reason: "the fake counts no uses of skills" },
  { commands: STATUS, path: "answer.files[].bytes", reason: SIZE },
  { commands: STATUS, path: "answer.lastBackup.bytes", reason: SIZE },
  { commands: STATUS, path: "answer.parts[].message", reason: ENCODER },
  { commands: ["memory:trace:measure"], path: "answer.cost.memories", reason: "the fake's cost is set by a test" },
  { commands: ["memory:trace:measure"], path: "answer.cost.promptTokens", reason: "the fake's cost is set by a test" },
  { commands: TRACES, path: "answer.influenceWeights[].remainder", reason: INFLUENCE },
  { commands: TRACES, path: "answer.influenceWeights[].weights[].effect", reason: INFLUENCE },
  { commands: TRACES, path: "answer.influenceWeights[].weights[].followed", reason: INFLUENCE },
  { commands: TRACES, path: "answer.influenceWeights[].weights[].weight", reason: INFLUENCE },
  { commands: ["memory:working:list"], path: "answer.items[]", reason: "the fake adds no items for exchanges" },
  { commands: ["memory:working:list"], path: "answer.tokens", reason: "the fake adds no items for exchanges" },
  { commands: ["project:sample"], path: "answer.chapters[]", reason: SAMPLE },
  { commands: ["project:sample"], path: "answer.project.path", reason: SAMPLE },
  { commands: ["project:sample"], path: "answer.project.title", reason: SAMPLE },
  { commands: ["project:style"], path: "answer.byAssistant", reason: "the fake's profile is fixed" },
];

/** The commands without a recorded pair, with the reason. */
export const UNCOVERED: Partial<Record<Name, string>> = {
  // To be removed with the engine's side of `ask:run`, whose pairs are recorded then.
  "ask:cancel": "the engine has no run yet",
  "ask:preview": "the engine has no model",
  "ask:run": "the engine has no run yet",
  "answer:measure": "measures a run of `ask:run`",
  "story:continuity:stop": "ends a comparison, which needs a model",
  "journal:export": "writes a file",
  "journal:import": "reads a file, which the pairs do not have",
  "backend:find": "looks for programs on this machine",
  "ai:provider:find": "asks for an Ollama on this machine, which may run or not",
};
