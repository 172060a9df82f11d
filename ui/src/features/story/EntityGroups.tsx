import { useLingui } from "@lingui/react/macro";
import type { Entity, UnnamedEntity } from "../../backend";
import { Windowed } from "../../design";
import { count } from "../../i18n/words";
import type { AsOf } from "./position";
import type { RowContext } from "./EntityDetail";
import type { EntityPage, Groups } from "./entities";
import { EntityRow } from "./EntityRow";
import type { StripChapters } from "./PresenceStrip";
import { Proposals } from "./Proposals";
import css from "./story.module.css";
import { UnnamedRow } from "./UnnamedRow";

interface EntityGroupsProps {
  groups: Groups;
  /** Accepted entities of the page that the text does not name up to the position. */
  unnamed: readonly UnnamedEntity[];
  /** Whether the text could not be read: `unnamed` are all accepted entities. */
  isTextMissing: boolean;
  page: EntityPage;
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
export function EntityGroups(props: EntityGroupsProps) {
  const { groups, unnamed, isTextMissing, page, asOf, number, detected, likenesses, strip, onToggle, context } = props;
  const { t } = useLingui();
  const { here, before, proposals } = groups;
  const { mode, open } = asOf;
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
      {unnamed.length > 0 && (
        <section className={css.group} data-testid="story-unnamed-group">
          <h3 className={css.groupName}>
            {isTextMissing ? t`你的卡片` : t`正文里还没有写到名字`}
            <small>{t`${count(unnamed.length)} 个`}</small>
          </h3>
          <Windowed
            items={unnamed}
            keyOf={({ entityId }) => entityId}
            heightOf={() => ROW_PX}
            top={(here.length + before.length) * ROW_PX}
            keep={({ entityId }) => entityId === open}
          >
            {(entity) => (
              <UnnamedRow entity={entity} isOpen={entity.entityId === open} onToggle={onToggle} context={context} />
            )}
          </Windowed>
        </section>
      )}
      {proposals.length > 0 && (
        <Proposals
          proposals={proposals}
          detected={detected}
          likenesses={likenesses}
          open={open}
          onToggle={onToggle}
          top={(here.length + before.length + unnamed.length) * ROW_PX}
          context={context}
        />
      )}
    </>
  );
}
