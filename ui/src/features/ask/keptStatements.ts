import type { Answer, AskStatement } from "../../backend";

/** The entry of the metadata of an answer with its statements. */
const ENTRY = "statements";

interface Entry {
  /** In UTF-16 code units; `null`: the writer has edited its words. */
  from: number | null;
  length: number;
  /** Numbers of the citations of the answer, from 1. */
  citations: number[];
}

const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0;

function isEntry(value: unknown): value is Entry {
  if (typeof value !== "object" || value === null) return false;
  const { from, length, citations } = value as Record<string, unknown>;
  return (from === null || isCount(from)) && isCount(length) && Array.isArray(citations) && citations.every(isCount);
}

/**
 * The statements of a kept answer that still have their words, in order, each with the numbers among `passages`.
 * `null`: the answer has no record of them, or an unreadable one.
 */
export function statementsOfKept(
  { answer, details }: Pick<Answer, "answer" | "details">,
  passages: readonly number[],
): AskStatement[] | null {
  const entry = details.metadata?.[ENTRY];
  if (entry === undefined) return null;
  let entries: unknown;
  try {
    entries = JSON.parse(entry);
  } catch {
    return null;
  }
  if (!Array.isArray(entries) || !entries.every(isEntry)) return null;
  let at = 0;
  return entries.flatMap(({ from, length, citations }) => {
    if (from === null || from < at || from + length > answer.length) return [];
    at = from + length;
    const numbers = citations.filter((number) => passages.includes(number));
    return { from, to: at, status: "verified" as const, citations: numbers };
  });
}
