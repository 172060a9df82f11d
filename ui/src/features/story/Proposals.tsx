import { useLingui } from "@lingui/react/macro";
import { useLayoutEffect, useRef } from "react";
import type { Entity } from "../../backend";
import { LinkButton, Windowed } from "../../design";
import { count } from "../../i18n/words";
import type { RowContext } from "./EntityDetail";
import { frequentOf, MIN_MENTIONS_AT_ONCE } from "./entities";
import { Proposal } from "./Proposal";
import css from "./story.module.css";

interface ProposalsProps {
  proposals: readonly Entity[];
  /** Detected entities of the page, of which the frequent ones can be accepted at once. */
  detected: readonly Entity[];
  likenesses: ReadonlyMap<string, Entity>;
  open: string | null;
  onToggle: (entityId: string | null) => void;
  /** Pixels above the first one in the scrolled content. */
  top: number;
  context: RowContext;
}

/** Pixels of a proposal before it is measured. */
const PROPOSAL_PX = 60;

/** Names that the writer has not decided about. Only the first one has its buttons out. */
export function Proposals({ proposals, detected, likenesses, open, onToggle, top, context }: ProposalsProps) {
  const { t } = useLingui();
  const box = useRef<HTMLElement>(null);
  /** Pixels from the top of the window of the block when the writer answered; `null`: nothing was answered since. */
  const held = useRef<number | null>(null);
  const first = proposals[0]?.entityId;
  // The next proposal takes the place of the answered one, under the pointer and the focus.
  useLayoutEffect(() => {
    const element = box.current;
    const scroller = element?.closest<HTMLElement>("[data-scroller]");
    if (held.current !== null && element && scroller)
      scroller.scrollTop += element.getBoundingClientRect().top - held.current;
    held.current = null;
  }, [first]);
  const frequent = frequentOf(detected);
  return (
    <section
      ref={box}
      className={css.group}
      onClickCapture={() => {
        held.current = box.current?.getBoundingClientRect().top ?? null;
      }}
      data-testid="story-proposals"
    >
      <h3 className={css.groupName}>
        {t`书里还有`}
        <small>{t`${count(proposals.length)} 个名字`}</small>
      </h3>
      <div>
        <Windowed
          items={proposals}
          // The element of the first one stays for the next, and with it the focus.
          keyOf={({ entityId }) => (entityId === first ? "first" : entityId)}
          heightOf={() => PROPOSAL_PX}
          top={top}
          keep={({ entityId }) => entityId === open || entityId === first}
        >
          {(entity) => (
            <Proposal
              entity={entity}
              isFirst={entity.entityId === first}
              likeness={likenesses.get(entity.entityId) ?? null}
              isOpen={entity.entityId === open}
              onToggle={onToggle}
              context={context}
            />
          )}
        </Windowed>
        {frequent.length > 0 && !context.isReadOnly && (
          <p className={css.all}>
            <LinkButton
              onPress={() => context.changes.acceptAll(frequent)}
              data-testid="story-accept-all"
            >{t`出现 ${count(MIN_MENTIONS_AT_ONCE)} 次以上的都收下`}</LinkButton>
          </p>
        )}
      </div>
    </section>
  );
}
