import { QueryClient, queryOptions } from "@tanstack/react-query";
import type { Settings, Topic } from "./bindings.gen";
import { BackendError, call, listen } from "./host";

/** Every query's key begins with the tag by which `memory:changed` names it. */
type Tag = Topic | "chapters" | "status";

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
export async function followChanges(client: QueryClient): Promise<() => void> {
  const refresh = (tag: Tag, ...rest: string[]) => client.invalidateQueries({ queryKey: [tag, ...rest] });
  const stops = await Promise.all([
    listen("memory:changed", ({ what }) => {
      for (const tag of what) void refresh(tag);
      void refresh("status");
      if (what.includes("episodes")) void refresh("rules"); // the count of episodes is told with the rules
    }),
    listen("ai:skill:done", () => void refresh("usage")),
    listen("project:changed", ({ projectId }) => void refresh("chapters", projectId)),
  ]);
  return () => stops.forEach((stop) => stop());
}

/** What was never set is as the system has it. */
export const wholeSettings = (settings: Settings): Required<Settings> => ({ interfaceLanguage: "system", theme: "system", lastProjectId: null, ...settings });

export const queries = {
  settings: () => queryOptions({ queryKey: ["settings"], queryFn: async () => wholeSettings(await call("settings:get", {})) }),
  projects: () => queryOptions({ queryKey: ["projects"], queryFn: () => call("project:list", {}) }),
  chapters: (projectId: string) =>
    queryOptions({ queryKey: ["chapters", projectId], queryFn: () => call("chapter:list", { projectId }).then(({ chapters }) => chapters) }),
  /** All rules that hold in this book: its own and the global ones. */
  rules: (projectId: string) => queryOptions({ queryKey: ["rules", projectId], queryFn: () => call("memory:semantic:list", { projectId }) }),
  trace: (projectId: string, generationId: string) =>
    queryOptions({ queryKey: ["traces", projectId, generationId], queryFn: () => call("memory:trace:get", { projectId, generationId }) }),
  /** The providers, and which model serves which purpose. */
  models: () => queryOptions({ queryKey: ["models"], queryFn: () => call("ai:provider:list", {}) }),
  /** The models that Ollama has on this machine; null when it is not there. */
  found: () => queryOptions({ queryKey: ["found"], queryFn: () => call("ai:provider:find", {}).then(({ models }) => models), staleTime: 0 }),
  /** What a provider says it has. Asked for only when somebody wants to choose. */
  served: (providerId: string) =>
    queryOptions({ queryKey: ["served", providerId], queryFn: () => call("ai:provider:models", { providerId }).then(({ models }) => models), staleTime: 60_000, retry: false }),
  usage: () => queryOptions({ queryKey: ["usage"], queryFn: () => call("ai:usage:get", {}), staleTime: 0 }),
  status: () => queryOptions({ queryKey: ["status"], queryFn: () => call("memory:status", {}), refetchInterval: 60_000 }),
};
