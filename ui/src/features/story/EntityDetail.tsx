import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { ChapterInfo, CitationDraft, Entity, EntityKind, MentionRange, Position, Project } from "../../backend";
import { Button, LinkButton, NameField, Picker } from "../../design";
import { count } from "../../i18n/words";
import { numberOf } from "../../lib/ordinal";
import type { EntityChanges } from "./changes";
import type { Named } from "./entities";
import { Concordance } from "./Concordance";
import css from "./detail.module.css";
import { FactCard } from "./FactCard";
import type { FactChanges } from "./factChanges";
import { MergePicker } from "./MergePicker";
import { MergeQuestion } from "./MergeQuestion";
import { kindOfEntity } from "./words";

/** The surroundings that all rows of a page share. */
export interface RowContext {
  project: Project;
  at: Position | null;
  chapters: readonly ChapterInfo[];
  /** All entities that the text names up to the position. */
  entities: readonly Entity[];
  /** All accepted entities up to the position, those of its chapter first. */
  accepted: readonly Named[];
  changes: EntityChanges;
  /** Whether the writer's entities cannot be changed now. */
  isReadOnly: boolean;
  factChanges: FactChanges;
  /** Whether words are selected in the text. */
  hasSelection: boolean;
  /** The words that are selected in the text, to be cited; `null` without a selection. They are saved. */
  selection: () => CitationDraft | null;
  /** Opens the card of another entity. */
  onShow: (entityId: string) => void;
  /** Opens a place in the text; `null`: its words are those of the range. */
  onOpenMention: (range: MentionRange, text: string | null) => void;
}

export const KIND_KEYS: readonly EntityKind[] = [
  "character",
  "place",
  "thing",
  "faction",
  "worldRule",
  "thread",
  "event",
];

/** Characters of a name, at most. */
export const MAX_NAME = 100;

interface EntityDetailProps {
  entity: Entity;
  /** The entity that it may be. */
  likeness: Entity | null;
  context: RowContext;
}

/** The details of an entity, below its row. */
export function EntityDetail({ entity, likeness, context }: EntityDetailProps) {
  const { t } = useLingui();
  const { project, at, chapters, changes, entities, isReadOnly, onOpenMention } = context;
  const [asked, setAsked] = useState<"name" | "merge" | null>(null);
  const lang = project.language === "zh" ? "zh-CN" : "en";
  const rename = (name: string | null) => {
    setAsked(null);
    if (name !== null && name !== entity.name) changes.rename(entity, name);
  };
  return (
    <div className={css.detail} data-testid="story-detail">
      {!isReadOnly && (
        <div className={css.acts}>
          {entity.standing === "detected" && (
            <Button
              size="s"
              kind="quiet"
              icon="check"
              onPress={() => changes.accept(entity)}
              data-testid="story-accept"
            >{t`收下`}</Button>
          )}
          <Picker<EntityKind>
            quiet
            label={t`“${entity.name}”是什么`}
            value={entity.kind}
            onChange={(kind) => kind !== entity.kind && changes.changeKind(entity, kind)}
            options={KIND_KEYS.map((key) => ({ key, label: kindOfEntity(key) }))}
            testId="story-kind"
          />
          <Button size="s" kind="quiet" onPress={() => setAsked("name")} data-testid="story-rename">{t`改名`}</Button>
          <Button size="s" kind="quiet" onPress={() => setAsked("merge")} data-testid="story-same">
            {entity.kind === "character" ? t`同一个人…` : t`同一个…`}
          </Button>
          <Button
            size="s"
            kind="quiet"
            icon="cross"
            onPress={() => changes.dismiss(entity)}
            data-testid="story-dismiss"
          >{t`不是名字`}</Button>
        </div>
      )}
      {asked === "name" && (
        <span className={css.name} lang={lang}>
          <NameField
            initial={entity.name}
            label={t`在这里怎么叫`}
            longest={MAX_NAME}
            onDone={rename}
            testId="story-name"
          />
        </span>
      )}
      {asked === "merge" && (
        <MergePicker
          entity={entity}
          others={entities}
          language={project.language}
          onPick={(other) => {
            setAsked(null);
            changes.merge(entity, other);
          }}
          onCancel={() => setAsked(null)}
        />
      )}
      <FactCard entityId={entity.entityId} name={entity.name} context={context} />
      {likeness && !isReadOnly && <MergeQuestion entity={entity} likeness={likeness} changes={changes} />}
      {entity.aliases.length > 0 && (
        <div className={css.aliases}>
          <h4 className={css.label}>{t`也叫`}</h4>
          {entity.aliases.map((alias) => (
            <span key={alias} className={css.alias} data-testid="story-alias">
              <span lang={lang}>{alias}</span>
              {!isReadOnly && (
                <Button
                  size="s"
                  kind="quiet"
                  aria-label={t`分出去：“${alias}”是另一个`}
                  onPress={() => changes.split(entity, alias)}
                  data-testid="story-split"
                >{t`分出去`}</Button>
              )}
            </span>
          ))}
        </div>
      )}
      {entity.misspellings.map(({ range, text }) => (
        <p key={`${range.chapterId} ${range.from}`} className={css.quiet} data-testid="story-misspelling">
          {t`可能写错：`}
          <LinkButton onPress={() => onOpenMention(range, text)} data-testid="story-misspelling-open">
            <span lang={lang}>{text}</span>
            {t`（第 ${count(numberOf(range.chapterId, chapters))} 章）`}
          </LinkButton>
        </p>
      ))}
      <Concordance project={project} entityId={entity.entityId} at={at} chapters={chapters} onOpen={onOpenMention} />
    </div>
  );
}
