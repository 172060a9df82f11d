import type { AnswerKind, AskStepKind, Language, StatementStatus } from "../bindings.gen";

/** The steps and the answer of a scripted question. */
export interface AskScript {
  /** Default: `canon`. */
  kind?: AnswerKind;
  steps: {
    round: number;
    kind: AskStepKind;
    subject: string;
    found: number | null;
    /** Index of the chapter that was read. */
    chapter: number | null;
    hasFailed?: boolean;
  }[];
  statements: {
    text: string;
    status: StatementStatus;
    /** Words of the book; a verified statement of which none is found is unverified. */
    quotes?: string[];
    /** Text between this statement and the next. */
    after?: string;
  }[];
  notInBook?: boolean;
  /** Indexes of chapters. Default: all as far as the position. */
  lookedAt?: number[];
  /** How probable it is that the book does not say so. Default: it is not known. */
  unanswerable?: number;
  /** The passages where the book alone is asked. Default: those of the statements. */
  passages?: string[];
  /** Why the answer is not kept. Default: it is. */
  whyNot?: string[];
  /** Default: false. */
  isOtherLanguage?: boolean;
  /** Default: 11. */
  seconds?: number;
}

/** The steps of a program that reads the copy of the book, by the names of its tools. */
export const PROGRAM_STEPS: AskScript["steps"] = ["Grep", "Read", "Read"].map((subject) => ({
  round: 0,
  kind: "program",
  subject,
  found: 0,
  chapter: null,
}));

/** An answer about the sample book: three statements with their passages, a struck one, and a plain one. */
export const ASK_SCRIPTS: Record<Language, AskScript> = {
  zh: {
    steps: [
      { round: 1, kind: "need", subject: "水尺上的数是谁改的，原来的还在不在", found: null, chapter: null },
      { round: 1, kind: "journal", subject: "水尺", found: 0, chapter: null },
      { round: 1, kind: "book", subject: "水尺", found: 3, chapter: null },
      { round: 2, kind: "read", subject: "旧水尺", found: 1, chapter: 2 },
      { round: 2, kind: "read", subject: "铁皮柜", found: 1, chapter: 1 },
    ],
    statements: [
      { text: "是父亲改的，老周说的。", status: "verified", quotes: ["“这上头的数，他改过。”"] },
      {
        text: "原来的刻度还在新漆底下，比现在的高出两指。",
        status: "verified",
        quotes: ["新漆底下，浅浅地透着一行旧刻度，比现在的高出两指。"],
      },
      { text: "尺没有扔，是父亲交代的。", status: "verified", quotes: ["“你爸让我别扔。”"] },
      { text: "老周改数的那天，他也在船上。", status: "unverified" },
      { text: "为什么改，可以让簿子里的话来说。", status: "plain" },
    ],
  },
  en: {
    steps: [
      {
        round: 1,
        kind: "need",
        subject: "who changed the numbers, and if the first ones remain",
        found: null,
        chapter: null,
      },
      { round: 1, kind: "journal", subject: "gauge", found: 0, chapter: null },
      { round: 1, kind: "book", subject: "gauge", found: 3, chapter: null },
      { round: 2, kind: "read", subject: "The Old Gauge", found: 1, chapter: 2 },
      { round: 2, kind: "read", subject: "The Tin Locker", found: 1, chapter: 1 },
    ],
    statements: [
      { text: "The father did, as Zhou says.", status: "verified", quotes: ["“He changed these.”"], after: " " },
      {
        text: "The first scale still shows under the new paint, two fingers higher.",
        status: "verified",
        quotes: ["Under the new paint an older scale showed through, two fingers higher."],
        after: " ",
      },
      {
        text: "The board was kept because he asked for it.",
        status: "verified",
        quotes: ["“Your dad said not to throw it out.”"],
        after: " ",
      },
      { text: "Zhou was on the boat with him that day.", status: "unverified", after: " " },
      { text: "Why he did it, the log could say in its own words.", status: "plain" },
    ],
  },
};
