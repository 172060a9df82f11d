import { useLingui } from "@lingui/react/macro";
import type { Entity } from "../../backend";
import { Windowed } from "../../design";
import { count } from "../../i18n/words";
import type { AsOf } from "./position";
import type { RowContext } from "./EntityDetail";
import type { Groups, StoryPage } from "./entities";
import { EntityRow } from "./EntityRow";
import type { StripChapters } from "./PresenceStrip";
import { Proposals } from "./Proposals";
import css from "./story.module.css";

interface EntityGroupsProps {
  groups: Groups;
  page: StoryPage;
  asOf: AsOf & { open: string | null };
  /** Number of the last known chapter. */
  number: number;
  /** Detected entities of the page, whatever the search. */
  detected: readonly Entity[];
  likenesses: ReadonlyMap<string, Entity>;
  strip: StripChapters;
  onToggle: (entityId: string | null) => void;
  context: RowContext;
}

/** Pixels of a row before it is measured. */
const ROW_PX = 57;

/** The groups of a page in the order in which the writer needs them. */
export function EntityGroups({ groups, page, asOf, number, detected, likenesses, strip, ...rest }: EntityGroupsProps) {
  const { t } = useLingui();
  const { here, before, proposals } = groups;
  const { mode, open } = asOf;
  const { onToggle, context } = rest;
  const counted = (entities: readonly Entity[]) =>
    page === "people" ? t`${count(entities.length)} 人` : t`${count(entities.length)} 个名字`;
  const group = (title: string, entities: readonly Entity[], isHere: boolean, above: number) =>
    entities.length > 0 && (
      <section className={css.group} data-testid="story-group">
        <h3 className={css.groupName}>
          {title}
          <small>{counted(entities)}</small>
        </h3>
        <Windowed
          items={entities}
          keyOf={({ entityId }) => entityId}
          heightOf={() => ROW_PX}
          top={above * ROW_PX}
          keep={({ entityId }) => entityId === open}
        >
          {(entity) => (
            <EntityRow
              entity={entity}
              isHere={isHere}
              likeness={likenesses.get(entity.entityId) ?? null}
              strip={strip}
              isOpen={entity.entityId === open}
              onToggle={onToggle}
              context={context}
            />
          )}
        </Windowed>
      </section>
    );
  return (
    <>
      {group(mode === "caret" ? t`这一章里` : t`第 ${count(number)} 章里`, here, true, 0)}
      {group(mode === "whole" ? t`全书里` : t`前面有过`, before, false, here.length)}
      {proposals.length > 0 && (
        <Proposals
          proposals={proposals}
          detected={detected}
          likenesses={likenesses}
          open={open}
          onToggle={onToggle}
          top={(here.length + before.length) * ROW_PX}
          context={context}
        />
      )}
    </>
  );
}
