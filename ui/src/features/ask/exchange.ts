import {
  BackendError,
  type Answer,
  type AnswerKind,
  type AnswerMatch,
  type Answered,
  type AskChunk,
  type AskCitation,
  type AskDone,
  type AskedOf,
  type AskStarted,
  type AskStatement,
  type AskStep,
  type DegradedCode,
} from "../../backend";
import { withoutNumbers } from "./segments";

/** A question as it is asked. */
export interface Request {
  question: string;
  /** The words of the text that it is about; `null`: none. */
  selection: string | null;
  /** Whether only the passages are wanted. */
  onlyBook: boolean;
  /** Id of the program that is asked; `null`: the model. */
  backendId: string | null;
}

/** A question, its run and its answer. */
export interface Exchange {
  request: Request;
  /** `served`: a kept answer was shown, and nothing was sent. */
  state: "asking" | "answering" | "served" | "finished" | "cancelled" | "failed";
  /** `null` until the run has started. */
  runId: string | null;
  askedOf: AskedOf | null;
  kind: AnswerKind | null;
  served: Answer | null;
  /** Whether the writer took the served answer. */
  isTaken: boolean;
  /** Answers to nearly the same question. */
  nearly: AnswerMatch[];
  /** Codes of the parts of the memory that were unavailable. */
  degraded: readonly DegradedCode[];
  steps: AskStep[];
  text: string;
  statements: AskStatement[];
  citations: AskCitation[];
  /** The outcome; `null` while it is under way. */
  answered: Answered | null;
  error: BackendError | null;
}

export const asked = (request: Request): Exchange => ({
  request,
  state: "asking",
  runId: null,
  askedOf: null,
  kind: null,
  served: null,
  isTaken: false,
  nearly: [],
  degraded: [],
  steps: [],
  text: "",
  statements: [],
  citations: [],
  answered: null,
  error: null,
});

/** A kept answer that is shown without a question. */
export const ofKept = (answer: Answer): Exchange => ({
  ...asked({ question: answer.question, selection: null, onlyBook: false, backendId: null }),
  state: "served",
  askedOf: { kind: "kept" },
  kind: answer.kind,
  served: answer,
  isTaken: true,
});

export const isUnderWay = (exchange: Exchange | null): boolean =>
  exchange?.state === "asking" || exchange?.state === "answering";

export function withStart(exchange: Exchange, started: AskStarted): Exchange {
  const { runId, askedOf, kind, served, nearly, degradedReasons } = started;
  return {
    ...exchange,
    state: askedOf.kind === "kept" ? "served" : "answering",
    runId,
    askedOf,
    kind,
    served,
    nearly,
    degraded: degradedReasons.map(({ code }) => code),
  };
}

/** A step replaces the one with its number. */
export function withStep(exchange: Exchange, step: AskStep): Exchange {
  const others = exchange.steps.filter(({ number }) => number !== step.number);
  return { ...exchange, steps: [...others, step].toSorted((a, b) => a.number - b.number) };
}

export function withChunks(exchange: Exchange, chunks: readonly AskChunk[]): Exchange {
  const citations = chunks.flatMap((chunk) => chunk.citations);
  return {
    ...exchange,
    text: exchange.text + chunks.map(({ text }) => text).join(""),
    statements: [...exchange.statements, ...chunks.flatMap(({ statements }) => statements)],
    // The same array while there is no new citation, so that the passages in the text are not searched again.
    citations: citations.length > 0 ? [...exchange.citations, ...citations] : exchange.citations,
  };
}

/** The end has the answer without words that a program wrote between its tools. A failure without words keeps those that came. */
export function withEnd(exchange: Exchange, { status, answered, error }: AskDone): Exchange {
  const isWhole = answered.text !== "" || exchange.text === "";
  return {
    ...exchange,
    state: status,
    answered,
    degraded: answered.degradedReasons.map(({ code }) => code),
    error: error ? new BackendError(error) : null,
    ...(isWhole && { text: answered.text, statements: answered.statements, citations: answered.citations }),
  };
}

/** The kept answer that is shown: what was served, or what this run left. */
export const keptOf = (exchange: Exchange): Answer | null => exchange.served ?? exchange.answered?.kept ?? null;

/** The numbered passages of an exchange that the book still has. */
export function passagesOf({ served, answered, citations }: Exchange): AskCitation[] {
  if (served)
    return served.citations.flatMap(({ chapterId, from, to, quote, status }, index) =>
      status === "changed" || status === "gone" ? [] : [{ number: index + 1, chapterId, from, to, quote }],
    );
  return answered && answered.passages.length > 0 ? answered.passages : citations;
}

/** The numbered passages of a kept answer that the book has lost. */
export const lostOf = ({ served }: Exchange): AskCitation[] =>
  (served?.citations ?? []).flatMap(({ chapterId, from, to, quote, status }, index) =>
    status === "changed" || status === "gone" ? [{ number: index + 1, chapterId, from, to, quote }] : [],
  );

/** The text of an answer without its struck statements and without numbers of passages. */
export function soundText({ served, text, statements }: Exchange): string {
  if (served) return withoutNumbers(served.answer, served.citations.length);
  let sound = "";
  let at = 0;
  for (const { from, to, status } of statements) {
    if (status !== "unverified") continue;
    sound += text.slice(at, from).replace(/[ \t]+$/, sound === "" ? "" : " ");
    at = to;
  }
  return (sound + text.slice(at)).replaceAll(/ {2,}/g, " ").trim();
}
