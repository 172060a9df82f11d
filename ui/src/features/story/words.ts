import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import type { ChapterInfo, Entity, EntityKind, Language } from "../../backend";
import { count } from "../../i18n/words";

const KIND_NAMES: Record<EntityKind, MessageDescriptor> = {
  character: msg({ message: "人", context: "a kind of entity" }),
  place: msg({ message: "地方", context: "a kind of entity" }),
  thing: msg({ message: "东西", context: "a kind of entity" }),
  faction: msg({ message: "家族或组织", context: "a kind of entity" }),
};

export const kindOfEntity = (kind: EntityKind): string => i18n._(KIND_NAMES[kind]);

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

/** Number of a chapter in the book, from 1; 0: it is not in the book. */
export const numberOf = (chapterId: string, chapters: readonly ChapterInfo[]): number =>
  chapters.findIndex((chapter) => chapter.chapterId === chapterId) + 1;
