import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { AnswerFilter, AnswerKind } from "./bindings.gen";
import { call } from "./host";

/** Answers of one page. */
const ANSWERS_AT_ONCE = 50;
/** Answers whose questions are listed as asked before; the wire's maximum. */
export const MAX_ASKED_BEFORE = 200;

/** The answers of a book, their settings, and those of the team's service. */
export const answerQueries = {
  answerService: () =>
    queryOptions({ queryKey: ["settings", "answerService"], queryFn: () => call("answer:service:get", {}) }),
  answerConfig: () => queryOptions({ queryKey: ["settings", "answers"], queryFn: () => call("answer:config:get", {}) }),
  /**
   * The answers of a book in pages, latest change first: those of a filter, or those that a study found, of a kind
   * (`null`: of all), with `words`.
   */
  answers: (projectId: string, filter: AnswerFilter | "studied", kind: AnswerKind | null, words: string) =>
    infiniteQueryOptions({
      queryKey: ["answers", projectId, "list", filter, kind, words],
      queryFn: ({ pageParam: offset }) =>
        call("answer:list", {
          projectId,
          ...(filter === "studied" ? { origin: filter } : { filter }),
          kinds: kind ? [kind] : [],
          words: words || null,
          offset,
          limit: ANSWERS_AT_ONCE,
        }),
      initialPageParam: 0,
      getNextPageParam: ({ total }, pages) => {
        const listed = pages.reduce((sum, { answers }) => sum + answers.length, 0);
        return listed < total ? listed : undefined;
      },
      placeholderData: keepPreviousData,
    }),
  /**
   * The answers of the team's service to words, `null` without one. It is asked again on request alone: the key is not
   * one of those that a change of the answers here invalidates.
   */
  serviceAnswers: (projectId: string, words: string) =>
    queryOptions({
      queryKey: ["serviceAnswers", projectId, words],
      queryFn: () => call("answer:search", { projectId, query: words }).then(({ service }) => service),
      staleTime: Infinity,
      retry: false,
    }),
  /** The kept answers whose questions are listed as asked before, latest change first. */
  askedAnswers: (projectId: string) =>
    queryOptions({
      queryKey: ["answers", projectId, "asked"],
      queryFn: () => call("answer:list", { projectId, limit: MAX_ASKED_BEFORE }).then(({ answers }) => answers),
    }),
  /** An answer as it is now. */
  answer: (projectId: string, answerId: string) =>
    queryOptions({
      queryKey: ["answers", projectId, "one", answerId],
      queryFn: () => call("answer:get", { projectId, answerId }),
      retry: false,
    }),
  /** The events of an answer, latest first. */
  answerHistory: (projectId: string, answerId: string) =>
    queryOptions({
      queryKey: ["answers", projectId, "history", answerId],
      queryFn: () => call("answer:history", { projectId, answerId }).then(({ events }) => events),
    }),
  /** The sentences that are now in the places of the citations that an answer has lost. */
  answerReplacements: (projectId: string, answerId: string) =>
    queryOptions({
      queryKey: ["answers", projectId, "replacements", answerId],
      queryFn: () => call("answer:replacements", { projectId, answerId }).then(({ replacements }) => replacements),
    }),
};
