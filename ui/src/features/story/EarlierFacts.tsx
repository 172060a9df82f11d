import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { CardFact, ChapterInfo, Fact } from "../../backend";
import { LinkButton } from "../../design";
import { count, listed } from "../../i18n/words";
import { numberOf } from "../../lib/ordinal";
import type { CardContext } from "./FactCard";
import css from "./facts.module.css";
import { certaintyWords } from "./words";

interface EarlierFactsProps {
  fact: CardFact;
  context: CardContext;
}

/** The facts that held before: the latest of the facts that a fact replaced, and the ones before it on request. */
export function EarlierFacts({ fact, context }: EarlierFactsProps) {
  const { t } = useLingui();
  const [isOpen, setOpen] = useState(false);
  const { earlier } = fact;
  const shown = isOpen ? earlier : earlier.slice(0, 1);
  const rest = count(earlier.length - 1);
  return (
    <>
      {shown.map((one) => (
        <EarlierFact
          key={one.factId}
          fact={one}
          next={[fact, ...earlier].find(({ factId }) => factId === one.supersededBy) ?? fact}
          context={context}
        />
      ))}
      {earlier.length > 1 && (
        <span className={css.more}>
          <LinkButton aria-expanded={isOpen} onPress={() => setOpen(!isOpen)} data-testid="fact-earlier-more">
            {isOpen ? t`收起更早的` : t`更早还有 ${rest} 条`}
          </LinkButton>
        </span>
      )}
    </>
  );
}

interface EarlierFactProps {
  fact: Fact;
  /** The fact that replaced it. */
  next: Fact;
  context: CardContext;
}

function EarlierFact({ fact, next, context: { lang, chapters, accepted } }: EarlierFactProps) {
  const { t } = useLingui();
  const names = fact.knownBy.flatMap(({ entityId }) => accepted.find((one) => one.entityId === entityId)?.name ?? []);
  const who = listed(names);
  const until = firstChapter(next, chapters);
  const chapter = count(until);
  const isBelieved = fact.certainty === "believed" && names.length > 0;
  const untilWords = isBelieved ? t`${who}这么以为，到第 ${chapter} 章为止` : t`到第 ${chapter} 章为止`;
  return (
    <p className={css.earlier} data-testid="fact-earlier">
      {t`起先`} <del lang={lang}>{fact.value}</del>
      {fact.certainty !== "told" && !isBelieved && <small>{certaintyWords(fact.certainty)}</small>}
      {until > 0 && <small>{untilWords}</small>}
    </p>
  );
}

/** Number of the chapter in which a fact is told first; 0: in none, or in one that is not in the book. */
function firstChapter({ toldAt, citations }: Fact, chapters: readonly ChapterInfo[]): number {
  const ids = toldAt ? [toldAt.chapterId] : citations.map(({ chapterId }) => chapterId);
  const numbers = ids.map((id) => numberOf(id, chapters)).filter((number) => number > 0);
  return numbers.length > 0 ? Math.min(...numbers) : 0;
}
