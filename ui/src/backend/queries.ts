import { infiniteQueryOptions, keepPreviousData, QueryClient, queryOptions } from "@tanstack/react-query";
import { answerQueries, MAX_ASKED_BEFORE } from "./answerQueries";
import type {
  AnalysisProgress,
  Episode,
  EpisodeField,
  EpisodeQuery,
  JournalKind,
  MeasureProgress,
  Position,
  RecalledEpisode,
  RunProgress,
  Settings,
  Status,
  StudyState,
  Topic,
} from "./bindings.gen";
import { BackendError, call, listen, watchCalls } from "./host";
import { knowledgeQueries } from "./knowledgeQueries";

/** First element of every query key: the topic under which `memory:changed` invalidates it. */
type Tag =
  | Topic
  | "chapters"
  | "status"
  | "clearings"
  | "learning"
  | "measuring"
  | "analyzing"
  | "studyEstimate"
  | "serviceAnswers";

/** Milliseconds between two status polls. */
const HEALTHY_POLL_MS = 60_000;
const DEGRADED_POLL_MS = 5_000;
/** Queries answered from the two database files: their answers change when a file fails or comes back. */
const FROM_FILES: Tag[] = [
  "rules",
  "episodes",
  "traces",
  "story",
  "journal",
  "answers",
  "knowledge",
  "studyEstimate",
  "names",
  "backups",
  "clearings",
  "models",
  "backends",
  "usage",
  "projects",
];
/** Errors after which the status is polled at once. */
const DEGRADED_CODES = new Set(["MEMORY_STORE_UNAVAILABLE", "MEMORY_WRITE_FAILED", "MEMORY_CLEANUP_FAILED"]);

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Infinity,
        refetchOnWindowFocus: false,
        // The backend is local, so only an overload is worth a retry.
        retry: (count, error) => error instanceof BackendError && error.code === "MEMORY_BACKPRESSURE" && count < 3,
        networkMode: "always",
      },
      mutations: { networkMode: "always" },
    },
  });
}

/** The tenths of an analysis that are done, with its step. */
const tenthsOf = (progress: AnalysisProgress | null): string | null =>
  progress && `${progress.step} ${Math.floor((10 * progress.done) / Math.max(progress.total, 1))}`;

/** Invalidates queries when the backend announces changes. Resolves to a function that unsubscribes. */
export async function subscribeToChanges(client: QueryClient): Promise<() => void> {
  const refresh = (tag: Tag, ...rest: string[]) => client.invalidateQueries({ queryKey: [tag, ...rest] });
  const stops = await Promise.all([
    watchHealth(client),
    listen("memory:changed", ({ what }) => {
      for (const tag of what) void refresh(tag);
      void refresh("status");
      if (what.includes("episodes")) void refresh("rules"); // the list of rules includes the number of episodes
      if (what.includes("episodes")) void refresh("journal"); // an entry about a decision is written before it is read
      if (what.includes("episodes") || what.includes("backups")) void refresh("clearings");
      // The estimate of a study names the model and its host, and whether names are hidden from it.
      if (what.includes("models") || what.includes("names")) void refresh("studyEstimate");
    }),
    listen("memory:distill:progress", (progress) => {
      const isDone = progress.stage === "done";
      client.setQueryData(queries.learning().queryKey, isDone ? null : progress);
      // A run without changes emits no `memory:changed`, but it is in the list of runs.
      if (isDone) void refresh("rules");
    }),
    listen("story:analyze:progress", (progress) => {
      const { queryKey } = queries.analyzing(progress.projectId);
      const before = client.getQueryData(queryKey);
      client.setQueryData(queryKey, progress.done < progress.total ? progress : null);
      // Names that are found so far are listed already. The list of a long book takes most of a second: one a tenth.
      if (tenthsOf(progress) !== tenthsOf(before ?? null))
        for (const of of ["status", "entities"]) void refresh("story", progress.projectId, of);
    }),
    listen("knowledge:study:progress", ({ projectId, state }) => {
      const { queryKey } = queries.study(projectId);
      const before = client.getQueryData<StudyState>(queryKey);
      client.setQueryData(queryKey, state);
      // A question that was explored may have left a record, and is in the queue no more.
      if (before?.totalQuestionsExplored !== state.totalQuestionsExplored || before.questionId !== state.questionId)
        for (const of of ["records", "questions"]) void refresh("knowledge", projectId, of);
    }),
    listen("memory:trace:progress", (progress) => client.setQueryData(queries.measuring().queryKey, progress)),
    listen("memory:maintenance:failed", () => void refresh("status")),
    listen("memory:maintenance:done", () => void refresh("status")),
    listen("ai:skill:done", () => void refresh("usage")),
    listen("ask:done", () => void refresh("usage")),
    listen("project:changed", ({ projectId }) => void refresh("chapters", projectId)),
  ]);
  return () => stops.forEach((stop) => stop());
}

/** Polls the status whenever a call fails or is degraded, and invalidates all answers when the status changes. */
function watchHealth(client: QueryClient): () => void {
  const { queryKey } = queries.status();
  const stopWatchingCalls = watchCalls(({ name, error, answer }) => {
    if (name === "memory:status") return;
    const isDegraded = error ? DEGRADED_CODES.has(error.code) : isDegradedAnswer(answer);
    // A known problem is polled by its interval.
    if (isDegraded && (error || !client.getQueryData(queryKey)?.degraded)) void client.invalidateQueries({ queryKey });
  });
  let before = "";
  const stopWatchingStatus = client.getQueryCache().subscribe(({ type, query }) => {
    if (type !== "updated" || query.queryKey[0] !== "status") return;
    const { data, status } = query.state as { data?: Status; status: string };
    const now = `${status}:${data?.parts.filter(({ part }) => part === "rules" || part === "episodes").map(({ state }) => state)}`;
    if (before !== "" && before !== now)
      for (const tag of FROM_FILES) void client.invalidateQueries({ queryKey: [tag] });
    before = now;
  });
  return () => {
    stopWatchingCalls();
    stopWatchingStatus();
  };
}

/** Calls `onBack` when the episodes can be read again after a failure. Returns a function that unsubscribes. */
export function watchEpisodesRestored(client: QueryClient, onBack: () => void): () => void {
  let down = false;
  return client.getQueryCache().subscribe(({ type, query }) => {
    if (type !== "updated" || query.queryKey[0] !== "status" || query.state.status !== "success") return;
    const was = down;
    down = (query.state.data as Status).parts.some(({ part, state }) => part === "episodes" && state === "unavailable");
    if (was && !down) onBack();
  });
}

/** Whether an answer reports that part of the memory was unavailable for it. */
function isDegradedAnswer(answer: unknown): boolean {
  if (typeof answer !== "object" || answer === null) return false;
  const { degraded, memoryDegraded, degradedReason } = answer as {
    degraded?: boolean;
    memoryDegraded?: boolean;
    degradedReason?: string | null;
  };
  return degraded === true || memoryDegraded === true || Boolean(degradedReason);
}

/** Fills unset settings with the defaults. */
export const wholeSettings = (settings: Settings): Required<Settings> => ({
  interfaceLanguage: "system",
  theme: "system",
  lastProjectId: null,
  journalTopK: 5,
  journalCognitionRounds: 3,
  readableCopies: false,
  ...settings,
});

/** The fields of an episode that its card shows. */
const CARD_FIELDS = [
  "chapterId",
  "createdAt",
  "skillUsed",
  "sceneType",
  "candidates",
  "selectedIndex",
  "finalText",
  "explicit",
  "implicit",
  "editDistance",
  "recallCount",
  "userConfirmed",
  "compressed",
  "summary",
] as const satisfies readonly EpisodeField[];
/** The fields of an episode that a line of the search in the book shows. */
const MATCH_FIELDS = [
  "chapterId",
  "createdAt",
  "candidates",
  "finalText",
  "explicit",
  "compressed",
  "summary",
] as const satisfies readonly EpisodeField[];
/** Maximum episodes of one answer. */
const MAX_SEARCHED = 50;
/** Journal entries of one page. */
const ENTRIES_AT_ONCE = 60;
/** Maximum journal entries that answer a search. */
const MAX_FOUND_ENTRIES = 30;
/** Mentions of one answer. */
const MENTIONS_AT_ONCE = 50;
/** Milliseconds that a list of entities as of another position is kept. */
/** Milliseconds until a list without the text is asked for again. */
const DEGRADED_RETRY_MS = 3_000;
const AS_OF_KEPT_MS = 30_000;
/** Maximum episodes that answer a text at first. */
export const MAX_MATCHES = 8;

/** Some fields of an episode, with the types of the stored one. */
type Fields<F extends EpisodeField> = Pick<Episode, F | "id">;
/** An episode as its card shows it. */
export type PastEpisode = Fields<(typeof CARD_FIELDS)[number]>;
/** An episode as the search in the book shows it. */
export type PastMatch = Fields<(typeof MATCH_FIELDS)[number]>;
/** An episode in the answer to a search. */
export type Searched<E> = Omit<RecalledEpisode, "episode"> & { episode: E };

/** The best matches for a writer who searches the past. */
async function searchPast<F extends EpisodeField>(
  projectId: string,
  fields: readonly F[],
  query: Pick<EpisodeQuery, "queryText" | "sceneType" | "limit">,
): Promise<{ episodes: Searched<Fields<F>>[]; degraded: boolean }> {
  const { episodes, degraded } = await call("memory:episode:query", {
    projectId,
    purpose: "search",
    ...query,
    fields: [...fields],
  });
  // The answer has every requested field, with the type it has in an episode. The wire's type cannot express this.
  return { episodes: episodes.map((one) => ({ ...one, episode: one.episode as Fields<F> })), degraded };
}

export const queries = {
  ...answerQueries,
  ...knowledgeQueries,
  settings: () =>
    queryOptions({ queryKey: ["settings"], queryFn: async () => wholeSettings(await call("settings:get", {})) }),
  /** The programs of this machine that answer questions. */
  backends: () => queryOptions({ queryKey: ["backends", "list"], queryFn: () => call("backend:list", {}) }),
  /** The known programs that are installed. */
  foundBackends: () =>
    queryOptions({ queryKey: ["backends", "found"], queryFn: () => call("backend:find", {}), staleTime: 0 }),
  /** Whether a program can answer now. It is started for its version. */
  testedBackend: (backendId: string) =>
    queryOptions({
      queryKey: ["backends", "tested", backendId],
      queryFn: () => call("backend:test", { backendId }),
      staleTime: 0,
      retry: false,
    }),
  projects: () => queryOptions({ queryKey: ["projects"], queryFn: () => call("project:list", {}) }),
  /** `chapters`: the list of chapters after whose change it is asked again. */
  lastImport: (projectId: string, chapters: readonly unknown[]) =>
    queryOptions({
      queryKey: ["chapters", projectId, "import", chapters],
      queryFn: () => call("project:import:last", { projectId }).then(({ last }) => last),
      placeholderData: keepPreviousData,
    }),
  chapters: (projectId: string) =>
    queryOptions({
      queryKey: ["chapters", projectId],
      queryFn: () => call("chapter:list", { projectId }).then(({ chapters }) => chapters),
    }),
  /** Read again whenever the chapters are. */
  deletedChapters: (projectId: string) =>
    queryOptions({
      queryKey: ["chapters", projectId, "deleted"],
      queryFn: () => call("chapter:deleted:list", { projectId }).then(({ deleted }) => deleted),
    }),
  /** The rules that apply to a project: its own and the global ones. `null`: global ones only. */
  rules: (projectId: string | null) =>
    queryOptions({
      queryKey: ["rules", projectId],
      queryFn: () => call("memory:semantic:list", projectId ? { projectId } : {}),
    }),
  /** Progress of the current learning run, `null` without one. Filled by events only. */
  learning: () =>
    queryOptions({
      queryKey: ["learning"],
      queryFn: (): RunProgress | null => null,
      initialData: null as RunProgress | null,
      staleTime: Infinity,
    }),
  /** The latest runs of the project and of the global rules, newest first. */
  runs: (projectId: string) =>
    queryOptions({
      queryKey: ["rules", "runs", projectId],
      queryFn: () => call("memory:distill:list", { projectId }).then(({ runs }) => runs),
    }),
  conflicts: (projectId: string) =>
    queryOptions({
      queryKey: ["rules", "conflicts", projectId],
      queryFn: () => call("memory:conflict:list", { projectId }).then(({ conflicts }) => conflicts),
    }),
  /** The episodes of a project that support or contradict a rule. */
  evidence: (ruleId: string, projectId: string) =>
    queryOptions({
      queryKey: ["rules", "evidence", ruleId, projectId],
      queryFn: () => call("memory:semantic:evidence", { ruleId, projectId }).then(({ episodes }) => episodes),
    }),
  versions: (ruleId: string) =>
    queryOptions({
      queryKey: ["rules", "versions", ruleId],
      queryFn: () => call("memory:semantic:history", { ruleId }).then(({ versions }) => versions),
    }),
  /** Progress or end of the last measurement. Filled by events only. */
  measuring: () =>
    queryOptions({
      queryKey: ["measuring"],
      queryFn: (): MeasureProgress | null => null,
      initialData: null as MeasureProgress | null,
      staleTime: Infinity,
    }),
  trace: (projectId: string, generationId: string) =>
    queryOptions({
      queryKey: ["traces", projectId, generationId],
      queryFn: () => call("memory:trace:get", { projectId, generationId }),
    }),
  /** The providers, and the model of each purpose. */
  models: () => queryOptions({ queryKey: ["models"], queryFn: () => call("ai:provider:list", {}) }),
  /** The models of the local Ollama; `null`: not running. */
  found: () =>
    queryOptions({
      queryKey: ["found"],
      queryFn: () => call("ai:provider:find", {}).then(({ models }) => models),
      staleTime: 0,
    }),
  /** The models a provider offers. Queried only while the writer chooses. */
  served: (providerId: string) =>
    queryOptions({
      queryKey: ["served", providerId],
      queryFn: () => call("ai:provider:models", { providerId }).then(({ models }) => models),
      staleTime: 60_000,
      retry: false,
    }),
  usage: () => queryOptions({ queryKey: ["usage"], queryFn: () => call("ai:usage:get", {}), staleTime: 0 }),
  status: () =>
    queryOptions({
      queryKey: ["status"],
      queryFn: () => call("memory:status", {}),
      refetchInterval: ({ state }) =>
        state.status === "error" || state.data?.degraded ? DEGRADED_POLL_MS : HEALTHY_POLL_MS,
    }),
  /**
   * Past passages for the memory panel: the best matches of `queryText`, or the newest if it is empty. `sceneType`
   * filters. `isWide`: as many matches as one answer can have.
   */
  past: (projectId: string, queryText: string, sceneType: string | null, isWide = false) =>
    queryOptions({
      queryKey: ["episodes", projectId, "cards", queryText, sceneType, isWide],
      queryFn: () =>
        searchPast(projectId, CARD_FIELDS, {
          queryText: queryText || null,
          sceneType,
          limit: queryText === "" || isWide ? MAX_SEARCHED : MAX_MATCHES,
        }),
      placeholderData: keepPreviousData,
    }),
  /** The entries of a journal in pages, latest first. `kind`: of one kind alone. */
  journal: (projectId: string, kind: JournalKind | null) =>
    infiniteQueryOptions({
      queryKey: ["journal", projectId, "list", kind],
      queryFn: ({ pageParam }) => call("journal:list", { projectId, kind, before: pageParam, limit: ENTRIES_AT_ONCE }),
      initialPageParam: null as string | null,
      getNextPageParam: (page) => (page.hasMore ? (page.entries.at(-1)?.id ?? null) : null),
      placeholderData: keepPreviousData,
    }),
  /** The entries of a journal that match `query`, best first. */
  foundEntries: (projectId: string, query: string, kind: JournalKind | null) =>
    queryOptions({
      queryKey: ["journal", projectId, "found", query, kind],
      queryFn: () => call("journal:recall", { projectId, query, kind, topK: MAX_FOUND_ENTRIES }),
      placeholderData: keepPreviousData,
    }),
  /** Whether the chain of a journal is whole. */
  journalCheck: (projectId: string) =>
    queryOptions({
      queryKey: ["journal", projectId, "check"],
      queryFn: () => call("journal:verify", { projectId }),
    }),
  /** The questions that the journal of a book has, latest first. */
  askHistory: (projectId: string) =>
    queryOptions({
      queryKey: ["journal", projectId, "asked"],
      queryFn: () => call("ask:history", { projectId, limit: MAX_ASKED_BEFORE }),
    }),
  /** Past passages for the search in the book: the best matches of `queryText`. The card of each is in `past`. */
  pastMatches: (projectId: string, queryText: string) =>
    queryOptions({
      queryKey: ["episodes", projectId, "matches", queryText],
      queryFn: () => searchPast(projectId, MATCH_FIELDS, { queryText, limit: MAX_MATCHES }),
      placeholderData: keepPreviousData,
    }),
  /** Passages of the manuscript for the search in the book: the closest to `queryText` in words and meaning. */
  alikePassages: (projectId: string, queryText: string) =>
    queryOptions({
      queryKey: ["story", projectId, "alike", queryText],
      queryFn: () => call("story:find", { projectId, queryText, limit: 2 * MAX_MATCHES }),
      placeholderData: keepPreviousData,
    }),
  /** How far the book is analyzed. */
  analysis: (projectId: string) =>
    queryOptions({
      queryKey: ["story", projectId, "status"],
      queryFn: () => call("story:status", { projectId }),
      placeholderData: keepPreviousData,
    }),
  /** Progress of the current analysis, `null` without one. Filled by events only. */
  analyzing: (projectId: string) =>
    queryOptions({
      queryKey: ["analyzing", projectId],
      queryFn: (): AnalysisProgress | null => null,
      initialData: null as AnalysisProgress | null,
      staleTime: Infinity,
    }),
  /** The entities of a book as of a position; `null`: of the whole book. */
  entities: (projectId: string, at: Position | null) =>
    queryOptions({
      queryKey: ["story", projectId, "entities", at],
      queryFn: () => call("story:entity:list", { projectId, at }),
      placeholderData: keepPreviousData,
      gcTime: AS_OF_KEPT_MS,
      // Without the text the list has the writer's word alone, until the file can be read again.
      refetchInterval: ({ state }) => (state.data?.degraded ? DEGRADED_RETRY_MS : false),
    }),
  /** The card of an entity as of a position; `null`: of the whole book. */
  card: (projectId: string, entityId: string, at: Position | null) =>
    queryOptions({
      queryKey: ["story", projectId, "card", entityId, at],
      queryFn: () => call("story:entity:get", { projectId, entityId, at }),
      placeholderData: keepPreviousData,
      gcTime: AS_OF_KEPT_MS,
    }),
  /** The threads of a book as of a position; `null`: of the whole book. */
  threads: (projectId: string, at: Position | null) =>
    queryOptions({
      queryKey: ["story", projectId, "threads", at],
      queryFn: () => call("story:threads", { projectId, at }),
      placeholderData: keepPreviousData,
      gcTime: AS_OF_KEPT_MS,
    }),
  /** The events of a book as of a position; `null`: of the whole book. */
  events: (projectId: string, at: Position | null) =>
    queryOptions({
      queryKey: ["story", projectId, "events", at],
      queryFn: () => call("story:events", { projectId, at }).then(({ events }) => events),
      placeholderData: keepPreviousData,
      gcTime: AS_OF_KEPT_MS,
    }),
  /** The changes of an entity and of its facts. */
  storyHistory: (projectId: string, entityId: string) =>
    queryOptions({
      queryKey: ["story", projectId, "history", entityId],
      queryFn: () => call("story:history", { projectId, entityId }),
    }),
  /** Who and what is named around a position. */
  presence: (projectId: string, at: Position) =>
    queryOptions({
      queryKey: ["story", projectId, "presence", at],
      queryFn: () => call("story:at", { projectId, at }),
      gcTime: AS_OF_KEPT_MS,
    }),
  /** The mentions of an entity as of a position, page by page. */
  mentions: (projectId: string, entityId: string, at: Position | null) =>
    infiniteQueryOptions({
      queryKey: ["story", projectId, "mentions", entityId, at],
      queryFn: ({ pageParam: skip }) =>
        call("story:mentions", { projectId, entityId, at, skip, limit: MENTIONS_AT_ONCE }),
      initialPageParam: 0,
      getNextPageParam: ({ total }, pages) => {
        const listed = pages.reduce((sum, { mentions }) => sum + mentions.length, 0);
        return listed < total ? listed : undefined;
      },
      placeholderData: keepPreviousData,
      gcTime: AS_OF_KEPT_MS,
    }),
  /**
   * Skills in the order of use for a scene type. Queried once per chapter and scene, so the order does not change while
   * the writer works.
   */
  skillOrder: (projectId: string, chapterId: string, sceneType: string | null) =>
    queryOptions({
      queryKey: ["skillOrder", projectId, chapterId, sceneType],
      queryFn: () => call("memory:skills:order", { projectId, sceneType }).then(({ skills }) => skills),
      staleTime: 0,
      placeholderData: keepPreviousData,
    }),
  /** Computed from the chapters on each visit: there is no event for it. */
  style: (projectId: string) =>
    queryOptions({
      queryKey: ["style", projectId],
      queryFn: () => call("project:style", { projectId }),
      gcTime: 0,
      staleTime: 0,
    }),
  names: (projectId: string) =>
    queryOptions({ queryKey: ["names", projectId], queryFn: () => call("memory:names:list", { projectId }) }),
  /** Forms of hidden names that occur in the book. Refetched when the names change. */
  nameForms: (projectId: string) =>
    queryOptions({
      queryKey: ["names", projectId, "forms"],
      queryFn: () => call("memory:names:suggest", { projectId }).then(({ forms }) => forms),
    }),
  backups: () =>
    queryOptions({
      queryKey: ["backups"],
      queryFn: () => call("memory:backup:list", {}).then(({ backups }) => backups),
    }),
  clearings: () =>
    queryOptions({
      queryKey: ["clearings"],
      queryFn: () => call("memory:clear:log", {}).then(({ clearings }) => clearings),
    }),
  /** Totals over all books, shown before everything is cleared. */
  whole: () => queryOptions({ queryKey: ["rules", "whole"], queryFn: countTotals }),
};

export interface Totals {
  episodes: number;
  globalRules: number;
  bookRules: number;
  books: number;
}

async function countTotals(): Promise<Totals> {
  const [everywhere, { projects }] = await Promise.all([call("memory:semantic:list", {}), call("project:list", {})]);
  const own = await Promise.all(
    projects.map(({ projectId }) => call("memory:semantic:list", { projectId, scope: "project" })),
  );
  return {
    episodes: everywhere.episodesRecorded,
    globalRules: everywhere.rules.length,
    bookRules: own.reduce((sum, { rules }) => sum + rules.length, 0),
    books: projects.length,
  };
}
