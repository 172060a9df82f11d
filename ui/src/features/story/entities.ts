import type { Entity, EntityKind, EntityList } from "../../backend";
import { folded } from "../../lib/find";

/** A page that lists entities. */
export type EntityPage = "people" | "places" | "threads";
export type StoryPage = EntityPage | "continuity";

export const KINDS: Record<EntityPage, readonly EntityKind[]> = {
  people: ["character"],
  places: ["place", "thing", "faction", "worldRule"],
  threads: ["thread", "event"],
};

export const pageOf = (kind: EntityKind): EntityPage =>
  (Object.keys(KINDS) as EntityPage[]).find((page) => KINDS[page].includes(kind)) ?? "places";

/** Mentions from which on a detected entity is listed among those of its chapter. Fewer may be no name at all. */
const MIN_MENTIONS_HERE = 3;
/** Mentions from which on all detected entities are accepted at once. */
export const MIN_MENTIONS_AT_ONCE = 10;

export interface Groups {
  /** Named in the last chapter. */
  here: Entity[];
  /** Accepted, and named in earlier chapters. */
  before: Entity[];
  /** The other detected ones. */
  proposals: Entity[];
}

/**
 * The entities of a page whose names contain `query`, in the order of the list. `last`: index of the last chapter;
 * `null`: the whole book is listed, in which no chapter is special.
 */
export function groupsOf(entities: readonly Entity[], page: EntityPage, query: string, last: number | null): Groups {
  const groups: Groups = { here: [], before: [], proposals: [] };
  for (const entity of entities) {
    if (!KINDS[page].includes(entity.kind) || !isNamed(entity, query)) continue;
    const isAccepted = entity.standing === "accepted";
    const isHere = last !== null && entity.presence.at(-1)?.chapter === last;
    if (isHere && (isAccepted || entity.mentions >= MIN_MENTIONS_HERE)) groups.here.push(entity);
    else if (isAccepted) groups.before.push(entity);
    else groups.proposals.push(entity);
  }
  return groups;
}

/** Whether one of its names contains the text. */
export function isNamed({ name, aliases }: Entity, text: string): boolean {
  const part = folded(text);
  return part === "" || [name, ...aliases].some((one) => folded(one).includes(part));
}

/** The entity that each less frequent one of a possible merge may be, by the id of the latter. */
export function likenessesOf({ entities, possibleMerges }: EntityList): Map<string, Entity> {
  const byId = new Map(entities.map((entity) => [entity.entityId, entity]));
  const found = new Map<string, Entity>();
  for (const { entityId, otherId } of possibleMerges) {
    const entity = byId.get(entityId);
    if (entity && byId.has(otherId) && !found.has(otherId)) found.set(otherId, entity);
  }
  return found;
}

/** An entity as it is offered in a choice. */
export type Named = Pick<Entity, "entityId" | "name" | "kind">;

/**
 * The accepted entities up to the position: those of its chapter first, the others in the order of the list, and those
 * that the text does not name last. `last`: index of the chapter; `null`: no chapter is special.
 */
export function acceptedOf({ entities, unnamed }: EntityList, last: number | null): Named[] {
  const accepted = entities.filter(({ standing }) => standing === "accepted");
  const isHere = ({ presence }: Entity) => last !== null && presence.at(-1)?.chapter === last;
  return [...accepted.filter(isHere), ...accepted.filter((entity) => !isHere(entity)), ...unnamed];
}

/** Which of two entities stays when they are merged: an accepted one, else the one with more mentions. */
export function mergedInto(one: Entity, other: Entity): { stays: Entity; goes: Entity } {
  const isOther = one.standing === other.standing ? other.mentions > one.mentions : other.standing === "accepted";
  return isOther ? { stays: other, goes: one } : { stays: one, goes: other };
}

/** Ids of the detected entities that are accepted at once. */
export const frequentOf = (entities: readonly Entity[]): string[] =>
  entities
    .filter(({ standing, mentions }) => standing === "detected" && mentions >= MIN_MENTIONS_AT_ONCE)
    .map(({ entityId }) => entityId);
