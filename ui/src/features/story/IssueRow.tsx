import { Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useId, useRef, type KeyboardEvent } from "react";
import type { ChapterInfo, ContinuityIssue, ContinuityPlace, ContinuityVerdict } from "../../backend";
import { Button, LinkButton } from "../../design";
import { count, dayName } from "../../i18n/words";
import { isComposing } from "../../lib/ime";
import { numberOf } from "../../lib/ordinal";
import { hasSides, isKnownTooEarly, partsOf, sidesOf, type Side } from "./continuity";
import css from "./continuity.module.css";
import { continuityKindWord, foundByWord, issueTitle, verdictWords } from "./continuityWords";

export interface IssueContext {
  chapters: readonly ChapterInfo[];
  /** Language of the book. */
  lang: string;
  /** Whether no verdict can be stored now. */
  isReadOnly: boolean;
  /** Opens the passage of a side and lights it; the focus stays in the panel. */
  onOpen: (issue: ContinuityIssue, side: Side) => void;
  /** `null`: the verdict is taken back. */
  onResolve: (issue: ContinuityIssue, verdict: ContinuityVerdict | null) => void;
  /** The character knew it before: a fact on its card says so, and the issue is intended. */
  onNoteKnown: (issue: ContinuityIssue) => void;
  /** Whether that was noted here; the undo takes the fact back too. */
  isNoted: (issue: ContinuityIssue) => boolean;
  /** Why the last verdict on an issue was not stored; `null`: it was. */
  problemOf: (issue: ContinuityIssue) => string | null;
}

/** Why a verdict was not stored, below its issue. */
function Problem({ issue, context }: { issue: ContinuityIssue; context: IssueContext }) {
  const problem = context.problemOf(issue);
  if (problem === null) return null;
  return (
    <p className={css.problem} role="alert" data-testid="continuity-problem">
      {problem}
    </p>
  );
}

interface IssueRowProps {
  issue: ContinuityIssue;
  /** The side whose passage is lit on the page. */
  lit: Side | null;
  /** Whether it takes the focus when it appears: its verdict was taken back. */
  isFocused: boolean;
  onLater: (issue: ContinuityIssue) => void;
  context: IssueContext;
}

/** An open issue: two passages side by side, what differs in them, and the writer's verdicts. */
export function IssueRow({ issue, lit, isFocused, onLater, context }: IssueRowProps) {
  const { t } = useLingui();
  const titleId = useId();
  const sides = useRef<HTMLDivElement>(null);
  const takesFocus = useRef(isFocused);
  useEffect(() => {
    if (takesFocus.current) sides.current?.querySelector("button")?.focus();
  }, []);
  const { isReadOnly, onResolve, onNoteKnown } = context;

  const onKeyDown = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement;
    if (isComposing(event.nativeEvent) || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const step = { ArrowRight: 1, ArrowLeft: 0 }[event.key];
    const buttons = sides.current?.querySelectorAll("button");
    if (step === undefined || !buttons || ![...buttons].includes(target as HTMLButtonElement)) return;
    buttons[step]?.focus();
    event.preventDefault();
    event.stopPropagation();
  };

  const verdict = (of: ContinuityVerdict, words: string) => (
    <Button size="s" kind="quiet" onPress={() => onResolve(issue, of)} data-testid={`continuity-${of}`}>
      {words}
    </Button>
  );
  return (
    <li className={css.issue} aria-labelledby={titleId} data-testid="continuity-issue">
      <header className={css.head}>
        <h3 id={titleId}>{issueTitle(issue)}</h3>
        <small data-testid="continuity-found">
          {t`${continuityKindWord(issue.kind)}·${foundByWord(issue.foundBy)}`}
        </small>
      </header>
      {/* The arrow keys move between the two buttons. */}
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions */}
      <div ref={sides} className={css.sides} onKeyDown={onKeyDown}>
        {sidesOf(issue).map((side) => (
          <Passage
            key={side}
            place={issue[side]}
            isStop={side === "first"}
            isLit={lit === side}
            onPress={() => context.onOpen(issue, side)}
            context={context}
          />
        ))}
      </div>
      {issue.why !== null && (
        <p className={css.why} data-testid="continuity-why">
          <Trans>
            模型说：<span lang={context.lang}>{issue.why}</span>
          </Trans>
        </p>
      )}
      {!isReadOnly && (
        <div className={css.acts} role="group" aria-labelledby={titleId}>
          {verdict("intended", t({ message: "是有意的", context: "a doubt" }))}
          {isKnownTooEarly(issue) && (
            <Button size="s" kind="quiet" onPress={() => onNoteKnown(issue)} data-testid="continuity-known">
              {t({ message: "早就知道，记上", context: "a doubt" })}
            </Button>
          )}
          {hasSides(issue) && verdict("first", t({ message: "左边对", context: "a doubt" }))}
          {hasSides(issue) && verdict("second", t({ message: "右边对", context: "a doubt" }))}
          {verdict("mistake", t({ message: "是笔误，带我去改", context: "a doubt" }))}
          <span className="grow" />
          <Button size="s" kind="quiet" onPress={() => onLater(issue)} data-testid="continuity-later">
            {t({ message: "先放着", context: "a doubt" })}
          </Button>
        </div>
      )}
      <Problem issue={issue} context={context} />
    </li>
  );
}

interface PassageProps {
  place: ContinuityPlace;
  /** Whether the arrow keys of the panel stop at it. */
  isStop: boolean;
  isLit: boolean;
  onPress: () => void;
  context: IssueContext;
}

/** A place with its chapter. Pressing it opens the passage in the text. */
function Passage({ place, isStop, isLit, onPress, context: { chapters, lang } }: PassageProps) {
  const { t } = useLingui();
  const number = numberOf(place.chapterId, chapters);
  const title = chapters[number - 1]?.title ?? "";
  const { before, differs, after } = partsOf(place);
  return (
    <button
      type="button"
      className={css.passage}
      aria-pressed={isLit}
      onClick={onPress}
      data-stop={isStop || undefined}
      data-testid="continuity-passage"
    >
      <span className={css.chapter}>
        <u>
          {t`第 ${count(number)} 章`}
          {title !== "" && (
            <>
              {t({ message: "·", context: "between the number and the title of a chapter" })}
              <span lang={lang}>{title}</span>
            </>
          )}
        </u>
      </span>
      <q lang={lang}>
        {before}
        {differs !== "" && <mark>{differs}</mark>}
        {after}
      </q>
    </button>
  );
}

interface SettledIssueProps {
  issue: ContinuityIssue;
  /** Whether it stands in the place of an open one whose verdict was just given: its undo takes the focus. */
  isFresh: boolean;
  context: IssueContext;
}

/** A resolved issue in one line, with the verdict and its undo. */
export function SettledIssue({ issue, isFresh, context }: SettledIssueProps) {
  const { t } = useLingui();
  const { isReadOnly, onOpen, onResolve } = context;
  const { verdict, resolvedAt } = issue;
  const title = issueTitle(issue);
  return (
    <li className={css.settled} data-fresh={isFresh || undefined} data-testid="continuity-settled">
      <button type="button" onClick={() => onOpen(issue, "first")} data-stop data-testid="continuity-settled-open">
        {title}
      </button>
      <span>{context.isNoted(issue) ? t`早就知道，记在卡上了` : verdict && verdictWords(verdict)}</span>
      {resolvedAt !== null && !isFresh && <time dateTime={resolvedAt}>{dayName(resolvedAt).name}</time>}
      {!isReadOnly && (
        <LinkButton
          autoFocus={isFresh}
          aria-label={t`撤销：${title}`}
          onPress={() => onResolve(issue, null)}
          data-testid="continuity-undo"
        >{t`撤销`}</LinkButton>
      )}
      <Problem issue={issue} context={context} />
    </li>
  );
}
