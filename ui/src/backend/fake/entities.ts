import type {
  Commands,
  Entity,
  EntityCard,
  EntityChange,
  EntityKind,
  EntityList,
  Language,
  PossibleMerge,
  Position,
  Project,
  StoryChange,
  StoryState,
  ToldTime,
  Visibility,
} from "../bindings.gen";
import { FAKE_CAST, type FakeEntity } from "./cast";
import { FakeFacts } from "./facts";
import { FakeLorebooks, type FakeLoreEntry } from "./lorebooks";
import {
  aroundOf,
  chaptersUpTo,
  mentionsOf,
  presenceOf,
  rangeOf,
  sentenceOf,
  taggedSpeeches,
  type FakeChapterText,
  type FakeMention,
} from "./mentions";
import { FakePlot } from "./plot";
import { invalid, notFound } from "./refusals";

type Name =
  | Extract<keyof Commands, `story:entity:${string}` | `story:fact:${string}`>
  | "story:at"
  | "story:events"
  | "story:export"
  | "story:history"
  | "story:import"
  | "story:mentions"
  | "story:threads"
  | "story:timeline"
  | "story:undo";

interface Context {
  book: (projectId: string) => { project: Project; files: readonly { info: { chapterId: string }; text: string }[] };
  /** Throws while the file of the analysis cannot be read. */
  requireReadable: () => void;
  /** Whether the tagger is missing. */
  isTaggerMissing: () => boolean;
  id: (kind: string) => string;
  now: () => string;
  changed: (projectId: string) => void;
}

interface Known extends FakeEntity {
  entityId: string;
  /** By the writer's word; `null`: the fullest form. */
  name: string | null;
  /** `null`: detected. */
  version: number | null;
  visibility?: Visibility;
  isPinned?: boolean;
  /** The position from which one that the text does not name is listed. */
  since?: Position | null;
}

/** A change with the entities before and after it, by id. `null`: there was or is none. */
interface Change {
  changeId: string;
  projectId: string;
  at: string;
  undoneAt: string | null;
  before: Map<string, Known | null>;
  after: Map<string, Known | null>;
  /** The pair whose question was dismissed. */
  separated: string | null;
}

const MAX_ACCEPTED = 5_000;
const MAX_NAME = 100;

const stale = (field: string, currentVersion?: number) => ({
  code: "MEMORY_STALE_VERSION" as const,
  message: "it was changed since it was read",
  details: { field, ...(currentVersion !== undefined && { currentVersion }) },
});

const pairOf = (one: string, other: string) => [one, other].toSorted().join(" ");

/** The entities of books: a search for the words of a list of names, and the changes of the writer. */
export class FakeEntities {
  /** The names of each book that is not the sample. */
  readonly casts = new Map<string, FakeEntity[]>();
  /** Pairs of names that may be one, by their fullest forms. The first has more mentions. */
  possibleMerges: [string, string][] = [];
  /** The answer to every list; `null`: computed. */
  list: EntityList | null = null;
  times: ToldTime[] = [];
  readonly facts = new FakeFacts({
    chapters: (projectId) => this.chapters(projectId, null),
    accept: (projectId, entityId, field) => {
      const known = this.find(projectId, entityId, field);
      if (known.version === null) this.cast(projectId).set(entityId, accepted(known, {}));
    },
    requireAccepted: (projectId, entityId, field) => {
      if (this.find(projectId, entityId, field).version === null) throw notFound(field);
    },
    id: (kind) => this.context.id(kind),
    now: () => this.context.now(),
    changed: (projectId) => this.context.changed(projectId),
  });
  readonly lorebooks = new FakeLorebooks({
    entries: (projectId, at) => this.entries(projectId, at),
    add: (projectId, entries) => this.addEntries(projectId, entries),
    now: () => this.context.now(),
  });
  private readonly plot = new FakePlot({
    accepted: (projectId, at) => this.acceptedAt(projectId, at),
    chapters: (projectId, at) => this.chapters(projectId, at).map(({ chapterId }) => chapterId),
    language: (projectId) => this.context.book(projectId).project.language,
  });
  private readonly known = new Map<string, Map<string, Known>>();
  private readonly separated = new Set<string>();
  private readonly changes: Change[] = [];

  constructor(private readonly context: Context) {}

  private cast(projectId: string): Map<string, Known> {
    const known = this.known.get(projectId);
    if (known) return known;
    const { project } = this.context.book(projectId);
    const isSample = project.path?.startsWith("/sample/") ?? false;
    const names = this.casts.get(projectId) ?? (isSample ? FAKE_CAST[project.language] : []);
    const made = new Map(
      names.map((entity) => {
        const entityId = this.context.id("entity");
        return [entityId, { ...entity, entityId, name: null, version: null }];
      }),
    );
    this.known.set(projectId, made);
    return made;
  }

  private chapters(projectId: string, at: Position | null | undefined): FakeChapterText[] {
    const { files } = this.context.book(projectId);
    const cut = chaptersUpTo(
      files.map(({ info, text }) => ({ chapterId: info.chapterId, text })),
      at,
    );
    if (!cut) throw notFound("at.chapterId");
    return cut;
  }

  /** The id of the entity with a form, for a test. */
  idOf(projectId: string, form: string): string {
    const found = [...this.cast(projectId).values()].find(({ forms, name }) => name === form || forms.includes(form));
    if (!found) throw new Error(`no entity ${form}`);
    return found.entityId;
  }

  private find(projectId: string, entityId: string, field = "entityId"): Known {
    const found = this.cast(projectId).get(entityId);
    if (!found) throw notFound(field);
    return found;
  }

  private entityOf(
    known: Known,
    mentions: FakeMention[],
    chapters: readonly FakeChapterText[],
    firstFact: string | null,
  ): Entity {
    const [first, last] = [mentions[0]!, mentions.at(-1)!];
    const used = known.forms.filter((form) => mentions.some(({ text }) => text === form));
    const name = known.name ?? used[0]!;
    return {
      entityId: known.entityId,
      kind: known.kind,
      name,
      aliases: used.filter((form) => form !== name),
      standing: known.version === null ? "detected" : "accepted",
      version: known.version,
      firstFact,
      mentions: mentions.length,
      presence: presenceOf(mentions),
      first: rangeOf(first),
      last: rangeOf(last),
      sentence: sentenceOf(chapters[first.chapter]!.text, first),
      taggedSpeeches: taggedSpeeches(chapters.at(-1)?.text ?? "", known.forms),
      misspellings: mentionsOf(chapters, known.misspelt ?? []).map((range) => ({
        range: rangeOf(range),
        text: range.text,
        meant: name,
      })),
    };
  }

  private entities(projectId: string, at: Position | null | undefined): EntityList {
    const chapters = this.chapters(projectId, at);
    const entities = [...this.cast(projectId).values()]
      .flatMap((known) => {
        const mentions = mentionsOf(chapters, known.forms);
        if (mentions.length === 0) return [];
        const firstFact = this.facts.onCard(projectId, known.entityId, at)[0]?.value ?? null;
        return [this.entityOf(known, mentions, chapters, firstFact)];
      })
      .toSorted((a, b) => b.mentions - a.mentions);
    const { language } = this.context.book(projectId).project;
    return {
      entities,
      possibleMerges: this.questions(entities),
      unnamed: this.unnamed(projectId, at, new Set(entities.map(({ entityId }) => entityId))),
      degraded: false,
      chapters: chapters.map(({ chapterId }) => chapterId),
      method: this.method(language),
    };
  }

  /** Whether the file of the analysis cannot be read. */
  private isUnreadable(): boolean {
    try {
      this.context.requireReadable();
      return false;
    } catch {
      return true;
    }
  }

  private listWithoutText(projectId: string): EntityList {
    const { language } = this.context.book(projectId).project;
    return {
      entities: [],
      possibleMerges: [],
      unnamed: this.unnamed(projectId, null, new Set()),
      degraded: true,
      chapters: [],
      method: this.method(language),
    };
  }

  private unnamed(
    projectId: string,
    at: Position | null | undefined,
    named: ReadonlySet<string>,
  ): EntityList["unnamed"] {
    return this.acceptedAt(projectId, at).flatMap(({ entityId, kind, name, visibility, version, facts }) => {
      if (named.has(entityId)) return [];
      const firstFact = facts[0]?.value ?? null;
      return [{ entityId, kind, name, visibility, version, facts: facts.length, firstFact }];
    });
  }

  private card({ projectId, entityId, at }: Commands["story:entity:get"]["args"]): EntityCard {
    const known = this.find(projectId, entityId);
    const list = this.entities(projectId, at);
    const row = list.entities.find((entity) => entity.entityId === entityId);
    if (!row && !list.unnamed.some((entity) => entity.entityId === entityId)) throw notFound("entityId");
    const name = row?.name ?? known.name ?? known.forms[0]!;
    return {
      entityId,
      kind: known.kind,
      name,
      aliases: row?.aliases ?? [],
      standing: known.version === null ? "detected" : "accepted",
      visibility: known.visibility ?? "asOf",
      isPinned: known.isPinned ?? false,
      version: known.version,
      chapters: list.chapters,
      mentions: row?.mentions ?? 0,
      presence: row?.presence ?? [],
      first: row?.first ?? null,
      last: row?.last ?? null,
      sentence: row?.sentence ?? null,
      companions: list.entities
        .filter((entity) => row && entity !== row && entity.presence.some(({ chapter }) => has(row, chapter)))
        .slice(0, 8)
        .map((entity) => ({ entityId: entity.entityId, name: entity.name, passages: 1 })),
      facts: this.facts.onCard(projectId, entityId, at),
      degraded: false,
    };
  }

  private save({ projectId, entityId, version, ...args }: Commands["story:entity:save"]["args"]): EntityChange {
    const name = args.name.trim();
    if (name === "" || [...name].length > MAX_NAME || name.includes("\n")) throw invalid("name");
    const known = entityId == null ? null : this.find(projectId, entityId);
    if (known && known.version !== version) throw stale("version", known.version ?? 0);
    const upTo = this.chapters(projectId, args.at);
    const id = known?.entityId ?? this.context.id("entity");
    const aliases = args.aliases ?? known?.forms ?? [];
    const saved: Known = {
      entityId: id,
      kind: args.kind,
      forms: [name, ...aliases.filter((alias) => alias !== name)],
      name,
      version: (known?.version ?? 0) + 1,
      visibility: args.visibility ?? known?.visibility ?? (args.kind === "worldRule" ? "always" : "asOf"),
      isPinned: args.isPinned ?? known?.isPinned ?? false,
      since: known ? (known.since ?? null) : mentionsOf(upTo, [name]).length > 0 ? null : (args.at ?? null),
    };
    return this.change(projectId, new Map([[id, saved]]));
  }

  /** The accepted entities that a list as of a position has although the text need not name them. */
  private acceptedAt(projectId: string, at: Position | null | undefined) {
    return [...this.cast(projectId).values()].flatMap(({ entityId, kind, name, forms, version, since, ...rest }) => {
      const { visibility = "asOf" } = rest;
      const facts = this.facts.onCard(projectId, entityId, at);
      const isWritten = since != null && this.facts.isUpTo(projectId, since, at);
      const isNamed = () => mentionsOf(this.chapters(projectId, at), forms).length > 0;
      const isListed = !at || visibility === "always" || facts.length > 0 || isWritten || isNamed();
      return version !== null && isListed
        ? [{ entityId, kind, name: name ?? forms[0]!, version, visibility, facts }]
        : [];
    });
  }

  /** The accepted entities with the facts that hold as of a position. */
  private entries(projectId: string, at: Position | null | undefined): FakeLoreEntry[] {
    const { entities, unnamed } = this.entities(projectId, at);
    const accepted = [...entities.filter(({ version }) => version !== null), ...unnamed];
    return accepted.map(({ entityId, kind, name }) => ({
      kind,
      name,
      facts: this.facts.onCard(projectId, entityId, at).map(({ attribute, value }) => [attribute, value]),
    }));
  }

  private addEntries(projectId: string, entries: FakeLoreEntry[]): string {
    const detected = [...this.cast(projectId).values()];
    const added = entries.map(({ kind, name, facts }): [Known, FakeLoreEntry["facts"]] => {
      const known = detected.find(({ forms }) => forms.includes(name));
      const entityId = known?.entityId ?? this.context.id("entity");
      return [{ forms: [name], ...known, entityId, kind, name, version: 1 }, facts];
    });
    const { changeId } = this.change(projectId, new Map(added.map(([entity]) => [entity.entityId, entity])));
    for (const [{ entityId }, facts] of added) this.facts.add(projectId, entityId, facts);
    return changeId;
  }

  private remove({ projectId, entityId, version }: Commands["story:entity:delete"]["args"]): EntityChange {
    const known = this.find(projectId, entityId);
    if (known.version !== version) throw stale("version", known.version ?? 0);
    return this.change(projectId, new Map([[entityId, null]]));
  }

  private questions(entities: readonly Entity[]): PossibleMerge[] {
    const by = (form: string) => entities.find(({ name, aliases }) => name === form || aliases.includes(form));
    return this.possibleMerges.flatMap(([one, other]) => {
      const [entity, second] = [by(one), by(other)];
      if (!entity || !second || entity === second) return [];
      if (this.separated.has(pairOf(entity.entityId, second.entityId))) return [];
      return [{ entityId: entity.entityId, otherId: second.entityId }];
    });
  }

  private method(language: Language): EntityList["method"] {
    if (language === "en") return "text";
    return this.context.isTaggerMissing() ? "surnames" : "tagger";
  }

  /** Makes a change and records it. `null` in `next`: the entity is removed. */
  private change(projectId: string, next: Map<string, Known | null>, separated: string | null = null): EntityChange {
    const cast = this.cast(projectId);
    const before = new Map([...next.keys()].map((id) => [id, cast.get(id) ?? null]));
    this.put(cast, next);
    if (separated !== null) this.separated.add(separated);
    const changeId = this.context.id("change");
    const at = this.context.now();
    this.changes.unshift({ changeId, projectId, at, undoneAt: null, before, after: next, separated });
    return this.changed(projectId, changeId, next);
  }

  private changed(projectId: string, changeId: string, now: Map<string, Known | null>): EntityChange {
    this.context.changed(projectId);
    const entityIds = [...now].flatMap(([id, known]) => (known?.version == null ? [] : [id]));
    return { changeId, entityIds };
  }

  private put(cast: Map<string, Known>, next: Map<string, Known | null>): void {
    for (const [id, known] of next) {
      if (known) cast.set(id, known);
      else cast.delete(id);
    }
  }

  private accept({ projectId, entityIds, kind, name, version }: Commands["story:entity:accept"]["args"]): EntityChange {
    if (entityIds.length < 1 || entityIds.length > MAX_ACCEPTED) throw invalid("entityIds");
    if (entityIds.length > 1 && (kind != null || name != null)) throw invalid("entityIds");
    if (name != null && (name.trim() === "" || [...name].length > MAX_NAME || name.includes("\n")))
      throw invalid("name");
    const known = entityIds.map((id) => this.find(projectId, id, "entityIds"));
    const [only] = known;
    if (known.length === 1 && only!.version !== null && version !== only!.version) {
      if (version == null) throw invalid("version");
      throw stale("version", only!.version);
    }
    return this.change(
      projectId,
      new Map(known.map((one) => [one.entityId, accepted(one, { kind: kind ?? null, name: name ?? null })])),
    );
  }

  private dismiss({ projectId, entityId, otherId }: Commands["story:entity:dismiss"]["args"]): EntityChange {
    const known = this.find(projectId, entityId);
    if (otherId == null) return this.change(projectId, new Map([[entityId, null]]));
    const other = this.find(projectId, otherId, "otherId");
    return this.change(
      projectId,
      new Map([
        [entityId, known],
        [otherId, other],
      ]),
      pairOf(entityId, otherId),
    );
  }

  private merge({ projectId, entityId, otherId }: Commands["story:entity:merge"]["args"]): EntityChange {
    if (entityId === otherId) throw invalid("otherId");
    const known = this.find(projectId, entityId);
    const other = this.find(projectId, otherId, "otherId");
    const joined = accepted({ ...known, forms: [...known.forms, ...other.forms] }, {});
    this.facts.move(projectId, otherId, entityId);
    return this.change(
      projectId,
      new Map([
        [entityId, joined],
        [otherId, null],
      ]),
    );
  }

  private split({ projectId, entityId, names }: Commands["story:entity:split"]["args"]): EntityChange {
    const known = this.find(projectId, entityId);
    const rest = known.forms.filter((form) => !names.includes(form));
    if (names.length === 0 || rest.length === 0 || names.some((name) => !known.forms.includes(name)))
      throw invalid("names");
    const name = known.name !== null && names.includes(known.name) ? null : known.name;
    const newId = this.context.id("entity");
    return this.change(
      projectId,
      new Map([
        [entityId, accepted({ ...known, forms: rest, name }, {})],
        [newId, { entityId: newId, kind: known.kind, forms: names, name: null, version: 1 }],
      ]),
    );
  }

  private undo({ projectId, changeId }: Commands["story:undo"]["args"]): EntityChange {
    if (this.facts.undo(projectId, changeId)) return { changeId, entityIds: [] };
    const change = this.changes.find((one) => one.changeId === changeId);
    if (!change) throw notFound("changeId");
    const cast = this.cast(projectId);
    for (const [id, known] of change.after) if ((cast.get(id) ?? null) !== known) throw stale("changeId");
    if (change.separated !== null) this.separated.delete(change.separated);
    change.undoneAt = this.context.now();
    this.put(cast, change.before);
    return this.changed(projectId, changeId, change.before);
  }

  /** The changes of an entity itself, the latest first. */
  private historyOf(projectId: string, entityId: string): StoryChange[] {
    return this.changes
      .filter((change) => change.projectId === projectId && change.after.has(entityId))
      .map(({ changeId, at, undoneAt, before, after }) => ({
        changeId,
        at,
        undoneAt,
        before: stateOf(before.get(entityId) ?? null),
        after: stateOf(after.get(entityId) ?? null),
      }));
  }

  /** The changes of an entity and of its facts, the latest first; or those of one fact. */
  private history(args: Commands["story:history"]["args"]): Commands["story:history"]["result"] {
    const { changes } = this.facts.commands["story:history"](args);
    if (args.entityId == null) return { changes };
    const numberOf = ({ changeId }: StoryChange) => Number(/\d+$/.exec(changeId)?.[0] ?? 0);
    const all = [...changes, ...this.historyOf(args.projectId, args.entityId)];
    return { changes: all.toSorted((a, b) => numberOf(b) - numberOf(a)).slice(0, args.limit ?? 50) };
  }

  readonly commands: { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "story:entity:list": ({ projectId, at }) => {
      if (this.isUnreadable()) return this.listWithoutText(projectId);
      return this.list ?? this.entities(projectId, at);
    },
    "story:entity:accept": (args) => this.accept(args),
    "story:entity:dismiss": (args) => this.dismiss(args),
    "story:entity:merge": (args) => this.merge(args),
    "story:entity:split": (args) => this.split(args),
    "story:entity:get": (args) => this.card(args),
    "story:entity:save": (args) => this.save(args),
    "story:entity:delete": (args) => this.remove(args),
    ...this.facts.commands,
    ...this.lorebooks.commands,
    ...this.plot.commands,
    "story:history": (args) => this.history(args),
    "story:undo": (args) => this.undo(args),
    "story:mentions": ({ projectId, entityId, at, skip, limit }) => {
      this.context.requireReadable();
      const chapters = this.chapters(projectId, at);
      const all = mentionsOf(chapters, this.find(projectId, entityId).forms);
      if (all.length === 0) throw notFound("entityId");
      const start = skip ?? 0;
      return {
        mentions: all.slice(start, start + (limit ?? 50)).map((mention) => ({
          range: rangeOf(mention),
          text: mention.text,
          ...aroundOf(chapters[mention.chapter]!.text, mention),
        })),
        total: all.length,
      };
    },
    "story:at": ({ projectId, at }) => {
      this.context.requireReadable();
      const whole = this.chapters(projectId, { ...at, offset: Number.MAX_SAFE_INTEGER });
      const chapter = whole.length - 1;
      const { text } = whole[chapter]!;
      const all = [...this.cast(projectId).values()].flatMap(({ entityId, forms }) =>
        mentionsOf(whole, forms).map((mention) => ({ ...mention, entityId })),
      );
      const here = all
        .filter((one) => one.chapter === chapter && one.from <= at.offset)
        .toSorted((a, b) => b.from - a.from);
      const passageFrom = text.lastIndexOf("\n\n", at.offset - 1);
      const near = text.lastIndexOf("\n\n", passageFrom - 1);
      const ids = (mentions: typeof here) => [...new Set(mentions.map(({ entityId }) => entityId))];
      return {
        named: here.find(({ to }) => to >= at.offset)?.entityId ?? null,
        nearby: ids(here.filter(({ from }) => from > near)),
        inChapter: ids(here),
        passage: null,
      };
    },
    "story:timeline": ({ skip, limit }) => {
      this.context.requireReadable();
      const start = skip ?? 0;
      return { times: this.times.slice(start, start + (limit ?? 200)), total: this.times.length };
    },
  };
}

/** The state of an entity in the history; `null`: it is not accepted. */
function stateOf(known: Known | null): StoryState | null {
  if (known?.version == null) return null;
  const { entityId, kind, forms, name, visibility = "asOf", isPinned = false } = known;
  return { kind: "entity", entity: { entityId, kind, name: name ?? forms[0]!, names: forms, visibility, isPinned } };
}

/** An entity that the writer has accepted, with its next version. */
const accepted = (known: Known, { kind, name }: { kind?: EntityKind | null; name?: string | null }): Known => ({
  ...known,
  kind: kind ?? known.kind,
  name: name ?? known.name,
  version: (known.version ?? 0) + 1,
});

const has = ({ presence }: Entity, chapter: number) => presence.some((one) => one.chapter === chapter);
