import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, type ReactNode, type RefObject } from "react";
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components/Tabs";
import { useStore } from "zustand";
import { queries, type HealthProblem, type HealthProblemKind } from "../../backend";
import { Button, Composer, Icon, IconButton, LinkButton, Notice, Pulse, Raw, Seg } from "../../design";
import { errorSentence, isForSettings } from "../../i18n/errors";
import { problemTitle } from "../../i18n/healthProblems";
import { count, listed, SKILL_KEYS, skillName } from "../../i18n/words";
import css from "./assistant.module.css";
import { Candidate, ToSettings, usableFirst, type CardsProps } from "./Candidate";
import type { Assistant } from "./session";

interface AssistantPanelProps {
  assistant: Assistant;
  /** Language of the book, for the typeface of the drafts. */
  language: "zh" | "en";
  onWhy: (generationId: string) => void;
  /** Opens the settings of models and keys. */
  onSettings: () => void;
  problems: HealthProblem[];
  /** Opens the page where the problems can be solved. */
  onMend: () => void;
  hidden?: boolean;
  /** Whether the drafts are shown side by side below the text. */
  compared: boolean;
  onCompare: () => void;
  mode: "write" | "ask";
  onMode: (mode: "write" | "ask") => void;
  /** The questions; `null`: no book is open. */
  ask: ReactNode;
  /** Opens the kept answers. */
  onAnswers: () => void;
  /** Number of kept answers whose cited text has changed. */
  staleAnswers: number;
}

export function AssistantPanel(props: AssistantPanelProps) {
  const { assistant, hidden, onCompare, mode, onMode, ask, onAnswers, staleAnswers } = props;
  const { t } = useLingui();
  const canCompare = useStore(assistant.state, ({ candidates }) => candidates.length > 1);
  return (
    <aside className={css.assistant} aria-label={t`助手`} hidden={hidden}>
      <div className={css.head}>
        <h2 className={css.title}>{t`助手`}</h2>
        <Seg
          label={t`写还是问`}
          value={mode}
          onChange={onMode}
          options={[
            { key: "write", label: t({ message: "写", context: "mode of the assistant" }), testId: "mode-write" },
            {
              key: "ask",
              label:
                staleAnswers > 0
                  ? t({ message: `问 ${count(staleAnswers)}`, context: "mode of the assistant" })
                  : t({ message: "问", context: "mode of the assistant" }),
              testId: "mode-ask",
            },
          ]}
          testId="assistant-mode"
        />
        <span className="grow" />
        {mode === "ask" ? (
          <IconButton name="keep" size="s" label={t`留下的答案`} onPress={onAnswers} data-testid="answers-open" />
        ) : (
          <IconButton
            name="columns"
            size="s"
            label={t`并排比较（F7）`}
            isDisabled={!canCompare}
            onPress={onCompare}
            data-testid="compare-open"
          />
        )}
      </div>
      {mode === "ask" ? (ask ?? <p className={css.hint}>{t`先打开一本书。`}</p>) : <Writing {...props} />}
    </aside>
  );
}

/** The skills, the drafts and the field of instructions. */
function Writing({ assistant, language, onWhy, onSettings, problems, onMend, compared }: AssistantPanelProps) {
  const { t } = useLingui();
  const body = useRef<HTMLDivElement>(null);
  const state = useStore(assistant.state);
  const { phase, skill, candidates, sent, failedUndo } = state;
  const skills = useSkills(assistant);
  const busy = phase === "asking" || phase === "writing";
  const lang = language === "zh" ? "zh-CN" : "en";
  useFocusOnReturn(compared, body);
  return (
    <Tabs className={css.work} selectedKey={skill} onSelectionChange={(key) => assistant.choose(String(key))}>
      <TabList className={css.skills} aria-label={t`让它做什么`}>
        {skills.map((key) => (
          <Tab key={key} id={key} data-testid={`skill-${key}`} isDisabled={busy}>
            {skillName(key)}
          </Tab>
        ))}
      </TabList>
      {/* The content is the same for all tabs; but each tab names its panel, and a panel keeps its first name. */}
      <TabPanel key={skill} id={skill} className={css.work}>
        <ContextSummary assistant={assistant} problems={problems} />
        <div className={css.body} ref={body}>
          {compared ? null : sent ? (
            <Sent assistant={assistant} />
          ) : candidates.length > 0 || busy ? (
            <Candidates assistant={assistant} lang={lang} onWhy={onWhy} onSettings={onSettings} />
          ) : (
            <Rest assistant={assistant} onWhy={onWhy} onSettings={onSettings} />
          )}
        </div>
        {failedUndo?.error && (
          <div className={css.failedUndo}>
            <Notice
              warn
              title={t`正文已撤回，但没能记录这次撤回`}
              actions={
                <Button size="s" onPress={() => assistant.retryUndo()} data-testid="regret-again">{t`重新记录`}</Button>
              }
              testId="regret"
            >
              {errorSentence(failedUndo.error)}
            </Notice>
          </div>
        )}
        <DegradedNotice problems={problems} onMend={onMend} />
        <div className={css.dock}>
          <div className={css.row}>
            {phase === "ready" && !compared && (
              <>
                <Button
                  kind="quiet"
                  size="s"
                  icon="cross"
                  onPress={() => assistant.rejectAll()}
                  data-testid="reject-all"
                >{t`都不要`}</Button>
                <Button
                  kind="quiet"
                  size="s"
                  icon="again"
                  onPress={() => assistant.runAgain()}
                  data-testid="again"
                >{t`再来一次`}</Button>
              </>
            )}
            <span className="grow" />
            {busy && !compared && (
              <Button
                size="s"
                icon="stop"
                keys="Esc"
                onPress={() => void assistant.stop()}
                data-testid="stop"
              >{t`停止`}</Button>
            )}
          </div>
          <Composer
            label={t`要求`}
            placeholder={t`补一句要求，也可以不填`}
            value={state.instruction}
            onChange={(instruction) => assistant.setInstruction(instruction)}
            onEnter={() => void assistant.start()}
            maxRows={4}
            testId="wish"
          >
            <Button
              kind={phase === "idle" ? "primary" : "plain"}
              size="m"
              icon="enter"
              isDisabled={busy}
              onPress={() => void assistant.start()}
              data-testid="run"
            >
              {skillName(skill)}
            </Button>
          </Composer>
        </div>
      </TabPanel>
    </Tabs>
  );
}

/** Moves the focus from the side-by-side view to the picked draft in the panel. */
function useFocusOnReturn(compared: boolean, body: RefObject<HTMLElement | null>): void {
  const was = useRef(compared);
  useEffect(() => {
    if (was.current && !compared && document.activeElement === document.body)
      body.current?.querySelector<HTMLElement>("[data-picked]")?.focus();
    was.current = compared;
  }, [compared, body]);
}

/** The skills, most used for this scene type first. Skills of other programs cannot run here and are left out. */
function useSkills(assistant: Assistant): readonly string[] {
  const { chapter, scene } = useStore(assistant.state);
  const { data } = useQuery({
    ...queries.skillOrder(chapter?.projectId ?? "", chapter?.chapterId ?? "", scene),
    enabled: chapter !== null,
  });
  if (!data) return SKILL_KEYS;
  const known = data.flatMap(({ skill }) => SKILL_KEYS.filter((key) => key === skill));
  return [...known, ...SKILL_KEYS.filter((key) => !known.includes(key))];
}

/** Parts of the memory that the drafts lack. Placed below them, so nothing moves when it appears. */
function DegradedNotice({ problems, onMend }: { problems: HealthProblem[]; onMend: () => void }) {
  const { t } = useLingui();
  const shown = problems.filter(({ kind }) => kind !== "maintenance");
  if (shown.length === 0) return null;
  return (
    <div className={css.degradedNotice} role="status" data-testid="assistant-degraded">
      <Icon name="warning" size="xs" />
      <span className="grow">
        {shown.map(({ kind }) => (
          <span key={kind}>{problemTitle(kind)}</span>
        ))}
      </span>
      <LinkButton onPress={onMend}>{t`查看`}</LinkButton>
    </div>
  );
}

/** Numbers of rules and past passages in the prompt, with a button that shows the prompt. */
function ContextSummary({ assistant, problems }: { assistant: Assistant; problems: HealthProblem[] }) {
  const { t } = useLingui();
  const { run, sent } = useStore(assistant.state);
  const expected = useExpectedContext(problems);
  const memoryReferences = sent?.context?.memoryReferences ?? run?.memoryReferences;
  const of = (kind: string) => memoryReferences?.filter((reference) => reference.kind === kind) ?? [];
  const builtIn = of("rule").filter(({ id }) => id.startsWith("builtin:")).length;
  const [rules, past] = [of("rule").length - builtIn, of("episode").length];
  const parts = [
    ...(rules > 0 ? [t`${count(rules)} 条规则`] : []),
    ...(builtIn > 0 ? [t`${count(builtIn)} 条自带的规则`] : []),
    ...(past > 0 ? [t`${count(past)} 段往事`] : []),
  ];
  return (
    <div className={css.contextSummary}>
      <Icon name="layers" size="xs" />
      <span className="grow" data-testid="brought">
        {!memoryReferences ? expected : parts.length > 0 ? t`带上 ${listed(parts)}` : t`这次没有适用的规则和往事`}
      </span>
      <LinkButton
        onPress={() => void assistant.toggleSent()}
        data-testid="preview-toggle"
        aria-expanded={sent !== null}
      >
        {sent ? t`收起` : t`看发送内容`}
      </LinkButton>
    </div>
  );
}

/** The context to expect in the next run, given the current health. */
function useExpectedContext(problems: HealthProblem[]): string {
  const { t } = useLingui();
  const are = (...kinds: HealthProblemKind[]) => problems.some(({ kind }) => kinds.includes(kind));
  if (are("all")) return t`会带上自带的规则`;
  if (are("episodes")) return t`会带上适用的规则`;
  if (are("rulesBuiltIn")) return t`会带上自带的规则和适用的往事`;
  return t`会带上适用的规则和往事`;
}

function Sent({ assistant }: { assistant: Assistant }) {
  const { t } = useLingui();
  const { sent } = useStore(assistant.state);
  if (!sent) return null;
  if (sent.error)
    return (
      <Notice warn title={t`暂时无法显示`}>
        {errorSentence(sent.error)}
      </Notice>
    );
  if (!sent.context) return <p className={css.hint} role="status">{t`正在准备……`}</p>;
  const { messages, totalTokens, cut } = sent.context;
  return (
    // A region that scrolls is reached by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={css.sent} role="region" aria-label={t`看发送内容`} tabIndex={0} data-testid="preview-sent">
      <p className={css.hint}>
        {cut.length > 0
          ? t`一共 ${count(totalTokens)} 词元，有 ${count(cut.length)} 项放不下`
          : t`一共 ${count(totalTokens)} 词元。模型看到的就是这些，一字不差。`}
      </p>
      {messages.map((message, index) => (
        <section key={index}>
          <h3>{message.role === "system" ? t`总说明` : t`这一次`}</h3>
          <Raw>{message.content}</Raw>
        </section>
      ))}
    </div>
  );
}

/** Shown while no run is active: the last decision and a hint. */
function Rest({
  assistant,
  onWhy,
  onSettings,
}: {
  assistant: Assistant;
  onWhy: (generationId: string) => void;
  onSettings: () => void;
}) {
  const { t } = useLingui();
  const { skill, error, needsSelection, last } = useStore(assistant.state);
  return (
    <div className={css.rest}>
      {needsSelection && (
        <Notice icon="info" title={t`先在正文里选一段`}>{t`${skillName(skill)}只改你选中的文字，别处不动。`}</Notice>
      )}
      {error && (
        <Notice
          warn
          title={t`没有写出来，正文没有变`}
          actions={isForSettings(error) && <ToSettings onPress={onSettings} />}
          testId="run-problem"
        >
          {errorSentence(error)}
        </Notice>
      )}
      {last?.record === "failed" && (
        <Notice
          warn
          title={last.taken ? t`文字已写进正文，但没能记录这次取舍` : t`没能记录这次取舍`}
          actions={<Button size="s" onPress={() => assistant.retryRecord()}>{t`重新记录`}</Button>}
        >
          {errorSentence(last.error)}
        </Notice>
      )}
      {last && last.record !== "failed" && (
        <div className={css.last} role="status">
          <Icon name={last.record === "recorded" ? "check" : "dot"} size="xs" />
          <span className="grow">
            {last.record === "sending" ? t`正在记录……` : last.taken ? t`已写进正文，也已记录` : t`都没要，已记录`}
          </span>
          {last.taken && last.generationId && (
            <LinkButton onPress={() => onWhy(last.generationId!)}>{t`为什么这样写？`}</LinkButton>
          )}
        </div>
      )}
      {!needsSelection && !error && !last && (
        <p className={css.hint}>
          {skill === "continue"
            ? t`光标停在哪里，就从哪里接着写。会给你几稿，挑一稿，改一改，或者都不要。`
            : t`先在正文里选一段，再让它${skillName(skill)}。会给你几稿，挑一稿，改一改，或者都不要。`}
        </p>
      )}
    </div>
  );
}

/** Number of runs in a row without a draft from which on a larger model is named. */
const MIN_UNUSABLE_RUNS = 3;

function Candidates(props: CardsProps) {
  const { t } = useLingui();
  const { phase, run, candidates, error, trimmed, unusableRuns } = useStore(props.assistant.state);
  if (phase === "asking")
    return (
      <p className={css.hint} role="status">
        <Pulse /> {t`正在准备上下文……`}
      </p>
    );
  return (
    <div className={css.cands}>
      {error && (
        <Notice warn title={t`没有写完`} actions={isForSettings(error) && <ToSettings onPress={props.onSettings} />}>
          {errorSentence(error)}
        </Notice>
      )}
      {trimmed && (
        <p className={css.trimmed} role="status" data-testid="trimmed">
          {t`这个模型一次最多读 ${count(trimmed.contextTokens)} 词元，所以只发送了 ${count(trimmed.totalTokens)} 词元，有 ${count(trimmed.left)} 项没有带上。`}
        </p>
      )}
      {usableFirst(candidates).map((index) => (
        <Candidate key={index} index={index} {...props} />
      ))}
      {phase === "ready" && unusableRuns >= MIN_UNUSABLE_RUNS && (
        <Notice
          icon="info"
          title={t`${String(unusableRuns)} 次都没有写出能用的稿`}
          actions={<ToSettings onPress={props.onSettings} />}
          testId="larger-model"
        >
          {t`写的是 ${run?.provider.model ?? ""}。大一些的模型会好：8 GB 内存可以用 7B 到 8B 的，16 GB 可以用 13B 到 14B 的。`}
        </Notice>
      )}
    </div>
  );
}
