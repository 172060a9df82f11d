import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import {
  call,
  type Certainty,
  type CitationDraft,
  type EntityCard,
  type EntityKind,
  type Fact,
  type Position,
  type Visibility,
} from "../../backend";
import { kindOfEntity, visibilityWords } from "./words";

/** A change that the writer can take back. */
export interface Undoable {
  changeId: string;
  /** The change that it completes, which is taken back with it. */
  completes?: string;
}

interface Change {
  run: () => Promise<Undoable>;
  /** Reports the change once it is made. */
  message: string;
  onDone?: (() => void) | undefined;
}

/** The words of a fact as the writer gives them. */
export interface FactWords {
  attribute: string;
  value: string;
  certainty: Certainty;
  /** The entity that a relation leads to. */
  objectId: string | null;
  /** From when on and until when it holds in the story, in the writer's words. */
  validFrom: string | null;
  validUntil: string | null;
}

/** Words of a new fact with nothing but an attribute and a value. */
export const factWords = (attribute: string, value: string): FactWords => ({
  attribute,
  value,
  certainty: "told",
  objectId: null,
  validFrom: null,
  validUntil: null,
});

/** The entity that facts are about. */
export interface Subject {
  entityId: string;
  name: string;
}

/** The settings of an accepted entity that a change starts from. */
type Settings = Pick<EntityCard, "entityId" | "kind" | "name" | "version">;

/** The writer's changes of facts and of what belongs to them, as of the position that the panel shows. One at a time. */
export interface FactChanges {
  add: (
    subject: Subject,
    words: FactWords,
    more: { citation?: CitationDraft; supersedes?: Fact },
    onDone?: () => void,
  ) => void;
  edit: (fact: Fact, words: FactWords, onDone?: () => void) => void;
  /** Says that a fact still holds. */
  confirm: (fact: Fact, citation?: CitationDraft) => void;
  /** Adds the sentence that says so. */
  cite: (fact: Fact, citation: CitationDraft) => void;
  remove: (fact: Fact) => void;
  /** `since`: `null`, if it does not know it. */
  know: (fact: Fact, knower: Subject, since: Position | null) => void;
  rename: (entity: Settings, name: string) => void;
  changeKind: (entity: Settings, kind: EntityKind) => void;
  setVisibility: (card: EntityCard, visibility: Visibility) => void;
  setPinned: (card: EntityCard, isPinned: boolean) => void;
  forget: (card: EntityCard) => void;
  write: (kind: EntityKind, name: string, onDone?: () => void) => void;
  /** Writes a thread down that a sentence plants; `attribute` makes the fact with it a step. */
  plant: (name: string, attribute: string, citation: CitationDraft, onDone?: (threadId: string) => void) => void;
  undo: (change: Undoable) => void;
  error: unknown;
}

interface Options {
  projectId: string;
  at: Position | null;
  onChanged: (message: string, change: Undoable) => void;
}

export function useFactChanges({ projectId, at, onChanged }: Options): FactChanges {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: ({ run }: Change) => run(),
    onSuccess: (made, { message, onDone }) => {
      onDone?.();
      onChanged(message, made);
    },
    // It was changed elsewhere: the writer decides again about what is shown then.
    onError: () => void client.invalidateQueries({ queryKey: ["story", projectId] }),
  });
  const make = (message: string, run: () => Promise<Undoable>, onDone?: () => void) => {
    if (!change.isPending) change.mutate({ message, run, onDone });
  };
  const settings = ({ entityId, kind, name, version }: Settings) => ({ projectId, entityId, kind, name, version });

  return {
    error: change.error,
    add: ({ entityId, name }, words, { citation, supersedes }, onDone) =>
      make(
        t`记在“${name}”的卡上了`,
        () =>
          call("story:fact:save", {
            projectId,
            entityId,
            ...words,
            at,
            // A later state begins where the writer is, unless a sentence says where.
            ...(supersedes && { supersedes: supersedes.factId, ...(!citation && at && { toldAt: at }) }),
            ...(citation && { citation }),
          }),
        onDone,
      ),
    edit: (fact, words, onDone) => {
      const { factId, version, entityId } = fact;
      const args = { projectId, factId, version, entityId, ...words };
      make(t`改好了`, () => call("story:fact:save", args), onDone);
    },
    confirm: ({ factId, version }, citation) =>
      make(t`还是这样，记下了`, () =>
        call("story:fact:confirm", { projectId, factId, version, citation: citation ?? null }),
      ),
    cite: ({ factId, version }, citation) =>
      make(t`原话记下了`, () => call("story:fact:confirm", { projectId, factId, version, citation })),
    remove: ({ factId, version }) =>
      make(t`忘掉了这一条`, () => call("story:fact:delete", { projectId, factId, version })),
    know: ({ factId, version }, { entityId, name }, since) =>
      make(since ? t`“${name}”知道，记下了` : t`“${name}”还不知道，记下了`, () =>
        call("story:fact:known-by", { projectId, factId, version, entityId, since }),
      ),
    rename: (entity, name) =>
      make(t`“${entity.name}”改作“${name}”`, () => call("story:entity:save", { ...settings(entity), name })),
    changeKind: (entity, kind) =>
      make(t`“${entity.name}”记作：${kindOfEntity(kind)}`, () =>
        call("story:entity:save", { ...settings(entity), kind }),
      ),
    setVisibility: (card, visibility) =>
      make(t`“${card.name}”带给模型：${visibilityWords(visibility)}`, () =>
        call("story:entity:save", { ...settings(card), visibility }),
      ),
    setPinned: (card, isPinned) =>
      make(isPinned ? t`“${card.name}”每次都带上` : t`“${card.name}”不再每次都带上`, () =>
        call("story:entity:save", { ...settings(card), isPinned }),
      ),
    forget: ({ entityId, name, version }) =>
      make(t`忘掉了“${name}”`, () => call("story:entity:delete", { projectId, entityId, version: version ?? 0 })),
    write: (kind, name, onDone) =>
      make(t`写下了“${name}”`, () => call("story:entity:save", { projectId, kind, name, at }), onDone),
    plant: (name, attribute, citation, onDone) => {
      const { chapterId, from, quote } = citation;
      let threadId = "";
      make(
        t`记成一条线索：“${name}”`,
        async () => {
          const end = { chapterId, offset: from + quote.length };
          const written = await call("story:entity:save", { projectId, kind: "thread", name, at: end });
          threadId = written.entityIds[0] ?? "";
          const step = { projectId, entityId: threadId, attribute, value: name, citation, at: end };
          try {
            const { changeId } = await call("story:fact:save", step);
            return { changeId, completes: written.changeId };
          } catch (error) {
            // Without its sentence it is not what the writer asked for.
            await call("story:undo", { projectId, changeId: written.changeId });
            throw error;
          }
        },
        () => onDone?.(threadId),
      );
    },
    undo: ({ changeId }) => make(t`已撤销，和原来一样`, () => call("story:undo", { projectId, changeId })),
  };
}
