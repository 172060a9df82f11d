import type { Episode, EpisodeDraft, ImplicitSignal } from "../bindings.gen";

/** The edit distance between the taken candidate and the final text, 0..1; `null` if all were rejected. */
export function editDistance({ candidates, selectedIndex, finalText }: EpisodeDraft): number | null {
  const taken = candidates[selectedIndex];
  if (taken === undefined) return null;
  const [from, to] = [[...taken], [...finalText]];
  let row = to.map((_, at) => at + 1);
  from.forEach((unit, line) => {
    let diagonal = line;
    let left = line + 1;
    row = row.map((above, at) => {
      left = Math.min(above + 1, left + 1, diagonal + (unit === to[at] ? 0 : 1));
      diagonal = above;
      return left;
    });
  });
  return Math.max(from.length, to.length) === 0 ? 0 : (row.at(-1) ?? from.length) / Math.max(from.length, to.length);
}

/** The signal of an edit distance, with its weight. */
function signalOf(distance: number | null): [ImplicitSignal, number] {
  if (distance === null) return ["strongNegative", -1];
  if (distance === 0) return ["strongPositive", 1];
  if (distance < 0.2) return ["weakPositive", 0.5];
  return distance > 0.6 ? ["weakNegative", -0.5] : ["neutral", 0];
}

/** An episode right after it was recorded. */
export function episodeOf(now: string, id: string, draft: EpisodeDraft): Episode {
  const distance = editDistance(draft);
  const [implicit, implicitWeight] = signalOf(distance);
  return {
    id,
    projectId: draft.projectId,
    chapterId: draft.chapterId,
    scope: "project",
    version: 1,
    createdAt: now,
    skillUsed: draft.skillUsed,
    sceneType: draft.sceneType ?? null,
    inputContext: draft.inputContext,
    candidates: draft.candidates,
    selectedIndex: draft.selectedIndex,
    finalText: draft.finalText,
    explicit: draft.explicit ?? null,
    implicit,
    implicitWeight,
    editDistance: distance,
    importance: 0.2,
    recallCount: 0,
    lastRecalledAt: null,
    userConfirmed: false,
    compressed: false,
    summary: null,
    generationId: draft.generationId ?? null,
  };
}
