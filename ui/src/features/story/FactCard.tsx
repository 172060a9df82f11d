import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries, type CardFact, type CitationDraft, type EntityCard, type Visibility } from "../../backend";
import { Button, Busy, InlineConfirm, Picker } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count } from "../../i18n/words";
import type { RowContext } from "./EntityDetail";
import type { FactChanges } from "./factChanges";
import { FactForm } from "./FactForm";
import { FactRow } from "./FactRow";
import css from "./facts.module.css";
import { History } from "./History";
import { VISIBILITIES, visibilityWords } from "./words";

/** The surroundings of the facts of a card. */
export interface CardContext extends Omit<RowContext, "project" | "changes" | "factChanges"> {
  lang: string;
  changes: FactChanges;
}

interface FactCardProps {
  entityId: string;
  name: string;
  context: RowContext;
}

/** The facts of an entity, by attribute, and what models get of it. */
export function FactCard({ entityId, name, context }: FactCardProps) {
  const { t } = useLingui();
  const { project, at, factChanges: changes, isReadOnly, hasSelection, selection } = context;
  const [asked, setAsked] = useState<"add" | "history" | "forget" | null>(null);
  /** The words that were selected when the form was opened. */
  const [cited, setCited] = useState<CitationDraft | null>(null);
  const { data: card, error } = useQuery(queries.card(project.projectId, entityId, at));
  const lang = project.language === "zh" ? "zh-CN" : "en";
  const subject = { entityId, name };
  const close = () => setAsked(null);
  if (error) return <p className={css.problem}>{errorSentence(error)}</p>;
  if (!card) return <Busy>{t`正在翻……`}</Busy>;
  const facts: CardContext = { ...context, lang, changes };
  const attributes = [...new Set(card.facts.map(({ attribute }) => attribute))];
  return (
    <div className={css.card} data-testid="fact-card">
      {attributes.length > 0 && (
        <dl className={css.facts}>
          {attributes.map((attribute) => (
            <div key={attribute} className={css.attribute}>
              <dt lang={lang}>{attribute}</dt>
              <dd>
                <ul>
                  {card.facts
                    .filter((fact) => fact.attribute === attribute)
                    .map((fact: CardFact) => (
                      <FactRow
                        key={fact.factId}
                        fact={fact}
                        subject={subject}
                        attributes={attributes}
                        context={facts}
                      />
                    ))}
                </ul>
              </dd>
            </div>
          ))}
        </dl>
      )}
      {asked === "add" && cited && (
        <p className={css.cited} data-testid="fact-cited">
          {t`依据选中的`}
          <span lang={lang}>{cited.quote}</span>
        </p>
      )}
      {asked === "add" && (
        <FactForm
          label={t`记一条`}
          lang={lang}
          attributes={attributes}
          others={context.accepted.filter((other) => other.entityId !== entityId)}
          isTimed={card.kind === "event"}
          onSave={(words) => changes.add(subject, words, cited ? { citation: cited } : {}, close)}
          onCancel={close}
        />
      )}
      {!isReadOnly && asked !== "add" && (
        <div className={css.bar}>
          <Button
            size="s"
            kind="quiet"
            icon="plus"
            onPress={() => {
              setCited(hasSelection ? selection() : null);
              setAsked("add");
            }}
            data-testid="fact-add"
          >{t`记一条`}</Button>
          {card.standing === "accepted" && (
            <>
              <Picker<Visibility>
                quiet
                prefix={t`带给模型：`}
                label={t`什么时候带给模型`}
                value={card.visibility}
                onChange={(visibility) => visibility !== card.visibility && changes.setVisibility(card, visibility)}
                options={VISIBILITIES.map((key) => ({ key, label: visibilityWords(key) }))}
                testId="card-visibility"
              />
              <Button
                size="s"
                kind="quiet"
                icon="pin"
                aria-pressed={card.isPinned}
                onPress={() => changes.setPinned(card, !card.isPinned)}
                data-testid="card-pin"
              >
                {card.isPinned ? t`每次都带上` : t`钉住`}
              </Button>
              <Button
                size="s"
                kind="quiet"
                icon="clock"
                aria-expanded={asked === "history"}
                onPress={() => setAsked(asked === "history" ? null : "history")}
                data-testid="card-history"
              >{t`历史`}</Button>
              <Button
                size="s"
                kind="quiet"
                icon="bin"
                onPress={() => setAsked("forget")}
                data-testid="card-forget"
              >{t`忘掉…`}</Button>
            </>
          )}
        </div>
      )}
      {asked === "forget" && <Forget card={card} changes={changes} onClose={close} />}
      {asked === "history" && <History projectId={project.projectId} entityId={entityId} context={facts} />}
    </div>
  );
}

interface ForgetProps {
  card: EntityCard;
  changes: FactChanges;
  onClose: () => void;
}

function Forget({ card, changes, onClose }: ForgetProps) {
  const { t } = useLingui();
  return (
    <InlineConfirm
      label={t`忘掉“${card.name}”`}
      yes={t`忘掉`}
      no={t`留着`}
      onYes={() => {
        onClose();
        changes.forget(card);
      }}
      onNo={onClose}
      testId="card-forget"
    >
      {t`忘掉${card.name}？卡上 ${count(card.facts.length)} 条、谁知道什么，都没有了；以后读到，也不再提。正文不动。`}
    </InlineConfirm>
  );
}
