import { useQuery } from "@tanstack/react-query";
import { queries } from "./queries";

/** The kinds of scene that are there from the beginning. */
export const SCENE_KEYS = ["dialogue", "action", "description", "monologue", "narration", "transition"] as const;

/** Those, and the names that the writer has added: what a chapter or a rule of this book is said to be of. */
export function useScenes(projectId: string | null): string[] {
  const { data: chapters = [] } = useQuery({ ...queries.chapters(projectId ?? ""), enabled: projectId !== null });
  const { data: rules } = useQuery(queries.rules(projectId));
  const said = [...chapters, ...(rules?.rules ?? [])].flatMap(({ sceneType }) => sceneType ?? []);
  return [...new Set<string>([...SCENE_KEYS, ...said])];
}
