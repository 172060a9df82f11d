import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call, type Entity, type EntityChange, type EntityKind, type Position } from "../../backend";
import { count } from "../../i18n/words";
import { mergedInto } from "./entities";
import { kindOfEntity } from "./words";

interface Change {
  run: () => Promise<EntityChange>;
  /** Reports the change once it is made. */
  message: string;
}

/** The writer's changes of entities, as of the position that the panel shows. One at a time. */
export interface EntityChanges {
  accept: (entity: Entity, kind?: EntityKind) => void;
  acceptAll: (entityIds: string[]) => void;
  changeKind: (entity: Entity, kind: EntityKind) => void;
  rename: (entity: Entity, name: string) => void;
  merge: (one: Entity, other: Entity) => void;
  /** Says that two entities are not one. */
  separate: (one: Entity, other: Entity) => void;
  split: (entity: Entity, alias: string) => void;
  dismiss: (entity: Entity) => void;
  error: unknown;
}

interface Options {
  projectId: string;
  at: Position | null;
  onChanged: (message: string, change: EntityChange) => void;
}

export function useEntityChanges({ projectId, at, onChanged }: Options): EntityChanges {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: ({ run }: Change) => run(),
    onSuccess: (made, { message }) => onChanged(message, made),
    // It was changed elsewhere: the writer decides again about what is shown then.
    onError: () => void client.invalidateQueries({ queryKey: ["story", projectId, "entities"] }),
  });
  const make = (message: string, run: () => Promise<EntityChange>) => {
    if (!change.isPending) change.mutate({ message, run });
  };
  const accept = ({ entityId, version }: Entity, part: { kind?: EntityKind; name?: string }) =>
    call("story:entity:accept", { projectId, entityIds: [entityId], at, version, ...part });

  return {
    error: change.error,
    accept: (entity, kind) => make(t`收下了“${entity.name}”`, () => accept(entity, { ...(kind && { kind }) })),
    acceptAll: (entityIds) =>
      make(t`收下了 ${count(entityIds.length)} 个名字`, () =>
        call("story:entity:accept", { projectId, entityIds, at }),
      ),
    changeKind: (entity, kind) => make(t`“${entity.name}”记作：${kindOfEntity(kind)}`, () => accept(entity, { kind })),
    rename: (entity, name) => make(t`“${entity.name}”改作“${name}”`, () => accept(entity, { name })),
    merge: (one, other) => {
      const { stays, goes } = mergedInto(one, other);
      make(t`“${goes.name}”并入“${stays.name}”`, () =>
        call("story:entity:merge", { projectId, entityId: stays.entityId, otherId: goes.entityId, at }),
      );
    },
    separate: (one, other) =>
      make(t`“${one.name}”和“${other.name}”不是同一个`, () =>
        call("story:entity:dismiss", { projectId, entityId: one.entityId, otherId: other.entityId, at }),
      ),
    split: ({ entityId }, alias) =>
      make(t`“${alias}”分出来了`, () => call("story:entity:split", { projectId, entityId, names: [alias], at })),
    dismiss: ({ entityId, name }) =>
      make(t`“${name}”不再当作名字`, () => call("story:entity:dismiss", { projectId, entityId, at })),
  };
}
