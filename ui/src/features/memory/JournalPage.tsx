import { useLingui } from "@lingui/react/macro";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries, type HealthProblem, type JournalEntry, type JournalKind, type Project } from "../../backend";
import { LinkButton, Picker, Search } from "../../design";
import { dayName, journalKindName } from "../../i18n/words";
import { JournalFoot } from "./JournalFoot";
import { JournalRow } from "./JournalRow";
import journal from "./journal.module.css";
import css from "./memory.module.css";
import { ReadState } from "./ReadState";

interface JournalPageProps {
  project: Project;
  problems: HealthProblem[];
  onMend: () => void;
  onOpenChapter: (chapterId: string, generationId: string | null) => void;
  /** Opens why a generation was written. */
  onWhy: (generationId: string) => void;
  onOpenAnswer: (answerId: string) => void;
}

const ANY = "any";
const KINDS: JournalKind[] = ["skill", "ask", "study", "session", "note"];

/** The journal of the book: its entries by day, or the best matches of a search; and whether its chain is whole. */
export function JournalPage({ project, problems, onMend, onOpenChapter, onWhy, onOpenAnswer }: JournalPageProps) {
  const { t } = useLingui();
  const { projectId, language } = project;
  const [text, setText] = useState("");
  const [kind, setKind] = useState<string>(ANY);
  const wanted = kind === ANY ? null : (kind as JournalKind);
  const isSearch = text !== "";
  const listed = useInfiniteQuery({ ...queries.journal(projectId, wanted), enabled: !isSearch });
  const found = useQuery({ ...queries.foundEntries(projectId, text, wanted), enabled: isSearch });
  const { data: chapters } = useQuery(queries.chapters(projectId));
  const isKept = listed.data?.pages[0]?.isKept ?? true;
  const entries = isSearch
    ? (found.data?.entries.map(({ entry }) => entry) ?? [])
    : (listed.data?.pages.flatMap((page) => page.entries) ?? []);
  const { error, isPlaceholderData, refetch } = isSearch ? found : listed;
  const isRead = isSearch ? found.data !== undefined : listed.data !== undefined;
  const unavailable = problems.filter(({ kind: of }) => of === "episodes" || of === "all");
  const less = problems.filter(({ kind: of }) => (of === "meaning" || of === "words") && isSearch);

  const row = (entry: JournalEntry) => (
    <JournalRow
      key={entry.id}
      entry={entry}
      language={language}
      withDay={isSearch}
      hasChapter={chapters?.some(({ chapterId }) => chapterId === entry.chapterId) ?? false}
      onOpenChapter={onOpenChapter}
      onWhy={onWhy}
      onOpenAnswer={onOpenAnswer}
    />
  );

  return (
    <>
      <div className={css.bar}>
        <Search label={t`在流水中查找`} value={text} onSearch={setText} testId="journal-search" />
        <Picker
          label={t`哪一类`}
          value={kind}
          onChange={setKind}
          options={[{ key: ANY, label: t`全部` }, ...KINDS.map((key) => ({ key, label: journalKindName(key) }))]}
          testId="journal-kind"
        />
      </div>
      <div className={css.rules} aria-busy={isPlaceholderData}>
        <ReadState
          unavailable={unavailable}
          less={less}
          error={error}
          errorTitle={t`流水读不出来`}
          isRead={isRead}
          onMend={onMend}
          onRetry={() => void refetch()}
        />
        {isRead && unavailable.length === 0 && entries.length === 0 && (
          <p className={css.nothing} data-testid="journal-nothing">
            {nothing()}
          </p>
        )}
        {isSearch ? (
          <ul className={journal.found} data-testid="journal-found">
            {entries.map(row)}
          </ul>
        ) : (
          daysOf(entries).map(({ day, entries: of }) => (
            <section key={day} className={journal.day} data-testid="journal-day">
              <h3>
                <DayName day={day} />
              </h3>
              <ul>{of.map(row)}</ul>
            </section>
          ))
        )}
        {!isSearch && listed.hasNextPage && (
          <LinkButton
            className={css.more}
            onPress={() => !listed.isFetchingNextPage && void listed.fetchNextPage()}
            data-testid="journal-more"
          >
            {listed.isFetchingNextPage ? t`正在读取……` : t`更早的`}
          </LinkButton>
        )}
      </div>
      {isRead && unavailable.length === 0 && <JournalFoot project={project} isKept={isKept} />}
    </>
  );

  function nothing(): string {
    if (isSearch) return t`没有找到。换个说法看看。`;
    if (wanted) return t`还没有这一类。`;
    if (!isKept) return t`这本书不记流水。`;
    return t`还没有流水。助手写一次，你采用或都不要以后，这里就记下一条。`;
  }
}

/** A day as its name, with the date below a relative one. */
function DayName({ day }: { day: string }) {
  const { name, more } = dayName(day);
  return (
    <>
      {name}
      <small>{more}</small>
    </>
  );
}

/** Entries in their order, by the local day on which they happened. */
function daysOf(entries: JournalEntry[]): { day: string; entries: JournalEntry[] }[] {
  const days: { day: string; entries: JournalEntry[] }[] = [];
  for (const entry of entries) {
    const time = new Date(entry.timestamp);
    const day = new Date(time.getFullYear(), time.getMonth(), time.getDate()).toISOString();
    const last = days.at(-1);
    if (last?.day === day) last.entries.push(entry);
    else days.push({ day, entries: [entry] });
  }
  return days;
}
