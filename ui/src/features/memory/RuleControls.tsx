import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { SCENE_KEYS, type Category } from "../../backend";
import { Button, LinkButton, Picker, Search } from "../../design";
import { CATEGORY_KEYS, categoryName, count, sceneName } from "../../i18n/words";
import css from "./memory.module.css";
import { ANYTHING, EVERY, isWanting, narrowings, type RuleSort, type RuleState, type Wanted } from "./ruleSearch";

interface RuleControlsProps {
  wanted: Wanted;
  onWanted: (wanted: Wanted) => void;
  sort: RuleSort;
  onSort: (sort: RuleSort) => void;
  /** Number of listed rules. */
  found: number;
  /** Scene types of the rules, including the writer's own. */
  scenes: string[];
}

/** Key of the pickers for "any": no category or state has it. */
const ANY = "any";
/** Prefix of scene types, so that none equals `ANY`. */
const SCENE = "=";

/** Filters and sorts the rules. */
export function RuleControls({ wanted, onWanted, sort, onSort, found, scenes }: RuleControlsProps) {
  const { t } = useLingui();
  const [open, setOpen] = useState(false);
  const narrowed = narrowings(wanted);
  const named = [
    ...SCENE_KEYS,
    ...scenes.filter((scene) => scene !== EVERY && !(SCENE_KEYS as readonly string[]).includes(scene)),
  ];
  const any = t({ message: "不限", context: "filter" });
  const states: Record<RuleState, string> = {
    confirmed: t`已确认`,
    learning: t`还在学习`,
    opposed: t`和另一条相反`,
    ignored: t`模型常不照做`,
    recent: t`最近更新`,
  };
  return (
    <search className={css.controls} aria-label={t`查找规则`}>
      <div className={css.controlRow}>
        <Search
          label={t`在规则中查找`}
          value={wanted.text}
          onSearch={(text) => onWanted({ ...wanted, text })}
          found={isWanting(wanted) ? (found === 0 ? t`没有找到` : t`找到 ${count(found)} 条`) : ""}
          testId="rule-search"
        />
        <Button
          kind="quiet"
          size="s"
          icon="narrow"
          aria-expanded={open}
          onPress={() => setOpen(!open)}
          data-testid="rule-filter"
          data-on={narrowed}
        >
          {narrowed > 0 ? t`筛选 ${count(narrowed)}` : t`筛选`}
        </Button>
        <Picker<RuleSort>
          quiet
          label={t`排序`}
          value={sort}
          onChange={onSort}
          options={[
            { key: "category", label: t`按分类` },
            { key: "confidence", label: t`按把握` },
            { key: "changed", label: t`按最近改动` },
          ]}
          testId="rule-sort"
        />
      </div>
      {open && (
        <div className={`${css.controlRow} ${css.filters}`} data-testid="rule-filters">
          <Picker<RuleState | typeof ANY>
            quiet
            label={t`状态`}
            prefix={t`状态：`}
            value={wanted.state ?? ANY}
            onChange={(state) => onWanted({ ...wanted, state: state === ANY ? null : state })}
            options={[
              { key: ANY, label: any },
              ...(Object.keys(states) as RuleState[]).map((key) => ({ key, label: states[key] })),
            ]}
            testId="rule-state"
          />
          <Picker<Category | typeof ANY>
            quiet
            label={t`分类`}
            prefix={t`分类：`}
            value={wanted.category ?? ANY}
            onChange={(category) => onWanted({ ...wanted, category: category === ANY ? null : category })}
            options={[{ key: ANY, label: any }, ...CATEGORY_KEYS.map((key) => ({ key, label: categoryName(key) }))]}
            testId="rule-of"
          />
          <Picker
            quiet
            label={t`场景`}
            prefix={t`场景：`}
            value={wanted.scene === null ? ANY : SCENE + wanted.scene}
            onChange={(key) => onWanted({ ...wanted, scene: key === ANY ? null : key.slice(SCENE.length) })}
            options={[
              { key: ANY, label: any },
              { key: SCENE + EVERY, label: t`全部场景` },
              ...named.map((scene) => ({ key: SCENE + scene, label: sceneName(scene) })),
            ]}
            testId="rule-in"
          />
          <span className="grow" />
          {/* Always rendered, to keep its space. */}
          <LinkButton
            className={isWanting(wanted) ? undefined : css.unseen}
            isDisabled={!isWanting(wanted)}
            onPress={() => onWanted(ANYTHING)}
            data-testid="rule-clear"
          >{t`清除`}</LinkButton>
        </div>
      )}
    </search>
  );
}
