import type { Answer } from "../../backend";
import type { AskedQuestion } from "./session";

/** The questions of a book, latest first, each once: those that left no answer since the start, and those of kept answers. */
export function earlierQuestions(asked: readonly AskedQuestion[], answers: readonly Answer[]): AskedQuestion[] {
  const kept = answers
    .filter(({ origin }) => origin === "asked")
    .map(({ question, createdAt }) => ({ question, askedAt: createdAt }));
  const all = [...asked, ...kept].toSorted((a, b) => Date.parse(b.askedAt) - Date.parse(a.askedAt));
  const seen = new Set<string>();
  return all.filter(({ question }) => !seen.has(question) && seen.add(question));
}
