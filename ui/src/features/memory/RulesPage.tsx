import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries, type Language, type Rule, type RuleFollowed, type Scope, type Trouble } from "../../backend";
import { Button, Icon, Notice, Seg } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { CATEGORY_KEYS, categoryName, count, when } from "../../i18n/words";
import { AddRule } from "./AddRule";
import { Conflicts } from "./Conflicts";
import learning from "./learning.module.css";
import { LearningFoot } from "./LearningFoot";
import { LearningHistory, Waiting } from "./LearningHistory";
import css from "./memory.module.css";
import { Missing } from "./Missing";
import { RuleCard } from "./RuleCard";

interface RulesPageProps {
  projectId: string;
  language: Language;
  troubles: Trouble[];
  onMend: () => void;
}

/** What the memory believes about the writer, to be read and put right. */
export function RulesPage({ projectId, language, troubles, onMend }: RulesPageProps) {
  const { t } = useLingui();
  const [scope, setScope] = useState<Scope>("project");
  const [adding, setAdding] = useState(false);
  const [open, setOpen] = useState<string | null>(null);
  const [gone, setGone] = useState<Rule | null>(null);
  const [come, setCome] = useState<string | null>(null);
  const [history, setHistory] = useState(false);
  const { data, error, refetch } = useQuery(queries.rules(projectId));

  const { data: conflicts } = useQuery(queries.conflicts(projectId));
  const followed = new Map((data?.followed ?? []).map((one) => [one.ruleId, one]));
  const opposed = new Set(conflicts?.flatMap(({ first, second }) => [first.id, second.id]));
  const here = troubles.filter(({ part, kind }) => part === "rules" || kind === "all");
  // Rules out of a backup can be read and not changed.
  const readOnly = here.some(({ kind }) => kind !== "rulesUnwritten");
  const rules = error ? [] : (data?.rules ?? []);
  const of = (which: Scope) => rules.filter((rule) => rule.scope === which);
  const shown = of(scope);
  const uncounted = troubles.some(({ kind }) => kind === "episodes" || kind === "all");
  const recorded = data?.episodesRecorded ?? 0;
  const paused = data?.learningPaused ?? false;

  const show = (rule: Rule) => {
    setScope(rule.scope);
    setOpen(rule.id);
    setCome(rule.id);
  };

  if (history) return <LearningHistory projectId={projectId} onBack={() => setHistory(false)} />;
  return (
    <>
      <div className={css.bar}>
        <Seg<Scope>
          label={t`哪里的规则`}
          value={scope}
          onChange={(next) => {
            setScope(next);
            setAdding(false);
            setCome(null);
          }}
          options={[
            { key: "global", label: data ? t`全局 ${count(of("global").length)}` : t`全局`, testId: "memory-tab-global" },
            { key: "project", label: data ? t`本项目 ${count(of("project").length)}` : t`本项目`, testId: "memory-tab-project" },
          ]}
        />
        <span className="grow" />
        {paused && (
          <span className={learning.paused} role="status" data-testid="learning-paused">
            <Icon name="pause" size="xs" />
            {t`学习已暂停`}
          </span>
        )}
      </div>
      <div className={css.rules}>
        {here.length > 0 && <Missing troubles={here} onMend={onMend} />}
        {error && here.length === 0 && (
          <Notice warn title={t`规则读不出来`} actions={<Button size="s" onPress={() => void refetch()}>{t`再读一次`}</Button>}>
            {errorSentence(error)}
          </Notice>
        )}
        {!readOnly && <Conflicts projectId={projectId} onGone={setGone} />}
        {!readOnly && <Waiting projectId={projectId} />}
        {adding && <AddRule projectId={projectId} scope={scope} language={language} onDone={(rule) => { setAdding(false); if (rule) show(rule); }} />}
        {data && !error && shown.length === 0 && !adding && !readOnly && <Empty recorded={recorded} onAdd={() => setAdding(true)} />}
        {CATEGORY_KEYS.map((category) => (
          <Group key={category} name={categoryName(category)} rules={shown.filter((rule) => rule.category === category)} projectId={projectId} language={language} open={open} onOpen={setOpen} come={come} opposed={opposed} followed={followed} onGone={setGone} readOnly={readOnly} />
        ))}
      </div>
      <LearningFoot
        projectId={projectId}
        paused={paused}
        readOnly={readOnly}
        adding={adding}
        offerAdding={shown.length > 0 || adding}
        onAdd={() => setAdding(true)}
        onHistory={() => setHistory(true)}
        gone={gone}
        onBack={(rule) => {
          setGone(null);
          show(rule);
        }}
      >
        <p className={css.recorded} data-testid="episodes-recorded" data-count={recorded}>
          {uncounted
            ? t`往事库打不开，记了多少次暂时数不出来`
            : data?.lastDistilledAt
              ? t`已记录 ${count(recorded)} 次互动·上次更新 ${when(data.lastDistilledAt)}`
              : t`已记录 ${count(recorded)} 次互动`}
        </p>
      </LearningFoot>
    </>
  );
}

interface GroupProps {
  name: string;
  rules: Rule[];
  projectId: string;
  language: Language;
  open: string | null;
  onOpen: (id: string | null) => void;
  /** What has just come, or come back. */
  come: string | null;
  /** Those that another rule contradicts. */
  opposed: Set<string>;
  /** How the last generations went with each. */
  followed: ReadonlyMap<string, RuleFollowed>;
  onGone: (rule: Rule) => void;
  readOnly: boolean;
}

function Group({ name, rules, onOpen, open, come, opposed, followed, ...rest }: GroupProps) {
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
          <RuleCard key={rule.id} rule={rule} open={open === rule.id} autoFocus={come === rule.id} opposed={opposed.has(rule.id)} followed={followed.get(rule.id) ?? null} onOpen={(opened) => onOpen(opened ? rule.id : null)} {...rest} />
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
