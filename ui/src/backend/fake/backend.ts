import type {
  Commands,
  Episode,
  Error as WireError,
  Events,
  Language,
  Part,
  Reason,
  Rule,
  RuleFollowed,
  Settings,
  Trace,
  UnusableReason,
  UnusableText,
} from "../bindings.gen";
import type { FileKind, Host } from "../host";
import { FakeAnswerService } from "./answerService";
import { FakeAnswers } from "./answers";
import { FakeAsking } from "./asking";
import { FakeChapterChanges } from "./chapterChanges";
import { FakeContinuity } from "./continuity";
import { FakeDrafts } from "./drafts";
import { FakeEntities } from "./entities";
import { FakeExchange } from "./exchange";
import { FakeGenerations } from "./generations";
import { FakeJournal } from "./journal";
import { FakeKnowledge } from "./knowledge";
import { FakeLearning } from "./learning";
import { FakeLife } from "./life";
import { FakeManuscripts } from "./manuscripts";
import { FakeBackends } from "./backends";
import { FakeModels } from "./models";
import { backupsOf, pastOf } from "./past";
import { FakeProjects, hashOf, type FakeBook } from "./projects";
import { FakeProvenance } from "./provenance";
import { editDistance, episodeOf } from "./recorded";
import { otherProject, refusalOf } from "./refusals";
import { FakeRules } from "./rules";
import { FakeStory } from "./story";
import { FakeStudy } from "./study";
import { Waits } from "./waits";
import { FakeWorking } from "./working";

export interface FakeOptions {
  language?: Language;
  /** Whether the memory holds rules. */
  rules?: boolean;
  /** Whether there are episodes and backups. */
  past?: boolean;
  /** Whether there are learning runs with questions, doubts and a conflict. */
  learned?: boolean;
  /** Parts of the memory that are unavailable from the start. */
  ill?: Part[];
  settings?: Partial<Settings>;
  /** Milliseconds between two pieces of a candidate; `null`: only `advance` streams. */
  pace?: number | null;
  now?: string;
}

type Name = keyof Commands;
type Handler = { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] };

/**
 * A deterministic backend in memory. It answers every command of the contract and records all calls; a test controls
 * its time, its failures and the progress of its generations.
 */
export class FakeBackend implements Host {
  readonly calls: { name: Name; args: unknown }[] = [];
  readonly rules: Rule[] = [];
  /** Whether the program's own rules are in a prompt while there are no others, as in the real backend. */
  hasBuiltInRules = false;
  readonly episodes: Episode[] = [];
  readonly traces = new Map<string, Trace>();
  /** How recent generations followed each rule. */
  followed: RuleFollowed[] = [];
  folder: string | null = null;
  readonly manuscripts = new FakeManuscripts({
    book: (projectId) => this.projects.project(projectId),
    add: (projectId, title, text) =>
      this.projects.addFile(this.projects.project(projectId), title, text).info.chapterId,
    hash: hashOf,
  });
  readonly story = new FakeStory({
    book: (projectId) => this.projects.project(projectId),
    isWithoutMeaning: () => this.life.isDown("embedder"),
    changed: (projectId) => this.emit("memory:changed", { projectId, what: ["story"] }),
  });
  readonly entities = new FakeEntities({
    book: (projectId) => this.projects.project(projectId),
    requireReadable: () => this.life.requireReadable("episodes"),
    isTaggerMissing: () => this.story.isTaggerMissing,
    id: (kind) => this.id(kind),
    now: () => new Date(this.now()).toISOString(),
    changed: (projectId) => this.emit("memory:changed", { projectId, what: ["story"] }),
  });
  readonly journal = new FakeJournal({
    language: (projectId) => this.projects.project(projectId).project.language,
    chapterTitle: (projectId, chapterId) =>
      this.projects.project(projectId).files.find(({ info }) => info.chapterId === chapterId)?.info.title ?? null,
    isWithoutMeaning: () => this.life.isDown("embedder"),
    requireReadable: () => this.life.requireReadable("episodes"),
    topK: () => this.settings.journalTopK,
    id: (kind) => this.id(kind),
    now: () => new Date(this.now()).toISOString(),
    changed: (projectId) => this.emit("memory:changed", { projectId, what: ["journal"] }),
  });
  readonly answers = new FakeAnswers({
    book: (projectId) => this.projects.project(projectId),
    requireReadable: () => this.life.requireReadable("episodes"),
    isWithoutMeaning: () => this.life.isDown("embedder"),
    searchService: (query, isKnown) => this.answerService.search(query, isKnown),
    redactJournal: (answerId) => this.journal.redactAbout(answerId),
    id: (kind) => this.id(kind),
    now: () => new Date(this.now()).toISOString(),
    changed: (projectId, what) => this.emit("memory:changed", { projectId, what }),
  });
  readonly continuity = new FakeContinuity({
    book: (projectId) => this.projects.project(projectId),
    isReadable: (file) => this.life.is(file) !== "damaged",
    now: () => this.now(),
    compare: (projectId) => this.study.compare(projectId),
    stopComparing: (projectId) => this.study.stopComparing(projectId),
    changed: (projectId) => this.emit("memory:changed", { projectId, what: ["story"] }),
  });
  readonly study: FakeStudy = new FakeStudy({
    requireBook: (projectId) => void this.projects.project(projectId),
    waitingPairs: () => this.continuity.pairs.waiting,
    id: (kind) => this.id(kind),
    now: () => this.now(),
    changed: (projectId) => this.emit("memory:changed", { projectId, what: ["knowledge"] }),
    tell: (progress) => this.emit("knowledge:study:progress", progress),
  });
  readonly knowledge = new FakeKnowledge({
    answers: this.answers,
    title: (projectId) => this.projects.project(projectId).project.title,
    state: (projectId) => this.study.stateOf(projectId),
    countChange: (projectId) => this.study.countChange(projectId),
    dropQuestion: (projectId, words) => this.study.dropQuestion(projectId, words),
    acceptFact: (projectId, { entityId, attribute, value, citation: { chapterId, from, quote } }) => {
      const citation = { chapterId, from, quote };
      return this.entities.commands["story:fact:save"]({ projectId, entityId, attribute, value, citation }).changeId;
    },
    id: (kind) => this.id(kind),
    now: () => this.now(),
    changed: (projectId, what) => this.emit("memory:changed", { projectId, what }),
  });
  readonly answerService = new FakeAnswerService({
    keyKept: () => (this.models.keychain ? "keychain" : "session"),
    changed: () => this.emit("memory:changed", { projectId: null, what: ["settings"] }),
  });
  /** Path returned by the next open dialog; `null`: cancelled. */
  chosenFile: string | null = null;
  savePath: string | null = null;
  /** Number of file dialogs opened. */
  dialogsOpened = 0;
  /** Arguments of every save dialog. */
  readonly saveDialogs: { title: string; name: string; kind: FileKind }[] = [];
  readonly backends = new FakeBackends(() => this.emit("memory:changed", { projectId: null, what: ["backends"] }));
  readonly models = new FakeModels((what) => this.emit("memory:changed", { projectId: null, what: [what] }));
  readonly life = new FakeLife({
    episodes: this.episodes,
    rules: this.rules,
    traces: this.traces,
    books: () => this.projects.ids(),
    chapters: (projectId) => this.projects.project(projectId).files.length,
    forget: (projectId) => {
      this.projects.forget(projectId);
      this.settings = { ...this.settings, lastProjectId: null };
    },
    redactJournal: (episodeId) => this.journal.redactAbout(episodeId),
    clearJournal: (projectId) => this.journal.clear(projectId),
    clearAnswers: (projectId) => {
      this.study.clear(projectId);
      return this.answers.clear(projectId);
    },
    countAnswers: (projectId) => this.answers.countOf(projectId),
    now: () => this.now(),
    changed: (projectId, what) => this.emit("memory:changed", { projectId, what }),
  });

  readonly drafts = new FakeDrafts({
    id: (kind) => this.id(kind),
    now: () => this.now(),
    marks: (chapterId, projectId) => this.projects.file(chapterId, projectId).file,
  });

  readonly projects: FakeProjects = new FakeProjects({
    changed: () => this.emit("memory:changed", { projectId: null, what: ["projects"] }),
    language: () => this.language,
    id: (kind) => this.id(kind),
    now: () => this.now(),
    drafts: this.drafts,
    isDeleted: (chapterId) => this.chapterChanges.deleted.some((one) => one.chapterId === chapterId),
    areOriginsDown: () => this.isPastDown(),
    skillOf: (generationId) => this.traces.get(generationId)?.skill,
    addTrace: (book, file, generationId) => this.generations.addTrace(book, file, generationId),
    beforeSample: (projectId) => this.semantic.belong(projectId),
    onSample: (book, language) => this.addMemoryOfSample(book, language),
    onChapterChanged: (change) => this.emit("chapter:changed", change),
  });

  readonly chapterChanges = new FakeChapterChanges({
    id: (kind) => this.id(kind),
    now: () => this.now(),
    book: (projectId) => this.projects.project(projectId),
    file: (title, text, fileName) => this.projects.newFile(title, text, fileName),
    episodes: this.episodes,
    traces: this.traces,
    changed: (projectId) => this.emit("memory:changed", { projectId, what: ["episodes", "traces"] }),
  });

  readonly generations = new FakeGenerations({
    language: () => this.language,
    id: (kind) => this.id(kind),
    now: () => this.now(),
    rules: this.rules,
    traces: this.traces,
    project: (projectId) => this.projects.project(projectId).project,
    model: () => this.models.writing,
    isDegraded: () => this.isPromptDegraded,
    remember: (projectId, text) =>
      void this.working.commands["memory:working:put"]({ projectId, kind: "intent", text }),
    hasBuiltInRules: () => this.hasBuiltInRules,
    pace: () => this.pace,
    emit: (event, payload) => this.emit(event, payload),
  });

  readonly asking = new FakeAsking({
    book: (projectId) => this.projects.project(projectId),
    answers: this.answers,
    model: () => this.models.asking,
    program: (backendId) => this.backends.find(backendId),
    isFencing: () => this.backends.isFencing,
    degraded: () =>
      this.life.isDown("episodes") ? [{ code: "answerUnkept", message: "the answer is not kept: damaged" }] : [],
    traces: this.traces,
    id: (kind) => this.id(kind),
    now: () => this.now(),
    pace: () => this.pace,
    emit: (event, payload) => this.emit(event, payload),
  });

  private readonly semantic = new FakeRules({
    rules: this.rules,
    id: () => this.id("rule"),
    now: () => this.now(),
    changed: (projectId) => this.emit("memory:changed", { projectId, what: ["rules"] }),
    readFrom: () => this.life.rulesFrom,
    hiddenNames: (text) => [...this.life.names.values()].flat().filter(({ name }) => text.includes(name)).length,
    erase: ({ id: ruleId, projectId }, everywhere, versions) =>
      this.life.erase(
        projectId,
        ({ memoryReferences }) => memoryReferences.some(({ id }) => id === ruleId),
        everywhere,
        {},
        { ruleVersions: versions, tombstones: 1 },
        ["rules"],
      ),
    paused: () => this.learning.paused,
    followed: () => this.followed,
    learnedAt: (projectId) =>
      this.learning.runs.find((run) => run.status === "committed" && run.projectId === projectId)?.endedAt ?? null,
    recorded: (projectId) =>
      this.life.is("episodes") === "damaged"
        ? 0
        : this.episodes.filter((episode) => projectId === null || episode.projectId === projectId).length +
          (this.rules.some(({ origin }) => origin === "distilled") ? 312 : 0),
  });

  readonly working = new FakeWorking({
    id: () => this.id("working"),
    now: () => this.now(),
    changed: (projectId) => this.emit("memory:changed", { projectId, what: ["working"] }),
  });

  readonly learning: FakeLearning = new FakeLearning({
    rules: this.rules,
    put: (rule, runId) => this.semantic.put(rule, runId),
    remove: (ruleId) => this.semantic.remove(ruleId),
    add: (part) => this.semantic.add(part),
    id: (kind) => this.id(kind),
    now: () => this.now(),
    changed: (projectId) => this.emit("memory:changed", { projectId, what: ["rules"] }),
    tell: (progress) => this.emit("memory:distill:progress", progress),
  });

  readonly provenance = new FakeProvenance({
    traces: this.traces,
    rules: this.rules,
    remark: ({ generationId, projectId, chapterId, skill, sceneType }, note, isWrong) => {
      const id = `remark-${generationId}`;
      if (isWrong) {
        const draft = { projectId, chapterId, skillUsed: skill, sceneType, explicit: note };
        const nothing = { inputContext: "", candidates: [], selectedIndex: -1, finalText: "" };
        this.episodes.push(episodeOf(this.now(), id, { ...draft, ...nothing }));
      } else if (this.episodes.some((episode) => episode.id === id))
        this.episodes.splice(
          this.episodes.findIndex((episode) => episode.id === id),
          1,
        );
    },
    dispute: (rule) => this.semantic.put(rule, null, "disputed"),
    now: () => this.now(),
    changed: (projectId, what) => this.emit("memory:changed", { projectId, what }),
    tell: (progress) => this.emit("memory:trace:progress", progress),
  });

  readonly exchange = new FakeExchange({
    rules: this.rules,
    episodes: this.episodes,
    traces: this.traces,
    books: () => this.projects.ids(),
    now: () => this.now(),
    changed: (projectId, what) => this.emit("memory:changed", { projectId, what }),
  });

  private settings: Required<Settings>;
  private readonly handlers = new Map<string, Set<(payload: unknown) => void>>();
  private readonly failures: { name: Name; error: WireError; times: number }[] = [];
  readonly waits = new Waits<Name>();
  private readonly closers = new Set<() => Promise<boolean>>();
  private ids = 0;
  private readonly language: Language;
  private readonly pace: number | null;
  private readonly past: boolean;
  private readonly learned: boolean;
  private clock: number;

  constructor(options: FakeOptions = {}) {
    this.language = options.language ?? "zh";
    this.pace = options.pace === undefined ? 8 : options.pace;
    this.past = options.past ?? false;
    this.learned = options.learned ?? false;
    this.clock = new Date(options.now ?? new Date().toISOString()).getTime();
    this.settings = {
      interfaceLanguage: "system",
      theme: "system",
      lastProjectId: null,
      journalTopK: 5,
      journalCognitionRounds: 3,
      readableCopies: false,
      ...options.settings,
    };
    if (options.rules ?? true) this.semantic.learn(this.language);
    if (this.past) this.life.backups = backupsOf(this.clock);
    if (options.ill) this.life.degrade(options.ill);
  }

  get books(): FakeBook[] {
    return this.projects.books;
  }

  // ---- the host ----

  async invoke(name: string, args: unknown): Promise<unknown> {
    const command = name as Name;
    this.calls.push({ name: command, args: structuredClone(args) });
    await this.waits.pass(command);
    const failure = this.failures.find((one) => one.name === command && one.times > 0);
    if (failure) {
      failure.times -= 1;
      throw structuredClone(failure.error);
    }
    const refusal =
      this.life.refusal(command) ??
      refusalOf(command, args as Record<string, unknown>, {
        project: (projectId) => this.projects.ids().includes(projectId),
      });
    if (refusal) throw structuredClone(refusal);
    const handler = this.commands[command] as ((args: unknown) => unknown) | undefined;
    if (!handler) throw `Command ${name} not found`;
    return structuredClone(handler(args));
  }

  listen(event: string, handler: (payload: unknown) => void): Promise<() => void> {
    const set = this.handlers.get(event) ?? new Set();
    this.handlers.set(event, set.add(handler));
    return Promise.resolve(() => void set.delete(handler));
  }

  pickFolder(): Promise<string | null> {
    return Promise.resolve(this.folder);
  }

  pickFiles(): Promise<string[]> {
    return Promise.resolve(this.manuscripts.picked);
  }

  pickFile(): Promise<string | null> {
    this.dialogsOpened += 1;
    return Promise.resolve(this.chosenFile);
  }

  pickSavePath(title: string, name: string, kind: FileKind): Promise<string | null> {
    this.dialogsOpened += 1;
    this.saveDialogs.push({ title, name, kind });
    return Promise.resolve(this.savePath);
  }

  beforeClose(handler: () => Promise<boolean>): Promise<() => void> {
    this.closers.add(handler);
    return Promise.resolve(() => void this.closers.delete(handler));
  }

  // ---- control by tests ----

  /** Names of all commands that it answers. */
  get commandNames(): Name[] {
    return Object.keys(this.commands) as Name[];
  }

  /** Makes the next `times` calls of a command fail. */
  fail(name: Name, error: WireError, times = 1): void {
    this.failures.push({ name, error, times });
  }

  /** Ends the failures of a command. */
  heal(name: Name): void {
    for (const failure of this.failures) if (failure.name === name) failure.times = 0;
  }

  /** Arguments of every call of a command. */
  callsOf<K extends Name>(name: K): Commands[K]["args"][] {
    return this.calls.filter((one) => one.name === name).map(({ args }) => args as Commands[K]["args"]);
  }

  emit<K extends keyof Events>(event: K, payload: Events[K]): void {
    for (const handler of this.handlers.get(event) ?? []) handler(structuredClone(payload));
  }

  /**
   * Resolves after all calls are answered, the window is drawn and no further call has followed. Calls that a test holds
   * do not count, nor do timers of the window that have not fired.
   */
  idle(): Promise<void> {
    return this.waits.idle();
  }

  /** Closes the window. Resolves to whether it closed. */
  async close(): Promise<boolean> {
    return (await Promise.all([...this.closers].map((closer) => closer()))).every(Boolean);
  }

  /** Another program saves the chapter; `notify`: whether the change is announced. */
  changeOutside(chapterId: string, text: string, notify = true): void {
    this.projects.changeOutside(chapterId, text, notify);
  }

  /** Streams `pieces` more pieces of every candidate, or all that is left. */
  advance(pieces = Infinity): void {
    this.generations.advance(pieces);
  }

  endCandidate(candidate: number, error: WireError | null = null): void {
    this.generations.endCandidate(candidate, error);
  }

  endUnusable(candidate: number, unusable: UnusableText): void {
    this.generations.endUnusable(candidate, unusable);
  }

  retryCandidate(candidate: number, reason: UnusableReason): void {
    this.generations.retry(candidate, reason);
  }

  finishCandidate(candidate: number): void {
    this.generations.finishCandidate(candidate);
  }

  trim(contextTokens: number): void {
    this.generations.trim(contextTokens);
  }

  end(status: "finished" | "cancelled" | "failed", error: WireError | null = null): void {
    this.generations.end(status, error);
  }

  private addMemoryOfSample({ project: { projectId }, files }: FakeBook, language: Language): void {
    if (this.learned) this.learning.fill(language, projectId);
    if (this.past)
      this.episodes.push(
        ...pastOf(
          language,
          projectId,
          files.map(({ info }) => info.chapterId),
          this.clock,
        ),
      );
  }

  /** Whether a prompt lacks memories; the encoder's absence only makes recall less precise. */
  private get isPromptDegraded(): boolean {
    return this.life.status.parts.some(({ part, state }) => part !== "embedder" && state === "unavailable");
  }

  private isPastDown(): boolean {
    const down = (of: Part) => this.life.status.parts.some(({ part, state }) => part === of && state === "unavailable");
    return down("episodes") && down("words");
  }

  /** Makes exactly these parts unavailable; without arguments, none. */
  degrade(...parts: Part[]): void {
    this.life.degrade(parts);
  }

  degradeFor(reason: Reason | null, ...parts: Part[]): void {
    this.life.degrade(parts, reason);
  }

  // ---- the contract ----

  private readonly commands: Handler = {
    ...this.drafts.commands,
    ...this.models.commands,
    ...this.backends.commands,
    ...this.life.commands,
    ...this.semantic.commands,
    ...this.learning.commands,
    ...this.provenance.commands,
    ...this.manuscripts.commands,
    ...this.exchange.commands,
    ...this.projects.commands,
    ...this.chapterChanges.commands,
    ...this.generations.commands,
    "memory:scene:guess": ({ before, selection }) => ({ sceneType: guessScene(`${before}${selection ?? ""}`) }),
    "settings:get": () => this.settings,
    "settings:set": (part) => {
      this.settings = { ...this.settings, ...(part as Settings) };
      this.emit("memory:changed", { projectId: null, what: ["settings"] });
      return this.settings;
    },
    "memory:episode:record": (draft) => {
      const trace = draft.generationId ? this.traces.get(draft.generationId) : undefined;
      if (trace && trace.projectId !== draft.projectId) throw otherProject;
      const episodeId = this.id("episode");
      this.episodes.push(episodeOf(this.now(), episodeId, draft));
      if (trace) {
        trace.episodeId = episodeId;
        trace.outcome = { selectedIndex: draft.selectedIndex, editDistance: editDistance(draft) };
        if (draft.selectedIndex >= 0)
          trace.influenceWeights = trace.influenceWeights.map((one) => ({ ...one, candidate: draft.selectedIndex }));
      }
      this.emit("memory:changed", { projectId: draft.projectId, what: ["episodes", "working"] });
      this.journal.record(draft, episodeId);
      return { episodeId };
    },
    ...this.working.commands,
    ...this.story.commands,
    ...this.entities.commands,
    ...this.journal.commands,
    ...this.answers.commands,
    ...this.asking.commands,
    ...this.answerService.commands,
    ...this.continuity.commands,
    ...this.study.commands,
    ...this.knowledge.commands,
  };

  private id(kind: string): string {
    this.ids += 1;
    return `${kind}-${this.ids}`;
  }

  private now(): string {
    this.clock += 1_000;
    return new Date(this.clock).toISOString();
  }
}

/** Talk, or plain narration; `null` for too little text. */
function guessScene(text: string): string | null {
  const passage = text.slice(-1_200);
  if (passage.trim().length < 12) return null;
  return /[“「"][^”」"]{3,}[”」"]/.test(passage) ? "dialogue" : "narration";
}
