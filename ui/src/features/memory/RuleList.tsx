import { useLingui } from "@lingui/react/macro";
import type { DeletedWords, Language, Rule } from "../../backend";
import { Windowed } from "../../design";
import { CATEGORY_KEYS, categoryName, count } from "../../i18n/words";
import css from "./memory.module.css";
import { RuleCard } from "./RuleCard";
import type { Surroundings } from "./ruleSearch";

interface RuleListProps extends Surroundings {
  rules: Rule[];
  /** Whether the list is grouped by category or in the given order. */
  grouped: boolean;
  projectId: string;
  language: Language;
  open: string | null;
  onOpen: (id: string | null) => void;
  /** The rule just added or brought back. */
  come: string | null;
  onGone: (rule: Rule, words?: DeletedWords) => void;
  readOnly: boolean;
}

export function RuleList({ rules, grouped, ...rest }: RuleListProps) {
  const { t } = useLingui();
  if (!grouped) {
    return (
      <section className={css.flat}>
        <Cards rules={rules} top={0} categorised {...rest} />
      </section>
    );
  }
  return CATEGORY_KEYS.map((category, index) => {
    const own = rules.filter((rule) => rule.category === category);
    if (own.length === 0) return null;
    const above = rules.filter((rule) => (CATEGORY_KEYS as readonly string[]).indexOf(rule.category) < index);
    const at = above.reduce((sum, rule) => sum + height(rule), 0);
    return (
      <section key={category} className={css.group}>
        <h3 className={css.groupName}>
          {categoryName(category)}
          <small>{t`${count(own.length)} 条`}</small>
        </h3>
        <Cards rules={own} top={at} {...rest} />
      </section>
    );
  });
}

function Cards({
  rules,
  top,
  open,
  onOpen,
  come,
  opposed,
  followed,
  ...rest
}: Omit<RuleListProps, "grouped"> & { top: number; categorised?: boolean }) {
  return (
    <Windowed
      items={rules}
      keyOf={({ id }) => id}
      heightOf={height}
      top={top}
      // An item being edited or focused stays rendered.
      keep={(rule) => rule.id === open || rule.id === come}
    >
      {(rule) => (
        <RuleCard
          key={rule.id}
          rule={rule}
          open={open === rule.id}
          autoFocus={come === rule.id}
          opposed={opposed.has(rule.id)}
          followed={followed.get(rule.id) ?? null}
          onOpen={(opened) => onOpen(opened ? rule.id : null)}
          {...rest}
        />
      )}
    </Windowed>
  );
}

/** Approximate Han characters per line of a card; Latin letters are half as wide. */
const HAN_PER_LINE = 28;
/** Pixels of a line, and of everything around the sentence. */
const LINE_PX = 25;
const CARD_PADDING_PX = 39;

/** Approximate height of a card before it is measured, in pixels. */
function height({ rule }: Rule): number {
  const wide = rule.match(/[^\p{Script=Latin}\p{Script=Common}]/gu)?.length ?? 0;
  return CARD_PADDING_PX + LINE_PX * Math.max(1, Math.ceil((wide + (rule.length - wide) / 2) / HAN_PER_LINE));
}
