import { queryOptions } from "@tanstack/react-query";
import { call } from "./host";

/** Learning records that are listed below the story. */
const MAX_RECORDS = 12;

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
  /** The latest learning records of a book, with the facts that they propose. */
  records: (projectId: string) =>
    queryOptions({
      queryKey: ["knowledge", projectId, "records"],
      queryFn: () => call("knowledge:record:list", { projectId, limit: MAX_RECORDS }),
    }),
  /** The questions of a study: queued ones in their order, then the others, latest first. */
  studyQuestions: (projectId: string) =>
    queryOptions({
      queryKey: ["knowledge", projectId, "questions"],
      queryFn: () => call("knowledge:question:list", { projectId }).then(({ questions }) => questions),
    }),
};
