import { useLingui } from "@lingui/react/macro";
import { useId, useState, type KeyboardEvent } from "react";
import type { Answer, AnswerOrigin, ChapterInfo } from "../../backend";
import { Button, Chip, InlineConfirm, LinkButton, tooltip } from "../../design";
import { when } from "../../i18n/words";
import { isComposing } from "../../lib/ime";
import { langOf } from "../../lib/langOf";
import { AnswerCitations, DoubtedAnswer, StaleCitations, DoubtActions, type OpenPassage } from "./AnswerCitations";
import { useAnswerChanges, type AnswerChanges, type ReportChange } from "./answerChanges";
import { AnswerForm } from "./AnswerForm";
import { AnswerHistory } from "./AnswerHistory";
import { AnswerProblem } from "./AnswerProblem";
import { AnswerStanding, BlockedAnswer, ChallengedAnswer } from "./AnswerStanding";
import css from "./answers.module.css";
import { DisagreeingAnswer } from "./DisagreeingAnswer";
import { answerKindName, isOnTrial, isPromotable, SERVICE } from "./words";

interface AnswerCardProps {
  answer: Answer;
  /** Its place in the list, from 1, and the length of the list, as a screen reader says them. */
  position: number;
  size: number;
  chapters: readonly ChapterInfo[];
  /** Language of the book. */
  lang: string;
  onOpenPassage: OpenPassage;
  onChanged: ReportChange;
}

/** Longer texts show only their beginning at first, in UTF-16 units; a Chinese character counts double. */
const FOLDED = { question: 160, answer: 520 };

const widthOf = (text: string) => text.length + (text.match(/\p{Script=Han}/gu)?.length ?? 0);

/** A question with its answer, what it rests on, how far it has held, and the writer's verdicts. */
export function AnswerCard({ answer, position, size, chapters, lang, onOpenPassage, onChanged }: AnswerCardProps) {
  const { t } = useLingui();
  const questionId = useId();
  const changes = useAnswerChanges(answer, onChanged);
  const [isWhole, setWhole] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const [asked, setAsked] = useState<"edit" | "delete" | null>(null);
  const { question, answer: text, citations, staleness, status } = answer;
  const isBlocked = status === "blocked";
  const isLong = widthOf(question) > FOLDED.question || widthOf(text) > FOLDED.answer;
  const isClipped = isLong && !isWhole;
  const close = () => {
    changes.reset();
    setAsked(null);
  };

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const target = event.target as HTMLElement;
    if (isComposing(event.nativeEvent) || event.defaultPrevented || target.matches("input, textarea")) return;
    if (event.ctrlKey || event.metaKey || event.altKey || asked !== null) return;
    const key = event.key.toLowerCase();
    if (key === "enter" && target === event.currentTarget) setOpen(!isOpen);
    else if ((key === "y" || key === "n") && !isBlocked) changes.judge(key === "y");
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    // A feed's articles are focusable: the arrow keys move between them.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <article
      className={css.item}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      aria-labelledby={questionId}
      aria-posinset={position}
      aria-setsize={size}
      onKeyDown={onKeyDown}
      data-answer={answer.answerId}
      data-testid="answer-card"
    >
      <h3 id={questionId} className={css.question} lang={langOf(question)} data-clipped={isClipped || undefined}>
        {question}
      </h3>
      <div
        className={css.card}
        data-trial={isOnTrial(answer) || undefined}
        data-blocked={isBlocked || undefined}
        data-settled={answer.userConfirmed || undefined}
      >
        <p className={css.head}>
          <Chip>{answerKindName(answer.kind)}</Chip>
          <Origin answer={answer} />
          {answer.scope === "global" && <Chip testId="answer-global">{t`所有的书`}</Chip>}
          {answer.isPromoted && <span data-testid="answer-promoted">{t`别的书也用`}</span>}
          <span className="grow" />
          <time dateTime={answer.updatedAt}>{when(answer.updatedAt)}</time>
        </p>
        {asked === "edit" ? (
          <AnswerForm
            answer={answer}
            isPending={changes.isPending}
            onSave={(edited) => changes.edit(edited, () => setAsked(null))}
            onCancel={close}
          />
        ) : (
          <>
            <p className={css.text} lang={langOf(text)} data-clipped={isClipped || undefined} data-testid="answer-text">
              {isBlocked ? <del>{text}</del> : text}
            </p>
            {isLong && (
              <LinkButton
                className={css.more}
                aria-expanded={isWhole}
                onPress={() => setWhole(!isWhole)}
                data-testid="answer-whole"
              >
                {isWhole ? t`收起` : t`看全部`}
              </LinkButton>
            )}
            <AnswerCitations citations={citations} chapters={chapters} lang={lang} onOpenPassage={onOpenPassage} />
            {staleness === "stale" && (
              <StaleCitations
                answer={answer}
                chapters={chapters}
                lang={lang}
                isPending={changes.isPending}
                onOpenPassage={onOpenPassage}
                onReaffirm={changes.reaffirm}
                onDiscard={() => setAsked("delete")}
              />
            )}
            {staleness === "maybe" && (
              <DoubtedAnswer
                answer={answer}
                chapters={chapters}
                isPending={changes.isPending}
                onOpenPassage={onOpenPassage}
                onReaffirm={changes.reaffirm}
                onDiscard={() => setAsked("delete")}
              />
            )}
            {answer.disagreesWith.length > 0 && <DisagreeingAnswer answer={answer} changes={changes} />}
            {isBlocked && <BlockedAnswer answer={answer} />}
            {answer.isChallenged && (
              <ChallengedAnswer answer={answer}>
                {staleness === "current" && (
                  <DoubtActions
                    isPending={changes.isPending}
                    onReaffirm={changes.reaffirm}
                    onDiscard={() => setAsked("delete")}
                  />
                )}
              </ChallengedAnswer>
            )}
            <AnswerStanding answer={answer} isOpen={isOpen} onOpen={setOpen} />
            {isOpen && <AnswerHistory answer={answer} isPending={changes.isPending} onUndo={changes.undo} />}
            {asked === null && <Verdicts answer={answer} changes={changes} onAsk={setAsked} />}
          </>
        )}
        {asked === "delete" && (
          <InlineConfirm
            label={t`删掉这个答案`}
            yes={t`删掉`}
            no={t`保留`}
            busy={changes.isPending}
            onYes={changes.remove}
            onNo={close}
            testId="answer-delete"
          >
            {t`删掉就找不回来了，流水里说到它的那一条也一起抹去，恢复备份也不会回来。正文不动。`}
          </InlineConfirm>
        )}
        <AnswerProblem changes={changes} answer={answer} isEditing={asked === "edit"} />
      </div>
    </article>
  );
}

/** How an answer came here, in words. */
function Origin({ answer }: { answer: Answer }) {
  const { t } = useLingui();
  const isOfService = answer.details.metadata?.[SERVICE] !== undefined;
  const words: Record<AnswerOrigin, string> = {
    asked: t`你问的`,
    studied: t`自读时问的`,
    agent: t`别的程序放进来的`,
    imported: isOfService ? t`团队那里留下的` : t`导入的`,
  };
  const origin = words[answer.origin];
  return <span>{answer.userModified ? t`${origin}，你改过` : origin}</span>;
}

interface VerdictsProps {
  answer: Answer;
  changes: AnswerChanges;
  onAsk: (what: "edit" | "delete") => void;
}

function Verdicts({ answer, changes, onAsk }: VerdictsProps) {
  const { status, userConfirmed } = answer;
  const { t } = useLingui();
  const { isPending } = changes;
  return (
    <div className={css.verdicts}>
      {status === "blocked" ? (
        <Button
          size="s"
          kind="quiet"
          icon="again"
          isDisabled={isPending}
          onPress={() => changes.setBlocked(false)}
          data-testid="answer-unblock"
        >{t`重新用`}</Button>
      ) : (
        <>
          <Button
            size="s"
            kind="quiet"
            icon="check"
            isDisabled={isPending}
            aria-keyshortcuts="Y"
            onPress={() => changes.judge(true)}
            data-testid="answer-useful"
            {...tooltip(t`按 Y`)}
          >{t`有用`}</Button>
          <Button
            size="s"
            kind="quiet"
            icon="cross"
            isDisabled={isPending}
            aria-keyshortcuts="N"
            onPress={() => changes.judge(false)}
            data-testid="answer-wrong"
            {...tooltip(t`按 N`)}
          >{t`不对`}</Button>
          <Button
            size="s"
            kind="quiet"
            icon={userConfirmed ? "back" : "keep"}
            isDisabled={isPending}
            onPress={() => changes.settle(!userConfirmed)}
            data-testid="answer-settle"
          >
            {userConfirmed ? t`不算定论` : t`定下来`}
          </Button>
        </>
      )}
      <span className="grow" />
      <span className={css.seldom}>
        <Button
          size="s"
          kind="quiet"
          isDisabled={isPending}
          onPress={() => changes.copy(answer.answer)}
          data-testid="answer-copy"
        >{t`复制`}</Button>
        {isPromotable(answer) && (
          <Button
            size="s"
            kind="quiet"
            isDisabled={isPending}
            onPress={changes.promote}
            data-testid="answer-promote"
            {...tooltip(t`别的书问起，也找得到它。引的原文不带过去。`)}
          >{t`给别的书用`}</Button>
        )}
        {status !== "blocked" && (
          <Button
            size="s"
            kind="quiet"
            isDisabled={isPending}
            onPress={() => changes.setBlocked(true)}
            data-testid="answer-block"
          >{t`停用`}</Button>
        )}
        <Button size="s" kind="quiet" icon="pen" onPress={() => onAsk("edit")} data-testid="answer-edit">
          {t({ message: "改", context: "an answer" })}
        </Button>
        <Button
          size="s"
          kind="danger"
          icon="bin"
          onPress={() => onAsk("delete")}
          data-testid="answer-delete"
        >{t`删掉…`}</Button>
      </span>
    </div>
  );
}
