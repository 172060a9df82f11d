import { t } from "@lingui/core/macro";
import type { EntityState, Fact, StoryState } from "../../backend";
import type { Named } from "./entities";
import { certaintyWords, kindOfEntity, visibilityWords } from "./words";

/** A fact or an entity in a line of the history. */
export const wordsOf = (state: StoryState): string =>
  state.kind === "fact" ? `${state.fact.attribute} ${state.fact.value}` : state.entity.name;

/** Other differences between two states of a fact or of an entity, in words; empty: only its words differ. */
export function differencesOf(before: StoryState, after: StoryState, accepted: readonly Named[]): string[] {
  if (before.kind === "fact" && after.kind === "fact") return ofFacts(before.fact, after.fact, accepted);
  if (before.kind === "entity" && after.kind === "entity") return ofEntities(before.entity, after.entity);
  return [];
}

function ofFacts(before: Fact, after: Fact, accepted: readonly Named[]): string[] {
  const nameOf = (id: string) => accepted.find(({ entityId }) => entityId === id)?.name;
  const isIn = ({ knownBy }: Fact, id: string) => knownBy.some(({ entityId }) => entityId === id);
  const names = (fact: Fact, other: Fact) =>
    fact.knownBy.flatMap(({ entityId }) => (isIn(other, entityId) ? [] : (nameOf(entityId) ?? [])));
  const isReplaced = before.supersededBy === null && after.supersededBy !== null;
  const isRestored = before.supersededBy !== null && after.supersededBy === null;
  const object = nameOf(after.objectId ?? "") ?? t({ message: "无", context: "a relation" });
  const found = [
    ...names(after, before).map((name) => t`“${name}”知道了`),
    ...names(before, after).map((name) => t`“${name}”还不知道`),
    ...(before.certainty === after.certainty ? [] : [certaintyWords(after.certainty)]),
    ...(before.objectId === after.objectId ? [] : [t`关联：${object}`]),
    ...(isReplaced ? [t`后来变了`] : []),
    ...(isRestored ? [t`又是这样了`] : []),
  ];
  const isSame = before.attribute === after.attribute && before.value === after.value;
  // Confirming a fact changes its citations alone.
  return found.length === 0 && isSame ? [t`还是这样`] : found;
}

function ofEntities(before: EntityState, after: EntityState): string[] {
  const lost = before.names.filter((name) => !after.names.includes(name));
  const gained = after.names.filter((name) => !before.names.includes(name) && name !== after.name);
  return [
    ...(before.kind === after.kind ? [] : [kindOfEntity(after.kind)]),
    ...(before.visibility === after.visibility ? [] : [t`带给模型：${visibilityWords(after.visibility)}`]),
    ...(before.isPinned === after.isPinned ? [] : [after.isPinned ? t`每次都带上` : t`不再每次都带上`]),
    ...gained.map((name) => t`也叫“${name}”`),
    ...lost.map((name) => t`不再叫“${name}”`),
  ];
}
