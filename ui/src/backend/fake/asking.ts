import type {
  Answer,
  AnswerMatch,
  AskCitation,
  AskedOf,
  AskStatement,
  AskStep,
  Answered,
  AssembledContext,
  Backend,
  Citation,
  Commands,
  DegradedReason,
  EarlierQuestion,
  Error as WireError,
  Events,
  ModelInfo,
  Provider,
  RunAsk,
  Topic,
  Trace,
} from "../bindings.gen";
import type { FakeAnswers } from "./answers";
import { ASK_SCRIPTS, PROGRAM_STEPS, type AskScript } from "./askScripts";
import { hashOf, type FakeBook } from "./projects";

type Name = "ask:run" | "ask:cancel" | "ask:history" | "ask:preview";

interface Run {
  runId: string;
  args: RunAsk;
  script: AskScript;
  /** Pieces that are not sent yet. */
  pending: (() => void)[];
  answered: Answered;
  /** Why the answer is not kept; empty: it is. */
  whyNot: string[];
}

interface Context {
  book(projectId: string): FakeBook;
  answers: FakeAnswers;
  /** The model that answers, with its provider; `null`: none can. */
  model(): { model: ModelInfo; provider: Provider } | null;
  /** The program of an id. */
  program(backendId: string): Backend;
  /** Whether the system keeps programs from reading other files. */
  isFencing(): boolean;
  /** The reasons for which the memory of a run is incomplete. */
  degraded(): DegradedReason[];
  traces: Map<string, Trace>;
  id(kind: string): string;
  now(): string;
  /** Milliseconds between two pieces; `null`: only `advance` sends them. */
  pace(): number | null;
  emit<K extends keyof Events>(event: K, payload: Events[K]): void;
}

/** Length of a piece of an answer, in UTF-16 code units. */
const PIECE = 18;
const MAX_PASSAGES = 3;
/** The share of common letters from which two questions are nearly the same. */
const NEARLY = 0.6;
const NOT_FENCED: WireError = {
  code: "MEMORY_MODEL_UNAVAILABLE",
  message: "the system has no fence for programs",
  details: { reason: "notFenced" },
};

/** Questions to fake books, by scripts: steps, streamed pieces, statements with their passages. One runs at a time. */
export class FakeAsking {
  /** The answer to the next questions; `null`: that of the sample book. */
  script: AskScript | null = null;
  /** The reason for which the answer service does not serve; `null`: it does, or there is none. */
  serviceFailure: string | null = null;
  private run: Run | null = null;
  /** The questions of each book that its journal has, latest first. */
  readonly earlier = new Map<string, EarlierQuestion[]>();
  /** Whether a journal is kept of the books. */
  isJournalKept = true;

  constructor(private readonly context: Context) {}

  readonly commands: { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "ask:history": ({ projectId, limit }) => ({
      questions: (this.earlier.get(projectId) ?? []).slice(0, limit ?? 50),
      isJournalKept: this.isJournalKept,
    }),
    "ask:preview": (args) => this.preview(args),
    "ask:run": (args) => this.start(args),
    "ask:cancel": ({ runId }) => {
      if (this.run?.runId !== runId) return { cancelled: false };
      setTimeout(() => this.end("cancelled"), 0);
      return { cancelled: true };
    },
  };

  /** Sends `pieces` more pieces, or all that are left and the end. */
  advance(pieces = Infinity): void {
    const { run } = this;
    if (!run) return;
    for (let piece = 0; piece < pieces && run.pending.length > 0; piece += 1) run.pending.shift()!();
    if (run.pending.length === 0) this.end("finished");
  }

  /** Ends the run; `error` is its cause, for `failed`. */
  end(status: "finished" | "cancelled" | "failed", error: WireError | null = null): void {
    const { run } = this;
    if (!run) return;
    this.run = null;
    const { runId, answered, args, script } = run;
    this.write(args);
    const isFinished = status === "finished";
    const millis = script.seconds === undefined && answered.text === "" ? 400 : (script.seconds ?? 11) * 1_000;
    const isOfModel = answered.generationId !== null;
    const kept = isFinished && isOfModel && run.whyNot.length === 0 ? this.keep(run) : null;
    const whyNot = isFinished && isOfModel ? run.whyNot : [];
    this.context.emit("ask:done", { runId, status, error, answered: { ...answered, millis, kept, whyNot } });
    const what: Topic[] = kept ? ["answers", "journal", "traces", "usage"] : ["journal"];
    this.context.emit("memory:changed", { projectId: args.projectId, what });
  }

  private start(args: RunAsk): Commands["ask:run"]["result"] {
    const { projectId, question } = args;
    const { language } = this.context.book(projectId).project;
    const program = args.backendId && !args.onlyBook ? this.context.program(args.backendId) : null;
    const usual = ASK_SCRIPTS[language];
    const script = this.script ?? (program ? { ...usual, steps: PROGRAM_STEPS } : usual);
    const unkept = this.context.degraded();
    const { served, nearly } = unkept.length > 0 ? { served: null, nearly: [] } : this.known(args);
    // Asked only where no kept answer is served, of the whole book, and not by the book alone.
    const isServiceAsked = !served && !args.onlyBook && args.at == null;
    const degradedReasons = [...unkept, ...(isServiceAsked ? this.unreached : [])];
    const runId = this.context.id("ask");
    const answering = args.onlyBook ? null : program ? ofProgram(program) : ofModel(this.context.model());
    const started = {
      runId,
      kind: args.kind ?? script.kind ?? "canon",
      injected: 0,
      memoryDegraded: degradedReasons.length > 0,
      degradedReasons,
    };
    const isServed = served !== null && !args.onlyBook && !args.fresh;
    if (isServed) {
      this.write(args);
      return { ...started, kind: served.kind, askedOf: { kind: "kept" }, served, nearly };
    }
    const run: Run = {
      runId,
      args,
      script,
      pending: [],
      whyNot: unkept.length > 0 ? ["unstored"] : (script.whyNot ?? []),
      answered: {
        text: "",
        statements: [],
        citations: [],
        notInBook: script.notInBook ?? false,
        isOtherLanguage: script.isOtherLanguage ?? false,
        lookedAt: this.lookedAt(args, script),
        unanswerable: script.unanswerable ?? null,
        passages: [],
        kept: null,
        whyNot: [],
        degradedReasons,
        generationId: null,
        rounds: 0,
        steps: 0,
        millis: 0,
      },
    };
    this.run = run;
    const isRefused = program !== null && args.at != null && !args.isUnfencedAllowed && !this.context.isFencing();
    if (isRefused) setTimeout(() => this.end("failed", NOT_FENCED), 0);
    else run.pending = answering ? this.answering(run, answering.model, question) : this.searching(run);
    const pace = this.context.pace();
    if (pace !== null && !isRefused) this.flow(runId, pace);
    return { ...started, askedOf: answering?.askedOf ?? { kind: "book" }, served: null, nearly };
  }

  /** Writes a question into the journal. */
  private write({ projectId, question }: RunAsk): void {
    if (!this.isJournalKept) return;
    const before = (this.earlier.get(projectId) ?? []).filter((one) => one.question !== question);
    this.earlier.set(projectId, [{ question, askedAt: this.context.now(), isInterrupted: false }, ...before]);
  }

  private preview(args: RunAsk): Commands["ask:preview"]["result"] {
    const { projectId, question, selection, onlyBook, backendId } = args;
    const program = backendId && !onlyBook ? this.context.program(backendId) : null;
    const answering = onlyBook ? null : program ? ofProgram(program) : ofModel(this.context.model());
    const { served } = this.known(args);
    if (served && !onlyBook) return { askedOf: { kind: "kept" }, context: null };
    if (!answering) return { askedOf: { kind: "book" }, context: null };
    const isChinese = this.context.book(projectId).project.language === "zh";
    const about = selection ? `\n<selection>\n${selection}\n</selection>` : "";
    const context: AssembledContext = {
      messages: promptOf(question, isChinese, about),
      language: isChinese ? "zh" : "en",
      sceneType: null,
      layers: [],
      totalTokens: 1_240,
      memoryReferences: [],
      cut: [],
      memoryDegraded: false,
      degradedReasons: [],
    };
    return { askedOf: answering.askedOf, context };
  }

  private get unreached(): DegradedReason[] {
    if (this.serviceFailure === null) return [];
    return [{ code: "answerServiceUnavailable", message: this.serviceFailure }];
  }

  /** The kept answer to the same question, and those to nearly the same. */
  private known({ projectId, question, fresh }: RunAsk): { served: Answer | null; nearly: AnswerMatch[] } {
    const { matches } = this.context.answers.commands["answer:search"]({ projectId, query: question });
    const isServed = ({ answer, questionMatch }: AnswerMatch) =>
      questionMatch === "exact" && answer.status === "verified" && answer.staleness === "current";
    const served = matches.find(isServed)?.answer ?? null;
    const nearly = matches
      .filter((match) => (isServed(match) ? fresh === true : isNear(question, match.answer.question)))
      .map((match) => ({ ...match, differences: [differenceOf(question, match.answer.question)] }))
      .map((match) => (match.questionMatch === "exact" ? { ...match, differences: [] } : match));
    return { served: fresh ? null : served, nearly };
  }

  private lookedAt({ projectId, at }: RunAsk, { lookedAt }: AskScript): string[] {
    const ids = this.context.book(projectId).files.map(({ info }) => info.chapterId);
    const last = at ? ids.indexOf(at.chapterId) : ids.length - 1;
    return lookedAt?.map((index) => ids[index]!) ?? ids.slice(0, last + 1);
  }

  /** The passages of the book that bear on the question. */
  private searching(run: Run): (() => void)[] {
    const quotes = run.script.passages ?? run.script.statements.flatMap((statement) => statement.quotes ?? []);
    const found = quotes.flatMap((quote) => this.locate(run, quote) ?? []).slice(0, MAX_PASSAGES);
    const step = { kind: "book", subject: run.args.question, found: found.length, chapter: null } as const;
    return [
      () => this.step(run, 1, 0, step, "started"),
      () => {
        this.step(run, 1, 0, step, "done");
        run.answered.passages = found.map((citation, index) => ({ ...citation, number: index + 1 }));
      },
    ];
  }

  private answering(run: Run, model: ModelInfo, question: string): (() => void)[] {
    const { script, answered } = run;
    const steps = script.steps.flatMap((step, index) => [
      () => this.step(run, index + 1, step.round, step, "started"),
      () => this.step(run, index + 1, step.round, step, step.hasFailed ? "failed" : "done"),
    ]);
    answered.generationId = this.trace(run, model, question);
    const pieces = script.statements.flatMap(({ text, status, quotes = [], after = "" }) => {
      const parts = text.match(new RegExp(`[^]{1,${PIECE}}`, "g")) ?? [text];
      return parts.map((part, index) => () => {
        const isLast = index === parts.length - 1;
        const from = answered.text.length + part.length - text.length;
        const citations = isLast && status === "verified" ? this.cite(run, quotes) : { new: [], numbers: [] };
        const statement: AskStatement = {
          from,
          to: from + text.length,
          status: status === "verified" && citations.numbers.length === 0 ? "unverified" : status,
          citations: citations.numbers,
        };
        answered.text += part + (isLast ? after : "");
        if (isLast) answered.statements.push(statement);
        answered.citations.push(...citations.new);
        this.context.emit("ask:chunk", {
          runId: run.runId,
          text: part + (isLast ? after : ""),
          statements: isLast ? [statement] : [],
          citations: citations.new,
        });
      });
    });
    return [...steps, ...pieces];
  }

  private step(
    { runId, args, answered }: Run,
    number: number,
    round: number,
    { kind, subject, found, chapter }: Pick<AskScript["steps"][number], "kind" | "subject" | "found" | "chapter">,
    state: AskStep["state"],
  ): void {
    answered.steps = Math.max(answered.steps, number);
    answered.rounds = Math.max(answered.rounds, round);
    const chapterId = chapter === null ? null : this.context.book(args.projectId).files[chapter]!.info.chapterId;
    const isDone = state !== "started";
    this.context.emit("ask:step", {
      runId,
      number,
      round,
      kind,
      subject,
      found: isDone ? found : null,
      chapterId,
      state,
    });
  }

  /** Numbers of the citations of quotes, and those that are new. */
  private cite(run: Run, quotes: readonly string[]): { new: AskCitation[]; numbers: number[] } {
    const { citations } = run.answered;
    const fresh: AskCitation[] = [];
    const numbers = quotes.flatMap((quote) => {
      const known = [...citations, ...fresh].find((one) => one.quote === quote);
      if (known) return known.number;
      const found = this.locate(run, quote);
      if (!found) return [];
      fresh.push({ ...found, number: citations.length + fresh.length + 1 });
      return fresh.at(-1)!.number;
    });
    return { new: fresh, numbers };
  }

  private locate({ args }: Run, quote: string): AskCitation | null {
    for (const { info, text } of this.context.book(args.projectId).files) {
      const from = text.indexOf(quote);
      if (from >= 0) return { number: 0, chapterId: info.chapterId, from, to: from + quote.length, quote };
    }
    return null;
  }

  private keep({ args, script, answered }: Run): Answer {
    const isStruck = (at: number) =>
      answered.statements.some(({ status, from, to }) => status === "unverified" && from <= at && at < to);
    const text = [...answered.text].filter((_, at) => !isStruck(at)).join("");
    const citations = answered.citations.map(({ chapterId, from, to, quote }): Citation => ({
      chapterId,
      from,
      to,
      quote,
      quoteHash: quote,
      status: "holds",
    }));
    const kind = args.kind ?? script.kind ?? "canon";
    const { projectId, question } = args;
    return this.context.answers.add({ projectId, question, answer: text.trim(), kind, origin: "asked", citations });
  }

  private trace({ args, script }: Run, provider: ModelInfo, question: string): string {
    const generationId = this.context.id("gen");
    const { projectId, at } = args;
    const { files, project } = this.context.book(projectId);
    const isChinese = project.language === "zh";
    const [found] = script.statements.flatMap(({ quotes }) => quotes ?? []);
    const messages = promptOf(question, isChinese);
    this.context.traces.set(generationId, {
      generationId,
      projectId,
      chapterId: at?.chapterId ?? files[0]?.info.chapterId ?? "",
      skill: "ask",
      sceneType: null,
      createdAt: this.context.now(),
      provider,
      seed: 1,
      promptHash: hashOf(question),
      messages,
      totalTokens: 1_240,
      memoryReferences:
        found === undefined
          ? []
          : [
              {
                referenceId: "passage:1",
                kind: "passage",
                id: "passage-1",
                version: 1,
                layer: "retrieved",
                text: found,
                score: 0.81,
                matchedBy: ["words"],
              },
            ],
      cut: [],
      memoryDegraded: false,
      degradedReasons: [],
      feedback: [],
      influenceWeights: [],
      episodeId: null,
      outcome: null,
      blankedAt: null,
      firstTry: null,
      secondTry: null,
    });
    return generationId;
  }

  private flow(runId: string, pace: number): void {
    const next = () => {
      if (this.run?.runId !== runId) return;
      this.advance(1);
      setTimeout(next, pace);
    };
    setTimeout(next, pace);
  }
}

const promptOf = (question: string, isChinese: boolean, about = ""): Trace["messages"] => [
  {
    role: "system",
    content: isChinese ? "你回答一位小说作者关于自己的书的问题。" : "You answer a novelist’s questions.",
  },
  { role: "user", content: `<question>\n${question}\n</question>${about}` },
];

interface Answering {
  model: ModelInfo;
  askedOf: AskedOf;
}

function ofModel(chosen: { model: ModelInfo; provider: Provider } | null): Answering | null {
  if (!chosen) return null;
  const { model, provider } = chosen;
  const { host, hostname } = new URL(provider.baseUrl);
  const isLocal = hostname === "localhost" || hostname.startsWith("127.");
  return { model, askedOf: { kind: "model", model, host, isLocal } };
}

const ofProgram = ({ backendId, name, model }: Backend): Answering => ({
  model: { provider: name, model: model ?? "–", sample: false },
  askedOf: { kind: "program", backendId, name, leavesMachine: true },
});

/** Whether two different questions share most of their letters. */
function isNear(query: string, question: string): boolean {
  if (query === question) return false;
  const letters = new Set(query);
  const common = [...new Set(question)].filter((letter) => letters.has(letter)).length;
  return common / Math.max(letters.size, new Set(question).size) >= NEARLY;
}

/** Where two questions differ: what is between their common beginning and their common end. */
function differenceOf(query: string, question: string): AnswerMatch["differences"][number] {
  let start = 0;
  while (start < Math.min(query.length, question.length) && query[start] === question[start]) start += 1;
  let end = 0;
  while (
    end < Math.min(query.length, question.length) - start &&
    query[query.length - 1 - end] === question[question.length - 1 - end]
  )
    end += 1;
  return { queryFrom: start, queryTo: query.length - end, questionFrom: start, questionTo: question.length - end };
}
