import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useId, type KeyboardEvent, type ReactNode } from "react";
import { useStore } from "zustand";
import { queries, type Answer, type ChapterInfo, type DegradedCode } from "../../backend";
import { Button, Icon, LinkButton, Notice, Pulse, tooltip } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count, dayName } from "../../i18n/words";
import { isComposing } from "../../lib/ime";
import { langOf } from "../../lib/langOf";
import { AnswerText } from "./AnswerText";
import css from "./ask.module.css";
import { keptOf, lostOf, passagesOf, soundText, type Exchange } from "./exchange";
import { Loop } from "./Loop";
import { NearlySame } from "./NearlySame";
import { Outcome } from "./Outcome";
import { Passages } from "./Passages";
import type { AskSession } from "./session";
import { chapterRanges, whyNotSentence } from "./words";

/** The actions of the writer on an answer. */
export interface CardActions {
  onJudge: (answer: Answer, isRight: boolean) => void;
  onSettle: (answer: Answer, isSettled: boolean) => void;
  onUnblock: (answer: Answer) => void;
  /** Uses a kept answer that was served. */
  onTake: (answer: Answer) => void;
  /** Asks again without the kept answer; `onlyBook`: of the book alone. */
  onAgain: (onlyBook?: boolean) => void;
  onInsert: (text: string, kept: Answer | null) => void;
  onCopy: (text: string, kept: Answer | null) => void;
  onWhy: (generationId: string) => void;
  onSettings: () => void;
  onMend: () => void;
  /** The standing of a kept answer: its validations, changed text, its history. */
  renderKept: (answer: Answer) => ReactNode;
}

interface AskCardProps extends CardActions {
  session: AskSession;
  exchange: Exchange;
  chapters: readonly ChapterInfo[];
  /** Language of the book. */
  lang: string;
}

/** Least probability that the book does not answer a question at which the writer is warned. */
const MIN_UNANSWERABLE = 0.6;

/** A question with its steps, its answer, the passages that it rests on, and the writer's verdicts. */
export function AskCard(props: AskCardProps) {
  const { session, exchange, chapters, lang, onJudge, onTake, onAgain } = props;
  const { t } = useLingui();
  const questionId = useId();
  const idPrefix = `${questionId}-`;
  const { projectId, lit, areStepsOpen, verdictError } = useStore(session.state);
  const kept = useKept(projectId ?? "", exchange);
  const { request, state, askedOf, answered, text, steps } = exchange;
  const light = (number: number) => void session.light(number);
  const isWritten = askedOf?.kind === "model" || askedOf?.kind === "program";
  const isServed = state === "served";
  const hasCard = (state !== "failed" && state !== "cancelled") || text !== "" || steps.length > 0;
  const isFinished = state === "finished" || isServed;

  const act = (key: string, isCard: boolean): boolean => {
    if (/^[1-9]$/.test(key)) return session.light(Number(key));
    if (key === "enter" && isCard && isServed && !exchange.isTaken && kept) onTake(kept);
    else if (!isFinished || !kept) return false;
    else if ((key === "y" || key === "n") && kept.status !== "blocked") onJudge(kept, key === "y");
    else if (key === "o") onAgain();
    else return false;
    return true;
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const target = event.target as HTMLElement;
    if (isComposing(event.nativeEvent) || event.defaultPrevented || target.matches("input, textarea")) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (!act(event.key.toLowerCase(), target === event.currentTarget)) return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <>
      <h3 id={questionId} className={css.question} lang={langOf(request.question)} data-testid="ask-question">
        {request.question}
      </h3>
      {request.selection !== null && (
        <p className={css.about}>
          {t`关于选中的：`}
          <q lang={lang}>{request.selection}</q>
        </p>
      )}
      {hasCard && (
        // The card takes the focus: its keys open passages and judge.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
        <article
          className={css.card}
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
          aria-labelledby={questionId}
          aria-busy={state === "asking" || state === "answering"}
          onKeyDown={onKeyDown}
          data-state={state}
          data-trial={isServed && kept !== null && isUntried(kept) ? true : undefined}
          data-testid="ask-card"
        >
          {state === "asking" && <Doing>{t`翻旧账……`}</Doing>}
          {isServed && kept && <AskedBefore answer={kept} isFromList={exchange.runId === null} />}
          {isWritten && (
            <Loop
              exchange={exchange}
              chapters={chapters}
              lang={lang}
              isOpen={areStepsOpen}
              onOpen={(isOpen) => session.setStepsOpen(isOpen)}
            />
          )}
          {(text !== "" || isServed || answered?.notInBook) && (
            <AnswerText
              exchange={exchange}
              idPrefix={idPrefix}
              isBlocked={kept?.status === "blocked"}
              chapters={chapters}
              lit={lit}
              onLight={light}
            >
              {answered?.notInBook && <LookedAt chapterIds={answered.lookedAt} chapters={chapters} />}
            </AnswerText>
          )}
          {askedOf?.kind === "book" && <OfBook exchange={exchange} chapters={chapters} />}
          <Passages
            idPrefix={idPrefix}
            passages={passagesOf(exchange)}
            lost={lostOf(exchange)}
            chapters={chapters}
            lang={lang}
            lit={lit}
            onLight={light}
          />
          {askedOf?.kind === "book" && answered && (
            <>
              {(answered.unanswerable ?? 0) >= MIN_UNANSWERABLE && (
                <p className={css.said} data-testid="ask-unanswerable">{t`书里可能没写到。`}</p>
              )}
              <p className={css.said}>{t`只有原文，没有答案。什么也没发出去。`}</p>
            </>
          )}
          {isFinished && <Foot {...props} kept={kept} />}
          {verdictError && (
            <p className={css.problem} role="alert" data-testid="ask-verdict-problem">
              {errorSentence(verdictError)}
            </p>
          )}
        </article>
      )}
      {isWritten && <Degraded exchange={exchange} isKept={kept !== null} />}
      <Outcome
        exchange={exchange}
        onAgain={onAgain}
        onUnfenced={() => void session.againUnfenced()}
        onModel={() => {
          session.setAnswerer({});
          session.call();
        }}
        onSettings={props.onSettings}
        onMend={props.onMend}
      />
      <NearlySame nearly={exchange.nearly} onShow={(answer) => session.showKept(answer)} />
    </>
  );
}

/** Code of a part of the memory without which nothing is kept. */
const UNKEPT: DegradedCode = "answerUnkept";

/** The parts of the memory that a question was asked without, and what that means for its answer. */
function Degraded({ exchange: { degraded }, isKept }: { exchange: Exchange; isKept: boolean }) {
  const { t } = useLingui();
  return (
    <>
      {degraded.includes(UNKEPT) && !isKept && (
        <Notice warn title={t`这次不记`} testId="ask-unkept">
          {t`照常问，照常答。往事库打不开，答案和流水都记不下来。`}
        </Notice>
      )}
      {degraded.includes("answerServiceUnavailable") && (
        <Notice title={t`团队的答案暂时拿不到`} testId="ask-service-unreached">
          {t`照常问，照常答，用这里留下的答案。`}
        </Notice>
      )}
    </>
  );
}

/**
 * The kept answer of an exchange as it is now; `null`: none is kept, or it was deleted. A promoted answer is of no
 * book: it is read and judged in the open one.
 */
function useKept(projectId: string, exchange: Exchange): Answer | null {
  const base = keptOf(exchange);
  const { data, error } = useQuery({
    ...queries.answer(projectId, base?.answerId ?? ""),
    enabled: base !== null,
    ...(base && { initialData: base }),
  });
  if (base === null || error) return null;
  const isNewer = data && data.answerId === base.answerId && data.version >= base.version;
  return { ...(isNewer ? data : base), projectId };
}

const isUntried = ({ status, userConfirmed, validationLevel }: Answer) =>
  status !== "blocked" && !userConfirmed && validationLevel === 0;

const Doing = ({ children, testId }: { children: ReactNode; testId?: string }) => (
  <p className={css.doingLine} role="status" data-testid={testId}>
    <Pulse />
    {children}
  </p>
);

/** Day on which a kept answer was asked for, and the note that nothing was sent. */
function AskedBefore({ answer, isFromList }: { answer: Answer; isFromList: boolean }) {
  const { t } = useLingui();
  const { name } = dayName(answer.createdAt);
  const isDate = /\d/.test(name);
  const day = isDate ? t({ message: `${name}问过`, context: "a date" }) : t`${name}问过`;
  return (
    <p className={css.before} data-testid="ask-before">
      <Icon name="clock" size="xs" />
      <time dateTime={answer.createdAt}>{isFromList ? day : t`${day}，一字不差`}</time>
      <span className="grow" />
      {!isFromList && <span>{t`什么也没发出去`}</span>}
    </p>
  );
}

/** The chapters that were looked at where nothing was found. */
function LookedAt({ chapterIds, chapters }: { chapterIds: readonly string[]; chapters: readonly ChapterInfo[] }) {
  const { t } = useLingui();
  const ranges = chapterRanges(chapterIds, chapters);
  if (ranges === null) return null;
  return <span className={css.looked} data-testid="ask-looked">{t`看过 ${ranges} 章`}</span>;
}

/** The head of the passages where the book alone was asked. */
function OfBook({ exchange: { answered }, chapters }: { exchange: Exchange; chapters: readonly ChapterInfo[] }) {
  const { t } = useLingui();
  if (!answered) return <Doing testId="ask-of-book">{t`在翻书……`}</Doing>;
  const found = answered.passages.length;
  return (
    <p className={css.before} data-testid="ask-of-book">
      <Icon name="book" size="xs" />
      {found > 0 ? t`书里这样写到·${count(found)} 处，像的在前` : t`书里没有找到相近的`}
      {found === 0 && <LookedAt chapterIds={answered.lookedAt} chapters={chapters} />}
    </p>
  );
}

/** Kinds of answers that may become a part of the text. What the book itself says is there already. */
const INSERTABLE: ReadonlySet<string> = new Set(["research", "craft", "decision"]);

function Foot(props: AskCardProps & { kept: Answer | null }) {
  const { exchange, kept, onTake, onAgain, onInsert, onCopy, onWhy, renderKept } = props;
  const { t } = useLingui();
  const { state, answered, askedOf, isTaken } = exchange;
  const isServed = state === "served";
  const isUnchanged =
    kept !== null && isServed && kept.staleness === "current" && kept.status !== "blocked" && kept.citations.length > 0;
  const generationId = answered?.generationId ?? null;
  const kind = kept?.kind ?? exchange.kind;
  if (askedOf?.kind === "book") return null;
  return (
    <>
      {answered?.isOtherLanguage && (
        <p className={css.said} data-testid="ask-other-language">{t`答的和问的不是同一种语言。`}</p>
      )}
      {answered?.notInBook && kept && <p className={css.said}>{t`记下了。往后写到，会再拿出来看一遍。`}</p>}
      {answered && answered.kept === null && !exchange.degraded.includes(UNKEPT) && (
        <p className={css.said} data-testid="ask-why-not">
          {whyNotSentence(answered.whyNot)}
        </p>
      )}
      {kept && (isServed || isRemarkable(kept)) && <div className={css.standing}>{renderKept(kept)}</div>}
      {isUnchanged && (
        <p className={css.unchanged}>
          <Icon name="check" size="xs" />
          {t`引的 ${count(kept.citations.length)} 处，原文没有变`}
        </p>
      )}
      {kept && isServed && !isTaken ? (
        <div className={css.acts}>
          <Button
            kind="primary"
            icon="check"
            keys="↵"
            onPress={() => onTake(kept)}
            data-testid="ask-take"
          >{t`用这个`}</Button>
          <Button icon="again" onPress={() => onAgain()} data-testid="ask-again">{t`再问一次`}</Button>
        </div>
      ) : (
        kept && <Verdicts {...props} kept={kept} />
      )}
      <div className={css.uses}>
        {kind !== null && INSERTABLE.has(kind) && (
          <LinkButton
            onPress={() => onInsert(soundText(exchange), kept)}
            data-testid="ask-insert"
          >{t`放进正文`}</LinkButton>
        )}
        <LinkButton onPress={() => onCopy(soundText(exchange), kept)} data-testid="ask-copy">{t`复制`}</LinkButton>
        {generationId !== null && (
          <LinkButton onPress={() => onWhy(generationId)} data-testid="ask-why">{t`为什么这样答？`}</LinkButton>
        )}
      </div>
    </>
  );
}

/** True for an answer with a standing worth showing: validated, settled, blocked, stale, or contradicted. */
const isRemarkable = (answer: Answer) =>
  answer.validationLevel > 0 ||
  answer.userConfirmed ||
  answer.status === "blocked" ||
  answer.staleness === "stale" ||
  answer.disagreesWith.length > 0;

function Verdicts({ kept, onJudge, onSettle, onUnblock, onAgain }: AskCardProps & { kept: Answer }) {
  const { t } = useLingui();
  const { status, userConfirmed } = kept;
  const isBlocked = status === "blocked";
  return (
    <div className={css.verdicts} data-testid="ask-verdicts">
      {isBlocked ? (
        <Button size="s" kind="quiet" onPress={() => onUnblock(kept)} data-testid="ask-unblock">{t`再用`}</Button>
      ) : (
        <>
          <Button
            size="s"
            kind="quiet"
            icon="check"
            aria-keyshortcuts="Y"
            onPress={() => onJudge(kept, true)}
            data-testid="ask-useful"
            {...tooltip(t`按 Y`)}
          >{t`有用`}</Button>
          <Button
            size="s"
            kind="quiet"
            icon="cross"
            aria-keyshortcuts="N"
            onPress={() => onJudge(kept, false)}
            data-testid="ask-wrong"
            {...tooltip(t`按 N`)}
          >{t`不对`}</Button>
        </>
      )}
      <Button
        size="s"
        kind="quiet"
        icon={isBlocked ? "again" : "clock"}
        aria-keyshortcuts="O"
        onPress={() => onAgain()}
        data-testid="ask-outdated"
        {...tooltip(t`按 O，再问一次，信任不变`)}
      >
        {isBlocked ? t`再问一次` : t`过时了`}
      </Button>
      <span className="grow" />
      {!isBlocked && (
        <Button size="s" kind="quiet" onPress={() => onSettle(kept, !userConfirmed)} data-testid="ask-settle">
          {userConfirmed ? t`不算定论` : t`定下来`}
        </Button>
      )}
    </div>
  );
}
