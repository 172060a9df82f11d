import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button as Press } from "react-aria-components/Button";
import {
  BackendError,
  queries,
  type CutItem,
  type CutReason,
  type MentionRange,
  type Role,
  type Trace,
} from "../../backend";
import { Busy, Button, Chip, Icon, IconButton, Notice, Raw } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count, providerName, sceneName, skillName, when } from "../../i18n/words";
import { langOf } from "../../lib/langOf";
import { Memories, plain } from "./Memories";
import css from "./why.module.css";

interface WhyPanelProps {
  projectId: string;
  generationId: string;
  /** Opens a sentence of the book. */
  onOpen: (range: MentionRange, text: string) => void;
  onClose: () => void;
}

/** The trace of a generation, exactly as it was stored. */
export function WhyPanel({ projectId, generationId, onOpen, onClose }: WhyPanelProps) {
  const { t } = useLingui();
  // The other try of the generation, while the writer looks at it.
  const [other, setOther] = useState<{ of: string; shown: string } | null>(null);
  const shown = other?.of === generationId ? other.shown : generationId;
  const { data: trace, error, refetch, isFetching } = useQuery(queries.trace(projectId, shown));
  return (
    <aside className={css.why} aria-label={t`为什么这样写`} data-testid="why-panel" data-generation={generationId}>
      <div className={css.head}>
        <h2 className={css.title}>{trace?.skill === "ask" ? t`为什么这样答？` : t`为什么这样写？`}</h2>
        <IconButton name="cross" size="s" label={t`收起`} onPress={onClose} data-testid="why-close" />
      </div>
      {trace ? (
        <TraceView
          key={trace.generationId}
          trace={trace}
          onOpen={onOpen}
          onShowTry={(id) => setOther({ of: generationId, shown: id })}
        />
      ) : error ? (
        <TraceError error={error} busy={isFetching} onAgain={() => void refetch()} />
      ) : (
        <TraceSkeleton />
      )}
    </aside>
  );
}

/** Placeholder of the same layout, so that loading moves nothing. */
function TraceSkeleton() {
  const { t } = useLingui();
  return (
    <>
      <div className={css.body} data-testid="why-loading" aria-busy="true">
        <p className={css.meta}>
          <Busy>{t`正在读取……`}</Busy>
        </p>
        <div className={css.blank} aria-hidden="true" />
      </div>
      <div className={css.foot} aria-hidden="true">
        <span className={css.sentToggle} />
      </div>
    </>
  );
}

/** Why the trace cannot be shown. The text itself is safe in every case. */
function TraceError({ error, busy, onAgain }: { error: unknown; busy: boolean; onAgain: () => void }) {
  const { t } = useLingui();
  const code = error instanceof BackendError ? error.code : "";
  const known: Record<string, { title: string; words: string }> = {
    MEMORY_TRACE_MISMATCH: {
      title: t`这份来历前后不一致`,
      words: t`正文不受影响。记录的提示词和它自己的引用不一致，多半是文件被改过；不可信，所以不显示。`,
    },
    MEMORY_SCOPE_DENIED: {
      title: t`这一段的来历在另一本书里`,
      words: t`正文不受影响。一本书看不到另一本书的记忆，到那本书里才能看。`,
    },
    MEMORY_STORE_UNAVAILABLE: {
      title: t`来历暂时看不了`,
      words: t`正文和规则不受影响。来历和往事存在一起，往事库现在打不开。`,
    },
  };
  const { title, words } = known[code] ?? { title: t`查不到这一段的来历`, words: errorSentence(error) };
  // A missing or foreign trace will not appear on retry.
  const final = ["MEMORY_TRACE_MISMATCH", "MEMORY_SCOPE_DENIED", "MEMORY_NOT_FOUND"].includes(code);
  return (
    <div className={css.body} data-testid="why-problem" data-code={code}>
      <Notice
        warn
        title={title}
        actions={
          !final && (
            <Button
              size="s"
              icon="again"
              isDisabled={busy}
              onPress={onAgain}
              data-testid="why-again"
            >{t`再试一次`}</Button>
          )
        }
      >
        {words}
      </Notice>
    </div>
  );
}

interface TraceViewProps extends Pick<WhyPanelProps, "onOpen"> {
  trace: Trace;
  /** Shows the other try of the generation. */
  onShowTry: (generationId: string) => void;
}

function TraceView({ trace, onOpen, onShowTry }: TraceViewProps) {
  const { t } = useLingui();
  const [open, setOpen] = useState(false);
  const scene = trace.sceneType && sceneName(trace.sceneType);
  return (
    <>
      <div className={css.body}>
        <p className={css.meta}>
          <span>{scene ? t`${skillName(trace.skill)}·${scene}` : skillName(trace.skill)}</span>
          <span>{when(trace.createdAt)}</span>
          <span data-testid="why-outcome">{useOutcome(trace)}</span>
        </p>
        <p className={css.provider}>
          <Icon name="chip" size="xs" />
          {providerName(trace.provider)}
        </p>
        {trace.memoryDegraded && (
          <div className={css.degraded}>
            <Notice warn testId="why-degraded" title={t`写这一段时，记忆不全`}>{t`只用了当时还在的那部分。`}</Notice>
          </div>
        )}
        {trace.blankedAt && (
          <div className={css.degraded}>
            <Notice
              testId="why-blanked"
              title={t`它的文字已按你的要求清除`}
            >{t`${when(trace.blankedAt)} 清除的。带上过哪些、各占多少还在，文字不在了。`}</Notice>
          </div>
        )}
        <OtherTry trace={trace} onShow={onShowTry} />
        <Memories trace={trace} onOpen={onOpen} />
        {trace.cut.length > 0 && <Cut items={trace.cut} />}
      </div>
      <div className={css.foot}>
        <Press
          className={css.sentToggle}
          aria-expanded={open}
          onPress={() => setOpen(!open)}
          data-testid="why-sent-toggle"
        >
          <span className={css.turn} data-open={open || undefined}>
            <Icon name="right" size="xs" />
          </span>
          {t`看当时发送了什么`}
          <span className="muted">
            {trace.cut.length > 0
              ? t`${count(trace.totalTokens)} 词元·有 ${count(trace.cut.length)} 条没带上`
              : t`${count(trace.totalTokens)} 词元`}
          </span>
        </Press>
        {open &&
          (trace.blankedAt ? (
            <p className={css.meta} data-testid="why-sent">{t`当时发送的文字已按你的要求清除。`}</p>
          ) : (
            <Sent messages={trace.messages} />
          ))}
      </div>
    </>
  );
}

/** The link between a prompt and the plainer one of the second try. */
function OtherTry({ trace, onShow }: { trace: Trace; onShow: (generationId: string) => void }) {
  const { t } = useLingui();
  const { firstTry, secondTry } = trace;
  const id = firstTry ?? secondTry;
  if (!id) return null;
  return (
    <div className={css.degraded}>
      <Notice
        testId="why-other-try"
        title={firstTry ? t`第二次才写成的` : t`有几稿用不了`}
        actions={
          <Button size="s" onPress={() => onShow(id)} data-testid="why-show-try">
            {firstTry ? t`看第一次的` : t`看第二次的`}
          </Button>
        }
      >
        {firstTry
          ? t`第一次写出来的用不了，换了更短的提示词又写了一次。下面是第二次的。`
          : t`用不了的几稿，换了更短的提示词又写了一次。下面是第一次的。`}
      </Notice>
    </div>
  );
}

function useOutcome({ outcome, skill }: Trace): string {
  const { t } = useLingui();
  if (skill === "ask") return t`一个回答`;
  if (!outcome) return t`还没有取舍`;
  if (outcome.selectedIndex < 0) return t`都没要`;
  const number = outcome.selectedIndex + 1;
  if (outcome.editDistance === null || outcome.editDistance === 0) return t`取自第 ${number} 稿，原样`;
  const percent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 0 }).format(
    outcome.editDistance,
  );
  return t`取自第 ${number} 稿，你改了 ${percent}`;
}

/** The exact prompt, message by message. */
function Sent({ messages }: { messages: Trace["messages"] }) {
  const { t } = useLingui();
  const roles: Record<Role, string> = {
    system: t`固定的指令`,
    user: t`记忆、上文和要求`,
    assistant: t`让模型接着写的开头`,
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, and holds nothing else to stand on
    <div className={css.sent} role="region" aria-label={t`当时发送的`} tabIndex={0} data-testid="why-sent">
      {messages.map(({ role, content }, index) => (
        <section key={index} aria-label={roles[role]}>
          <h4>{roles[role]}</h4>
          <Raw>{content}</Raw>
        </section>
      ))}
    </div>
  );
}

function Cut({ items }: { items: CutItem[] }) {
  const { t } = useLingui();
  // An episode can also be marked as a bad example by the writer.
  const unwanted = (kind: string) => (kind === "rule" ? t`你说过这里不该用` : t`你说过不要用它`);
  const reasons: Record<CutReason, (kind: string) => string> = {
    budget: () => t`放不下`,
    overruled: () => t`本书的规则优先`,
    notHere: unwanted,
    alike: () => t`同一场的例子已经有了`,
    // The nearest past passage, where none stands out.
    notOutstanding: () => t`最接近的一段，但不比别处更像`,
  };
  const parts: Record<string, string> = {
    before: t`上文中离得远的部分`,
    selection: t`选中的一部分`,
    after: t`下文中离得远的部分`,
  };
  return (
    <section className={css.group} data-testid="why-cut">
      <h3>
        <i className={css.swatch} data-kind="rest" />
        {t`适用，但没有带上`}
        <b>{count(items.length)}</b>
      </h3>
      <ul>
        {items.map((item, index) => (
          <li
            key={`${item.kind}:${item.id}:${index}`}
            className={css.item}
            data-testid="why-cut-item"
            data-reason={item.reason}
          >
            {item.text === "" ? (
              <p className={css.part}>{parts[item.kind] ?? t`文字已清除`}</p>
            ) : (
              <p className={`${css.text} muted`} lang={langOf(item.text)}>
                {plain(item.text)}
              </p>
            )}
            <div className={css.ground}>
              <Chip>{reasons[item.reason](item.kind)}</Chip>
              <span className="muted">{t`${count(item.tokens)} 词元`}</span>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
