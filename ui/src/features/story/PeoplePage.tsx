import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useStore } from "zustand";
import {
  queries,
  type CitationDraft,
  type EntityList,
  type HealthProblem,
  type MentionRange,
  type Project,
} from "../../backend";
import { Busy, Search } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count } from "../../i18n/words";
import { folded } from "../../lib/find";
import { AsOf, AsOfAnnouncement, AsOfNote } from "./AsOf";
import { lastIndexOf, positionOf } from "./position";
import { useEntityChanges } from "./changes";
import { useFactChanges, type Undoable } from "./factChanges";
import { acceptedOf, groupsOf, KINDS, likenessesOf, pageOf, type StoryPage } from "./entities";
import { EntityGroups } from "./EntityGroups";
import { Ruler, type StripChapters } from "./PresenceStrip";
import type { StorySession } from "./session";
import { isReadOnly } from "./readOnly";
import { Analyzing, FilesDown, NamesMissing, NotAnalyzed, NothingFound } from "./States";
import { Remember } from "./Remember";
import css from "./story.module.css";
import { numberOf } from "./words";
import { WriteDown } from "./WriteDown";

export interface PeoplePageProps {
  project: Project;
  page: StoryPage;
  session: StorySession;
  problems: readonly HealthProblem[];
  onOpenMention: (range: MentionRange, text: string | null) => void;
  /** The words that are selected in the text, to be cited; `null` without a selection. */
  selection: () => CitationDraft | null;
  hasSelection: boolean;
  onChanged: (message: string, change: Undoable) => void;
  onMend: () => void;
}

/** The entities of some kinds as of a position: those of the chapter, those of earlier ones, and names not decided. */
export function PeoplePage(props: PeoplePageProps) {
  const { project, page, session, problems, selection, hasSelection, onOpenMention, onChanged, onMend } = props;
  const { t } = useLingui();
  const { projectId, language } = project;
  const asOf = useStore(session.state);
  const [query, setQuery] = useState("");
  const at = positionOf(asOf);
  const { data: loaded } = useQuery(queries.chapters(projectId));
  const chapters = loaded ?? [];
  const { data: status } = useQuery(queries.analysis(projectId));
  const { data: progress } = useQuery(queries.analyzing(projectId));
  const {
    data: list,
    error,
    isPlaceholderData,
    isFetching,
    refetch,
  } = useQuery({
    ...queries.entities(projectId, at),
    enabled: asOf.mode === "whole" || at !== null,
  });
  const changes = useEntityChanges({ projectId, at, onChanged });
  const factChanges = useFactChanges({ projectId, at, onChanged });
  const isWhole = asOf.mode === "whole";
  // A list without the text knows no chapters.
  const known = list && !list.degraded ? list.chapters.length : lastIndexOf(asOf, chapters) + 1;
  const last = isWhole ? null : known - 1;
  const groups = groupsOf(list?.entities ?? [], page, query, last);
  const own = list?.entities.filter(({ kind }) => KINDS[page].includes(kind)) ?? [];
  const unnamed =
    list?.unnamed.filter(({ kind, name }) => KINDS[page].includes(kind) && folded(name).includes(folded(query))) ?? [];
  const rows = groups.here.length + groups.before.length + unnamed.length;
  const strip: StripChapters = {
    all: Math.max(chapters.length, known, 1),
    known,
    end: asOf.mode === "whole" ? null : asOf.mode,
  };
  const isUnread = status !== undefined && status.analyzed === 0 && status.chapters > 0;
  const isMissing = status?.isTaggerMissing || list?.method === "surnames";
  const hasNoChapter = asOf.mode === "caret" && at === null && chapters.length === 0;
  useShowSought(session, list, isFetching);
  const isGone = asOf.pinned !== null && loaded !== undefined && numberOf(asOf.pinned, loaded) === 0;
  useEffect(() => {
    if (isGone) session.unpin();
  }, [isGone, session]);

  const number = count(known);
  const counted = page === "people" ? t`${count(rows)} 个人` : t`${count(rows)} 个地方与物`;
  const context = {
    project,
    at,
    chapters,
    entities: list?.entities ?? [],
    accepted: list ? acceptedOf(list, last) : [],
    changes,
    factChanges,
    hasSelection,
    selection,
    onShow: (entityId: string) => {
      setQuery("");
      session.show(entityId);
    },
    isReadOnly: isReadOnly(problems),
    onOpenMention,
  };
  return (
    <>
      <AsOf session={session} chapters={chapters} language={language} />
      <div className={css.bar}>
        <Search
          label={page === "people" ? t`在人物里找` : t`在地方与物里找`}
          value={query}
          onSearch={setQuery}
          testId="story-search"
        />
        <Ruler chapters={strip} />
      </div>
      <AsOfAnnouncement
        text={isWhole ? t`全书，${counted}` : t`到第 ${number} 章为止，${counted}`}
        position={isWhole ? "whole" : `${known}`}
        isReady={list !== undefined && !isPlaceholderData}
      />
      <div className={css.body} aria-busy={isPlaceholderData || isFetching} data-scroller data-testid="story-body">
        <div className={css.notices}>
          <AsOfNote session={session} chapters={chapters} />
          <FilesDown problems={problems} error={error} onRetry={() => void refetch()} onMend={onMend} />
          {isMissing && !isUnread && <NamesMissing isTaggerMissing={status?.isTaggerMissing ?? false} />}
          {progress && <Analyzing progress={progress} />}
          {(changes.error ?? factChanges.error) != null && (
            <p className={css.problem} role="alert" data-testid="story-problem">
              {errorSentence(changes.error ?? factChanges.error)}
            </p>
          )}
          {asOf.remembered && (
            <Remember
              projectId={projectId}
              lang={language === "zh" ? "zh-CN" : "en"}
              citation={asOf.remembered}
              entities={context.entities}
              accepted={context.accepted}
              changes={factChanges}
              onDone={(entityId) => session.endRemembering(entityId)}
            />
          )}
        </div>
        {content()}
        {list && !context.isReadOnly && <WriteDown page={page} changes={factChanges} />}
      </div>
    </>
  );

  function content() {
    if (hasNoChapter) return <NothingFound page={page} chapters={[]} />;
    if (!list) return error ? null : <Busy>{t`正在翻……`}</Busy>;
    if (own.length + unnamed.length === 0 && progress) return null;
    if (list.degraded && unnamed.length === 0) return null;
    if (isUnread && own.length + unnamed.length === 0)
      return <NotAnalyzed projectId={projectId} language={language} chapters={chapters} />;
    if (own.length + unnamed.length === 0 && query === "")
      return <NothingFound page={page} chapters={chapters.slice(0, known)} />;
    if (rows + groups.proposals.length === 0) return <p className={css.nothing}>{t`没有这个名字。`}</p>;
    return (
      <EntityGroups
        groups={groups}
        unnamed={unnamed}
        isTextMissing={list.degraded}
        page={page}
        asOf={asOf}
        number={known}
        detected={own.filter(({ standing }) => standing === "detected")}
        likenesses={likenessesOf(list)}
        strip={strip}
        onToggle={(entityId) => session.toggle(entityId)}
        context={context}
      />
    );
  }
}

/** Shows an entity that was asked for from elsewhere: its page, and its row with the focus. */
function useShowSought(session: StorySession, list: EntityList | undefined, isFetching: boolean): void {
  const { open, isSought, page } = useStore(session.state);
  useEffect(() => {
    if (!isSought || open === null || isFetching) return;
    const entity = [...(list?.entities ?? []), ...(list?.unnamed ?? [])].find(({ entityId }) => entityId === open);
    if (!entity) {
      // The position changed meanwhile, and it is not known up to there.
      if (list) session.toggle(open);
      return;
    }
    if (pageOf(entity.kind) !== page) {
      session.state.setState({ page: pageOf(entity.kind) });
      return;
    }
    const face = document.querySelector<HTMLElement>(`[data-entity="${CSS.escape(open)}"]`);
    if (!face) return;
    face.scrollIntoView({ block: "start" });
    face.focus({ preventScroll: true });
    session.toggle(open);
  }, [list, isFetching, isSought, open, page, session]);
}
