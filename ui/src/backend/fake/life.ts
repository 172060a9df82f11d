import type {
  AlsoIn,
  Backup,
  Capacity,
  ClearedCounts,
  Clearing,
  Commands,
  DeletedWords,
  Episode,
  Error as WireError,
  HiddenName,
  Job,
  NameForm,
  NameList,
  Reason,
  Rule,
  SkillWeight,
  Status,
  StoreFile,
  Topic,
  Trace,
  WordCounts,
} from "../bindings.gen";

import { recall } from "./recall";
import { invalid, notFound, otherProject } from "./refusals";

type Name =
  | Extract<keyof Commands, `memory:backup:${string}` | `memory:clear:${string}` | `memory:names:${string}`>
  | "memory:clock:confirm"
  | "memory:editor:activity"
  | "memory:episode:confirm"
  | "memory:episode:delete"
  | "memory:episode:feedback"
  | "memory:episode:query"
  | "memory:maintenance:run"
  | "memory:missing:acknowledge"
  | "memory:skills:order"
  | "memory:status"
  | "memory:store:begin-anew"
  | "project:forget";

interface Context {
  episodes: Episode[];
  rules: Rule[];
  traces: Map<string, Trace>;
  books: () => string[];
  /** Number of chapters of a project. */
  chapters: (projectId: string) => number;
  /** Forgets one project, or with `null` all. */
  forget: (projectId: string | null) => void;
  /** Redacts the journal entries about an episode. */
  redactJournal: (episodeId: string) => void;
  /** Clears the journal of a project, or with `null` of all; returns the number of its entries. */
  clearJournal: (projectId: string | null) => number;
  /** Number of answers of a project, or with `null` of those of all books, and of those that rest on changed text. */
  countAnswers: (projectId: string | null) => { all: number; stale: number };
  /** Deletes the answers of a project, or with `null` of all; returns their number. */
  clearAnswers: (projectId: string | null) => number;
  now: () => string;
  changed: (projectId: string | null, what: Topic[]) => void;
}

const damaged: WireError = {
  code: "MEMORY_STORE_UNAVAILABLE",
  message: "the file is damaged; a backup can be put in its place",
  details: { reason: "damaged" },
};

const ALL_JOBS: Job[] = ["daily", "weekly", "monthly", "backup"];

/** Commands that need a file to be readable or writable. */
const NEEDS: Record<StoreFile, RegExp> = {
  rules:
    /^(settings:set$|project:forget$|story:(undo$|entity:(accept|dismiss|merge|split)$)|memory:(semantic:(add|update|confirm|delete|history|undo|evidence|distill)|distill:|conflict:|learning:|promote|names:set|clear:|export$|import$))/,
  episodes:
    /^(answer:(block|complete|confirm|copied|delete|hit|prepare|promote|reaffirm|record|unblock|undo|update|validate)$)|^memory:(episode:(record|feedback|confirm|delete)|trace:|clear:|export$|import$)/,
};

/** The built-in skills, in their order without any use. */
const SKILLS = ["continue", "polish", "rewrite", "expand", "condense", "ask"];

/** The topics that an erasure may change. */
const ERASED: Topic[] = ["episodes", "rules", "traces", "journal", "answers", "knowledge", "working", "backups"];

/** Removes the words of a trace. */
function blank(trace: Trace, at: string): void {
  trace.blankedAt = at;
  for (const message of trace.messages) message.content = "";
  for (const part of [...trace.memoryReferences, ...trace.cut]) part.text = "";
}

/** Episodes, clearing, health, backups and maintenance. */
export class FakeLife {
  backups: Backup[] = [];
  clearings: Clearing[] = [];
  names = new Map<string, HiddenName[]>();
  /** Forms of hidden names that occur in the book. */
  nameForms: NameForm[] = [];
  skills: SkillWeight[] = SKILLS.map((skill) => ({ skill, weight: 0 }));
  /** Number of episodes that maintenance compresses. */
  toCompress = 12;
  /** Jobs that fail when they run. */
  readonly failing = new Set<Job>();
  status: Status = {
    degraded: false,
    parts: (["rules", "episodes", "words", "embedder", "maintenance", "evidence", "config", "audit"] as const).map(
      (part) => ({
        part,
        state: "ok",
        reason: null,
        message: null,
      }),
    ),
    clock: null,
    missing: [],
    maintenance: [],
    lastBackup: null,
    files: [],
    capacities: [],
    journalDue: 0,
    answerOutbox: 0,
  };
  /** `damaged`: the file cannot be opened. `full`: it can be read but not written. */
  private readonly ill = new Map<StoreFile, "damaged" | "full">();

  constructor(private readonly context: Context) {}

  /** The error of a command whose file is unavailable, or `null`. */
  refusal(name: string): WireError | null {
    for (const [file, state] of this.ill) {
      if (!NEEDS[file].test(name)) continue;
      return state === "damaged" ? damaged : { code: "MEMORY_WRITE_FAILED", message: "the disk is full" };
    }
    return null;
  }

  /** Throws while a file cannot be read. */
  requireReadable(file: StoreFile): void {
    if (this.is(file) === "damaged") throw damaged;
  }

  is(file: StoreFile): "well" | "damaged" | "full" {
    return this.ill.get(file) ?? "well";
  }

  /** Why the rules are read from a backup; `null` while the file itself serves. Throws without a backup. */
  get rulesFrom(): string | null {
    if (this.is("rules") !== "damaged") return null;
    const backup = this.backups.find(({ file }) => file === "rules");
    if (!backup) throw damaged;
    return `rules are read-only, as they were at ${backup.createdAt}: ${damaged.message}`;
  }

  /** Makes exactly these parts unavailable, with those stored in the same file. */
  degrade(
    parts: Status["parts"][number]["part"][],
    reason: Reason | null = null,
    how: "damaged" | "full" = "damaged",
  ): void {
    this.ill.clear();
    for (const file of ["rules", "episodes"] as const) if (parts.includes(file)) this.ill.set(file, how);
    const down = (part: Status["parts"][number]["part"]) =>
      parts.includes(part) || (part === "words" && this.is("episodes") === "damaged");
    this.status = {
      ...this.status,
      degraded: parts.length > 0,
      parts: this.status.parts.map(({ part, reason: before }) => {
        const why = reason ?? before;
        return down(part)
          ? { part, state: "unavailable", reason: why, message: why }
          : { part, state: "ok", reason: null, message: null };
      }),
      maintenance: parts.includes("maintenance")
        ? [{ job: "daily", begunAt: this.context.now(), doneAt: null, failure: "the disk is full" }]
        : this.status.maintenance.map((run) => ({ ...run, failure: null })),
    };
    this.context.changed(null, []);
  }

  /** Fill level of each book and of the global memory; `null` where the file cannot be read. */
  private get capacities(): Capacity[] {
    const { episodes, rules } = this.context;
    return [...this.context.books(), null].map((projectId) => {
      const own = episodes.filter((episode) => episode.projectId === projectId);
      const known = projectId !== null && this.is("episodes") !== "damaged";
      return {
        projectId,
        active: known ? { count: own.filter(({ compressed }) => !compressed).length, soft: 1_000, hard: 10_000 } : null,
        compressed: known
          ? { count: own.filter(({ compressed }) => compressed).length, soft: 5_000, hard: 50_000 }
          : null,
        rules:
          this.is("rules") === "damaged"
            ? null
            : { count: rules.filter((rule) => rule.projectId === projectId).length, soft: 200, hard: 500 },
        answers:
          this.is("episodes") === "damaged"
            ? null
            : { count: this.context.countAnswers(projectId).all, soft: 5_000, hard: 20_000 },
        staleAnswers: this.is("episodes") === "damaged" ? null : this.context.countAnswers(projectId).stale,
      };
    });
  }

  isDown(part: Status["parts"][number]["part"]): boolean {
    return this.down.includes(part);
  }

  private get down() {
    return this.status.parts.filter(({ state }) => state === "unavailable").map(({ part }) => part);
  }

  private get currentStatus(): Status {
    return {
      ...this.status,
      lastBackup: this.backups[0] ?? null,
      files: [
        { file: "rules", bytes: 98_304 },
        { file: "episodes", bytes: 14_320_640 },
      ],
      capacities: this.capacities,
    };
  }

  private nameList(projectId: string): NameList {
    const names = this.names.get(projectId) ?? [];
    return {
      names,
      askLowerCase: names
        .filter(({ name, lowerCase }) => !lowerCase && ["Will", "Rose", "Mark"].includes(name))
        .map(({ name }) => name),
    };
  }

  private find(episodeId: string, projectId?: string | null): Episode {
    const found = this.context.episodes.find(({ id }) => id === episodeId);
    if (!found) throw notFound("episodeId");
    if (projectId && found.projectId !== projectId) throw otherProject;
    return found;
  }

  private change(episode: Episode, change: Partial<Episode>, what: Topic[] = ["episodes"]): Episode {
    Object.assign(episode, change, { version: episode.version + 1 });
    this.context.changed(episode.projectId, what);
    return episode;
  }

  /** Backs up the readable ones of the files. */
  private backUp(reason: Backup["reason"], files: StoreFile[] = ["rules", "episodes"]): Backup[] {
    const made = files
      .filter((file) => this.is(file) !== "damaged")
      .map((file): Backup => {
        const createdAt = this.context.now();
        const bytes = file === "rules" ? 98_304 : 14_320_640;
        return { backupId: `${file}-${new Date(createdAt).getTime()}-${reason}`, file, createdAt, bytes, reason };
      });
    this.backups = [...made.toReversed(), ...this.backups];
    return made;
  }

  private clear(projectId: string | null, forgetsBook = projectId === null): ClearedCounts {
    const { episodes, rules, traces } = this.context;
    const deletedOf = <T extends { projectId: string | null }>(things: T[]) =>
      things.filter((thing) => projectId === null || thing.projectId === projectId);
    const drop = <T extends { projectId: string | null }>(things: T[]) => {
      const going = deletedOf(things);
      for (const thing of going) things.splice(things.indexOf(thing), 1);
      return going.length;
    };
    const backups = this.backups.length;
    const dropped = { episodes: drop(episodes), rules: drop(rules) };
    const counts: ClearedCounts = {
      ...dropped,
      traces: deletedOf([...traces.values()]).length,
      vectors: 0,
      words: dropped.episodes,
      origins: 0,
      journal: this.context.clearJournal(projectId),
      answers: this.context.clearAnswers(projectId),
      ruleVersions: dropped.rules,
      workingItems: 0,
      backups,
    };
    if (projectId !== null) this.backUp("clearing");
    for (const { generationId } of deletedOf([...traces.values()])) traces.delete(generationId);
    if (projectId === null) {
      this.backups = [];
      this.names.clear();
    }
    this.clearings = [
      {
        clearingId: `clearing-${this.clearings.length + 1}`,
        projectId,
        requestedBy: "writer",
        requestedAt: this.context.now(),
        finishedAt: this.context.now(),
        counts,
        forgetsBook,
      },
      ...this.clearings,
    ];
    const topics: Topic[] = ["episodes", "rules", "traces", "journal", "answers", "knowledge", "working"];
    if (forgetsBook) this.context.changed(null, [...topics, "projects", "settings", "names", "usage", "backups"]);
    else this.context.changed(projectId, topics);
    return counts;
  }

  /** Where the words of a deleted episode or rule remain or were erased. */
  erase(
    projectId: string | null,
    holds: (trace: Trace) => boolean,
    everywhere: boolean,
    alsoIn: AlsoIn,
    more: WordCounts,
    deleted: Topic[],
  ): DeletedWords {
    const held = [...this.context.traces.values()].filter(holds);
    if (everywhere) for (const trace of held) blank(trace, this.context.now());
    this.context.changed(projectId, everywhere ? ERASED : deleted);
    const none = { notes: 0, remarks: 0, ruleVersions: 0, tombstones: 0, runChanges: 0, setAside: 0 };
    return {
      everywhere,
      finishedAt: everywhere ? this.context.now() : null,
      places: { ...none, traces: held.length, backups: this.backups.length, ...more },
      alsoIn: everywhere ? { episodes: 0, traces: 0, rules: 0, workingItems: 0, recoveryCopies: 0, ...alsoIn } : null,
    };
  }

  readonly commands: { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "memory:status": () => this.currentStatus,
    "memory:clock:confirm": () => {
      this.status = { ...this.status, clock: null };
      this.context.changed(null, ["maintenance"]);
      return this.currentStatus;
    },
    "memory:missing:acknowledge": () => {
      this.status = { ...this.status, missing: [], degraded: this.down.length > 0 };
      this.context.changed(null, ["maintenance"]);
      return this.currentStatus;
    },
    "memory:store:begin-anew": ({ file }) => {
      if (this.is(file) !== "damaged") throw invalid("file");
      (file === "rules" ? this.context.rules : this.context.episodes).splice(0);
      const setAside = `${file}.db.corrupt-${new Date(this.context.now()).getTime()}`;
      this.degrade(this.down.filter((part) => part !== file && part !== "words"));
      return { file, setAside };
    },
    "memory:backup:list": () => ({ backups: this.backups }),
    "memory:backup:create": () => {
      const made = this.backUp("manual");
      if (made.length === 0) throw damaged;
      this.context.changed(null, ["backups"]);
      return { backups: made };
    },
    "memory:backup:restore": ({ backupId }) => {
      const restored = this.backups.find((backup) => backup.backupId === backupId);
      if (!restored) throw notFound("backupId");
      const { file } = restored;
      if (this.is(file) !== "damaged") this.backUp("restore", [file]);
      const setAside =
        this.is(file) === "damaged" ? `${file}.db.corrupt-${new Date(this.context.now()).getTime()}` : null;
      this.degrade(this.down.filter((part) => part !== file && part !== "words"));
      this.context.changed(null, [
        ...(file === "rules"
          ? (["rules", "story", "knowledge", "settings", "projects", "models", "backends", "usage", "names"] as const)
          : (["episodes", "traces", "story", "journal", "answers", "knowledge"] as const)),
        "backups",
      ]);
      return { restored, setAside };
    },
    "memory:clear:project": ({ projectId }) => this.clear(projectId),
    "project:forget": ({ projectId }) => {
      const counts = this.clear(projectId, true);
      this.context.forget(projectId);
      return counts;
    },
    "memory:clear:all": () => {
      const counts = this.clear(null);
      this.context.forget(null);
      return counts;
    },
    "memory:clear:log": () => {
      if (this.is("rules") === "damaged") throw damaged;
      return { clearings: this.clearings, erasures: [] };
    },
    "memory:episode:query": (query) => {
      if (this.is("episodes") === "damaged")
        return { episodes: [], degraded: true, degradedReason: `past examples unavailable: ${damaged.message}` };
      const unclear = this.down.includes("embedder");
      return {
        episodes: recall(this.context.episodes, query, !unclear),
        degraded: unclear,
        degradedReason: unclear ? "recall is less precise: the encoder is not there" : null,
      };
    },
    "memory:episode:confirm": ({ projectId, episodeId, userConfirmed }) =>
      this.change(this.find(episodeId, projectId), { userConfirmed: userConfirmed ?? true }),
    "memory:episode:delete": ({ projectId, episodeId, everywhere }) => {
      const { episodes } = this.context;
      const [episode] = episodes.splice(episodes.indexOf(this.find(episodeId, projectId)), 1);
      const own = ({ generationId, memoryReferences }: Trace) =>
        generationId === episode!.generationId || memoryReferences.some(({ id }) => id === episodeId);
      const deleted: Topic[] = ["episodes", "journal", "working"];
      this.context.redactJournal(episodeId);
      return { episodeId, words: this.erase(projectId, own, everywhere ?? false, { episodes: 1 }, {}, deleted) };
    },
    "memory:episode:feedback": ({ projectId, episodeId, signal, text }) =>
      this.change(
        this.find(episodeId, projectId),
        signal === "undo" ? { implicit: "delayedNegative", implicitWeight: -1.5 } : { explicit: text ?? null },
        ["episodes", "working"],
      ),
    "memory:maintenance:run": ({ job }) => {
      const begunAt = this.context.now();
      const jobs: Job[] = job ? [job] : ALL_JOBS;
      const failed = jobs.find((one) => this.failing.has(one));
      this.status = {
        ...this.status,
        maintenance: ALL_JOBS.flatMap((one) => {
          const last = this.status.maintenance.find((run) => run.job === one);
          if (!jobs.includes(one)) return last ? [last] : [];
          const failure = this.failing.has(one) ? "the disk is full" : null;
          return [{ job: one, begunAt, doneAt: failure === null ? begunAt : null, failure }];
        }),
      };
      if (failed) throw { code: "MEMORY_CLEANUP_FAILED", message: "maintenance failed: the disk is full" };
      if (this.down.includes("maintenance"))
        this.degrade(this.down.filter((part) => part !== "maintenance" && part !== "words"));
      const hasBackUps = jobs.includes("backup") && this.backups.length === 0;
      if (hasBackUps) this.backUp("changed");
      this.context.changed(null, ["episodes", "backups", "maintenance"]);
      const active = this.context.episodes.filter(({ compressed }) => !compressed).length;
      const steps: Record<Job, [name: string, count: number][]> = {
        daily: [
          ["active", active],
          ["fading", 0],
          ["toCompress", 0],
          ["toEvict", 0],
          ["compressed", this.toCompress],
        ],
        weekly: [["compressed", 0]],
        monthly: [
          ["deleted", 0],
          ["filesChecked", 2],
        ],
        backup: [
          ["backups", 2],
          ["backupsThinned", 0],
        ],
      };
      const done = this.status.clock
        ? [...(jobs.includes("backup") ? steps.backup : []), ["waitingForClock", 1] as [string, number]]
        : jobs.flatMap((one) => steps[one]);
      return { job: job ?? null, begunAt, steps: done.map(([name, count]) => ({ name, count })) };
    },
    "memory:editor:activity": () => ({}),
    "memory:names:list": ({ projectId }) => this.nameList(projectId),
    "memory:names:suggest": ({ projectId }) => ({
      forms: this.nameForms.filter(({ form }) => !this.nameList(projectId).names.some(({ name }) => name === form)),
      chapters: this.context.chapters(projectId),
    }),
    "memory:names:set": ({ projectId, names }) => {
      const nameless = names.findIndex(({ name }) => name.trim() === "");
      if (nameless >= 0) throw invalid(`names[${nameless}].name`);
      const wrong = names.findIndex(({ alias }) => names.some(({ name }) => alias.includes(name)));
      if (wrong >= 0) throw invalid(`names[${wrong}].alias`);
      this.names.set(projectId, names);
      this.context.changed(projectId, ["names"]);
      return this.nameList(projectId);
    },
    "memory:skills:order": () => ({ skills: this.skills }),
  };
}
