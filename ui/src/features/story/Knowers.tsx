import { useLingui } from "@lingui/react/macro";
import type { CardFact } from "../../backend";
import { IconButton, Picker } from "../../design";
import { count } from "../../i18n/words";
import { numberOf } from "../../lib/ordinal";
import type { CardContext } from "./FactCard";
import css from "./facts.module.css";
import { joined } from "./words";

/** Characters listed that do not know a fact yet. */
const MAX_UNAWARE = 3;
const NONE = "";

interface KnowersProps {
  fact: CardFact;
  context: CardContext;
  /** Whether characters can be added and taken away. */
  isOpen: boolean;
}

/** The characters that know a fact, each with its chapter. */
export function Knowers({ fact, context, isOpen }: KnowersProps) {
  const { t } = useLingui();
  const { lang, chapters, accepted, changes, at, isReadOnly } = context;
  const { knownBy } = fact;
  const nameOf = (id: string) => accepted.find(({ entityId }) => entityId === id)?.name;
  const unaware = accepted.filter(
    ({ kind, entityId }) => kind === "character" && !knownBy.some((knower) => knower.entityId === entityId),
  );
  const others = unaware.filter(({ entityId }) => entityId !== fact.entityId).slice(0, MAX_UNAWARE);
  const names = joined(
    others.map(({ name }) => name),
    lang === "en" ? "en" : "zh",
  );
  if (knownBy.length === 0 && !isOpen) return null;
  const canChange = isOpen && !isReadOnly;
  return (
    <div className={css.knowers} data-testid="fact-known">
      <span>{knownBy.length > 0 ? t`知道的` : t`没有写谁知道：谁都可能知道`}</span>
      {knownBy.map(({ entityId, since }) => {
        const name = nameOf(entityId);
        if (name === undefined) return null;
        return (
          <span key={entityId} className={css.chip} data-testid="fact-knower">
            <span lang={lang}>{name}</span>
            <small>{t`第 ${count(numberOf(since.chapterId, chapters))} 章起`}</small>
            {canChange && (
              <IconButton
                name="cross"
                size="xs"
                label={t`“${name}”还不知道`}
                onPress={() => changes.know(fact, { entityId, name }, null)}
                data-testid="knower-remove"
              />
            )}
          </span>
        );
      })}
      {knownBy.length > 0 && !canChange && others.length > 0 && (
        <span data-testid="fact-unaware">{t`${names}：还不知道`}</span>
      )}
      {canChange && at && unaware.length > 0 && (
        <Picker
          quiet
          label={t`从这里起谁知道`}
          value={NONE}
          onChange={(entityId) => {
            const name = nameOf(entityId);
            if (name !== undefined) changes.know(fact, { entityId, name }, at);
          }}
          options={[
            { key: NONE, label: t`从这里起，谁知道了…` },
            ...unaware.map(({ entityId, name }) => ({ key: entityId, label: name, lang })),
          ]}
          testId="knower-add"
        />
      )}
    </div>
  );
}
