import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { CardFact, Citation, Fact } from "../../backend";
import { Button, Icon, LinkButton } from "../../design";
import { count } from "../../i18n/words";
import type { CardContext } from "./FactCard";
import { FactForm } from "./FactForm";
import css from "./facts.module.css";
import { Knowers } from "./Knowers";
import { certaintyWords, numberOf, plainLine } from "./words";

interface FactRowProps {
  fact: CardFact;
  subject: { entityId: string; name: string };
  attributes: readonly string[];
  context: CardContext;
}

/** A fact: what holds and whose word it is, its sentence, what held before, and who knows it. */
export function FactRow({ fact, subject, attributes, context }: FactRowProps) {
  const { t } = useLingui();
  const { lang, changes, isReadOnly, at } = context;
  const [asked, setAsked] = useState<"edit" | "later" | null>(null);
  const [isOpen, setOpen] = useState(false);
  const close = () => setAsked(null);
  const { attribute, value, certainty, citations, earlier, isStale } = fact;
  if (asked === "edit") {
    return (
      <FactForm
        label={t`改“${value}”`}
        initial={{ attribute, value, certainty }}
        lang={lang}
        attributes={attributes}
        onSave={(words) => changes.edit(fact, words, close)}
        onCancel={close}
      />
    );
  }
  return (
    <li className={css.fact} data-stale={isStale || undefined} data-testid="fact">
      <p className={css.value}>
        <span>
          <span lang={lang}>{value}</span>
          {certainty !== "told" && <small className={css.certainty}>{certaintyWords(certainty)}</small>}
        </span>
        <Origin fact={fact} />
      </p>
      {citations.map((citation) => (
        <Quote key={`${citation.chapterId} ${citation.from}`} citation={citation} isStale={isStale} context={context} />
      ))}
      {isStale && <Stale fact={fact} context={context} />}
      {earlier.map((one) => (
        <Earlier key={one.factId} fact={one} context={context} />
      ))}
      <Knowers fact={fact} context={context} isOpen={isOpen} />
      {!isReadOnly && (
        <span className={css.acts}>
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
          <Button
            size="s"
            kind="quiet"
            aria-expanded={isOpen}
            onPress={() => setOpen(!isOpen)}
            data-testid="fact-knowers"
          >
            {t`谁知道…`}
          </Button>
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
          initial={{ attribute, value: "", certainty: "told" }}
          lang={lang}
          attributes={attributes}
          onSave={(words) => changes.add(subject, words, { supersedes: fact }, close)}
          onCancel={close}
        />
      )}
    </li>
  );
}

/** Whose word a fact is, in words and with a sign. */
function Origin({ fact: { origin } }: { fact: Fact }) {
  const { t } = useLingui();
  return (
    <small className={css.origin} data-testid="fact-origin">
      <Icon name={origin === "written" ? "pen" : "check"} size="xs" />
      {origin === "written" ? t`你写的` : t`你认的`}
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
  return (
    <p className={css.quote}>
      {isStale || number === 0 ? (
        <del lang={lang}>{plainLine(quote)}</del>
      ) : (
        <button
          type="button"
          lang={lang}
          data-stop
          onClick={() => onOpenMention({ chapterId, from, to }, quote)}
          data-testid="fact-quote"
        >
          {plainLine(quote)}
        </button>
      )}
      <small>{number > 0 ? t`第 ${count(number)} 章` : t`那一章不在了`}</small>
    </p>
  );
}

/** The sentence of a fact was changed: the writer says what holds now. */
function Stale({ fact, context }: { fact: CardFact; context: CardContext }) {
  const { t } = useLingui();
  const { chapters, changes, isReadOnly, onOpenMention, selection } = context;
  const [lost] = fact.citations;
  const number = lost ? numberOf(lost.chapterId, chapters) : 0;
  const chosen = selection();
  return (
    <div className={css.stale} data-testid="fact-stale">
      <p>
        <Icon name="warning" size="xs" />
        {number > 0
          ? t`第 ${count(number)} 章这句你改过，原话找不到了。先不带给模型。`
          : t`这句所在的那一章不在了。先不带给模型。`}
      </p>
      {!isReadOnly && (
        <span className={css.acts}>
          {lost && number > 0 && (
            <LinkButton
              onPress={() => onOpenMention({ chapterId: lost.chapterId, from: lost.from, to: lost.to }, null)}
              data-testid="stale-see"
            >{t`看改成了什么`}</LinkButton>
          )}
          {chosen && (
            <LinkButton
              onPress={() => changes.confirm(fact, chosen)}
              data-testid="stale-cite"
            >{t`现在是选中的这句`}</LinkButton>
          )}
          <LinkButton onPress={() => changes.confirm(fact)} data-testid="stale-confirm">{t`还是这样`}</LinkButton>
          <LinkButton onPress={() => changes.remove(fact)} data-testid="stale-remove">{t`不对了`}</LinkButton>
        </span>
      )}
    </div>
  );
}

/** The earlier fact, folded under the one that replaced it. */
function Earlier({ fact, context: { lang, chapters } }: { fact: Fact; context: CardContext }) {
  const { t } = useLingui();
  const chapterId = fact.citations[0]?.chapterId ?? fact.toldAt?.chapterId;
  const number = chapterId === undefined ? 0 : numberOf(chapterId, chapters);
  return (
    <p className={css.earlier} data-testid="fact-earlier">
      {t`起先`} <del lang={lang}>{fact.value}</del>
      {number > 0 && <small>{t`第 ${count(number)} 章起`}</small>}
    </p>
  );
}
