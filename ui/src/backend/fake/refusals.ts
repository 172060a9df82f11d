import type {
  AnswerKind,
  BackendIsolation,
  BackendKind,
  Certainty,
  Commands,
  EntityKind,
  EpisodeField,
  Error as WireError,
  JournalFormat,
  JournalKind,
  LorebookFormat,
  RecallPurpose,
  Visibility,
} from "../bindings.gen";

type Name = keyof Commands;
type Args = Record<string, unknown>;

interface Known {
  /** Whether a project is known. */
  project(projectId: string): boolean;
}

/** Every field of an episode; the compiler demands a new one here. */
const EPISODE_FIELDS: Record<EpisodeField, true> = {
  id: true,
  projectId: true,
  chapterId: true,
  scope: true,
  version: true,
  createdAt: true,
  skillUsed: true,
  sceneType: true,
  inputContext: true,
  candidates: true,
  selectedIndex: true,
  finalText: true,
  explicit: true,
  implicit: true,
  implicitWeight: true,
  editDistance: true,
  importance: true,
  recallCount: true,
  lastRecalledAt: true,
  userConfirmed: true,
  compressed: true,
  summary: true,
  generationId: true,
};

/** Commands that are refused for an unknown project. */
const OF_PROJECT: ReadonlySet<Name> = new Set<Name>([
  "answer:block",
  "answer:complete",
  "answer:confirm",
  "answer:copied",
  "answer:delete",
  "answer:get",
  "answer:history",
  "answer:hit",
  "answer:list",
  "answer:prepare",
  "answer:promote",
  "answer:reaffirm",
  "answer:recheck",
  "answer:record",
  "answer:replay",
  "answer:run:get",
  "answer:run:list",
  "answer:replacements",
  "answer:search",
  "answer:service:validate",
  "answer:unblock",
  "answer:undo",
  "answer:update",
  "answer:validate",
  "ask:run",
  "journal:export",
  "journal:import",
  "journal:keep",
  "journal:list",
  "journal:recall",
  "journal:redact",
  "journal:store",
  "journal:verify",
  "ai:skill:run",
  "chapter:change:undo",
  "chapter:create",
  "chapter:delete",
  "chapter:deleted:list",
  "chapter:deleted:restore",
  "chapter:keep",
  "chapter:list",
  "chapter:merge",
  "chapter:move",
  "chapter:read",
  "chapter:rename",
  "chapter:scene",
  "chapter:snapshot:list",
  "chapter:snapshot:read",
  "chapter:split",
  "chapter:write",
  "memory:clear:project",
  "memory:context:assemble",
  "memory:episode:query",
  "memory:episode:record",
  "memory:export",
  "memory:names:list",
  "memory:names:set",
  "memory:names:suggest",
  "memory:semantic:add",
  "memory:skills:order",
  "memory:working:list",
  "memory:working:put",
  "project:export",
  "project:forget",
  "project:import",
  "project:import:last",
  "project:import:paragraphs",
  "project:import:undo",
  "project:style",
  "story:analyze",
  "story:at",
  "story:entity:accept",
  "story:entity:delete",
  "story:entity:dismiss",
  "story:entity:get",
  "story:entity:list",
  "story:entity:merge",
  "story:entity:save",
  "story:entity:split",
  "story:events",
  "story:export",
  "story:fact:confirm",
  "story:fact:delete",
  "story:fact:known-by",
  "story:fact:save",
  "story:find",
  "story:history",
  "story:import",
  "story:mentions",
  "story:status",
  "story:threads",
  "story:timeline",
  "story:undo",
]);

/** Text fields that are refused when they are blank; `null` and missing ones are not. */
const TEXTS: Partial<Record<Name, string[]>> = {
  "ai:provider:save": ["name"],
  "ai:skill:run": ["skill"],
  "ask:run": ["question"],
  "backend:save": ["name", "program", "model"],
  "chapter:create": ["title"],
  "chapter:rename": ["title"],
  "chapter:scene": ["sceneType"],
  "journal:recall": ["query"],
  "journal:store": ["content", "refId"],
  "memory:context:assemble": ["skill"],
  "memory:episode:feedback": ["text"],
  "memory:episode:query": ["sceneType", "skillUsed"],
  "memory:episode:record": ["chapterId", "skillUsed"],
  "memory:semantic:add": ["rule"],
  "memory:semantic:update": ["rule"],
  "memory:working:put": ["text"],
  "project:create": ["title"],
  "story:entity:accept": ["name"],
  "story:entity:save": ["name"],
  "story:fact:save": ["attribute", "value", "validFrom", "validUntil"],
  "story:find": ["queryText"],
};

const ENTITY_KINDS = new Set<EntityKind>(["character", "place", "thing", "faction", "thread", "worldRule", "event"]);

const JOURNAL_KINDS = new Set<JournalKind>(["skill", "ask", "study", "session", "note"]);

const ANSWER_KINDS = new Set<AnswerKind>(["canon", "research", "craft", "decision", "task"]);

/** Values of fields that the engine knows; a field in an array is refused by its index. */
const KNOWN_VALUES: Partial<Record<Name, Record<string, ReadonlySet<unknown>>>> = {
  "answer:list": { kinds: ANSWER_KINDS },
  "answer:search": { kinds: ANSWER_KINDS },
  "ask:run": { kind: ANSWER_KINDS },
  "backend:save": {
    kind: new Set<BackendKind>(["claude", "codex", "gemini", "own"]),
    isolation: new Set<BackendIsolation>(["system", "asked"]),
  },
  "journal:export": { format: new Set<JournalFormat>(["entries", "jsonLines"]) },
  "journal:list": { kind: JOURNAL_KINDS },
  "journal:recall": { kind: JOURNAL_KINDS },
  "journal:store": { kind: JOURNAL_KINDS },
  "memory:episode:query": {
    purpose: new Set<RecallPurpose>(["search", "prompt"]),
    fields: new Set<EpisodeField>(Object.keys(EPISODE_FIELDS) as EpisodeField[]),
  },
  "story:entity:accept": { kind: ENTITY_KINDS },
  "story:entity:save": { kind: ENTITY_KINDS, visibility: new Set<Visibility>(["asOf", "always", "hidden"]) },
  "story:export": { format: new Set<LorebookFormat>(["markdown", "sillyTavern", "novelcrafter"]) },
  "story:fact:save": { certainty: new Set<Certainty>(["told", "said", "believed", "planned"]) },
};

/** Numbers below 1 that are refused. */
const COUNTS: Partial<Record<Name, string[]>> = {
  "answer:run:list": ["limit"],
  "journal:list": ["limit"],
  "journal:recall": ["topK"],
  "settings:set": ["journalTopK", "journalCognitionRounds"],
  "story:history": ["limit"],
  "story:mentions": ["limit"],
  "story:timeline": ["limit"],
  "ai:skill:run": ["candidates"],
  "ai:usage:limit": ["requestsPerDay", "tokensPerDay"],
  "memory:episode:query": ["limit"],
};

/** Numbers above these that are refused. */
const MAX_COUNTS: Partial<Record<Name, Record<string, number>>> = {
  "answer:run:list": { limit: 200 },
  "journal:list": { limit: 200 },
  "journal:recall": { topK: 50 },
  "memory:episode:query": { limit: 50 },
  "settings:set": { journalTopK: 50, journalCognitionRounds: 3 },
  "story:history": { limit: 200 },
  "story:mentions": { limit: 200 },
  "story:timeline": { limit: 500 },
};

/** Commands that delete and need `confirmed`. */
const CONFIRMED: ReadonlySet<Name> = new Set<Name>([
  "answer:delete",
  "journal:redact",
  "memory:clear:all",
  "memory:clear:project",
  "memory:store:begin-anew",
  "project:forget",
]);

export const invalid = (field: string, reason?: WireError["details"] & object): WireError => ({
  code: "MEMORY_INVALID_ARGUMENT",
  message: `${field}: refused`,
  details: { field, ...reason },
});

export const notFound = (field: string): WireError => ({
  code: "MEMORY_NOT_FOUND",
  message: `${field}: there is no such thing`,
  details: { field },
});

export const otherProject: WireError = { code: "MEMORY_SCOPE_DENIED", message: "this belongs to another project" };

export const staleVersion = (currentVersion: number): WireError => ({
  code: "MEMORY_STALE_VERSION",
  message: "it was changed since it was read",
  details: { field: "version", currentVersion },
});

/** The error of a request that the engine refuses by its arguments alone, or `null`. */
export function refusalOf(name: Name, args: Args, known: Known): WireError | null {
  if (CONFIRMED.has(name) && args["confirmed"] !== true)
    return { code: "MEMORY_CLEAR_CONFIRM_REQUIRED", message: "this needs to be confirmed" };
  const unknown = unknownValue(name, args);
  if (unknown) return invalid(unknown);
  const blank = TEXTS[name]?.find((field) => typeof args[field] === "string" && args[field].trim() === "");
  if (blank) return invalid(blank);
  const low = COUNTS[name]?.find((field) => typeof args[field] === "number" && args[field] < 1);
  if (low) return invalid(low);
  const high = Object.entries(MAX_COUNTS[name] ?? {}).find(([field, max]) => Number(args[field] ?? 0) > max);
  if (high) return invalid(high[0]);
  const { projectId } = args;
  if (name === "memory:semantic:add" && (args["scope"] === "project") !== (typeof projectId === "string"))
    return invalid("projectId");
  if (OF_PROJECT.has(name) && typeof projectId === "string" && !known.project(projectId)) return notFound("projectId");
  if (name === "memory:episode:record") {
    const { candidates, selectedIndex } = args as { candidates: string[]; selectedIndex: number };
    if (selectedIndex < -1 || selectedIndex >= candidates.length) return invalid("selectedIndex");
  }
  return null;
}

/** The path of the first value that the engine does not know, as its parser names it. */
function unknownValue(name: Name, args: Args): string | undefined {
  for (const [field, known] of Object.entries(KNOWN_VALUES[name] ?? {})) {
    const value = args[field] ?? null;
    if (value === null) continue;
    if (!Array.isArray(value)) {
      if (!known.has(value)) return field;
      continue;
    }
    const index = value.findIndex((one) => !known.has(one));
    if (index >= 0) return `${field}[${index}]`;
  }
  return undefined;
}
