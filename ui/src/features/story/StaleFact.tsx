import { useLingui } from "@lingui/react/macro";
import type { CardFact } from "../../backend";
import { Icon, LinkButton } from "../../design";
import { count } from "../../i18n/words";
import { numberOf } from "../../lib/ordinal";
import type { CardContext } from "./FactCard";
import css from "./facts.module.css";

interface StaleFactProps {
  fact: CardFact;
  context: CardContext;
}

/** The sentence of a fact was changed: the writer says what holds now. */
export function StaleFact({ fact, context }: StaleFactProps) {
  const { t } = useLingui();
  const { chapters, changes, hasSelection, isReadOnly, onOpenMention, selection } = context;
  const [lost] = fact.citations;
  const number = lost ? numberOf(lost.chapterId, chapters) : 0;
  const cite = () => {
    const chosen = selection();
    if (chosen) changes.confirm(fact, chosen);
  };
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
          {hasSelection && <LinkButton onPress={cite} data-testid="stale-cite">{t`现在是选中的这句`}</LinkButton>}
          <LinkButton onPress={() => changes.confirm(fact)} data-testid="stale-confirm">{t`还是这样`}</LinkButton>
          <LinkButton onPress={() => changes.remove(fact)} data-testid="stale-remove">{t`不对了`}</LinkButton>
        </span>
      )}
    </div>
  );
}
