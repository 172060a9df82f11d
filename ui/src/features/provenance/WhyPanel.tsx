import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button as Press } from "react-aria-components/Button";
import { queries, type CutItem, type Reference, type Trace } from "../../backend";
import { Chip, Icon, IconButton, Notice, Raw } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count, providerName, sceneName, skillName, when } from "../../i18n/words";
import { langOf } from "../../lib/langOf";
import css from "./why.module.css";

interface WhyPanelProps {
  projectId: string;
  generationId: string;
  onClose: () => void;
}

const KINDS = ["rule", "episode", "working"] as const;

/** What went into one generation, as it was then: read from its trace, never worked out again. */
export function WhyPanel({ projectId, generationId, onClose }: WhyPanelProps) {
  const { t } = useLingui();
  const { data: trace, error } = useQuery(queries.trace(projectId, generationId));
  return (
    <aside className={css.why} aria-label={t`为什么这样写`} data-testid="why-panel" data-generation={generationId}>
      <div className={css.head}>
        <h2 className={css.title}>{t`为什么这样写？`}</h2>
        <IconButton name="cross" size="s" label={t`收起`} onPress={onClose} data-testid="why-close" />
      </div>
      {error && (
        <div className={css.body}>
          <Notice warn title={t`查不到这一段的来历`}>{errorSentence(error)}</Notice>
        </div>
      )}
      {trace && <Told key={trace.generationId} trace={trace} />}
    </aside>
  );
}

function Told({ trace }: { trace: Trace }) {
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
        {trace.memoryDegraded && <Notice warn title={t`写这一段时，记忆不全`}>{t`只用了当时还在的那部分。`}</Notice>}
        {KINDS.map((kind) => (
          <Group key={kind} kind={kind} references={trace.references.filter((reference) => reference.kind === kind)} />
        ))}
        {trace.references.length === 0 && <p className={css.none}>{t`这一段没有用到任何记忆，只凭上文和模型。`}</p>}
        {trace.references.length > 0 && <p className={css.rest}>{t`余下的来自上文本身和模型，不归任何记忆。`}</p>}
        {trace.cut.length > 0 && <Cut items={trace.cut} />}
      </div>
      <div className={css.foot}>
        <Press className={css.sentToggle} aria-expanded={open} onPress={() => setOpen(!open)} data-testid="why-sent-toggle">
          <span className={css.turn} data-open={open || undefined}>
            <Icon name="right" size="xs" />
          </span>
          {t`看当时发送了什么`}
          <span className="muted">{t`${count(trace.totalTokens)} 词元`}</span>
        </Press>
        {open && (
          <div className={css.sent} data-testid="why-sent">
            {trace.messages.map((message, index) => (
              <Raw key={index}>{message.content}</Raw>
            ))}
          </div>
        )}
      </div>
    </>
  );
}

function useOutcome({ outcome }: Trace): string {
  const { t } = useLingui();
  if (!outcome) return t`还没有取舍`;
  if (outcome.selectedIndex < 0) return t`都没要`;
  const number = outcome.selectedIndex + 1;
  if (outcome.editDistance === null || outcome.editDistance === 0) return t`取自第 ${number} 稿，原样`;
  const percent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 0 }).format(outcome.editDistance);
  return t`取自第 ${number} 稿，你改了 ${percent}`;
}

function Group({ kind, references }: { kind: (typeof KINDS)[number]; references: Reference[] }) {
  const { t } = useLingui();
  if (references.length === 0) return null;
  const name = { rule: t`规则`, episode: t`往事`, working: t`眼下` }[kind];
  return (
    <section className={css.group} data-testid={`why-group-${kind}`}>
      <h3>
        <i className={css.swatch} data-kind={kind} />
        {name}
        <b>{count(references.length)}</b>
      </h3>
      <ul>
        {references.map((reference) => (
          <li key={reference.referenceId} className={css.item} data-testid="why-reference" data-reference={reference.referenceId}>
            <p className={css.text} lang={langOf(reference.text)}>
              {plain(reference.text)}
            </p>
            <Ground reference={reference} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** How it came in: by what it was found, and how well it fits. A fit is not an influence, and is not called one. */
function Ground({ reference }: { reference: Reference }) {
  const { t } = useLingui();
  const by: Record<string, string> = { scene: t`场景相同`, skill: t`技能相同`, words: t`字词相近`, meaning: t`意思相近`, recent: t`最近`, sleeping: t`久未用到`, global: t`全局`, project: t`本书` };
  const score = reference.kind === "rule" || reference.score === null ? null : reference.score.toFixed(2);
  if (score === null && reference.matchedBy.length === 0) return null;
  return (
    <div className={css.ground}>
      {reference.matchedBy.map((way) => (
        <Chip key={way}>{by[way] ?? way}</Chip>
      ))}
      {score !== null && <span className="muted">{t`合用 ${score}`}</span>}
    </div>
  );
}

/** As it stood in the prompt, without the mark of the list it stood in. */
const plain = (text: string) => text.replace(/^- /, "");

function Cut({ items }: { items: CutItem[] }) {
  const { t } = useLingui();
  const reasons: Record<string, string> = { budget: t`装不下`, overruled: t`本书的规则优先`, limit: t`条数已满`, notHere: t`你说过不用在这里` };
  return (
    <section className={css.group} data-testid="why-cut">
      <h3>
        <i className={css.swatch} data-kind="rest" />
        {t`合用，但没有带上`}
        <b>{count(items.length)}</b>
      </h3>
      <ul>
        {items.map((item) => (
          <li key={`${item.kind}:${item.id}`} className={css.item}>
            <p className={`${css.text} muted`} lang={langOf(item.text)}>
              {plain(item.text)}
            </p>
            <div className={css.ground}>
              <Chip>{reasons[item.reason] ?? item.reason}</Chip>
              <span className="muted">{t`${count(item.tokens)} 词元`}</span>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
