import type {
  CardFact,
  Citation,
  CitationDraft,
  Commands,
  Fact,
  FactChange,
  Position,
  StoryChange,
} from "../bindings.gen";
import type { FakeChapterText } from "./mentions";
import { invalid, notFound } from "./refusals";

type Name = Extract<keyof Commands, `story:fact:${string}`> | "story:history";

interface Context {
  chapters: (projectId: string) => FakeChapterText[];
  /** Accepts an entity if it is detected. Throws for one that is not in the book. */
  accept: (projectId: string, entityId: string, field: string) => void;
  /** Throws for an entity that is not accepted. */
  requireAccepted: (projectId: string, entityId: string, field: string) => void;
  id: (kind: string) => string;
  now: () => string;
  changed: (projectId: string) => void;
}

/** A change with the facts before and after it, by id. `null`: there was or is none. */
interface Change extends Pick<StoryChange, "changeId" | "at" | "undoneAt"> {
  projectId: string;
  before: Map<string, Fact | null>;
  after: Map<string, Fact | null>;
}

const MAX = { attribute: 60, value: 500, time: 100, quote: 500 };

const stale = (currentVersion: number) => ({
  code: "MEMORY_STALE_VERSION" as const,
  message: "it was changed since it was read",
  details: { currentVersion },
});

/** The facts of fake books. Citations are compared with the present text whenever they are read. */
export class FakeFacts {
  private readonly facts = new Map<string, Map<string, Fact>>();
  private readonly changes: Change[] = [];

  constructor(private readonly context: Context) {}

  private of(projectId: string): Map<string, Fact> {
    const known = this.facts.get(projectId) ?? new Map<string, Fact>();
    this.facts.set(projectId, known);
    return known;
  }

  /** The facts of an entity as of a position, as its card has them. */
  onCard(projectId: string, entityId: string, at: Position | null | undefined): CardFact[] {
    const all = [...this.of(projectId).values()].map((fact) => this.followed(projectId, fact));
    const known = all.filter((fact) => this.isKnown(projectId, fact, at));
    const ids = new Set(known.map(({ factId }) => factId));
    const isReplaced = ({ supersededBy }: Fact) => supersededBy !== null && ids.has(supersededBy);
    return known
      .filter((fact) => fact.entityId === entityId && !isReplaced(fact))
      .map((fact) => ({
        ...this.upTo(projectId, fact, at),
        isStale: fact.citations.length > 0 && fact.citations.every(({ status }) => !holds(status)),
        earlier: earlierOf(fact.factId, known),
      }));
  }

  /** Gives the facts of an entity to another one. */
  move(projectId: string, from: string, to: string): void {
    for (const [id, fact] of this.of(projectId))
      if (fact.entityId === from) this.of(projectId).set(id, { ...fact, entityId: to });
  }

  /** Takes a change back; `false`: there is no such change of facts. */
  undo(projectId: string, changeId: string): boolean {
    const change = this.changes.find((one) => one.changeId === changeId && one.undoneAt === null);
    if (!change) return false;
    change.undoneAt = this.context.now();
    this.put(projectId, change.before);
    return true;
  }

  private put(projectId: string, next: ReadonlyMap<string, Fact | null>): void {
    for (const [id, fact] of next) {
      if (fact) this.of(projectId).set(id, fact);
      else this.of(projectId).delete(id);
    }
    this.context.changed(projectId);
  }

  private change(projectId: string, factId: string, ...next: [string, Fact | null][]): FactChange {
    const after = new Map(next);
    const before = new Map(next.map(([id]) => [id, this.of(projectId).get(id) ?? null]));
    const changeId = this.context.id("change");
    this.changes.unshift({ changeId, projectId, at: this.context.now(), undoneAt: null, before, after });
    this.put(projectId, after);
    return { changeId, fact: after.get(factId) ?? null };
  }

  private find(projectId: string, factId: string, version: number | null, field = "factId"): Fact {
    const fact = this.of(projectId).get(factId);
    if (!fact) throw notFound(field);
    if (field === "factId" && fact.version !== version) throw stale(fact.version);
    return this.followed(projectId, fact);
  }

  private placeOf(projectId: string, { chapterId, offset }: Position): [number, number] | null {
    const chapter = this.context.chapters(projectId).findIndex((one) => one.chapterId === chapterId);
    return chapter < 0 ? null : [chapter, offset];
  }

  private isBefore(projectId: string, one: Position, other: Position): boolean {
    const [a, b] = [this.placeOf(projectId, one), this.placeOf(projectId, other)];
    return a !== null && b !== null && (a[0] < b[0] || (a[0] === b[0] && a[1] <= b[1]));
  }

  /** Whether a position is at or before `at`; `null`: the end of the book. */
  isUpTo(projectId: string, one: Position, at: Position | null | undefined): boolean {
    return !at || this.isBefore(projectId, one, at);
  }

  private isKnown(projectId: string, fact: Fact, at: Position | null | undefined): boolean {
    if (!at) return true;
    if (fact.toldAt) return this.isBefore(projectId, fact.toldAt, at);
    return fact.citations.length === 0 || fact.citations.some((one) => this.isBefore(projectId, endOf(one), at));
  }

  private upTo(projectId: string, fact: Fact, at: Position | null | undefined): Fact {
    if (!at) return fact;
    return {
      ...fact,
      citations: fact.citations.filter((one) => this.isBefore(projectId, endOf(one), at)),
      knownBy: fact.knownBy.filter(({ since }) => this.isBefore(projectId, since, at)),
    };
  }

  /** The fact with its citations as the present text has them. */
  private followed(projectId: string, fact: Fact): Fact {
    const chapters = this.context.chapters(projectId);
    const citations = fact.citations.map((citation): Citation => {
      const chapter = chapters.find(({ chapterId }) => chapterId === citation.chapterId);
      if (!chapter) return { ...citation, status: "gone" };
      if (chapter.text.slice(citation.from, citation.to) === citation.quote) return { ...citation, status: "holds" };
      const from = chapter.text.indexOf(citation.quote);
      if (from < 0) return { ...citation, status: "changed" };
      return { ...citation, from, to: from + citation.quote.length, status: "moved" };
    });
    return { ...fact, citations };
  }

  private cite(projectId: string, draft: CitationDraft | null | undefined): Citation[] {
    if (!draft) return [];
    const { chapterId, from, quote } = draft;
    if (quote.trim() === "" || [...quote.trim()].length > MAX.quote) throw invalid("citation.quote");
    const chapter = this.context.chapters(projectId).find((one) => one.chapterId === chapterId);
    if (!chapter) throw notFound("citation.chapterId");
    const after = chapter.text.indexOf(quote.trim(), from);
    const start = after < 0 ? chapter.text.indexOf(quote.trim()) : after;
    if (start < 0) {
      throw {
        code: "MEMORY_CITATION_NOT_FOUND",
        message: "the saved text does not have these words",
        details: { field: "citation.quote" },
      };
    }
    const to = start + quote.trim().length;
    return [{ chapterId, from: start, to, quoteHash: `hash-${start}`, quote: quote.trim(), status: "holds" }];
  }

  private requireInBook(projectId: string, position: Position | null | undefined, field: string): void {
    if (position && this.placeOf(projectId, position) === null) throw invalid(`${field}.chapterId`);
  }

  /** The fact that a new state of an entity replaces. Throws for one of another entity and for a later state. */
  private replacedBy(projectId: string, factId: string | null, entityId: string, supersedes: string): Fact {
    const replaced = this.find(projectId, supersedes, null, "supersedes");
    const later = (fact: Fact | undefined): boolean =>
      fact !== undefined && (fact.factId === supersedes || later(this.of(projectId).get(fact.supersededBy ?? "")));
    const isLater = factId !== null && later(this.of(projectId).get(factId));
    if (replaced.entityId !== entityId || isLater) throw invalid("supersedes");
    return replaced;
  }

  /** Adds facts to an entity: attributes with their values. */
  add(projectId: string, entityId: string, facts: readonly [string, string][]): void {
    for (const [attribute, value] of facts) this.save({ projectId, entityId, attribute, value });
  }

  private save(args: Commands["story:fact:save"]["args"]): FactChange {
    const { projectId, factId, version, entityId, objectId, certainty, supersedes } = args;
    const [attribute, value] = [args.attribute.trim(), args.value.trim()];
    if (attribute === "" || [...attribute].length > MAX.attribute || attribute.includes("\n"))
      throw invalid("attribute");
    if (value === "" || [...value].length > MAX.value || value.includes("\n")) throw invalid("value");
    this.requireInBook(projectId, args.toldAt, "toldAt");
    if (objectId === entityId) throw invalid("objectId");
    const cited = this.cite(projectId, args.citation);
    if (objectId != null) this.context.requireAccepted(projectId, objectId, "objectId");
    const before = factId == null ? null : this.find(projectId, factId, version ?? null);
    if (before && before.entityId !== entityId) throw invalid("entityId");
    const replaced = supersedes == null ? null : this.replacedBy(projectId, factId ?? null, entityId, supersedes);
    this.context.accept(projectId, entityId, "entityId");
    const now = this.context.now();
    const citations = [...(before?.citations ?? []).filter((one) => cited.length === 0 || holds(one.status)), ...cited];
    const fact: Fact = {
      factId: factId ?? this.context.id("fact"),
      entityId,
      attribute,
      value,
      objectId: objectId ?? null,
      certainty: certainty ?? before?.certainty ?? "told",
      toldAt: args.toldAt ?? before?.toldAt ?? (citations.length === 0 ? (args.at ?? null) : null),
      validFrom: args.validFrom ?? null,
      validUntil: args.validUntil ?? null,
      supersededBy: before?.supersededBy ?? null,
      knownBy: before?.knownBy ?? [],
      citations,
      origin: before?.origin ?? "written",
      version: (before?.version ?? 0) + 1,
      createdAt: before?.createdAt ?? now,
      updatedAt: now,
    };
    const next: [string, Fact | null][] = [[fact.factId, fact]];
    if (replaced)
      next.push([replaced.factId, { ...replaced, supersededBy: fact.factId, version: replaced.version + 1 }]);
    return this.change(projectId, fact.factId, ...next);
  }

  private confirm({ projectId, factId, version, citation }: Commands["story:fact:confirm"]["args"]): FactChange {
    const fact = this.find(projectId, factId, version);
    const cited = this.cite(projectId, citation);
    const held = fact.citations.filter(({ status }) => holds(status));
    const [lost] = fact.citations;
    const isBare = held.length + cited.length === 0;
    return this.change(projectId, factId, [
      factId,
      {
        ...fact,
        citations: [...held, ...cited],
        toldAt: fact.toldAt ?? (isBare && lost ? endOf(lost) : null),
        version: fact.version + 1,
      },
    ]);
  }

  private remove({ projectId, factId, version }: Commands["story:fact:delete"]["args"]): FactChange {
    const fact = this.find(projectId, factId, version);
    const replaced = [...this.of(projectId).values()]
      .filter(({ supersededBy }) => supersededBy === factId)
      .map((one): [string, Fact] => [
        one.factId,
        { ...one, supersededBy: fact.supersededBy, version: one.version + 1 },
      ]);
    return this.change(projectId, factId, [factId, null], ...replaced);
  }

  private know(args: Commands["story:fact:known-by"]["args"]): FactChange {
    const { projectId, factId, version, entityId, since } = args;
    this.requireInBook(projectId, since, "since");
    this.context.requireAccepted(projectId, entityId, "entityId");
    const fact = this.find(projectId, factId, version);
    const others = fact.knownBy.filter((knower) => knower.entityId !== entityId);
    const knownBy = since ? [...others, { entityId, since }] : others;
    return this.change(projectId, factId, [factId, { ...fact, knownBy, version: fact.version + 1 }]);
  }

  readonly commands: { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "story:fact:save": (args) => this.save(args),
    "story:fact:confirm": (args) => this.confirm(args),
    "story:fact:delete": (args) => this.remove(args),
    "story:fact:known-by": (args) => this.know(args),
    "story:history": ({ projectId, entityId, factId, limit }) => {
      if ((entityId == null) === (factId == null)) throw invalid("entityId");
      const isWanted = (id: string, fact: Fact | null) => id === factId || fact?.entityId === entityId;
      const state = (fact: Fact | null) => fact && { kind: "fact" as const, fact };
      const changes = this.changes
        .filter((change) => change.projectId === projectId)
        .flatMap(({ changeId, at, undoneAt, before, after }) =>
          [...after]
            .filter(([id, fact]) => isWanted(id, fact ?? before.get(id) ?? null))
            .map(([id, fact]) => ({
              changeId,
              at,
              undoneAt,
              before: state(before.get(id) ?? null),
              after: state(fact),
            })),
        );
      return { changes: changes.slice(0, limit ?? 50) };
    },
  };
}

const holds = (status: Citation["status"]) => status === "holds" || status === "moved";
const endOf = ({ chapterId, to }: Citation): Position => ({ chapterId, offset: to });

/** The facts that a fact replaced, the latest first. */
function earlierOf(factId: string, known: readonly Fact[]): Fact[] {
  const before = known.filter(({ supersededBy }) => supersededBy === factId);
  return before.flatMap((fact) => [fact, ...earlierOf(fact.factId, known)]);
}
