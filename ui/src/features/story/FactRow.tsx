import { useLingui } from "@lingui/react/macro";
import { useId, useState } from "react";
import type { CardFact, Citation, Fact } from "../../backend";
import { Button, Icon, LinkButton, QuoteLine } from "../../design";
import { count } from "../../i18n/words";
import { numberOf } from "../../lib/ordinal";
import { EarlierFacts } from "./EarlierFacts";
import type { CardContext } from "./FactCard";
import { FactForm } from "./FactForm";
import { factWords } from "./factChanges";
import css from "./facts.module.css";
import { Knowers } from "./Knowers";
import { StaleFact } from "./StaleFact";
import { Times } from "./Times";
import { certaintyWords, plainLine } from "./words";

interface FactRowProps {
  fact: CardFact;
  subject: { entityId: string; name: string };
  attributes: readonly string[];
  context: CardContext;
}

/** A fact: what holds and whose word it is, its sentence, what held before, who knows it; and its actions while open. */
export function FactRow({ fact, subject, attributes, context }: FactRowProps) {
  const { t } = useLingui();
  const { lang, changes, isReadOnly, at, accepted, hasSelection, selection } = context;
  const [asked, setAsked] = useState<"edit" | "later" | null>(null);
  const [isOpen, setOpen] = useState(false);
  const actsId = useId();
  const close = () => setAsked(null);
  const cite = () => {
    const chosen = selection();
    if (chosen) changes.cite(fact, chosen);
  };
  const { attribute, value, certainty, objectId, validFrom, validUntil, citations, isStale } = fact;
  const others = accepted.filter(({ entityId }) => entityId !== fact.entityId);
  if (asked === "edit") {
    return (
      <li>
        <FactForm
          label={t`改“${value}”`}
          initial={{ attribute, value, certainty, objectId, validFrom, validUntil }}
          lang={lang}
          attributes={attributes}
          others={others}
          onSave={(words) => changes.edit(fact, words, close)}
          onCancel={close}
        />
      </li>
    );
  }
  return (
    <li className={css.fact} data-open={isOpen || undefined} data-stale={isStale || undefined} data-testid="fact">
      <p className={css.value}>
        <span>
          {isReadOnly ? (
            <span lang={lang}>{value}</span>
          ) : (
            <button
              type="button"
              lang={lang}
              aria-expanded={isOpen}
              aria-controls={isOpen ? actsId : undefined}
              onClick={() => setOpen(!isOpen)}
              data-stop
              data-testid="fact-open"
            >
              {value}
            </button>
          )}
          {certainty !== "told" && <small className={css.certainty}>{certaintyWords(certainty)}</small>}
          <Related fact={fact} context={context} />
          <KnownFrom fact={fact} context={context} />
          {(validFrom ?? validUntil) !== null && (
            <small className={css.times} data-testid="fact-times">
              <Times from={validFrom} until={validUntil} lang={lang} />
            </small>
          )}
        </span>
        <Origin fact={fact} />
      </p>
      {citations.map((citation) => (
        <Quote key={`${citation.chapterId} ${citation.from}`} citation={citation} isStale={isStale} context={context} />
      ))}
      {isStale && <StaleFact fact={fact} context={context} />}
      <EarlierFacts fact={fact} context={context} />
      <Knowers fact={fact} context={context} isOpen={isOpen} />
      {isOpen && !isReadOnly && (
        <span id={actsId} className={css.acts}>
          <Button
            size="s"
            kind="quiet"
            icon="pen"
            onPress={() => setAsked("edit")}
            data-testid="fact-edit"
          >{t`改`}</Button>
          {at && (
            <Button size="s" kind="quiet" onPress={() => setAsked("later")} data-testid="fact-later">
              {t`从这里起变了…`}
            </Button>
          )}
          {hasSelection && !isStale && (
            <Button size="s" kind="quiet" onPress={cite} data-testid="fact-cite">
              {t`原话是选中的这句`}
            </Button>
          )}
          <Button
            size="s"
            kind="quiet"
            icon="bin"
            onPress={() => changes.remove(fact)}
            data-testid="fact-remove"
          >{t`忘掉`}</Button>
        </span>
      )}
      {asked === "later" && (
        <FactForm
          label={t`“${value}”从这里起变了`}
          initial={factWords(attribute, "")}
          lang={lang}
          attributes={attributes}
          others={others}
          onSave={(words) => changes.add(subject, words, { supersedes: fact }, close)}
          onCancel={close}
        />
      )}
    </li>
  );
}

interface PartProps {
  fact: Fact;
  context: CardContext;
}

/** The entity that a relation leads to. Pressing it opens its card. */
function Related({ fact: { objectId, value }, context: { lang, accepted, onShow } }: PartProps) {
  const { t } = useLingui();
  const object = accepted.find(({ entityId }) => entityId === objectId);
  if (!object) return null;
  const { entityId, name } = object;
  return (
    <small className={css.related}>
      <LinkButton aria-label={t`“${name}”的卡片`} onPress={() => onShow(entityId)} data-testid="fact-related">
        {name === value ? t`卡片` : <span lang={lang}>{name}</span>}
      </LinkButton>
    </small>
  );
}

/** The chapter from which a fact without a sentence is known. */
function KnownFrom({ fact: { toldAt, citations }, context: { chapters } }: PartProps) {
  const { t } = useLingui();
  const number = toldAt && citations.length === 0 ? numberOf(toldAt.chapterId, chapters) : 0;
  return number > 0 && <small className={css.times} data-testid="fact-known-from">{t`第 ${count(number)} 章起`}</small>;
}

/** Whose word a fact is, in words and with a sign. */
function Origin({ fact: { origin } }: { fact: Fact }) {
  const { t } = useLingui();
  return (
    <small className={css.origin} data-testid="fact-origin">
      <Icon name={origin === "written" ? "pen" : "check"} size="xs" />
      {origin === "written" ? t({ message: "你写的", context: "whose word a fact is" }) : t`你认的`}
    </small>
  );
}

interface QuoteProps {
  citation: Citation;
  isStale: boolean;
  context: CardContext;
}

/** The sentence of a fact in one line. Pressing it opens and lights it. */
function Quote({ citation, isStale, context: { lang, chapters, onOpenMention } }: QuoteProps) {
  const { t } = useLingui();
  const { chapterId, from, to, quote } = citation;
  const number = numberOf(chapterId, chapters);
  const isThere = !isStale && number > 0;
  return (
    <QuoteLine
      quote={plainLine(quote)}
      lang={lang}
      chapter={number > 0 ? t`第 ${count(number)} 章` : t`那一章不在了`}
      onOpen={isThere ? () => onOpenMention({ chapterId, from, to }, quote) : null}
      isStop
      testId="fact-quote"
    />
  );
}
