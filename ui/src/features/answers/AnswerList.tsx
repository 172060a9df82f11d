import { useLingui } from "@lingui/react/macro";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { queries, type AnswerCounts, type AnswerKind, type HealthProblem, type Project } from "../../backend";
import { LinkButton, Picker, Search } from "../../design";
import { count } from "../../i18n/words";
import { isComposing } from "../../lib/ime";
import { AnswerCard } from "./AnswerCard";
import type { ReportChange } from "./answerChanges";
import type { OpenPassage } from "./AnswerCitations";
import css from "./answers.module.css";
import { ListState, NoAnswers } from "./ListState";
import { inSteadyOrder } from "./order";
import { ServiceAnswers } from "./ServiceAnswers";
import { answerKindName, filterName, FILTERS, KINDS, type AnswerChoice } from "./words";

interface AnswerListProps {
  project: Project;
  problems: readonly HealthProblem[];
  /** The answer that is shown first and has the focus, until the list is narrowed; `null`: none. */
  target?: string | null;
  onMend: () => void;
  onOpenPassage: OpenPassage;
  onChanged: ReportChange;
}

const ANY = "any";

/** The answers of a book: searched, filtered, latest change first, each with the writer's verdicts. */
export function AnswerList({ project, problems, target = null, onMend, onOpenPassage, onChanged }: AnswerListProps) {
  const { t } = useLingui();
  const { projectId, language } = project;
  const [words, setWords] = useState("");
  const [filter, setFilter] = useState<AnswerChoice>("all");
  const [kind, setKind] = useState<AnswerKind | typeof ANY>(ANY);
  const [held, setHeld] = useState<{ of: string; ids: string[] }>({ of: "", ids: [] });
  const feed = useRef<HTMLDivElement>(null);
  const listed = useInfiniteQuery(queries.answers(projectId, filter, kind === ANY ? null : kind, words));
  const { data: chapters = [] } = useQuery(queries.chapters(projectId));
  const isNarrowed = words !== "" || filter !== "all" || kind !== ANY;
  const { data: wanted } = useQuery({ ...queries.answer(projectId, target ?? ""), enabled: target !== null });
  const before = isNarrowed || target === null ? undefined : wanted;
  const { data, error, isPlaceholderData, refetch } = listed;
  const unavailable = problems.filter(({ kind: of }) => of === "episodes" || of === "all");
  const [first] = data?.pages ?? [];
  const of = `${filter} ${kind} ${words}`;
  // Answers of the filter before are shown until those of this one are read.
  const isOfNow = !isPlaceholderData && held.of === of;
  const answers = inSteadyOrder(
    isPlaceholderData || isOfNow ? held.ids : [],
    data?.pages.flatMap((page) => page.answers) ?? [],
  );
  const ids = answers.map(({ answerId }) => answerId);
  if (!isPlaceholderData && data && (held.of !== of || held.ids.join() !== ids.join())) setHeld({ of, ids });
  const isRead = data !== undefined;
  const shown = before ? [before, ...answers.filter(({ answerId }) => answerId !== before.answerId)] : answers;
  const isShown = before !== undefined && isRead;
  useEffect(() => {
    if (isShown) feed.current?.querySelector<HTMLElement>("[data-answer]")?.focus();
  }, [isShown, target]);

  const onKeyDown = (event: KeyboardEvent) => {
    const pressed = event.target as HTMLElement;
    if (isComposing(event.nativeEvent) || event.defaultPrevented || pressed.matches("input, textarea")) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    const cards = [...(feed.current?.querySelectorAll<HTMLElement>("[data-answer]") ?? [])];
    const at = cards.findIndex((card) => card.contains(pressed));
    const next = cards[at + step];
    if (!next) return;
    next.focus();
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <>
      <div className={css.bar}>
        <Search label={t`在答案中查找`} value={words} onSearch={setWords} testId="answers-search" />
        <Picker<AnswerChoice>
          label={t`哪些答案`}
          value={filter}
          onChange={setFilter}
          options={FILTERS.map((key) => ({ key, label: filterLabel(key, first?.counts) }))}
          testId="answers-filter"
        />
        <Picker<AnswerKind | typeof ANY>
          label={t`哪一类`}
          value={kind}
          onChange={setKind}
          options={[{ key: ANY, label: t`各类` }, ...KINDS.map((key) => ({ key, label: answerKindName(key) }))]}
          testId="answers-kind"
        />
      </div>
      <div className={css.body} data-testid="answers">
        <ListState
          unavailable={unavailable}
          error={error}
          isRead={isRead}
          onMend={onMend}
          onRetry={() => void refetch()}
        />
        {isRead && unavailable.length === 0 && shown.length === 0 && (
          <NoAnswers isNarrowed={isNarrowed} filter={words === "" && kind === ANY ? filter : "all"} />
        )}
        {shown.length > 0 && (
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
          <div
            ref={feed}
            role="feed"
            aria-label={t`答案`}
            aria-busy={isPlaceholderData || listed.isFetchingNextPage}
            onKeyDown={onKeyDown}
          >
            {shown.map((answer, index) => (
              <AnswerCard
                key={answer.answerId}
                // A promoted answer is of no book: verdicts on it are given in this one.
                answer={{ ...answer, projectId }}
                position={index + 1}
                size={Math.max(first?.total ?? 0, shown.length)}
                chapters={chapters}
                lang={language === "zh" ? "zh-CN" : "en"}
                onOpenPassage={onOpenPassage}
                onChanged={onChanged}
              />
            ))}
          </div>
        )}
        {listed.hasNextPage && (
          <LinkButton
            className={css.more}
            onPress={() => !listed.isFetchingNextPage && void listed.fetchNextPage()}
            data-testid="answers-more"
          >
            {listed.isFetchingNextPage ? t`正在读取……` : t`更早的`}
          </LinkButton>
        )}
        {isRead && words !== "" && <ServiceAnswers {...{ projectId, words, onChanged }} />}
      </div>
    </>
  );

  function filterLabel(key: AnswerChoice, counts: AnswerCounts | undefined): string {
    return counts ? t`${filterName(key)} ${count(counts[key])}` : filterName(key);
  }
}
