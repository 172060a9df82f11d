import { useQueryClient, useMutation, useIsMutating } from "@tanstack/react-query";
import { call, queries, type ChapterInfo } from "../../backend";

/** The list with one chapter moved before another, or to the end. */
export function moved(chapters: ChapterInfo[], chapterId: string, before: string | null): ChapterInfo[] {
  const one = chapters.find((chapter) => chapter.chapterId === chapterId);
  if (!one || before === chapterId) return chapters;
  const others = chapters.filter((chapter) => chapter !== one);
  const at = before === null ? others.length : others.findIndex((chapter) => chapter.chapterId === before);
  return at < 0 ? chapters : [...others.slice(0, at), one, ...others.slice(at)];
}

/** The chapter before which one goes that moves a place up or down; undefined at the ends. */
export function neighbour(chapters: ChapterInfo[], chapterId: string, way: "up" | "down"): string | null | undefined {
  const at = chapters.findIndex((chapter) => chapter.chapterId === chapterId);
  if (at < 0 || (way === "up" ? at === 0 : at === chapters.length - 1)) return undefined;
  return way === "up" ? chapters[at - 1]!.chapterId : (chapters[at + 2]?.chapterId ?? null);
}

/** Moves chapters in the list at once, then on disk; a failure reverts the list. */
export function useOrder(projectId: string) {
  const client = useQueryClient();
  const { queryKey } = queries.chapters(projectId);
  const mutationKey = ["order", projectId];
  const move = useMutation({
    mutationKey,
    // One at a time, in the order of the key presses.
    scope: { id: mutationKey.join(":") },
    mutationFn: ({ chapterId, before }: { chapterId: string; before: string | null }) =>
      call("chapter:move", { projectId, chapterId, before }),
    onMutate: ({ chapterId, before }) => {
      client.setQueryData(queryKey, (chapters) => chapters && moved(chapters, chapterId, before));
    },
    onSuccess: ({ chapters }) => {
      if (client.isMutating({ mutationKey }) === 1) client.setQueryData(queryKey, chapters);
    },
    onError: () => client.invalidateQueries({ queryKey }),
  });
  return {
    move: (chapterId: string, before: string | null) => move.mutate({ chapterId, before }),
    error: move.error,
    isBusy: useIsMutating({ mutationKey }) > 0,
  };
}
