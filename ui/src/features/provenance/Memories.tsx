import { i18n } from "@lingui/core";
import { useLingui } from "@lingui/react/macro";
import { useMemo, useState, type ReactNode } from "react";
import type { Followed, Influence, MentionRange, Reference, ReferenceKind, Trace } from "../../backend";
import { Icon, LinkButton, Seg, type IconName } from "../../design";
import { count, listed } from "../../i18n/words";
import { langOf } from "../../lib/langOf";
import { Measure } from "./Measure";
import { sharesOf, type Measured, type Share, type Shares } from "./shares";
import { useSince, type Since } from "./since";
import { Sources } from "./Sources";
import { Verdicts } from "./Verdicts";
import css from "./why.module.css";

const KINDS = ["rule", "answer", "entity", "episode", "passage", "entry", "working"] as const satisfies ReferenceKind[];

/** The text as it stood in the prompt, without its bullet. */
export const plain = (text: string) => text.replace(/^- /, "");

interface MemoriesProps {
  trace: Trace;
  /** Opens a sentence of the book. */
  onOpen: (range: MentionRange, text: string) => void;
}

/** The references of a generation by kind, with the weight of each and the remainder. */
export function Memories({ trace, onOpen }: MemoriesProps) {
  const { t } = useLingui();
  const { memoryReferences, influenceWeights, outcome } = trace;
  const [tier, setTier] = useState<string | null>(null);
  const influence = influenceWeights.find((one) => one.tier === tier) ?? influenceWeights.at(-1) ?? null;
  const shares = useMemo(() => influence && sharesOf(memoryReferences, influence), [memoryReferences, influence]);
  const sinceOf = useSince(trace.projectId, memoryReferences);
  const isEstimate = influence?.tier === "compliance";
  const names = {
    rule: t`规则`,
    answer: t`留下的答案`,
    entity: t`书里的设定`,
    episode: t`往事`,
    passage: t`书里的原文`,
    entry: t({ message: "流水", context: "a kind of memory" }),
    working: t`本次写作`,
  };

  if (memoryReferences.length === 0)
    return <p className={css.none} data-testid="why-none">{t`这一段没有用到任何记忆，只凭上文和模型。`}</p>;
  const groups = KINDS.map((kind) => {
    const own = memoryReferences.filter((reference) => reference.kind === kind);
    const percent = own.reduce((sum, { referenceId }) => sum + (shares?.of.get(referenceId)?.percent ?? 0), 0);
    return { kind, percent, memoryReferences: shares ? heaviestFirst(own, shares) : own };
  }).filter((group) => group.memoryReferences.length > 0);

  return (
    <>
      {shares && <Split groups={groups} names={names} rest={shares.rest.percent} />}
      <div className={css.tier} data-testid="why-tier" data-tier={influence?.tier ?? "retrieval"}>
        {influenceWeights.length > 1 && (
          <Seg
            label={t`测量方式`}
            options={influenceWeights.map((one) => ({ key: one.tier as string, label: tierName(one) }))}
            value={influence!.tier as string}
            onChange={setTier}
          />
        )}
        <p>
          <b>{influence ? tierName(influence) : t`没有测量`}</b>
          {influence ? tierWords(influence) : t`只能看到带上了哪些、是否适用；各占多少没有测量。`}
          {influence && influence.candidate !== outcome?.selectedIndex && t`测量的是第 ${influence.candidate + 1} 稿。`}
        </p>
        {influence && !trace.blankedAt && influenceWeights.every((one) => one.tier !== "masked") && (
          <Measure trace={trace} />
        )}
      </div>
      {groups.map(({ kind, memoryReferences: own, percent }) => (
        <section key={kind} className={css.group} data-testid={`why-group-${kind}`}>
          <h3>
            <i className={css.swatch} data-kind={kind} />
            {names[kind]}
            <b>{shares ? <Percent value={percent} estimate={isEstimate} /> : count(own.length)}</b>
          </h3>
          <ul>
            {own.map((reference) => (
              <Item
                key={reference.referenceId}
                trace={trace}
                reference={reference}
                share={shares?.of.get(reference.referenceId) ?? null}
                estimate={isEstimate}
                since={sinceOf(reference)}
                onOpen={onOpen}
              />
            ))}
          </ul>
        </section>
      ))}
      {shares ? (
        <section className={css.group} data-testid="why-rest">
          <h3>
            <i className={css.swatch} data-kind="rest" />
            {t`其余`}
            <span>{t`上文本身和模型，不属于任何记忆`}</span>
            <b>
              <Percent value={shares.rest.percent} estimate={isEstimate} />
            </b>
          </h3>
          <Bar
            kind="rest"
            weight={shares.rest.weight}
            label={t`其余的份量`}
            text={`${shares.rest.percent}%`}
            estimate={isEstimate}
          />
        </section>
      ) : (
        <p className={css.rest}>{t`其余的来自上文本身和模型，不属于任何记忆。`}</p>
      )}
    </>
  );

  function tierName(one: Influence): string {
    const known: Record<string, string> = { compliance: t`估计`, masked: t`实测` };
    return known[one.tier] ?? one.tier;
  }

  function tierWords(one: Influence): string {
    if (one.tier === "masked")
      return one.regenerations
        ? t`去掉部分记忆重写 ${count(one.regenerations)} 稿，比较得出。`
        : t`去掉部分记忆重写，比较得出。`;
    return one.tier === "compliance" ? t`按这一稿照做的程度，和近来的稿子比较后估计，不是实测。` : "";
  }
}

const heaviestFirst = (memoryReferences: Reference[], { of }: Shares) =>
  memoryReferences.toSorted((a, b) => (of.get(b.referenceId)?.weight ?? 0) - (of.get(a.referenceId)?.weight ?? 0));

/** Marks estimates, so that they are not taken for measurements. */
function Percent({ value, estimate, some }: { value: number; estimate: boolean; some?: boolean }) {
  const { t } = useLingui();
  if (some && value === 0) return t`不到 1%`;
  return estimate && value > 0 ? t({ message: `约 ${value}%`, comment: "an estimate" }) : `${value}%`;
}

function Split({
  groups,
  names,
  rest,
}: {
  groups: { kind: string; percent: number }[];
  names: Record<string, string>;
  rest: number;
}) {
  const { t } = useLingui();
  const label = listed([...groups.map(({ kind, percent }) => `${names[kind]} ${percent}%`), t`其余 ${rest}%`]);
  return (
    <div className={css.split} role="img" aria-label={label} data-testid="why-split">
      {groups.map(
        ({ kind, percent }) => percent > 0 && <i key={kind} data-kind={kind} style={{ flexGrow: percent }} />,
      )}
      <i data-kind="rest" style={{ flexGrow: rest }} />
    </div>
  );
}

/** All bars have the same scale, from 0 to 1. */
function Bar({
  kind,
  weight,
  label,
  text,
  estimate,
}: {
  kind: string;
  weight: number;
  label: string;
  text: string;
  estimate: boolean;
}) {
  const percent = Math.min(100, Math.round(weight * 1000) / 10);
  return (
    <div
      className={css.bar}
      data-kind={kind}
      data-estimate={estimate || undefined}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      aria-valuetext={text}
    >
      <i style={{ width: `${percent}%` }} />
    </div>
  );
}

interface ItemProps extends MemoriesProps {
  reference: Reference;
  /** `null`: the generation was not measured. */
  share: Share | null;
  estimate: boolean;
  since: Since;
}

function Item({ trace, reference, share, estimate, since, onOpen }: ItemProps) {
  const { t } = useLingui();
  const [now, setNow] = useState(false);
  const text = plain(reference.text);
  return (
    <li
      className={css.item}
      data-testid="why-reference"
      data-reference={reference.referenceId}
      data-grade={share?.grade}
    >
      {text === "" ? (
        <p className={`${css.text} muted`}>{t`文字已清除`}</p>
      ) : (
        <p className={css.text} lang={langOf(text)}>
          {text}
        </p>
      )}
      {reference.kind === "entity" && text !== "" && <Sources trace={trace} reference={reference} onOpen={onOpen} />}
      {share?.grade === "weighs" && (
        <span className={css.weight} data-estimate={estimate || undefined} data-testid="why-weight">
          <b>
            <Percent value={share.percent} estimate={estimate} some />
          </b>
        </span>
      )}
      {/* "No weight" is shown in the same place. */}
      {share && share.grade !== "weighs" && (
        <span className={css.weight} data-testid="why-weight">
          {share.grade === "inert" ? t`0%·看不出影响` : t`0%·无法测量`}
        </span>
      )}
      {share?.grade === "weighs" && (
        <Bar
          kind={reference.kind}
          weight={share.weight}
          label={t`份量`}
          text={`${share.percent}%`}
          estimate={estimate}
        />
      )}
      <div className={css.ground}>
        {reference.kind === "rule" && share?.followed && <FollowedMark followed={share.followed} />}
        {since.kind === "deleted" && <Mark icon="bin" testId="why-since">{t`后来删除了`}</Mark>}
        {since.kind === "edited" && (
          <LinkButton aria-expanded={now} onPress={() => setNow(!now)} data-testid="why-since">
            {t`后来改过`}
          </LinkButton>
        )}
        {share?.change && <Change {...share.change} />}
        <Ground reference={reference} />
        <Verdicts trace={trace} reference={reference} since={since} />
      </div>
      {now && since.kind === "edited" && (
        <p className={css.now} data-testid="why-now">
          {t`现在是`}
          <q lang={langOf(since.rule.rule)}>{since.rule.rule}</q>
        </p>
      )}
    </li>
  );
}

function FollowedMark({ followed }: { followed: Followed }) {
  const { t } = useLingui();
  const marks: Record<Followed, { icon: IconName; words: string }> = {
    yes: { icon: "full", words: t`照做了` },
    partly: { icon: "half", words: t`部分照做` },
    no: { icon: "hollow", words: t`没照做` },
  };
  const { icon, words } = marks[followed];
  return (
    <Mark icon={icon} trace={followed !== "no"} testId="why-followed">
      {words}
    </Mark>
  );
}

const Mark = ({
  icon,
  trace,
  testId,
  children,
}: {
  icon: IconName;
  trace?: boolean;
  testId: string;
  children: ReactNode;
}) => (
  <span className={css.mark} data-trace={trace || undefined} data-testid={testId}>
    <Icon name={icon} size="xs" />
    {children}
  </span>
);

/** Measured change, with its confidence interval. */
function Change({ by, low, high }: Measured) {
  const { t } = useLingui();
  const signed = (value: number) =>
    new Intl.NumberFormat(i18n.locale, {
      signDisplay: "exceptZero",
      minimumFractionDigits: 1,
      maximumFractionDigits: 1,
    }).format(value);
  const [change, from, to] = [signed(by), signed(low), signed(high)];
  return <span className="muted" data-testid="why-change">{t`带上它 ${change}（九成在 ${from} 到 ${to}）`}</span>;
}

/** How the reference was found and how well it matches. A match is not an influence and is not called one. */
function Ground({ reference }: { reference: Reference }) {
  const { t } = useLingui();
  const by: Record<string, string> = {
    scene: t`场景相同`,
    skill: t`技能相同`,
    words: t`字词相近`,
    meaning: t`意思相近`,
    recent: t`最近`,
    sleeping: t`很久没用到`,
    global: t`全局`,
    project: t`本书`,
    pinned: t`钉住的`,
    named: t`上文点了名`,
    present: t`在场`,
    related: t`和在场的人有关`,
  };
  const score = reference.kind === "rule" || reference.score === null ? null : reference.score.toFixed(2);
  const found = [...reference.matchedBy.map((way) => by[way] ?? way), ...(score === null ? [] : [t`适用度 ${score}`])];
  return (
    found.length > 0 && (
      <span className="muted">
        {found.join(t({ message: "·", context: "between ways in which a memory was found" }))}
      </span>
    )
  );
}
