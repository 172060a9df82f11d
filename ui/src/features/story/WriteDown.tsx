import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { CitationDraft, EntityKind } from "../../backend";
import { Button, NameField, Picker } from "../../design";
import { KINDS, type EntityPage } from "./entities";
import { MAX_NAME } from "./EntityDetail";
import type { FactChanges } from "./factChanges";
import css from "./facts.module.css";
import { kindOfEntity } from "./words";

interface WriteDownProps {
  page: EntityPage;
  changes: FactChanges;
  /** Reads the selected words that plant a thread; `null`: none are selected. */
  cited?: (() => CitationDraft | null) | null;
  /** The attribute of the fact that plants a thread. */
  planted?: string;
}

/** Writes an entity down that the text does not name, or not yet. */
export function WriteDown({ page, changes, cited = null, planted }: WriteDownProps) {
  const { t } = useLingui();
  const [isAsked, setAsked] = useState(false);
  const [kind, setKind] = useState<EntityKind>(KINDS[page][0]!);
  /** The words that were selected when the name was asked for. */
  const [citation, setCitation] = useState<CitationDraft | null>(null);
  const done = (name: string | null) => {
    setAsked(false);
    if (name === null) return;
    if (kind === "thread" && citation && planted !== undefined) changes.plant(name, planted, citation);
    else changes.write(kind, name);
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
        <>
          <NameField initial="" label={t`叫什么`} longest={MAX_NAME} onDone={done} testId="write-name" />
          {kind === "thread" && citation && (
            <span className={css.cited} data-testid="write-cited">
              {t`依据选中的`} <span>{citation.quote}</span>
            </span>
          )}
        </>
      ) : (
        <Button
          size="s"
          kind="quiet"
          icon="plus"
          onPress={() => {
            setCitation(cited?.() ?? null);
            setAsked(true);
          }}
          data-testid="write-down"
        >
          {page === "people" ? t`写下一个人` : t`写下一个`}
        </Button>
      )}
    </div>
  );
}
