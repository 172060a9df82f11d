import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries, type Rule, type Scope } from "../../backend";
import { Button, IconButton, Notice, Seg } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { CATEGORY_KEYS, categoryName, count, when } from "../../i18n/words";
import { AddRule } from "./AddRule";
import css from "./memory.module.css";
import { RuleCard } from "./RuleCard";

interface MemoryPanelProps {
  projectId: string;
  language: "zh" | "en";
  onClose: () => void;
}

/** What the memory believes about the writer, to be read and put right. */
export function MemoryPanel({ projectId, language, onClose }: MemoryPanelProps) {
  const { t } = useLingui();
  const [scope, setScope] = useState<Scope>("project");
  const [adding, setAdding] = useState(false);
  const [open, setOpen] = useState<string | null>(null);
  const { data, error, refetch } = useQuery(queries.rules(projectId));

  const rules = data?.rules ?? [];
  const of = (which: Scope) => rules.filter((rule) => rule.scope === which);
  const shown = of(scope);
  const recorded = data?.episodesRecorded ?? 0;

  return (
    <section className={css.memory} aria-label={t`记忆`} data-testid="memory-panel">
      <div className={css.head}>
        <h2 className={css.title}>{t`记忆`}</h2>
        <Seg<Scope>
          label={t`哪里的规则`}
          value={scope}
          onChange={(next) => {
            setScope(next);
            setAdding(false);
          }}
          options={[
            { key: "global", label: data ? t`全局 ${count(of("global").length)}` : t`全局`, testId: "memory-tab-global" },
            { key: "project", label: data ? t`本项目 ${count(of("project").length)}` : t`本项目`, testId: "memory-tab-project" },
          ]}
        />
        <span className="grow" />
        <IconButton name="cross" size="s" label={t`关闭记忆`} onPress={onClose} />
      </div>
      <div className={css.rules}>
        {error && (
          <Notice warn title={t`规则读不出来`} actions={<Button size="s" onPress={() => void refetch()}>{t`再读一次`}</Button>}>
            {errorSentence(error)}
          </Notice>
        )}
        {adding && <AddRule projectId={projectId} scope={scope} language={language} onDone={(rule) => { setAdding(false); if (rule) { setScope(rule.scope); setOpen(rule.id); } }} />}
        {data && shown.length === 0 && !adding && <Empty recorded={recorded} onAdd={() => setAdding(true)} />}
        {CATEGORY_KEYS.map((category) => (
          <Group key={category} name={categoryName(category)} rules={shown.filter((rule) => rule.category === category)} open={open} onOpen={setOpen} />
        ))}
      </div>
      <div className={css.foot}>
        <p className={css.recorded} data-testid="episodes-recorded" data-count={recorded}>
          {data?.lastDistilledAt ? t`已记录 ${count(recorded)} 次互动·上次更新 ${when(data.lastDistilledAt)}` : t`已记录 ${count(recorded)} 次互动`}
        </p>
        {(shown.length > 0 || adding) && (
          <Button icon="plus" onPress={() => setAdding(true)} isDisabled={adding} data-testid="rule-add">{t`添加规则`}</Button>
        )}
      </div>
    </section>
  );
}

function Group({ name, rules, open, onOpen }: { name: string; rules: Rule[]; open: string | null; onOpen: (id: string | null) => void }) {
  const { t } = useLingui();
  if (rules.length === 0) return null;
  return (
    <section className={css.group}>
      <h3 className={css.groupName}>
        {name}
        <small>{t`${count(rules.length)} 条`}</small>
      </h3>
      <ul>
        {rules.map((rule) => (
          <RuleCard key={rule.id} rule={rule} open={open === rule.id} onOpen={(opened) => onOpen(opened ? rule.id : null)} />
        ))}
      </ul>
    </section>
  );
}

function Empty({ recorded, onAdd }: { recorded: number; onAdd: () => void }) {
  const { t } = useLingui();
  return (
    <div className={css.empty}>
      <svg className={css.sheetmark} viewBox="0 0 84 56" aria-hidden="true">
        <path d="M8 10h68" stroke="var(--color-text-secondary)" />
        <path d="M8 22h68" />
        <path d="M8 34h28M48 34h28" opacity=".7" />
        <path d="M8 46h12M30 46h14M54 46h22" opacity=".45" />
      </svg>
      <p>{t`AI 正在学习你的写作偏好，使用越多越精准`}</p>
      <small>{recorded > 0 ? t`已记录 ${count(recorded)} 次互动。你也可以先告诉它。` : t`你也可以先告诉它。`}</small>
      <Button kind="primary" icon="plus" onPress={onAdd} data-testid="rule-add">{t`手动添加规则`}</Button>
    </div>
  );
}
