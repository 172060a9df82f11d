import type {
  Answer,
  AnswerChange,
  AnswerEventKind,
  AnswerFilter,
  AnswerMatches,
  Citation,
  CitationDraft,
  Commands,
  Language,
  Project,
  Topic,
} from "../bindings.gen";
import { FakeAnswerRuns } from "./answerRuns";
import { FakeAnswerSettings } from "./answerSettings";
import { historyOf, judged, type BareEvent } from "./answerStanding";
import { invalid, notFound, otherProject, staleVersion } from "./refusals";

type Name = Exclude<Extract<keyof Commands, `answer:${string}`>, "answer:measure" | `answer:service:${string}`>;

interface Context {
  book: (projectId: string) => { project: Project; files: readonly { info: { chapterId: string }; text: string }[] };
  /** Throws while the file of the answers cannot be read. */
  requireReadable: () => void;
  isWithoutMeaning: () => boolean;
  /** Asks the answer service, `null` without one; `isKnown`: questions that have answers here. */
  searchService: (query: string, isKnown: (question: string) => boolean) => AnswerMatches["service"];
  /** Redacts the journal entries about an answer. */
  redactJournal: (answerId: string) => void;
  id: (kind: string) => string;
  now: () => string;
  changed: (projectId: string | null, topics: Topic[]) => void;
}

/** An answer as it is stored, with its events in order. */
interface Stored {
  answer: Answer;
  /** Id of its copy for all books. */
  promotedTo?: string | null;
  events: BareEvent[];
}

/** The owner of promoted answers. */
const NO_PROJECT = "00000000-0000-0000-0000-000000000000";
const LISTED = { max: 200, usual: 50 };
const MAX_CITATIONS = 8;
const MAX_HITS = 50;
const MAX_EVENTS = 200;
/** Milliseconds. */
const DAY = 24 * 60 * 60 * 1_000;

const isLost = ({ status }: Citation) => status === "changed" || status === "gone";
const onTrial = ({ status, userConfirmed, validationLevel, trust }: Answer) =>
  status !== "blocked" && !userConfirmed && (validationLevel === 0 || (trust ?? 0) < 0.4);
const FILTERS: Record<AnswerFilter, (answer: Answer) => boolean> = {
  all: () => true,
  stale: ({ staleness }) => staleness !== "current",
  onTrial,
  blocked: ({ status }) => status === "blocked",
};

const isText = (text: string) => /[\p{L}\p{N}]/u.test(text);
/** The details of an answer that comes without any. */
const NO_DETAILS = {
  questionType: null,
  domain: null,
  tags: [],
  sourceFiles: [],
  relatedRecords: [],
  explorationPath: [],
  metadata: {},
};
/** The words of a question without what does not count, in one form. */
const keyOf = (question: string) => question.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");

const citationNotFound = {
  code: "MEMORY_CITATION_NOT_FOUND" as const,
  message: "the saved text does not have these words",
  details: { field: "citation.quote" },
};

/** The answers of fake books. Their standing is the fold of their events, as in the engine; a search compares words. */
export class FakeAnswers {
  private readonly stored: Stored[] = [];
  private readonly runs: FakeAnswerRuns;
  readonly settings = new FakeAnswerSettings(() => this.context.changed(null, ["settings", "answers"]));

  constructor(private readonly context: Context) {
    this.runs = new FakeAnswerRuns({
      search: (args) => this.search(args),
      countHit: (projectId, answerId, hit) => {
        this.find(projectId, answerId).events.push(this.event("hit", hit));
      },
      keep: (answer) => this.add(answer).answerId,
      id: context.id,
      now: context.now,
      changed: context.changed,
    });
  }

  /** Adds an answer as the engine would have it after these events. */
  add(
    answer: Pick<Answer, "projectId" | "question" | "answer"> & Partial<Answer>,
    events: (Pick<BareEvent, "kind"> & Partial<BareEvent>)[] = [],
  ): Answer {
    const at = answer.createdAt ?? this.context.now();
    const added: Answer = {
      answerId: this.context.id("answer"),
      version: 1,
      scope: answer.projectId === NO_PROJECT ? "global" : "project",
      isPromoted: false,
      kind: answer.citations?.length ? "canon" : "research",
      origin: "agent",
      language: answer.language ?? languageOf(answer.answer, this.context.book(answer.projectId).project.language),
      confidence: 0.45,
      details: NO_DETAILS,
      citations: [],
      staleness: answer.citations?.some(isLost) ? "stale" : answer.nearby ? "maybe" : "current",
      nearby: null,
      disagreesWith: [],
      ...judged(at, [], 0.5),
      createdAt: at,
      updatedAt: at,
      lastShownAt: null,
      ...answer,
    };
    const stored = { answer: added, events: events.map((event) => this.event(event.kind, event)) };
    this.stored.push(stored);
    return this.shown(stored);
  }

  /** Number of answers of a project, or with `null` of those of all books, and of those that rest on changed text. */
  countOf(projectId: string | null): { all: number; stale: number } {
    const own = this.stored.filter(({ answer }) => answer.projectId === (projectId ?? NO_PROJECT));
    return { all: own.length, stale: own.filter(({ answer }) => answer.staleness !== "current").length };
  }

  /** The answers that a study of a book found, in the order in which they came. */
  studied(projectId: string): Answer[] {
    const own = this.of(projectId).filter(({ answer }) => answer.projectId === projectId);
    return own.filter(({ answer }) => answer.origin === "studied").map((stored) => this.shown(stored));
  }

  /** Deletes the answers of a project, or with `null` of all; returns how many. */
  clear(projectId: string | null): number {
    const before = this.stored.length;
    const kept = this.stored.filter(({ answer }) => projectId !== null && answer.projectId !== projectId);
    this.stored.splice(0, before, ...kept);
    return before - kept.length;
  }

  private event(kind: AnswerEventKind, more: Partial<BareEvent> = {}): BareEvent {
    return {
      eventId: this.context.id("event"),
      at: more.at ?? this.context.now(),
      kind,
      result: null,
      signalStrength: null,
      source: null,
      runId: null,
      wasShown: false,
      wasUsed: false,
      isApplied: true,
      note: null,
      texts: null,
      citations: null,
      undoneAt: null,
      ...more,
    };
  }

  private of(projectId: string): Stored[] {
    this.context.requireReadable();
    const own = this.stored.filter(({ answer }) => answer.projectId === projectId);
    const copies = new Set(own.map(({ promotedTo }) => promotedTo));
    const others = this.stored.filter(({ answer }) => answer.projectId === NO_PROJECT && !copies.has(answer.answerId));
    return [...own, ...others];
  }

  private find(projectId: string, answerId: string, version?: number | null): Stored {
    this.context.requireReadable();
    const found = this.stored.find(({ answer }) => answer.answerId === answerId);
    if (!found) throw notFound("answerId");
    if (found.answer.projectId !== projectId && found.answer.projectId !== NO_PROJECT) throw otherProject;
    if (version != null && version !== found.answer.version) throw staleVersion(found.answer.version);
    return found;
  }

  private shown({ answer, events }: Stored): Answer {
    const verdicts = this.stored
      .filter((one) => one.answer.projectId === answer.projectId)
      .flatMap((one) => one.events)
      .filter((event) => event.kind === "validated" && event.isApplied && event.undoneAt === null)
      .filter(({ source }) => source !== "run");
    const passed = verdicts.filter(({ result }) => result === "pass").length;
    const standing = judged(answer.createdAt, events, (2 + passed) / (4 + verdicts.length));
    return { ...answer, ...standing, disagreesWith: this.disagreeing({ ...answer, ...standing }) };
  }

  /** Other answers to the same question that are in use and say something else. */
  private disagreeing(own: Answer): string[] {
    if (own.status === "blocked") return [];
    return this.stored
      .filter(({ answer }) => answer.projectId === own.projectId && answer.answerId !== own.answerId)
      .filter(({ answer }) => keyOf(answer.question) === keyOf(own.question) && answer.answer !== own.answer)
      .filter(({ answer, events }) => {
        const { status, userConfirmed } = judged(answer.createdAt, events, 0.5);
        return status !== "blocked" && !(userConfirmed && own.userConfirmed);
      })
      .map(({ answer }) => answer.answerId);
  }

  private changed(stored: Stored, event: BareEvent | null): AnswerChange {
    if (event) stored.events.push(event);
    stored.answer = { ...stored.answer, version: stored.answer.version + 1, updatedAt: this.context.now() };
    this.context.changed(stored.answer.projectId, ["answers"]);
    return { answer: this.shown(stored), eventId: event?.eventId ?? null };
  }

  private unchanged(stored: Stored): AnswerChange {
    this.context.changed(stored.answer.projectId, ["answers"]);
    return { answer: this.shown(stored), eventId: null };
  }

  private cite(projectId: string, drafts: readonly CitationDraft[]): Citation[] {
    if (drafts.length > MAX_CITATIONS) throw invalid("citations");
    return drafts.map(({ chapterId, from, quote }): Citation => {
      const file = this.context.book(projectId).files.find(({ info }) => info.chapterId === chapterId);
      if (!file) throw notFound("citation.chapterId");
      const words = quote.trim();
      const after = file.text.indexOf(words, from);
      const start = after < 0 ? file.text.indexOf(words) : after;
      if (start < 0) throw citationNotFound;
      const to = start + words.length;
      return { chapterId, from: start, to, quoteHash: `hash-${start}`, quote: words, status: "holds" };
    });
  }

  private block(args: Commands["answer:block"]["args"], kind: "blocked" | "unblocked"): AnswerChange {
    const stored = this.find(args.projectId, args.answerId, args.version);
    const isBlocked = this.shown(stored).status === "blocked";
    return isBlocked === (kind === "blocked") ? this.unchanged(stored) : this.changed(stored, this.event(kind));
  }

  private update(args: Commands["answer:update"]["args"]): AnswerChange {
    const { projectId, answerId, version } = args;
    if (args.question != null && !isText(args.question)) throw invalid("question");
    if (args.answer?.trim() === "") throw invalid("answer");
    const stored = this.find(projectId, answerId, version);
    const before = stored.answer;
    const citations = args.citations ? this.cite(projectId, args.citations) : before.citations;
    const kind = args.kind ?? before.kind;
    if (kind === "canon" && citations.length === 0) throw invalid("citations");
    const question = args.question?.trim() ?? before.question;
    const answer = args.answer?.trim() ?? before.answer;
    const staleness = args.citations ? "current" : before.staleness;
    stored.answer = { ...before, question, answer, citations, kind, staleness };
    if (question === before.question && answer === before.answer)
      return kind === before.kind && !args.citations ? this.unchanged(stored) : this.changed(stored, null);
    const texts = {
      questionBefore: before.question,
      questionAfter: question,
      answerBefore: before.answer,
      answerAfter: answer,
    };
    return this.changed(stored, this.event("edited", { texts }));
  }

  private undo({ projectId, eventId }: Commands["answer:undo"]["args"]): AnswerChange {
    const stored = this.of(projectId).find(({ events }) => events.some((event) => event.eventId === eventId));
    const event = stored?.events.find((one) => one.eventId === eventId);
    if (!stored || !event) throw notFound("eventId");
    if (event.kind === "hit" || event.source === "run") throw invalid("eventId");
    if (event.undoneAt !== null) return this.unchanged(stored);
    if (event.kind === "promoted") return this.undoPromotion(stored, event);
    const { texts } = event;
    if (texts) {
      const { question, answer } = stored.answer;
      if (question !== texts.questionAfter || answer !== texts.answerAfter) throw invalid("eventId");
      stored.answer = { ...stored.answer, question: texts.questionBefore, answer: texts.answerBefore };
    }
    if (event.citations) {
      const { before, after, nearby } = event.citations;
      const hashes = (of: Citation[]) => of.map(({ quoteHash }) => quoteHash).join(" ");
      if (hashes(stored.answer.citations) !== hashes(after)) throw invalid("eventId");
      const staleness = before.some(isLost) ? "stale" : nearby ? "maybe" : "current";
      stored.answer = { ...stored.answer, citations: before, staleness, nearby };
    }
    event.undoneAt = this.context.now();
    return this.changed(stored, null);
  }

  /** The sentence of a chapter at the place of a citation; `null` without one. */
  private replaced(projectId: string, { chapterId, from }: Citation): Citation | null {
    const file = this.context.book(projectId).files.find(({ info }) => info.chapterId === chapterId);
    const sentences = [...(file?.text.matchAll(/[^。！？.!?\n]+[。！？.!?]?/g) ?? [])];
    const found = sentences.find(({ index, 0: sentence }) => index + sentence.length > from) ?? sentences.at(-1);
    if (!found) return null;
    const quote = found[0].trim();
    const start = found.index + found[0].indexOf(quote);
    return { chapterId, from: start, to: start + quote.length, quoteHash: `hash-${start}`, quote, status: "holds" };
  }

  private replacements({ projectId, answerId }: Commands["answer:replacements"]["args"]) {
    const { citations } = this.find(projectId, answerId).answer;
    const lost = citations
      .map((citation, ordinal) => ({ citation, ordinal }))
      .filter(({ citation }) => isLost(citation));
    return {
      replacements: lost.map(({ citation, ordinal }) => ({ ordinal, citation: this.replaced(projectId, citation) })),
    };
  }

  private reaffirm({ projectId, answerId, version }: Commands["answer:reaffirm"]["args"]): AnswerChange {
    const stored = this.find(projectId, answerId, version);
    const { citations: before, staleness, nearby } = stored.answer;
    const after = before.map((citation) => (isLost(citation) ? this.replaced(projectId, citation) : citation));
    if (!after.every((citation) => citation !== null)) throw citationNotFound;
    const isStale = staleness !== "current";
    const { isChallenged } = this.shown(stored);
    if (!isStale && !isChallenged) return this.unchanged(stored);
    stored.answer = { ...stored.answer, citations: after, staleness: "current", nearby: null };
    const citations = isStale ? { before, after, nearby } : null;
    return this.changed(
      stored,
      isChallenged
        ? this.event("confirmed", { citations })
        : this.event("validated", {
            result: "pass",
            signalStrength: "strong",
            source: "writer",
            wasUsed: true,
            citations,
          }),
    );
  }

  private promote({ projectId, answerId, version }: Commands["answer:promote"]["args"]) {
    const stored = this.find(projectId, answerId, version);
    const { answer, events } = stored;
    if (answer.projectId === NO_PROJECT) throw invalid("answerId");
    const known = this.stored.find((one) => one.answer.answerId === stored.promotedTo);
    if (known) return { answer: this.shown(stored), promoted: this.shown(known), eventId: null };
    if (answer.kind !== "research" && answer.kind !== "craft") throw invalid("answerId");
    const { question, answer: text, kind, origin, confidence, createdAt, language } = answer;
    const promoted = this.add(
      { projectId: NO_PROJECT, question, answer: text, kind, origin, confidence, createdAt, language },
      events
        .filter(({ undoneAt }) => undoneAt === null)
        .map((event) => ({
          ...event,
          eventId: this.context.id("event"),
          runId: null,
          note: null,
          texts: null,
          citations: null,
        })),
    );
    stored.promotedTo = promoted.answerId;
    stored.answer = { ...answer, isPromoted: true };
    const event = this.event("promoted");
    return { ...this.changed(stored, event), promoted };
  }

  private undoPromotion(stored: Stored, event: BareEvent): AnswerChange {
    const copy = this.stored.findIndex((one) => one.answer.answerId === stored.promotedTo);
    if (copy >= 0) this.stored.splice(copy, 1);
    stored.promotedTo = null;
    stored.answer = { ...stored.answer, isPromoted: false };
    event.undoneAt = this.context.now();
    return this.changed(stored, null);
  }

  private validate(args: Commands["answer:validate"]["args"]): AnswerChange {
    const { projectId, answerId, version, result, note } = args;
    const source = args.source ?? "client";
    if (source === "run" || source === "cited" || source === "reasked") throw invalid("source");
    const own = {
      writer: "strong",
      inserted: "strong",
      copied: "medium",
      client: args.signalStrength ?? "weak",
    } as const;
    if (source === "client" && own.client === "strong") throw invalid("signalStrength");
    const stored = this.find(projectId, answerId, version);
    const wasGiven = args.runId != null && this.runs.given(args.runId).includes(answerId);
    if (args.runId != null && !wasGiven) throw invalid("runId");
    const event = this.event("validated", {
      result,
      signalStrength: own[source],
      source,
      runId: args.runId ?? null,
      wasShown: wasGiven,
      wasUsed: true,
      isApplied: source !== "client" || wasGiven,
      note: note ?? null,
    });
    return this.changed(stored, event);
  }

  private confirm({ projectId, answerId, version, userConfirmed }: Commands["answer:confirm"]["args"]): AnswerChange {
    const stored = this.find(projectId, answerId, version);
    if (this.shown(stored).userConfirmed === userConfirmed) return this.unchanged(stored);
    if (userConfirmed) return this.changed(stored, this.event("confirmed"));
    for (const event of stored.events) if (event.kind === "confirmed") event.undoneAt ??= this.context.now();
    return this.changed(stored, null);
  }

  private list({ projectId, filter, kinds, origin, words, offset, limit }: Commands["answer:list"]["args"]) {
    const most = limit ?? LISTED.usual;
    if (most < 1 || most > LISTED.max) throw invalid("limit");
    const all = this.of(projectId).map((stored) => this.shown(stored));
    const sought = words?.trim().toLowerCase() ?? "";
    const found = all
      .filter(FILTERS[filter ?? "all"])
      .filter(({ kind }) => !kinds?.length || kinds.includes(kind))
      .filter((one) => origin == null || one.origin === origin)
      .filter((one) => `${one.question}\n${one.answer}`.toLowerCase().includes(sought))
      .toReversed()
      .toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt));
    const count = (of: AnswerFilter) => all.filter(FILTERS[of]).length;
    return {
      answers: found.slice(offset ?? 0, (offset ?? 0) + most),
      total: found.length,
      counts: {
        all: all.length,
        stale: count("stale"),
        onTrial: count("onTrial"),
        blocked: count("blocked"),
        studied: all.filter((one) => one.origin === "studied").length,
      },
    };
  }

  private record(args: Commands["answer:record"]["args"]): AnswerChange {
    const { projectId, details, origin, confidence } = args;
    const [question, answer] = [args.question.trim(), args.answer.trim()];
    if (!isText(question)) throw invalid("question");
    if (answer === "") throw invalid("answer");
    const citations = this.cite(projectId, args.citations ?? []);
    if (args.kind === "canon" && citations.length === 0) throw invalid("citations");
    const same = this.of(projectId).find(
      (one) => keyOf(one.answer.question) === keyOf(question) && one.answer.answer === answer,
    );
    if (same) return this.unchanged(same);
    const added = this.add({
      projectId,
      question,
      answer,
      citations,
      ...(args.kind && { kind: args.kind }),
      ...(origin && { origin }),
      confidence: confidence ?? 0.45,
      details: { ...NO_DETAILS, ...details },
    });
    this.context.changed(projectId, ["answers"]);
    return { answer: added, eventId: null };
  }

  private search(args: Commands["answer:search"]["args"]): Commands["answer:search"]["result"] {
    const { projectId, query, kinds } = args;
    if (!isText(query)) throw invalid("query");
    const sought = [...new Set(keyOf(query))];
    const score = ({ question, answer }: Answer) => {
      const has = keyOf(question + answer);
      return sought.filter((letter) => has.includes(letter)).length / sought.length;
    };
    const matches = this.of(projectId)
      .map((stored) => this.shown(stored))
      .filter((one) => args.includeBlocked || one.status !== "blocked")
      .filter((one) => !kinds?.length || kinds.includes(one.kind))
      .filter((one) => one.validationLevel >= (args.minLevel ?? 0))
      .map((answer) => {
        const isSame = keyOf(answer.question) === keyOf(query);
        return {
          answer,
          score: isSame ? 1 : score(answer),
          questionMatch: isSame ? ("exact" as const) : ("related" as const),
          same: isSame ? 1 : 0.5,
          differences: [],
          freshness: 1,
          useRate: (answer.useCount + 1) / (answer.hitCount + 2),
          matchedBy: isSame ? ["question", "words"] : ["words"],
          components: { questionWords: score(answer), questionMeaning: null, answerWords: 0, answerMeaning: null },
        };
      })
      .filter((one) => one.score >= (args.minScore ?? 0.2))
      .toSorted((a, b) => b.score - a.score)
      .slice(0, args.limit ?? 6);
    const degraded = this.context.isWithoutMeaning();
    const isKnown = (question: string) =>
      this.of(projectId).some((one) => keyOf(one.answer.question) === keyOf(question));
    const service = kinds?.length ? null : this.context.searchService(query, isKnown);
    return { matches, degraded, degradedReason: degraded ? "the encoder is missing" : null, service };
  }

  readonly commands: { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "answer:block": (args) => this.block(args, "blocked"),
    "answer:complete": (args) => this.runs.complete(args),
    "answer:config:get": () => this.settings.get(),
    "answer:config:set": (args) => this.settings.set(args),
    "answer:confirm": (args) => this.confirm(args),
    "answer:copied": ({ projectId, answerId }) => {
      const stored = this.find(projectId, answerId);
      const isRecent = stored.events.some(
        ({ source, undoneAt, at }) =>
          source === "copied" && undoneAt === null && Date.parse(this.context.now()) - Date.parse(at) < DAY,
      );
      if (isRecent) return this.unchanged(stored);
      stored.events.push(
        this.event("validated", { result: "pass", signalStrength: "medium", source: "copied", wasUsed: true }),
      );
      this.context.changed(projectId, ["answers"]);
      return { answer: this.shown(stored), eventId: stored.events.at(-1)!.eventId };
    },
    "answer:delete": ({ projectId, answerId, version }) => {
      const stored = this.find(projectId, answerId, version);
      this.stored.splice(this.stored.indexOf(stored), 1);
      this.context.redactJournal(answerId);
      this.context.changed(projectId, ["answers", "journal", "backups"]);
      return { answerId, finishedAt: this.context.now() };
    },
    "answer:get": ({ projectId, answerId }) => this.shown(this.find(projectId, answerId)),
    "answer:history": ({ projectId, answerId }) => {
      const { answer, events } = this.find(projectId, answerId);
      return { events: historyOf(answer.createdAt, events).slice(0, MAX_EVENTS) };
    },
    "answer:hit": ({ projectId, references }) => {
      if (references.length === 0 || references.length > MAX_HITS) throw invalid("references");
      if (new Set(references.map(({ answerId }) => answerId)).size < references.length) throw invalid("references");
      const known = new Map(this.of(projectId).map((stored) => [stored.answer.answerId, stored]));
      const unknown = references.filter(({ answerId }) => !known.has(answerId)).map(({ answerId }) => answerId);
      for (const { answerId, shown = true, used = false } of references) {
        const stored = known.get(answerId);
        if (!stored) continue;
        const event = this.event("hit", { wasShown: shown, wasUsed: used });
        stored.events.push(event);
        if (shown) stored.answer.lastShownAt = event.at;
      }
      this.context.changed(projectId, ["answers"]);
      return { recorded: references.length - unknown.length, unknown };
    },
    "answer:list": (args) => this.list(args),
    "answer:prepare": (args) => this.runs.prepare(args),
    "answer:promote": (args) => this.promote(args),
    "answer:reaffirm": (args) => this.reaffirm(args),
    "answer:recheck": ({ projectId }) => {
      const citations = this.of(projectId).flatMap(({ answer }) => answer.citations);
      const count = (status: Citation["status"]) => citations.filter((one) => one.status === status).length;
      return { checked: citations.length, moved: count("moved"), changed: count("changed"), gone: count("gone") };
    },
    "answer:record": (args) => this.record(args),
    "answer:replay": ({ projectId, config }) => {
      this.settings.check(config, "config");
      return { runs: this.runs.countOf(projectId), removed: 0, added: 0, changed: [] };
    },
    "answer:run:get": (args) => this.runs.get(args),
    "answer:run:list": (args) => ({ runs: this.runs.list(args) }),
    "answer:replacements": (args) => this.replacements(args),
    "answer:search": (args) => this.search(args),
    "answer:unblock": (args) => this.block(args, "unblocked"),
    "answer:undo": (args) => this.undo(args),
    "answer:update": (args) => this.update(args),
    "answer:validate": (args) => this.validate(args),
  };
}

const languageOf = (text: string, fallback: Language): Language =>
  /\p{Script=Han}/u.test(text) ? "zh" : /[a-z]/i.test(text) ? "en" : fallback;
