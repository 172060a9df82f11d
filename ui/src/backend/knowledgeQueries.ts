import { infiniteQueryOptions, keepPreviousData, queryOptions, replaceEqualDeep } from "@tanstack/react-query";
import type { StudyState } from "./bindings.gen";
import { call } from "./host";

/** Learning records that are read at once. */
const RECORDS_AT_ONCE = 12;

/** Between two comparisons a study looks for the next pair of sentences: for the writer it goes on comparing. */
function steadied(before: StudyState | undefined, now: StudyState): StudyState {
  const isBetween = before?.currentPhase === "comparing" && now.currentPhase === "checking";
  return isBetween ? { ...now, currentPhase: "comparing" } : now;
}

/** The continuity issues and the study of a book. */
export const knowledgeQueries = {
  /** Open ones in the order of the book, then resolved ones, the last verdict first. */
  continuity: (projectId: string) =>
    queryOptions({
      queryKey: ["story", projectId, "continuity"],
      queryFn: () => call("story:continuity:list", { projectId }),
    }),
  /** How far the study of a book has come. Events replace it. */
  study: (projectId: string) =>
    queryOptions({
      queryKey: ["knowledge", projectId, "study"],
      queryFn: () => call("knowledge:study:get", { projectId }),
      structuralSharing: (before, now) =>
        replaceEqualDeep(before, steadied(before as StudyState | undefined, now as StudyState)),
    }),
  /**
   * The estimated cost of a study. It counts the gaps of the book, so it is asked for again whenever it is shown, and
   * not after each step of a study.
   */
  studyEstimate: (projectId: string) =>
    queryOptions({
      queryKey: ["studyEstimate", projectId],
      queryFn: () => call("knowledge:study:estimate", { projectId }),
      staleTime: 0,
    }),
  /** The learning records of a book in pages, the newest first, with the facts that they propose. */
  records: (projectId: string) =>
    infiniteQueryOptions({
      queryKey: ["knowledge", projectId, "records"],
      queryFn: ({ pageParam: offset }) => call("knowledge:record:list", { projectId, offset, limit: RECORDS_AT_ONCE }),
      initialPageParam: 0,
      getNextPageParam: ({ total }, pages) => {
        const listed = pages.reduce((sum, { records }) => sum + records.length, 0);
        return listed < total ? listed : undefined;
      },
      placeholderData: keepPreviousData,
    }),
  /** The writer's introduction of a book. */
  background: (projectId: string) =>
    queryOptions({
      queryKey: ["knowledge", projectId, "project"],
      queryFn: () => call("knowledge:project:get", { projectId }),
    }),
  /** The writer's craft notes for all books. */
  practices: () =>
    queryOptions({
      queryKey: ["knowledge", "", "practices"],
      queryFn: () => call("knowledge:global:get", {}).then(({ bestPractices }) => bestPractices),
    }),
  /** The questions of a study: queued ones in their order, then the others, latest first. */
  studyQuestions: (projectId: string) =>
    queryOptions({
      queryKey: ["knowledge", projectId, "questions"],
      queryFn: () => call("knowledge:question:list", { projectId }).then(({ questions }) => questions),
    }),
};
