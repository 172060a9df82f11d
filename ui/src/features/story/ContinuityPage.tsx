import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries, type ContinuityIssue, type MentionRange } from "../../backend";
import { Busy, CappedList, Icon, Notice } from "../../design";
import { errorSentence, isOfReason } from "../../i18n/errors";
import { count } from "../../i18n/words";
import { AsOf, AsOfAnnouncement } from "./AsOf";
import { inBookOrder, issuesUpTo, type Side } from "./continuity";
import css from "./continuity.module.css";
import { issueTitle, verdictWords } from "./continuityWords";
import { IssueRow, SettledIssue, type IssueContext } from "./IssueRow";
import { PageNotices } from "./PageNotices";
import { hasPairs } from "./pairs";
import { PairsNote } from "./PairsNote";
import { usePageState, type PageProps } from "./pageState";
import { NotAnalyzed, NothingFound } from "./States";
import story from "./story.module.css";
import { useIssueVerdicts } from "./useIssueVerdicts";

/** Open issues that are shown at first; the others are folded. */
const MAX_SHOWN = 8;
/** Titles of folded issues, in one line that ends with the panel. */
const MAX_TITLES = 8;

interface ContinuityPageProps extends PageProps {
  /** Opens a range with the caret in it, to be edited; `text`: its words. */
  onEdit: (range: MentionRange, text: string) => void;
  /** Opens the tray of the study. */
  onOpenStudy: () => void;
}

/** The continuity issues of a book as of a position: open ones with verdicts, and resolved ones folded. */
export function ContinuityPage({ onEdit, onOpenStudy, ...props }: ContinuityPageProps) {
  const { project, session, problems, onOpenMention } = props;
  const { t } = useLingui();
  const { projectId, language } = project;
  const state = usePageState(props);
  const { asOf, at, isWhole, chapters, status, known, context: page } = state;
  const { data: list, error, isFetching, refetch } = useQuery(queries.continuity(projectId));
  const [lit, setLit] = useState<{ issueId: string; side: Side } | null>(null);
  /** Those whose verdicts were given here: they stay where they were. */
  const [fresh, setFresh] = useState<ReadonlySet<string>>(new Set());
  const [reopened, setReopened] = useState<string | null>(null);
  const [later, setLater] = useState<ReadonlySet<string>>(new Set());
  const [isRestOpen, setRestOpen] = useState(false);
  const [isSettledOpen, setSettledOpen] = useState(false);
  const [announced, setAnnounced] = useState("");
  const verdicts = useIssueVerdicts(project, ({ issue, verdict }) => {
    setReopened(verdict === null ? issue.issueId : null);
    setFresh((before) => {
      const now = new Set(before);
      if (verdict === null) now.delete(issue.issueId);
      else now.add(issue.issueId);
      return now;
    });
    setAnnounced(verdict === null ? t`撤销了：${issueTitle(issue)}` : verdictWords(verdict));
    if (verdict !== "mistake") return;
    // The side that the writer looked at last is the one to edit; else the later one in the book.
    const { chapterId, from, to, quote } = issue[lit?.issueId === issue.issueId ? lit.side : "second"];
    onEdit({ chapterId, from, to }, quote);
  });

  const isPlaced = isWhole || at !== null;
  const issues = list && isPlaced ? issuesUpTo(list.issues, at, chapters) : [];
  // One that was judged here stays, with its undo, although the caret may go to its earlier passage.
  const beyond = list?.issues.filter((issue) => fresh.has(issue.issueId) && !issues.includes(issue)) ?? [];
  const isHere = ({ issueId, verdict }: ContinuityIssue) => verdict === null || fresh.has(issueId);
  const here = inBookOrder([...issues.filter(isHere), ...beyond], chapters);
  const shown = here.filter(({ issueId }) => !later.has(issueId)).slice(0, MAX_SHOWN);
  const rest = here.filter((issue) => !shown.includes(issue));
  const settled = issues.filter((issue) => !isHere(issue));
  const open = here.filter(({ verdict }) => verdict === null);
  const counted = t`${count(open.length)} 处疑点`;
  const isPastDown = problems.some(({ kind }) => kind === "episodes" || kind === "all");
  const isClearing = isOfReason(error, "clearing");
  const isUnread = status !== undefined && status.analyzed === 0 && status.chapters > 0;
  const hasNoChapter = asOf.mode === "caret" && at === null && chapters.length === 0;
  const context: IssueContext = {
    chapters,
    lang: language === "zh" ? "zh-CN" : "en",
    isReadOnly: page.isReadOnly,
    onOpen: (issue, side) => {
      const { chapterId, from, to, quote } = issue[side];
      setLit({ issueId: issue.issueId, side });
      onOpenMention({ chapterId, from, to }, quote);
    },
    onResolve: verdicts.resolve,
    onNoteKnown: verdicts.noteKnown,
    isNoted: verdicts.isNoted,
    problemOf: ({ issueId }) => (verdicts.refused?.issueId === issueId ? errorSentence(verdicts.refused.error) : null),
  };
  const moreWords = (left: number) => t`后面还有 ${count(left)} 条`;
  const row = (issue: ContinuityIssue) =>
    issue.verdict === null ? (
      <IssueRow
        key={issue.issueId}
        issue={issue}
        lit={asOf.isAway && lit?.issueId === issue.issueId ? lit.side : null}
        isFocused={reopened === issue.issueId}
        onLater={({ issueId }) => setLater((before) => new Set([...before, issueId]))}
        context={context}
      />
    ) : (
      <SettledIssue key={`${issue.issueId} settled`} issue={issue} isFresh context={context} />
    );
  return (
    <>
      <AsOf session={session} chapters={chapters} language={language} />
      <AsOfAnnouncement
        text={isWhole ? t`全书，${counted}` : t`到第 ${count(known)} 章为止，${counted}`}
        position={isWhole ? "whole" : `${known}`}
        isReady={list !== undefined && isPlaced}
      />
      <p className="sr" role="status" data-testid="continuity-announced">
        {announced}
      </p>
      <div className={story.body} aria-busy={isFetching} data-scroller data-testid="story-body">
        <PageNotices
          page={props}
          state={state}
          error={isClearing ? null : error}
          failed={{ title: t`疑点暂时列不了`, past: t`写作照常。读到的都在往事库里，往事库打不开。` }}
          isMissing={false}
          onRetry={() => void refetch()}
        />
        {list?.isIncomplete && !isPastDown && <Incomplete isTaggerMissing={status?.isTaggerMissing ?? false} />}
        {content()}
      </div>
    </>
  );

  function content() {
    if (isClearing)
      return (
        <p className={story.nothing} role="status" data-testid="continuity-clearing">
          {t`正在清除这本书的记忆……清完以前，这里不列，也不答。`}
        </p>
      );
    if (hasNoChapter) return <NothingFound page="continuity" chapters={[]} />;
    if (!list || chapters.length === 0) return error ? null : <Busy>{t`正在翻……`}</Busy>;
    if (isUnread && list.issues.length === 0 && problems.length === 0)
      return <NotAnalyzed projectId={projectId} language={language} chapters={chapters} />;
    return (
      <>
        {here.length === 0 && (
          <NoIssues
            number={isWhole ? null : known}
            isIncomplete={list.isIncomplete}
            isPairsNoteShown={hasPairs(list.pairs)}
          />
        )}
        {shown.length > 0 && <ul data-testid="continuity-open">{shown.map(row)}</ul>}
        {rest.length > 0 && (
          <Fold
            words={t`还有 ${count(rest.length)} 处`}
            more={rest
              .slice(0, MAX_TITLES)
              .map(issueTitle)
              .join(t({ message: "；", context: "between doubts" }))}
            isOpen={isRestOpen}
            onOpen={setRestOpen}
            testId="continuity-rest"
          />
        )}
        {isRestOpen && rest.length > 0 && (
          <CappedList items={rest} moreWords={moreWords} testId="continuity-later-list">
            {row}
          </CappedList>
        )}
        <PairsNote projectId={projectId} pairs={list.pairs} isReadOnly={page.isReadOnly} onOpenStudy={onOpenStudy} />
        {settled.length > 0 && (
          <Fold
            words={t`了结了 ${count(settled.length)} 处`}
            more={t`引的那句不改，就不再提`}
            isMoreLast
            isOpen={isSettledOpen}
            onOpen={setSettledOpen}
            testId="continuity-settled-fold"
          />
        )}
        {isSettledOpen && settled.length > 0 && (
          <CappedList items={settled} moreWords={moreWords} testId="continuity-settled-list">
            {(issue) => <SettledIssue key={issue.issueId} issue={issue} isFresh={false} context={context} />}
          </CappedList>
        )}
      </>
    );
  }
}

interface FoldProps {
  words: string;
  /** Explains the folded ones, in one line. */
  more: string;
  isMoreLast?: boolean;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
  testId: string;
}

function Fold({ words, more, isMoreLast, isOpen, onOpen, testId }: FoldProps) {
  return (
    <button
      type="button"
      className={css.fold}
      aria-expanded={isOpen}
      onClick={() => onOpen(!isOpen)}
      data-stop
      data-testid={testId}
    >
      <Icon name={isOpen ? "down" : "right"} size="xs" />
      <span>{words}</span>
      <small data-last={isMoreLast || undefined}>{more}</small>
    </button>
  );
}

interface NoIssuesProps {
  /** The last chapter that is known; `null`: the whole book is. */
  number: number | null;
  isIncomplete: boolean;
  /** Whether the note about pairs of sentences is shown below. */
  isPairsNoteShown: boolean;
}

function NoIssues({ number, isIncomplete, isPairsNoteShown }: NoIssuesProps) {
  const { t } = useLingui();
  const computed = t`年纪、日子、写错的名字、谁先知道，都算过了。`;
  return (
    <div className={css.none} data-testid="continuity-none">
      <p>
        {isIncomplete
          ? t`眼下没有列得出来的疑点。`
          : number === null
            ? t`全书没有对不上的地方。`
            : t`到第 ${count(number)} 章为止，没有对不上的地方。`}
      </p>
      {!isIncomplete && (
        <small>
          {computed}
          {!isPairsNoteShown && t`左腿右腿这样的，要有模型才比得出来。`}
        </small>
      )}
    </div>
  );
}

/** Some issues may not have been found. Above, the files that cannot serve are reported. */
function Incomplete({ isTaggerMissing }: { isTaggerMissing: boolean }) {
  const { t } = useLingui();
  return (
    <div className={css.incomplete}>
      <Notice title={t`有的疑点可能还没有找出来`} testId="continuity-incomplete">
        {isTaggerMissing
          ? t`中文的名字认不全，和名字有关的会漏。年纪和日子照常算。`
          : t`要用到的还没有备齐，齐了自己会再对一遍。`}
      </Notice>
    </div>
  );
}
