import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { EntityKind } from "../../backend";
import { Button, NameField, Picker } from "../../design";
import { KINDS, type StoryPage } from "./entities";
import { MAX_NAME } from "./EntityDetail";
import type { FactChanges } from "./factChanges";
import css from "./facts.module.css";
import { kindOfEntity } from "./words";

/** Writes an entity down that the text does not name, or not yet. */
export function WriteDown({ page, changes }: { page: StoryPage; changes: FactChanges }) {
  const { t } = useLingui();
  const [isAsked, setAsked] = useState(false);
  const [kind, setKind] = useState<EntityKind>(KINDS[page][0]!);
  const done = (name: string | null) => {
    setAsked(false);
    if (name !== null) changes.write(kind, name);
  };
  return (
    <div className={css.bar}>
      {KINDS[page].length > 1 && (
        <Picker<EntityKind>
          quiet
          label={t`写下的是什么`}
          value={kind}
          onChange={setKind}
          options={KINDS[page].map((key) => ({ key, label: kindOfEntity(key) }))}
          testId="write-kind"
        />
      )}
      {isAsked ? (
        <NameField initial="" label={t`叫什么`} longest={MAX_NAME} onDone={done} testId="write-name" />
      ) : (
        <Button size="s" kind="quiet" icon="plus" onPress={() => setAsked(true)} data-testid="write-down">
          {page === "people" ? t`写下一个人` : t`写下一个`}
        </Button>
      )}
    </div>
  );
}
