import { keepPreviousData, QueryClient, queryOptions } from "@tanstack/react-query";
import type { MeasureProgress, RunProgress, Settings, Status, Topic } from "./bindings.gen";
import { BackendError, call, listen, watchCalls } from "./host";

/** Every query's key begins with the tag by which `memory:changed` names it. */
type Tag = Topic | "chapters" | "status" | "clearings" | "learning" | "measuring";

/** Milliseconds until the health of the memory is asked again: while all is well, and while something is missing. */
const HEALTHY_POLL_MS = 60_000;
const DEGRADED_POLL_MS = 5_000;
/** What is read from one of the two files, and so has another answer once a file is there again, or gone. */
const FROM_FILES: Tag[] = [
  "rules",
  "episodes",
  "traces",
  "names",
  "backups",
  "clearings",
  "models",
  "usage",
  "projects",
];
/** Errors after which the health of the memory is asked at once. */
const DEGRADED_CODES = new Set(["MEMORY_STORE_UNAVAILABLE", "MEMORY_WRITE_FAILED", "MEMORY_CLEANUP_FAILED"]);

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Infinity,
        refetchOnWindowFocus: false,
        // The backend is in this machine; only "too many at once" is worth another try.
        retry: (count, error) => error instanceof BackendError && error.code === "MEMORY_BACKPRESSURE" && count < 3,
        networkMode: "always",
      },
      mutations: { networkMode: "always" },
    },
  });
}

/** Refreshes what the backend says has changed. */
export async function subscribeToChanges(client: QueryClient): Promise<() => void> {
  const refresh = (tag: Tag, ...rest: string[]) => client.invalidateQueries({ queryKey: [tag, ...rest] });
  const stops = await Promise.all([
    watchHealth(client),
    listen("memory:changed", ({ what }) => {
      for (const tag of what) void refresh(tag);
      void refresh("status");
      if (what.includes("episodes")) void refresh("rules"); // the count of episodes is told with the rules
      if (what.includes("episodes") || what.includes("backups")) void refresh("clearings");
    }),
    listen("memory:distill:progress", (progress) => {
      const isDone = progress.stage === "done";
      client.setQueryData(queries.learning().queryKey, isDone ? null : progress);
      // A run that changed nothing tells of no change, and yet it is one more.
      if (isDone) void refresh("rules");
    }),
    listen("memory:trace:progress", (progress) => client.setQueryData(queries.measuring().queryKey, progress)),
    listen("memory:maintenance:failed", () => void refresh("status")),
    listen("memory:maintenance:done", () => void refresh("status")),
    listen("ai:skill:done", () => void refresh("usage")),
    listen("project:changed", ({ projectId }) => void refresh("chapters", projectId)),
  ]);
  return () => stops.forEach((stop) => stop());
}

/** Asks how the memory is whenever something could not be read or written, and reads everything again when it heals. */
function watchHealth(client: QueryClient): () => void {
  const { queryKey } = queries.status();
  const stopWatchingCalls = watchCalls(({ name, error, answer }) => {
    if (name === "memory:status") return;
    const isDegraded = error ? DEGRADED_CODES.has(error.code) : isDegradedAnswer(answer);
    // What is known to be ill is asked about often enough.
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

/** Tells when the past can be asked again after it could not. */
export function watchEpisodesRestored(client: QueryClient, onBack: () => void): () => void {
  let down = false;
  return client.getQueryCache().subscribe(({ type, query }) => {
    if (type !== "updated" || query.queryKey[0] !== "status" || query.state.status !== "success") return;
    const was = down;
    down = (query.state.data as Status).parts.some(({ part, state }) => part === "episodes" && state === "unavailable");
    if (was && !down) onBack();
  });
}

/** Whether an answer says of itself that a part of the memory could not be asked for it. */
function isDegradedAnswer(answer: unknown): boolean {
  if (typeof answer !== "object" || answer === null) return false;
  const { degraded, memoryDegraded, degradedReason } = answer as {
    degraded?: boolean;
    memoryDegraded?: boolean;
    degradedReason?: string | null;
  };
  return degraded === true || memoryDegraded === true || Boolean(degradedReason);
}

/** What was never set is as the system has it. */
export const wholeSettings = (settings: Settings): Required<Settings> => ({
  interfaceLanguage: "system",
  theme: "system",
  lastProjectId: null,
  ...settings,
});

export const queries = {
  settings: () =>
    queryOptions({ queryKey: ["settings"], queryFn: async () => wholeSettings(await call("settings:get", {})) }),
  projects: () => queryOptions({ queryKey: ["projects"], queryFn: () => call("project:list", {}) }),
  chapters: (projectId: string) =>
    queryOptions({
      queryKey: ["chapters", projectId],
      queryFn: () => call("chapter:list", { projectId }).then(({ chapters }) => chapters),
    }),
  /** All rules that hold in this book: its own and the global ones. Without a book, the global ones. */
  rules: (projectId: string | null) =>
    queryOptions({
      queryKey: ["rules", projectId],
      queryFn: () => call("memory:semantic:list", projectId ? { projectId } : {}),
    }),
  /** How far a run of learning has come; `null` while none tells of itself. Only ever told, never asked for. */
  learning: () =>
    queryOptions({
      queryKey: ["learning"],
      queryFn: (): RunProgress | null => null,
      initialData: null as RunProgress | null,
      staleTime: Infinity,
    }),
  /** The latest runs of learning over this book and over all, the newest first. */
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
  /** The episodes of a book that bear on a rule, with what stood and what stands now. */
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
  /** How far the last measurement of a generation has come, or how it ended. Only ever told, never asked for. */
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
  /** The providers, and which model serves which purpose. */
  models: () => queryOptions({ queryKey: ["models"], queryFn: () => call("ai:provider:list", {}) }),
  /** The models that Ollama has on this machine; null when it is not there. */
  found: () =>
    queryOptions({
      queryKey: ["found"],
      queryFn: () => call("ai:provider:find", {}).then(({ models }) => models),
      staleTime: 0,
    }),
  /** What a provider says it has. Asked for only when somebody wants to choose. */
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
  /** Episodes that bear on what is looked for; without anything to look for, the latest. */
  episodes: (projectId: string, queryText: string, sceneType: string | null) =>
    queryOptions({
      queryKey: ["episodes", projectId, queryText, sceneType],
      queryFn: () => call("memory:episode:query", { projectId, queryText: queryText || null, sceneType, limit: 50 }),
      placeholderData: keepPreviousData,
    }),
  /** The skills as they are best offered in a kind of scene. Asked when the writer comes there: it does not change under the hand. */
  skillOrder: (projectId: string, chapterId: string, sceneType: string | null) =>
    queryOptions({
      queryKey: ["skillOrder", projectId, chapterId, sceneType],
      queryFn: () => call("memory:skills:order", { projectId, sceneType }).then(({ skills }) => skills),
      staleTime: 0,
      placeholderData: keepPreviousData,
    }),
  /** Read out of the chapters each time it is looked at: nobody tells when they have changed. */
  style: (projectId: string) =>
    queryOptions({
      queryKey: ["style", projectId],
      queryFn: () => call("project:style", { projectId }),
      gcTime: 0,
      staleTime: 0,
    }),
  names: (projectId: string) =>
    queryOptions({ queryKey: ["names", projectId], queryFn: () => call("memory:names:list", { projectId }) }),
  /** Forms of the hidden names that stand in the book. Read again with each change of the names. */
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
  /** How much there is in all books together, so that it can be said before it is cleared. */
  whole: () => queryOptions({ queryKey: ["rules", "whole"], queryFn: countWhole }),
};

export interface Whole {
  episodes: number;
  globalRules: number;
  bookRules: number;
  books: number;
}

async function countWhole(): Promise<Whole> {
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
