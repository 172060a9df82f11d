import type {
  Book,
  ChapterInfo,
  ChapterText,
  Commands,
  Episode,
  Error as WireError,
  Events,
  Language,
  OriginAt,
  OriginMark,
  Part,
  Project,
  Reason,
  Reference,
  Rule,
  RuleFollowed,
  RunSkill,
  Settings,
  Trace,
} from "../bindings.gen";
import type { FileKind, Host } from "../host";
import { countWords } from "../../lib/words";
import { FakeDrafts } from "./drafts";
import { FakeExchange } from "./exchange";
import { FakeLearning } from "./learning";
import { FakeLife } from "./life";
import { FakeManuscripts } from "./manuscripts";
import { FakeModels } from "./models";
import { backupsOf, pastOf } from "./past";
import { FakeProvenance, influenceOf } from "./provenance";
import { FakeRules } from "./rules";
import { FAKE_BOOKS, FAKE_DRAFTS } from "./sample";
import { episodeOf } from "./recorded";
import { styleOf } from "./style";
import { Waits } from "./waits";

export interface FakeOptions {
  language?: Language;
  /** Whether the memory already holds rules. */
  rules?: boolean;
  /** Whether there are episodes and backups behind it. */
  past?: boolean;
  /** Whether learning has left more behind: questions, doubts, a contradiction, runs. */
  learned?: boolean;
  /** Parts of the memory that do not serve from the beginning. */
  ill?: Part[];
  settings?: Partial<Settings>;
  /** Milliseconds between two pieces of a candidate; null: only when `advance` says so. */
  pace?: number | null;
  now?: string;
}

type PassageOf = Omit<RunSkill, "candidates" | "seed">;

interface FakeFile {
  info: ChapterInfo;
  text: string;
  hash: string;
  origins: OriginMark[];
}

interface FakeBook {
  project: Project;
  files: FakeFile[];
}

interface FakeRun {
  generationId: string;
  /** What is still to be said, per place. */
  left: string[][];
  said: string[];
  /** The places that have ended. */
  ended: Set<number>;
}

type Name = keyof Commands;
type Handler = { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] };

/**
 * The contract in memory: deterministic, and at the command of a test.
 * It answers as the backend would, and keeps a list of everything it was asked.
 */
export class FakeBackend implements Host {
  /** Whether the chapters have a style yet. */
  style: "told" | "none" = "told";
  readonly calls: { name: Name; args: unknown }[] = [];
  readonly books: FakeBook[] = [];
  readonly rules: Rule[] = [];
  /** Whether the program's own rules are in a prompt while there are no others, as in the real backend. */
  hasBuiltInRules = false;
  readonly episodes: Episode[] = [];
  readonly traces = new Map<string, Trace>();
  /** How the last generations went with the rules. */
  followed: RuleFollowed[] = [];
  folder: string | null = null;
  readonly manuscripts = new FakeManuscripts({
    book: (projectId) => this.project(projectId),
    add: (projectId, title, text) => this.addFile(this.project(projectId), title, text).info.chapterId,
  });
  /** What the writer picks in the system's dialogs. */
  chosenFile: string | null = null;
  place: string | null = null;
  /** How often they were opened for a file, */
  picks = 0;
  /** and how they were asked where to. */
  readonly places: { title: string; name: string; kind: FileKind }[] = [];
  readonly models = new FakeModels((what) => this.emit("memory:changed", { projectId: null, what: [what] }));
  readonly life = new FakeLife({
    episodes: this.episodes,
    rules: this.rules,
    traces: this.traces,
    books: () => this.books.map(({ project }) => project.projectId),
    forget: (projectId) => {
      for (const book of this.books.filter(({ project }) => projectId === null || project.projectId === projectId))
        this.books.splice(this.books.indexOf(book), 1);
      this.settings = { ...this.settings, lastProjectId: null };
      this.emit("memory:changed", { projectId: null, what: ["projects", "settings"] });
    },
    now: () => this.now(),
    changed: (projectId, what) => this.emit("memory:changed", { projectId, what }),
  });

  readonly drafts = new FakeDrafts({
    id: (kind) => this.id(kind),
    now: () => this.now(),
    marks: (chapterId) => this.file(chapterId).file,
  });

  private readonly semantic = new FakeRules({
    rules: this.rules,
    id: () => this.id("rule"),
    now: () => this.now(),
    changed: (projectId) => this.emit("memory:changed", { projectId, what: ["rules"] }),
    readFrom: () => this.life.rulesFrom,
    hiddenNames: (text) => [...this.life.names.values()].flat().filter(({ name }) => text.includes(name)).length,
    erase: (ruleId, everywhere, versions) =>
      this.life.erase(
        ({ memoryReferences }) => memoryReferences.some(({ id }) => id === ruleId),
        everywhere,
        {},
        { ruleVersions: versions, tombstones: 1 },
      ),
    paused: () => this.learning.paused,
    followed: () => this.followed,
    learnedAt: (projectId) =>
      this.learning.runs.find((run) => run.status === "committed" && run.projectId === projectId)?.endedAt ?? null,
    recorded: () =>
      this.life.is("episodes") === "damaged" ? 0 : this.episodes.length + (this.rules.length > 0 ? 312 : 0),
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
    dispute: (rule) => this.semantic.put(rule, null, "disputed"),
    now: () => this.now(),
    changed: (projectId, what) => this.emit("memory:changed", { projectId, what }),
    tell: (progress) => this.emit("memory:trace:progress", progress),
  });

  readonly exchange = new FakeExchange({
    rules: this.rules,
    episodes: this.episodes,
    traces: this.traces,
    books: () => this.books.map(({ project }) => project.projectId),
    now: () => this.now(),
    changed: (projectId, what) => this.emit("memory:changed", { projectId, what }),
  });

  private settings: Required<Settings>;
  private readonly handlers = new Map<string, Set<(payload: unknown) => void>>();
  private readonly failures: { name: Name; error: WireError; times: number }[] = [];
  readonly waits = new Waits<Name>();
  private readonly closers = new Set<() => Promise<boolean>>();
  private run: FakeRun | null = null;
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
    this.settings = { interfaceLanguage: "system", theme: "system", lastProjectId: null, ...options.settings };
    if (options.rules ?? true) this.semantic.learn(this.language);
    if (this.past) this.life.backups = backupsOf(this.clock);
    if (options.ill) this.life.degrade(options.ill);
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
    const refusal = this.life.refusal(command);
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
    this.picks += 1;
    return Promise.resolve(this.chosenFile);
  }

  pickPlace(title: string, name: string, kind: FileKind): Promise<string | null> {
    this.picks += 1;
    this.places.push({ title, name, kind });
    return Promise.resolve(this.place);
  }

  beforeClose(handler: () => Promise<boolean>): Promise<() => void> {
    this.closers.add(handler);
    return Promise.resolve(() => void this.closers.delete(handler));
  }

  // ---- what a test may do ----

  /** The next `times` calls of a command fail so. */
  fail(name: Name, error: WireError, times = 1): void {
    this.failures.push({ name, error, times });
  }

  /** The command works again. */
  heal(name: Name): void {
    for (const failure of this.failures) if (failure.name === name) failure.times = 0;
  }

  asked<K extends Name>(name: K): Commands[K]["args"][] {
    return this.calls.filter((one) => one.name === name).map(({ args }) => args as Commands[K]["args"]);
  }

  emit<K extends keyof Events>(event: K, payload: Events[K]): void {
    for (const handler of this.handlers.get(event) ?? []) handler(structuredClone(payload));
  }

  /** The writer closes the window; whether it went. */
  async close(): Promise<boolean> {
    return (await Promise.all([...this.closers].map((closer) => closer()))).every(Boolean);
  }

  /** Somebody else saves the chapter. */
  changeOutside(chapterId: string, text: string, tell = true): void {
    const { book, file } = this.file(chapterId);
    file.text = text;
    file.hash = this.hash(text);
    file.origins = [];
    if (tell) this.emit("chapter:changed", { projectId: book.project.projectId, chapterId, contentHash: file.hash });
  }

  /** `pieces` more pieces of every candidate, or all that is left. */
  advance(pieces = Infinity): void {
    const { run } = this;
    if (!run) return;
    for (let piece = 0; piece < pieces && run.left.some((left) => left.length > 0); piece += 1) {
      run.left.forEach((left, candidate) => {
        const text = left.shift();
        if (text === undefined) return;
        run.said[candidate] += text;
        this.emit("ai:skill:chunk", { generationId: run.generationId, candidate, text });
        if (left.length === 0) this.endCandidate(candidate);
      });
    }
    if (run.left.every((left) => left.length === 0)) this.end("finished");
  }

  /** One candidate ends, whole or with the model's error; what it has not said it never says. */
  endCandidate(candidate: number, error: WireError | null = null): void {
    const { run } = this;
    if (!run || run.ended.has(candidate)) return;
    run.ended.add(candidate);
    run.left[candidate] = [];
    this.emit("ai:skill:candidate", { generationId: run.generationId, candidate, text: run.said[candidate]!, error });
  }

  /** All that is left of one candidate. */
  finishCandidate(candidate: number): void {
    const { run } = this;
    if (!run) return;
    const text = run.left[candidate]!.join("");
    run.said[candidate] += text;
    this.emit("ai:skill:chunk", { generationId: run.generationId, candidate, text });
    this.endCandidate(candidate);
  }

  /** The model could not read all of it. */
  trim(contextTokens: number): void {
    const { run } = this;
    if (!run) return;
    const { memoryReferences } = this.traces.get(run.generationId)!;
    this.emit("ai:skill:trimmed", {
      generationId: run.generationId,
      memoryReferences: memoryReferences.slice(0, 1),
      cut: this.cut(),
      totalTokens: Math.round(contextTokens / 2),
      contextTokens,
    });
  }

  /** How a run ends; `failed` with the model's error. */
  end(status: "finished" | "cancelled" | "failed", error: WireError | null = null): void {
    const { run } = this;
    if (!run) return;
    run.said.forEach((_, candidate) => this.endCandidate(candidate, error));
    this.run = null;
    const trace = this.traces.get(run.generationId);
    if (trace && run.said.some((text) => text !== "")) {
      trace.influenceWeights = [influenceOf(trace.memoryReferences, 0, this.now())];
      this.emit("memory:changed", { projectId: trace.projectId, what: ["traces"] });
    }
    this.emit("ai:skill:done", { generationId: run.generationId, status, candidates: run.said, error });
  }

  private isPastDown(): boolean {
    const down = (of: Part) => this.life.status.parts.some(({ part, state }) => part === of && state === "unavailable");
    return down("episodes") && down("words");
  }

  /** These parts of the memory do not serve; without any, all do. */
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
    ...this.life.commands,
    ...this.semantic.commands,
    ...this.learning.commands,
    ...this.provenance.commands,
    ...this.manuscripts.commands,
    ...this.exchange.commands,
    "project:list": () => ({ projects: this.books.map(({ project }) => project).toReversed() }),
    "project:open": ({ path, copiedAs }) => {
      if (path.includes("copy") && !copiedAs)
        return { status: "copied", book: null, copiedFrom: "/books/original", knownTitle: "original" };
      if (path.includes("elsewhere") && !copiedAs)
        return {
          status: "copied",
          book: null,
          copiedFrom: null,
          knownTitle: this.language === "zh" ? "潮汐簿" : "The Tide Book",
        };
      const known = this.books.find(({ project }) => project.path === path);
      return {
        status: "opened",
        book: this.book(known ?? this.newBook(path.split("/").at(-1) ?? path, this.language, path)),
        copiedFrom: null,
        knownTitle: null,
      };
    },
    "project:sample": ({ language }) => {
      const sample = FAKE_BOOKS[language];
      const known = this.books.find(({ project }) => project.path === `/sample/${language}`);
      if (known) return this.book(known);
      const book = this.newBook(sample.title, language, `/sample/${language}`);
      this.semantic.belong(book.project.projectId);
      for (const chapter of sample.chapters) this.addSample(book, chapter.title, chapter.paragraphs);
      if (this.learned) this.learning.fill(language, book.project.projectId);
      if (this.past)
        this.episodes.push(
          ...pastOf(
            language,
            book.project.projectId,
            book.files.map(({ info }) => info.chapterId),
            this.clock,
          ),
        );
      return this.book(book);
    },
    "project:style": ({ projectId }) => {
      const { files } = this.project(projectId);
      return styleOf(files.length, this.style === "none" ? 0 : files.reduce((all, { info }) => all + info.words, 0));
    },
    "project:create": ({ title, language, path }) => this.newBook(title, language, path ?? null).project,
    "chapter:list": ({ projectId }) => ({ chapters: this.project(projectId).files.map(({ info }) => info) }),
    "chapter:create": ({ projectId, title }) => this.addFile(this.project(projectId), title, `# ${title}\n\n`).info,
    "chapter:rename": ({ chapterId, title }) => {
      const { file } = this.file(chapterId);
      file.text = file.text.replace(/^# .*/, `# ${title}`);
      file.hash = this.hash(file.text);
      file.info = { ...file.info, title };
      return file.info;
    },
    "chapter:read": ({ chapterId }) => {
      const { book, file } = this.file(chapterId);
      const { info, text, hash, origins } = file;
      const kept = [
        ...this.drafts.of(chapterId).filter((one) => one.text !== text),
        ...this.drafts.lost(book.files.map((one) => one.info.chapterId)),
      ];
      return {
        chapterId,
        title: info.title,
        text,
        contentHash: hash,
        origins: this.isPastDown() ? [] : origins,
        unanchored: [],
        kept,
      } satisfies ChapterText;
    },
    "chapter:write": ({ chapterId, text, baseHash, origins, before, keptId }) => {
      const { file } = this.file(chapterId);
      const snapshotsSaved = this.drafts.take(chapterId, before ?? []);
      if (file.hash !== baseHash)
        throw {
          code: "MEMORY_STALE_VERSION",
          message: "the chapter was changed outside",
          details: { field: "baseHash", currentHash: file.hash },
        };
      file.text = text;
      file.hash = this.hash(text);
      const originsSaved = !this.isPastDown();
      if (originsSaved) file.origins = origins.map((range) => this.origin(range, text));
      file.info = { ...file.info, title: /^# (.+)/.exec(text)?.[1] ?? file.info.title, words: countWords(text) };
      if (keptId) this.drafts.letGo(chapterId, keptId);
      return { contentHash: file.hash, words: file.info.words, originsSaved, snapshotsSaved };
    },
    "settings:get": () => this.settings,
    "settings:set": (part) => {
      this.settings = { ...this.settings, ...(part as Settings) };
      this.emit("memory:changed", { projectId: null, what: ["settings"] });
      return this.settings;
    },
    "memory:context:assemble": (args) => {
      const memoryReferences = this.memoryReferences(args);
      return {
        language: this.project(args.projectId).project.language,
        sceneType: args.sceneType ?? "dialogue",
        layers: [],
        memoryReferences,
        cut: this.cut(),
        messages: this.messages(args, memoryReferences),
        totalTokens: 1_840,
        memoryDegraded: this.life.status.degraded,
        degradedReasons: [],
      };
    },
    "ai:skill:run": (args) => {
      const generationId = this.id("gen");
      const { language } = this.project(args.projectId).project;
      const drafts = FAKE_DRAFTS[language].slice(0, args.candidates ?? 3);
      const memoryReferences = this.memoryReferences(args);
      const provider = this.models.writing;
      const sceneType = args.sceneType ?? "dialogue";
      this.run = {
        generationId,
        said: drafts.map(() => ""),
        ended: new Set(),
        left: drafts.map((text) => text.match(language === "zh" ? /[^，。]+[，。”]*/g : /\S+\s*/g) ?? [text]),
      };
      this.traces.set(generationId, {
        generationId,
        projectId: args.projectId,
        chapterId: args.chapterId,
        skill: args.skill,
        sceneType,
        createdAt: this.now(),
        provider,
        seed: 1,
        promptHash: "0",
        messages: this.messages(args, memoryReferences),
        totalTokens: 1_840,
        memoryReferences,
        cut: this.cut(),
        memoryDegraded: false,
        degradedReasons: [],
        feedback: [],
        influenceWeights: [],
        episodeId: null,
        outcome: null,
        blankedAt: null,
      });
      if (this.pace !== null) this.flow(generationId);
      return {
        generationId,
        candidates: drafts.length,
        provider,
        sceneType,
        memoryReferences,
        cut: this.cut(),
        memoryDegraded: this.life.status.degraded,
        degradedReasons: [],
      };
    },
    "ai:skill:cancel": ({ generationId }) => {
      if (this.run?.generationId !== generationId) return { cancelled: false };
      setTimeout(() => this.end("cancelled"), 0);
      return { cancelled: true };
    },
    "memory:episode:record": (draft) => {
      const episodeId = this.id("episode");
      this.episodes.push(episodeOf(this.now(), episodeId, draft));
      const trace = draft.generationId ? this.traces.get(draft.generationId) : undefined;
      if (trace) {
        trace.episodeId = episodeId;
        trace.outcome = {
          selectedIndex: draft.selectedIndex,
          editDistance:
            draft.candidates[draft.selectedIndex] === draft.finalText ? 0 : draft.selectedIndex < 0 ? null : 0.18,
        };
        if (draft.selectedIndex >= 0)
          trace.influenceWeights = trace.influenceWeights.map((one) => ({ ...one, candidate: draft.selectedIndex }));
      }
      this.emit("memory:changed", { projectId: draft.projectId, what: ["episodes", "traces"] });
      return { episodeId };
    },
    "memory:working:put": ({ projectId, kind, text }) => ({
      itemId: this.id("working"),
      projectId,
      scope: "project",
      version: 1,
      kind,
      text,
      importance: 0.5,
      tokens: text.length,
      createdAt: this.now(),
      touchedAt: this.now(),
    }),
    "memory:working:list": () => ({ items: [], tokens: 0, budgetTokens: 8_000 }),
    "memory:working:remove": ({ itemId }) => ({ itemId }),
  };

  private flow(generationId: string): void {
    setTimeout(() => {
      if (this.run?.generationId !== generationId) return;
      this.advance(1);
      this.flow(generationId);
    }, this.pace ?? 0);
  }

  private id(kind: string): string {
    this.ids += 1;
    return `${kind}-${this.ids}`;
  }

  private now(): string {
    this.clock += 1_000;
    return new Date(this.clock).toISOString();
  }

  private hash(text: string): string {
    let value = 0x811c9dc5;
    for (const unit of text) value = Math.imul(value ^ unit.codePointAt(0)!, 0x01000193) >>> 0;
    return `${value.toString(16)}-${text.length}`;
  }

  private project(projectId: string): FakeBook {
    const book = this.books.find(({ project }) => project.projectId === projectId);
    if (!book) throw { code: "MEMORY_NOT_FOUND", message: "there is no such project", details: { field: "projectId" } };
    return book;
  }

  private file(chapterId: string): { book: FakeBook; file: FakeFile } {
    for (const book of this.books) {
      const file = book.files.find(({ info }) => info.chapterId === chapterId);
      if (file) return { book, file };
    }
    throw { code: "MEMORY_NOT_FOUND", message: "there is no such chapter", details: { field: "chapterId" } };
  }

  private book({ project, files }: FakeBook): Book {
    return { project, chapters: files.map(({ info }) => info) };
  }

  private newBook(title: string, language: Language, path: string | null): FakeBook {
    const at = this.now();
    const book: FakeBook = {
      project: { projectId: this.id("project"), title, language, path, createdAt: at, lastOpenedAt: at },
      files: [],
    };
    this.books.push(book);
    return book;
  }

  private addFile(book: FakeBook, title: string, text: string): FakeFile {
    const number = String(book.files.length + 1).padStart(2, "0");
    const file: FakeFile = {
      info: {
        chapterId: this.id("chapter"),
        title,
        file: `${number}-${title}.md`,
        words: countWords(text),
        sceneType: null,
      },
      text,
      hash: this.hash(text),
      origins: [],
    };
    book.files.push(file);
    return file;
  }

  /** ⟦…⟧ and ⟪…⟫ mark what two generations wrote. */
  private addSample(book: FakeBook, title: string, paragraphs: string[]): void {
    const marked = `# ${title}\n\n${paragraphs.join("\n\n")}\n`;
    let text = "";
    const open: { at: number; id: string }[] = [];
    const ranges: OriginAt[] = [];
    for (const unit of marked) {
      if (unit === "⟦" || unit === "⟪") open.push({ at: text.length, id: unit === "⟦" ? "gen-a" : "gen-b" });
      else if (unit === "⟧" || unit === "⟫") {
        const start = open.pop();
        if (start) ranges.push({ generationId: start.id, from: start.at, to: text.length });
      } else text += unit;
    }
    const file = this.addFile(book, title, text);
    file.origins = ranges.map((range) => this.origin(range, text));
    for (const { generationId } of ranges) this.addTrace(book, file, generationId);
  }

  private addTrace(book: FakeBook, file: FakeFile, generationId: string): void {
    if (this.traces.has(generationId)) return;
    const args: PassageOf = {
      projectId: book.project.projectId,
      chapterId: file.info.chapterId,
      skill: "continue",
      sceneType: "description",
      before: file.text.slice(0, 120),
    };
    const memoryReferences = this.memoryReferences(args);
    this.traces.set(generationId, {
      generationId,
      projectId: book.project.projectId,
      chapterId: file.info.chapterId,
      skill: "continue",
      sceneType: "description",
      createdAt: this.now(),
      provider: { provider: "sample", model: "sample", sample: true },
      seed: 7,
      promptHash: "0",
      messages: this.messages(args, memoryReferences),
      totalTokens: 1_840,
      memoryReferences,
      cut: this.cut(),
      memoryDegraded: false,
      degradedReasons: [],
      feedback: [],
      influenceWeights: [influenceOf(memoryReferences, 1, this.now())],
      episodeId: "episode-0",
      outcome: { selectedIndex: 1, editDistance: 0.18 },
      blankedAt: null,
    });
  }

  private origin({ generationId, from, to }: OriginAt, text: string): OriginMark {
    return {
      generationId,
      skill: this.traces.get(generationId)?.skill ?? "continue",
      from,
      to,
      quoteHash: this.hash(text.slice(from, to)),
    };
  }

  private memoryReferences(args: PassageOf): Reference[] {
    const rules: Reference[] = this.rules
      .filter((rule) => rule.scope === "global" || rule.projectId === args.projectId)
      .slice(0, 5)
      .map((rule) => ({
        referenceId: `rule:${rule.id}`,
        kind: "rule",
        id: rule.id,
        version: rule.version,
        layer: "settings",
        text: rule.rule,
        score: null,
        matchedBy: rule.scope === "global" ? ["global"] : ["project"],
      }));
    if (rules.length === 0) return this.hasBuiltInRules ? this.builtInRules(args) : [];
    const zh = this.project(args.projectId).project.language === "zh";
    const past = zh ? "柜子缺一条腿，垫着半块砖。" : "The locker was one leg short and stood on half a brick.";
    const near = zh ? "刚写的“你爸让我别扔”" : "Just written: “Your dad said not to throw it out.”";
    return [
      ...rules,
      {
        referenceId: "episode:1",
        kind: "episode",
        id: "episode-1",
        version: 1,
        layer: "retrieved",
        text: past,
        score: 0.74,
        matchedBy: ["scene", "words"],
      },
      {
        referenceId: "working:1",
        kind: "working",
        id: "working-1",
        version: 1,
        layer: "immediate",
        text: near,
        score: null,
        matchedBy: [],
      },
    ];
  }

  /** The rules of the program itself, which are in a prompt while there are no others. */
  private builtInRules(args: PassageOf): Reference[] {
    const zh = this.project(args.projectId).project.language === "zh";
    const texts = zh
      ? ["承接上文的人称、时态和语气", "写看得见、听得见的东西，不替读者总结", "用平实的词，不堆形容词"]
      : [
          "Keep the person, tense and tone of the passage",
          "Write what can be seen and heard; draw no conclusions for the reader",
          "Plain words, few adjectives",
        ];
    return ["voice", "show", "plain"].map((name, index) => ({
      referenceId: `rule:builtin:${name}`,
      kind: "rule",
      id: `builtin:${name}`,
      version: 1,
      layer: "settings",
      text: texts[index]!,
      score: null,
      matchedBy: [],
    }));
  }

  private cut(): Trace["cut"] {
    if (this.rules.length === 0) return [];
    return [
      {
        kind: "episode",
        id: "episode-9",
        layer: "retrieved",
        text: this.language === "zh" ? "南风一来，墙就出汗。" : "When the south wind came the walls sweated.",
        tokens: 212,
        reason: "budget",
      },
    ];
  }

  private messages(args: PassageOf, memoryReferences: Reference[]): Trace["messages"] {
    const zh = this.project(args.projectId).project.language === "zh";
    const rules = memoryReferences.filter(({ kind }) => kind === "rule");
    const settings =
      rules.length > 0
        ? `<settings>\n${zh ? "[用户写作偏好 - 自动学习]" : "[Writer's preferences - learned]"}\n${rules.map(({ text }) => `- ${text}`).join("\n")}\n</settings>\n`
        : "";
    const wish = args.instruction ? `<wish>\n${args.instruction}\n</wish>\n` : "";
    const selection = args.selection ? `<selection>\n${args.selection}\n</selection>\n` : "";
    return [
      {
        role: "system",
        content: zh ? "你是小说作者的助手。\n语言：中文" : "You assist a novelist.\nLanguage: English",
      },
      {
        role: "user",
        content: `${settings}<before>\n${args.before.slice(-120)}\n</before>\n${selection}${wish}${zh ? "[任务] 续写" : "[Task] continue"}`,
      },
    ];
  }
}
