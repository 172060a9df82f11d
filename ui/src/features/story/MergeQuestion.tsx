import { useLingui } from "@lingui/react/macro";
import type { Entity } from "../../backend";
import { Button } from "../../design";
import type { EntityChanges } from "./changes";
import css from "./detail.module.css";

interface MergeQuestionProps {
  entity: Entity;
  /** The entity that it may be. */
  likeness: Entity;
  changes: EntityChanges;
}

/** Asks whether two entities are one. Nothing is merged without an answer. */
export function MergeQuestion({ entity, likeness, changes }: MergeQuestionProps) {
  const { t } = useLingui();
  const { name } = likeness;
  const isPerson = entity.kind === "character";
  return (
    <div className={css.question} data-testid="story-question">
      <p>
        {isPerson
          ? t`像是${name}。没有一句写明是同一个人，不替你合。`
          : t`像是${name}。没有一句写明是同一个，不替你合。`}
      </p>
      <span className={css.acts}>
        <Button size="s" kind="quiet" onPress={() => changes.merge(entity, likeness)} data-testid="story-question-yes">
          <span>{t`是${name}`}</span>
        </Button>
        <Button
          size="s"
          kind="quiet"
          onPress={() => changes.separate(likeness, entity)}
          data-testid="story-question-no"
        >
          {isPerson ? t`是另一个人` : t`是另一个`}
        </Button>
      </span>
    </div>
  );
}
