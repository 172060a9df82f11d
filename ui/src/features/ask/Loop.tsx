import { useLingui } from "@lingui/react/macro";
import type { AskStep, ChapterInfo } from "../../backend";
import { Icon, Pulse } from "../../design";
import { count } from "../../i18n/words";
import css from "./ask.module.css";
import type { Exchange } from "./exchange";
import { doingWords, stepFinding, stepName } from "./words";

interface LoopProps {
  exchange: Exchange;
  chapters: readonly ChapterInfo[];
  /** Language of the book. */
  lang: string;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
}

/** The steps of a run in one line, which opens into all of them in plain words. */
export function Loop({ exchange, chapters, lang, isOpen, onOpen }: LoopProps) {
  const { t } = useLingui();
  const { steps, answered, state, text, askedOf } = exchange;
  const rounds = answered?.rounds ?? Math.max(0, ...steps.map(({ round }) => round));
  const seconds = count(Math.max(1, Math.round((answered?.millis ?? 0) / 1_000)));
  const current = steps.findLast((step) => step.state === "started");
  const counted =
    steps.length === 0
      ? askedOf?.kind === "program"
        ? t`自己翻书，不说步骤`
        : t`没有去查`
      : rounds === 0
        ? t`查了 ${count(steps.length)} 步`
        : t`想了 ${count(rounds)} 轮，查了 ${count(steps.length)} 步`;
  const isUnderWay = state === "answering";
  const doing = current ? doingWords(current) : text === "" ? t`在想` : t`在写`;
  return (
    <>
      <button
        type="button"
        className={css.loop}
        aria-expanded={isOpen}
        disabled={steps.length === 0}
        onClick={() => onOpen(!isOpen)}
        data-testid="ask-loop"
      >
        <span className={css.turn} data-open={isOpen || undefined}>
          <Icon name="right" size="xs" />
        </span>
        <span>{isUnderWay || !answered ? counted : t`${counted}·${seconds} 秒`}</span>
        {isUnderWay && (
          <span className={css.doing}>
            <Pulse />
            {doing}
          </span>
        )}
      </button>
      {/* The names of steps alone: a screen reader is not to read every phrase. */}
      <p className="sr" role="status">
        {isUnderWay ? doing : ""}
      </p>
      {isOpen && steps.length > 0 && (
        <ol className={css.steps} data-testid="ask-steps">
          {steps.map((step) => (
            <Step key={step.number} step={step} chapters={chapters} lang={lang} />
          ))}
        </ol>
      )}
    </>
  );
}

function Step({ step, chapters, lang }: { step: AskStep; chapters: readonly ChapterInfo[]; lang: string }) {
  const { t } = useLingui();
  const { sought, found } = stepFinding(step, chapters);
  return (
    <li data-state={step.state} data-testid="ask-step">
      <i aria-hidden="true" />
      <b>{stepName(step.kind)}</b>
      <span lang={step.kind === "need" ? lang : undefined}>
        {sought !== "" && <em lang={lang}>{t`“${sought}”`}</em>}
        {sought !== "" && found !== "" && t({ message: "，", context: "between what was sought and what was found" })}
        {found}
      </span>
    </li>
  );
}
