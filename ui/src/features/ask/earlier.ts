import type { Answer, AskHistory, EarlierQuestion } from "../../backend";
import type { AskedQuestion } from "./session";

/** The end of a question that the journal has not as a whole. */
const CUT = "…";

const inOneLine = (text: string) => text.trim().replaceAll(/\s+/g, " ");

/** Whether `question` is one that was asked, which the journal has in one line and perhaps cut. */
function isSame(question: string, listed: string): boolean {
  const asked = inOneLine(question);
  return asked === listed || (listed.endsWith(CUT) && asked.startsWith(listed.slice(0, -CUT.length).trimEnd()));
}

/**
 * The questions of a book, latest first, each once: those of its journal, those of kept answers, and those that were
 * asked since the start. While a journal is kept, it alone says which of the latter there are: one whose entry was
 * redacted is not listed. `undefined`: the journal cannot be read.
 */
export function earlierQuestions(
  asked: readonly AskedQuestion[],
  answers: readonly Answer[],
  history?: AskHistory,
): EarlierQuestion[] {
  const listed = history?.questions ?? [];
  const unwritten = asked.filter(({ isWritten }) => !(isWritten && history?.isJournalKept));
  const kept = answers.filter(({ origin }) => origin === "asked");
  const others = [
    ...unwritten.map(({ question, askedAt }) => ({ question, askedAt, isInterrupted: false })),
    ...kept.map(({ question, createdAt }) => ({ question, askedAt: createdAt, isInterrupted: false })),
  ].toSorted((a, b) => Date.parse(b.askedAt) - Date.parse(a.askedAt));
  const all = [...listed];
  for (const other of others) if (!all.some(({ question }) => isSame(other.question, question))) all.push(other);
  return all.toSorted((a, b) => Date.parse(b.askedAt) - Date.parse(a.askedAt));
}
