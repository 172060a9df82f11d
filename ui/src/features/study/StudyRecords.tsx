import { useLingui } from "@lingui/react/macro";
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState, type KeyboardEvent } from "react";
import {
  call,
  queries,
  type Answer,
  type ChapterInfo,
  type JudgedFact,
  type MentionRange,
  type Project,
  type ProposedFact,
  type RecordVerdict,
} from "../../backend";
import { Button, Icon, LinkButton, QuoteLine, tooltip } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count } from "../../i18n/words";
import { isComposing } from "../../lib/ime";
import { langOf } from "../../lib/langOf";
import { numberOf } from "../../lib/ordinal";
import { StudyFact } from "./StudyFact";
import css from "./study.module.css";

/** Records without a verdict that are shown at first. */
const MAX_SHOWN = 3;
/** Quotes of a record that are shown. */
const MAX_QUOTES = 3;

interface StudyRecordsProps {
  project: Project;
  isReadOnly: boolean;
  onOpenPassage: (range: MentionRange, text: string | null) => void;
}

interface Verdict {
  record: Answer;
  verdict: RecordVerdict;
  /** Facts of a record that is kept: in other words, or left out. */
  facts: JudgedFact[];
}

/** A verdict that was given here. */
interface Judged extends Verdict {
  /** Number of facts that it wrote on cards. */
  acceptedFacts: number;
  /** The change that wrote them; `null`: none did, or it was taken back. */
  changeId: string | null;
}

/** The learning records of a book in pages, each to be kept or refused. One that was judged here stays in its place. */
export function StudyRecords({ project: { projectId, language }, isReadOnly, onOpenPassage }: StudyRecordsProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { data, error, ...listed } = useInfiniteQuery(queries.records(projectId));
  const { data: chapters = [] } = useQuery(queries.chapters(projectId));
  const [judged, setJudged] = useState<ReadonlyMap<string, Judged>>(new Map());
  const [isWhole, setWhole] = useState(false);
  /** Records whose verdicts are on their way. */
  const asked = useRef(new Set<string>());
  const judge = useMutation({
    // One after the other: the next record can be judged at once.
    scope: { id: `records ${projectId}` },
    mutationFn: ({ record: { answerId, version }, verdict, facts: judgedFacts }: Verdict) =>
      call("knowledge:record:judge", { projectId, answerId, version, verdict, facts: judgedFacts }),
    onSuccess: ({ acceptedFacts, changeId }, verdict) =>
      setJudged((before) => new Map([...before, [verdict.record.answerId, { ...verdict, acceptedFacts, changeId }]])),
    onSettled: (_judged, _error, { record }) => {
      asked.current.delete(record.answerId);
      // Also after a refusal: what is shown then is what the next verdict is about.
      for (const of of ["knowledge", "answers"]) void client.invalidateQueries({ queryKey: [of, projectId] });
    },
  });
  const takeOff = useMutation({
    mutationFn: ({ changeId }: Judged) => call("story:undo", { projectId, changeId: changeId! }),
    onSuccess: (_changed, done) =>
      setJudged(
        (before) => new Map([...before, [done.record.answerId, { ...done, acceptedFacts: 0, changeId: null }]]),
      ),
    onSettled: () => void client.invalidateQueries({ queryKey: ["story", projectId] }),
  });
  const decide = (verdict: Verdict) => {
    const { answerId } = verdict.record;
    if (asked.current.has(answerId)) return;
    asked.current.add(answerId);
    judge.mutate(verdict);
  };
  const records = data?.pages.flatMap((page) => page.records) ?? [];
  const total = data?.pages[0]?.total ?? 0;
  const known = new Set(records.map(({ answerId }) => answerId));
  const refused = [...judged.values()].map(({ record }) => record).filter(({ answerId }) => !known.has(answerId));
  const all = [...records, ...refused].toSorted((a, b) => b.createdAt.localeCompare(a.createdAt));
  const waiting = all.filter(({ answerId, userConfirmed }) => !userConfirmed && !judged.has(answerId));
  const first = new Set(waiting.slice(0, MAX_SHOWN));
  const shown = all.filter((record) => isWhole || judged.has(record.answerId) || first.has(record));
  const facts = data?.pages.flatMap((page) => page.proposedFacts) ?? [];
  const problem = judge.error ?? takeOff.error ?? error;
  if (problem == null && all.length === 0) return null;
  return (
    <div className={css.records}>
      {problem != null && (
        <p className={css.problem} role="alert" data-testid="study-records-problem">
          {errorSentence(problem)}
        </p>
      )}
      <ul aria-label={t`自读找到的`}>
        {shown.map((record) => (
          <RecordRow
            key={record.answerId}
            record={record}
            facts={facts.filter(({ answerId }) => answerId === record.answerId)}
            judged={judged.get(record.answerId) ?? null}
            chapters={chapters}
            lang={language === "zh" ? "zh-CN" : "en"}
            isReadOnly={isReadOnly}
            onJudge={(verdict, judgedFacts) => decide({ record, verdict, facts: judgedFacts })}
            onTakeOff={(done) => !takeOff.isPending && takeOff.mutate(done)}
            onOpenPassage={onOpenPassage}
          />
        ))}
      </ul>
      {isWhole && listed.hasNextPage && (
        <LinkButton
          className={css.more!}
          onPress={() => !listed.isFetchingNextPage && void listed.fetchNextPage()}
          data-testid="study-records-more"
        >
          {listed.isFetchingNextPage ? t`正在读取……` : t`更早的`}
        </LinkButton>
      )}
      {(isWhole || shown.length < total + refused.length) && (
        <LinkButton className={css.more!} onPress={() => setWhole(!isWhole)} data-testid="study-records-all">
          {isWhole ? t`只看等着的` : t`一共 ${count(total)} 条`}
        </LinkButton>
      )}
    </div>
  );
}

/** The number of the model's statements and facts that were found in the book, if some were not. */
function CitedShare({ metadata = {} }: { metadata?: Answer["details"]["metadata"] }) {
  const { t } = useLingui();
  const of = (name: string) => Number(metadata[name] ?? 0);
  const [all, cited] = [of("statements"), of("citedStatements")];
  if (!(all > cited)) return null;
  return (
    <p className={css.fact} data-testid="study-cited">
      {t`模型说了 ${count(all)} 句，书里找得到 ${count(cited)} 句；别的没有留`}
    </p>
  );
}

interface RecordRowProps {
  record: Answer;
  /** Facts that are written on cards if it is kept. */
  facts: ProposedFact[];
  judged: Judged | null;
  chapters: readonly ChapterInfo[];
  /** Language of the book. */
  lang: string;
  isReadOnly: boolean;
  onJudge: (verdict: RecordVerdict, judgedFacts: JudgedFact[]) => void;
  /** Takes its facts off the cards; the record stays kept. */
  onTakeOff: (done: Judged) => void;
  onOpenPassage: (range: MentionRange, text: string | null) => void;
}

/** A record: its answer on the ruling of the other hand until it is kept, its question, and its sentences. */
function RecordRow({
  record,
  facts,
  judged,
  chapters,
  lang,
  isReadOnly,
  onJudge,
  onTakeOff,
  onOpenPassage,
}: RecordRowProps) {
  const { t } = useLingui();
  const { question, answer, citations, userConfirmed } = record;
  const isRefused = judged?.verdict === "refuse";
  const isKept = userConfirmed || judged?.verdict === "keep";
  const isOpen = !isRefused && !isKept && !isReadOnly;
  const [judgedFacts, setJudgedFacts] = useState<ReadonlyMap<string, JudgedFact>>(new Map());
  const setJudgedFact = (factId: string, changed: JudgedFact | null) => {
    const others = [...judgedFacts].filter(([id]) => id !== factId);
    setJudgedFacts(new Map(changed === null ? others : [...others, [factId, changed]]));
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent) || event.defaultPrevented || !isOpen) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.target instanceof HTMLInputElement) return;
    const verdict = { k: "keep", r: "refuse" }[event.key.toLowerCase()] as RecordVerdict | undefined;
    if (!verdict) return;
    event.preventDefault();
    event.stopPropagation();
    decide(event.currentTarget as HTMLElement, verdict);
  };

  /** The row keeps the focus, since the buttons are gone with the verdict. */
  const decide = (row: HTMLElement | null | undefined, verdict: RecordVerdict) => {
    row?.focus();
    onJudge(verdict, verdict === "keep" ? [...judgedFacts.values()] : []);
  };
  const button = (verdict: RecordVerdict) => ({
    size: "s" as const,
    kind: "quiet" as const,
    onPress: ({ target }: { target: Element }) => decide(target.closest("li"), verdict),
  });
  return (
    // The arrow keys stop at a record, and its letters judge it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <li
      className={css.record}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      onKeyDown={onKeyDown}
      data-stop
      data-kept={isKept || undefined}
      data-testid="study-record"
    >
      {isRefused ? (
        <p className={css.refused} role="status" data-testid="study-refused">{t`不要了，已经删掉，以后不再提。`}</p>
      ) : (
        <>
          <p className={css.asked} lang={langOf(question)}>
            {question}
          </p>
          <p className={css.answer} lang={langOf(answer)}>
            <span>{answer}</span>
          </p>
          {isOpen && (
            <span className={css.verdicts}>
              <Button
                {...button("keep")}
                icon="check"
                aria-keyshortcuts="K"
                data-testid="study-keep"
                {...tooltip(t`按 K`)}
              >{t`认下`}</Button>
              <Button
                {...button("refuse")}
                icon="cross"
                aria-keyshortcuts="R"
                data-testid="study-refuse"
                {...tooltip(t`按 R·就此删掉，不能撤销`)}
              >{t`不要`}</Button>
            </span>
          )}
          {isKept && (
            <span className={css.kept}>
              <span role="status" data-testid="study-kept">
                <Icon name="check" size="xs" />
                {judged && judged.acceptedFacts > 0
                  ? t`你认下了，卡上添了 ${count(judged.acceptedFacts)} 条`
                  : t({ message: "你认下了", context: "a record of a study" })}
              </span>
              {judged && judged.changeId !== null && !isReadOnly && (
                <LinkButton onPress={() => onTakeOff(judged)} data-testid="study-take-off">{t`从卡上拿掉`}</LinkButton>
              )}
            </span>
          )}
          <div className={css.quotes}>
            {citations.slice(0, MAX_QUOTES).map(({ chapterId, from, to, quote, status }) => {
              const number = numberOf(chapterId, chapters);
              const isThere = number > 0 && status !== "changed" && status !== "gone";
              return (
                <QuoteLine
                  key={`${chapterId} ${from}`}
                  quote={quote}
                  lang={lang}
                  chapter={number > 0 ? t`第 ${count(number)} 章` : t`那一章不在了`}
                  onOpen={isThere ? () => onOpenPassage({ chapterId, from, to }, quote) : null}
                  testId="study-quote"
                />
              );
            })}
          </div>
          <CitedShare metadata={record.details.metadata} />
          {facts.map((fact) => (
            <StudyFact
              key={fact.factId}
              fact={fact}
              judged={judgedFacts.get(fact.factId) ?? null}
              lang={lang}
              isOpen={isOpen}
              onChange={(changed) => setJudgedFact(fact.factId, changed)}
            />
          ))}
        </>
      )}
    </li>
  );
}
