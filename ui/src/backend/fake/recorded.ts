import type { Episode, EpisodeDraft } from "../bindings.gen";

/** An episode right after it was recorded. */
export function episodeOf(now: string, id: string, draft: EpisodeDraft): Episode {
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
    implicit: "neutral",
    implicitWeight: 0,
    editDistance: null,
    importance: 0.2,
    recallCount: 0,
    lastRecalledAt: null,
    userConfirmed: false,
    compressed: false,
    summary: null,
    generationId: draft.generationId ?? null,
  };
}
