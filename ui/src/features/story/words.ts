import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import type { Certainty, Entity, EntityKind, Language, Visibility } from "../../backend";
import { count } from "../../i18n/words";

const KIND_NAMES: Record<EntityKind, MessageDescriptor> = {
  character: msg({ message: "人", context: "a kind of entity" }),
  place: msg({ message: "地方", context: "a kind of entity" }),
  thing: msg({ message: "东西", context: "a kind of entity" }),
  faction: msg({ message: "家族或组织", context: "a kind of entity" }),
  thread: msg({ message: "线索", context: "a kind of entity" }),
  worldRule: msg({ message: "世界的规矩", context: "a kind of entity" }),
  event: msg({ message: "事件", context: "a kind of entity" }),
};

export const kindOfEntity = (kind: EntityKind): string => i18n._(KIND_NAMES[kind]);

const CERTAINTY_WORDS: Record<Certainty, MessageDescriptor> = {
  ["told"]: msg({ message: "书里写明", context: "how certain a fact is" }),
  said: msg({ message: "有人说", context: "how certain a fact is" }),
  believed: msg({ message: "有人以为", context: "how certain a fact is" }),
  planned: msg({ message: "打算，还没写", context: "how certain a fact is" }),
};
export const CERTAINTIES = Object.keys(CERTAINTY_WORDS) as Certainty[];

export const certaintyWords = (certainty: Certainty): string => i18n._(CERTAINTY_WORDS[certainty]);

const VISIBILITY_WORDS: Record<Visibility, MessageDescriptor> = {
  asOf: msg({ message: "到光标为止", context: "when models get it" }),
  always: msg({ message: "总是", context: "when models get it" }),
  hidden: msg({ message: "从不", context: "when models get it" }),
};
export const VISIBILITIES = Object.keys(VISIBILITY_WORDS) as Visibility[];

export const visibilityWords = (visibility: Visibility): string => i18n._(VISIBILITY_WORDS[visibility]);

/** Names of the book in one line, joined as its language does it. */
export const joined = (names: readonly string[], language: Language): string =>
  names.join(language === "zh" ? "、" : ", ");

/** The first chapter, the number of mentions and the last chapter. */
export function placesLine({ presence, mentions }: Entity): string {
  const first = count((presence[0]?.chapter ?? 0) + 1);
  const last = count((presence.at(-1)?.chapter ?? 0) + 1);
  const places = count(mentions);
  if (first === last) return t`第 ${first} 章·${places} 处`;
  return t`第 ${first} 章起·${places} 处·上次 第 ${last} 章`;
}

/** The same without the last chapter. */
export function firstLine(entity: Entity): string {
  if (entity.presence.length < 2) return placesLine(entity);
  return t`第 ${count((entity.presence[0]?.chapter ?? 0) + 1)} 章起·${count(entity.mentions)} 处`;
}

/** The present chapter of an entity that it names. */
export function hereLine({ kind, taggedSpeeches, presence }: Entity): string {
  if (kind !== "character") return t`这一章里 ${count(presence.at(-1)?.mentions ?? 0)} 处`;
  return taggedSpeeches > 0 ? t`在场·写明是本人说的 ${count(taggedSpeeches)} 句` : t`在场`;
}

/** A text of the book in one line, without the mark of a heading. */
export const plainLine = (text: string): string => text.replace(/^#{1,6}\s+/, "");
