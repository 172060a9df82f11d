import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useLayoutEffect, useRef, useState } from "react";
import { queries, type DeletedWords, type Language, type Rule, type Scope, type HealthProblem } from "../../backend";
import { Busy, Button, Icon, Notice, Seg } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count, when } from "../../i18n/words";
import { AddRule } from "./AddRule";
import { Conflicts } from "./Conflicts";
import { ErasedWords } from "./Erased";
import learning from "./learning.module.css";
import { LearningFoot } from "./LearningFoot";
import { LearningHistory, Waiting } from "./LearningHistory";
import css from "./memory.module.css";
import { Missing } from "./Missing";
import { RuleControls } from "./RuleControls";
import { RuleList } from "./RuleList";
import {
  ANYTHING,
  EVERY,
  inOrder,
  isWanting,
  MIN_RULES_FOR_SEARCH,
  matches,
  steady,
  type RuleSort,
  type Wanted,
} from "./ruleSearch";

interface RulesPageProps {
  projectId: string;
  language: Language;
  problems: HealthProblem[];
  onMend: () => void;
}

/** The rules that the memory has learned or the writer has added. */
export function RulesPage({ projectId, language, problems, onMend }: RulesPageProps) {
  const { t } = useLingui();
  const [scope, setScope] = useState<Scope>("project");
  const [adding, setAdding] = useState(false);
  const [open, setOpen] = useState<string | null>(null);
  const [deletedRule, setDeletedRule] = useState<Rule | null>(null);
  const [erased, setErased] = useState<DeletedWords | null>(null);
  const leave = (rule: Rule, words?: DeletedWords) => {
    setErased(words ?? null);
    setDeletedRule(words ? null : rule);
  };
  const [come, setCome] = useState<string | null>(null);
  const [history, setHistory] = useState(false);
  const [wanted, setWanted] = useState<Wanted>(ANYTHING);
  const [sort, setSort] = useState<RuleSort>("category");
  const [offered, setOffered] = useState(false);
  const { data, error, isFetching, refetch } = useQuery(queries.rules(projectId));

  const { data: conflicts } = useQuery(queries.conflicts(projectId));
  const followed = new Map((data?.followed ?? []).map((one) => [one.ruleId, one]));
  const opposed = new Set(conflicts?.flatMap(({ first, second }) => [first.id, second.id]));
  const here = problems.filter(({ part, kind }) => part === "rules" || kind === "all");
  // Rules from a backup are read-only.
  const readOnly = here.some(({ kind }) => kind !== "rulesUnwritten");
  const rules = error ? [] : (data?.rules ?? []);
  const of = (which: Scope) => rules.filter((rule) => rule.scope === which);
  const asking = isWanting(wanted);
  const found = (which: Scope) =>
    inOrder(of(which), sort).filter((rule) => matches(rule, wanted, { opposed, followed }));
  const shown = useSteady(
    found(scope),
    of(scope),
    asking || sort !== "category" ? JSON.stringify([scope, sort, wanted]) : null,
  );
  const other: Scope = scope === "global" ? "project" : "global";
  // Once shown, the controls stay, so that deleting a rule moves nothing.
  if (
    !offered &&
    (asking || of("global").length >= MIN_RULES_FOR_SEARCH || of("project").length >= MIN_RULES_FOR_SEARCH)
  )
    setOffered(true);
  const list = useRef<HTMLDivElement>(null);
  // Scroll to the top of a new selection.
  useLayoutEffect(() => {
    list.current?.scrollTo({ top: 0 });
  }, [scope, sort, wanted]);
  const uncounted = problems.some(({ kind }) => kind === "episodes" || kind === "all");
  const known = error ? undefined : data;
  const recorded = known?.episodesRecorded ?? 0;
  const paused = data?.learningPaused ?? false;

  const show = (rule: Rule) => {
    if (!matches(rule, wanted, { opposed, followed })) setWanted(ANYTHING);
    setScope(rule.scope);
    setOpen(rule.id);
    setCome(rule.id);
  };

  if (history) return <LearningHistory projectId={projectId} onBack={() => setHistory(false)} />;
  return (
    <>
      <div className={css.bar}>
        <Seg<Scope>
          label={t`规则范围`}
          value={scope}
          onChange={(next) => {
            setScope(next);
            setAdding(false);
            setCome(null);
          }}
          options={[
            {
              key: "global",
              label: data ? t`全局 ${count(of("global").length)}` : t`全局`,
              testId: "memory-tab-global",
            },
            {
              key: "project",
              label: data ? t`本项目 ${count(of("project").length)}` : t`本项目`,
              testId: "memory-tab-project",
            },
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
      {offered && (
        <RuleControls
          wanted={wanted}
          onWanted={setWanted}
          sort={sort}
          onSort={setSort}
          found={shown.length}
          scenes={[...new Set(rules.map(({ sceneType }) => sceneType ?? EVERY))]}
        />
      )}
      <div className={css.rules} ref={list} data-testid="rules">
        {here.length > 0 && <Missing problems={here} onMend={onMend} />}
        {error && here.length === 0 && (
          <Notice
            warn
            title={t`规则读不出来`}
            actions={
              <Button
                size="s"
                isDisabled={isFetching}
                onPress={() => void refetch()}
                data-testid="rules-again"
              >{t`重新读取`}</Button>
            }
          >
            {errorSentence(error)}
          </Notice>
        )}
        {!data && !error && (
          <div className={css.loading}>
            <Busy>{t`正在读取……`}</Busy>
          </div>
        )}
        {!readOnly && <Conflicts projectId={projectId} onGone={leave} />}
        {!readOnly && <Waiting projectId={projectId} />}
        {adding && (
          <AddRule
            projectId={projectId}
            scope={scope}
            language={language}
            onDone={(rule) => {
              setAdding(false);
              if (rule) show(rule);
            }}
          />
        )}
        {data && !error && of(scope).length === 0 && !asking && !adding && !readOnly && (
          <Empty recorded={recorded} onAdd={() => setAdding(true)} />
        )}
        {data && !error && shown.length === 0 && asking && (
          <div className={`${css.nothing} ${css.found}`} data-testid="rules-nothing">
            <p>{scope === "project" ? t`本书的规则里没有符合条件的。` : t`全局的规则里没有符合条件的。`}</p>
            {found(other).length > 0 && (
              <Button onPress={() => setScope(other)} data-testid="rules-elsewhere">
                {other === "global"
                  ? t`全局里有 ${count(found(other).length)} 条`
                  : t`本书里有 ${count(found(other).length)} 条`}
              </Button>
            )}
            <Button onPress={() => setWanted(ANYTHING)} data-testid="rules-clear">{t`清除条件`}</Button>
          </div>
        )}
        <RuleList
          key={`${scope} ${sort}`}
          rules={shown}
          grouped={sort === "category"}
          projectId={projectId}
          language={language}
          open={open}
          onOpen={setOpen}
          come={come}
          opposed={opposed}
          followed={followed}
          onGone={leave}
          readOnly={readOnly}
        />
      </div>
      {erased && (
        <div className={css.foot}>
          <ErasedWords words={erased} onDone={() => setErased(null)} />
        </div>
      )}
      <LearningFoot
        projectId={projectId}
        paused={paused}
        readOnly={readOnly}
        adding={adding}
        offerAdding={shown.length > 0 || asking || adding}
        onAdd={() => setAdding(true)}
        onHistory={() => setHistory(true)}
        deletedRule={deletedRule}
        onBack={(rule) => {
          setDeletedRule(null);
          show(rule);
        }}
      >
        <p className={css.recorded} data-testid="episodes-recorded" data-count={known ? recorded : undefined}>
          {uncounted
            ? t`往事库打不开，互动次数暂时无法统计`
            : !known
              ? // nothing is shown before it is known; the line keeps its space
                error
                ? t`互动次数暂时无法统计`
                : "\u00a0"
              : known.lastDistilledAt
                ? t`已记录 ${count(recorded)} 次互动·上次更新 ${when(known.lastDistilledAt)}`
                : t`已记录 ${count(recorded)} 次互动`}
        </p>
      </LearningFoot>
    </>
  );
}

/**
 * Keeps the order of the rules while one of them is being edited, until `asked` changes. `null`: no filter, the rules
 * stay in their given order.
 */
function useSteady(found: Rule[], all: Rule[], asked: string | null): Rule[] {
  const [held, setHeld] = useState<{ asked: string | null; ids: string[] }>({ asked: null, ids: [] });
  const by = new Map(all.map((rule) => [rule.id, rule]));
  const now = found.map(({ id }) => id);
  const ids = asked !== null && held.asked === asked ? steady(held.ids, now, new Set(by.keys())) : now;
  if (held.asked !== asked || (asked !== null && held.ids.join() !== ids.join())) setHeld({ asked, ids });
  return ids.flatMap((id) => by.get(id) ?? []);
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
      <small>
        {recorded > 0 ? t`已记录 ${count(recorded)} 次互动。你也可以先告诉它你的偏好。` : t`你也可以先告诉它你的偏好。`}
      </small>
      <Button kind="primary" icon="plus" onPress={onAdd} data-testid="rule-add">{t`手动添加规则`}</Button>
    </div>
  );
}
