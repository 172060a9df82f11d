import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { Busy, Search } from "../../design";
import { count } from "../../i18n/words";
import { folded } from "../../lib/find";
import { AsOf, AsOfAnnouncement } from "./AsOf";
import { groupsOf, KINDS, likenessesOf, type EntityPage } from "./entities";
import { EntityGroups } from "./EntityGroups";
import { PageNotices } from "./PageNotices";
import { usePageState, useShowSought, type PageProps } from "./pageState";
import { Ruler } from "./PresenceStrip";
import { NotAnalyzed, NothingFound } from "./States";
import css from "./story.module.css";
import { WriteDown } from "./WriteDown";

interface PeoplePageProps extends PageProps {
  page: Exclude<EntityPage, "threads">;
}

/** The entities of some kinds as of a position: those of the chapter, those of earlier ones, and names not decided. */
export function PeoplePage({ page, ...props }: PeoplePageProps) {
  const { project, session } = props;
  const { t } = useLingui();
  const { projectId, language } = project;
  const [query, setQuery] = useState("");
  const state = usePageState(props);
  const { asOf, at, isWhole, chapters, status, progress, known, last, strip } = state;
  const { data: list, error, isPlaceholderData, isFetching, refetch } = state.listed;
  useShowSought(session, state, list);
  const groups = groupsOf(list?.entities ?? [], page, query, last);
  const own = list?.entities.filter(({ kind }) => KINDS[page].includes(kind)) ?? [];
  const unnamed =
    list?.unnamed.filter(({ kind, name }) => KINDS[page].includes(kind) && folded(name).includes(folded(query))) ?? [];
  const rows = groups.here.length + groups.before.length + unnamed.length;
  const isUnread = status !== undefined && status.analyzed === 0 && status.chapters > 0;
  const isMissing = status?.isTaggerMissing || list?.method === "surnames";
  const hasNoChapter = asOf.mode === "caret" && at === null && chapters.length === 0;
  const number = count(known);
  const counted = page === "people" ? t`${count(rows)} 个人` : t`${count(rows)} 个地方与物`;
  const context = {
    ...state.context,
    onShow: (entityId: string) => {
      setQuery("");
      session.show(entityId);
    },
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
        <PageNotices
          page={props}
          state={state}
          error={error}
          isMissing={Boolean(isMissing) && !isUnread}
          onRetry={() => void refetch()}
        />
        {content()}
        {list && !context.isReadOnly && <WriteDown page={page} changes={context.factChanges} />}
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
