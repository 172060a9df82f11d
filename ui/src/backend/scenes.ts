import { useQuery } from "@tanstack/react-query";
import { queries } from "./queries";

/** The built-in scene types. */
export const SCENE_KEYS = ["dialogue", "action", "description", "monologue", "narration", "transition"] as const;

/** The built-in scene types, and those the writer added to chapters or rules. */
export function useScenes(projectId: string | null): string[] {
  const { data: chapters = [] } = useQuery({ ...queries.chapters(projectId ?? ""), enabled: projectId !== null });
  const { data: rules } = useQuery(queries.rules(projectId));
  const used = [...chapters, ...(rules?.rules ?? [])].flatMap(({ sceneType }) => sceneType ?? []);
  return [...new Set<string>([...SCENE_KEYS, ...used])];
}
