import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries, type StoryEvent, type StoryThread, type ThreadStatus } from "../../backend";
import { Busy, Icon, Seg } from "../../design";
import { count } from "../../i18n/words";
import { AsOf, AsOfAnnouncement } from "./AsOf";
import { EventRow } from "./EventRow";
import { PageNotices } from "./PageNotices";
import { usePageState, useShowSought, type PageProps } from "./pageState";
import { asTold } from "./plot";
import css from "./plot.module.css";
import { Legend } from "./PlotMarks";
import { PLOT_SCALE } from "./presence";
import { Ruler } from "./PresenceStrip";
import { NotAnalyzed, NothingFound } from "./States";
import story from "./story.module.css";
import { ThreadRow } from "./ThreadRow";
import { WriteDown } from "./WriteDown";

type Order = "happened" | "told";

/** The threads and the events of a story as of a position, over the same columns of chapters. */
export function ThreadsPage(props: PageProps) {
  const { project, session, problems } = props;
  const { t } = useLingui();
  const { projectId, language } = project;
  const state = usePageState(props);
  const { asOf, at, isWhole, chapters, status, known, strip, context } = state;
  const enabled = isWhole || at !== null;
  const threadList = useQuery({ ...queries.threads(projectId, at), enabled });
  const eventList = useQuery({ ...queries.events(projectId, at), enabled });
  const [order, setOrder] = useState<Order>("happened");
  const [isFolded, setFolded] = useState(false);
  const { data: threads } = threadList;
  const { data: events } = eventList;
  useShowSought(session, state, threads, events);
  const error = threadList.error ?? eventList.error ?? state.listed.error;
  const isFetching = threadList.isFetching || eventList.isFetching;
  const isPlaceholder = threadList.isPlaceholderData || eventList.isPlaceholderData;
  const of = (wanted: ThreadStatus) => threads?.threads.filter((thread) => thread.status === wanted) ?? [];
  const [open, leftOpen, paid] = [of("open"), of("leftOpen"), of("paid")];
  const isUnread = status !== undefined && status.analyzed === 0 && status.chapters > 0;
  const hasNoChapter = asOf.mode === "caret" && at === null && chapters.length === 0;
  const counted = t`${count(threads?.threads.length ?? 0)} 条线索`;
  const refetch = () => [threadList, eventList, state.listed].forEach((one) => void one.refetch());
  const threadRow = (thread: StoryThread) => (
    <ThreadRow
      key={thread.entityId}
      thread={thread}
      attributes={threads!.attributes}
      strip={strip}
      isOpen={thread.entityId === asOf.open}
      onToggle={(entityId) => session.toggle(entityId)}
      context={context}
    />
  );
  const eventRow = (event: StoryEvent) => (
    <EventRow
      key={`${event.entityId} ${event.fact?.factId ?? ""}`}
      event={event}
      strip={strip}
      isOpen={event.entityId === asOf.open}
      onToggle={(entityId) => session.toggle(entityId)}
      context={context}
    />
  );
  return (
    <>
      <AsOf session={session} chapters={chapters} language={language} />
      <AsOfAnnouncement
        text={isWhole ? t`全书，${counted}` : t`到第 ${count(known)} 章为止，${counted}`}
        position={isWhole ? "whole" : `${known}`}
        isReady={threads !== undefined && !isPlaceholder}
      />
      <div className={story.body} aria-busy={isFetching} data-scroller data-testid="story-body">
        <PageNotices page={props} state={state} error={error} isMissing={false} onRetry={refetch} />
        {content()}
        {threads && !context.isReadOnly && (
          <WriteDown
            page="threads"
            changes={context.factChanges}
            cited={context.hasSelection ? context.selection : null}
            planted={threads.attributes.planted}
          />
        )}
      </div>
    </>
  );

  function content() {
    if (hasNoChapter) return <NothingFound page="threads" chapters={[]} />;
    if (!threads || !events) return error ? null : <Busy>{t`正在翻……`}</Busy>;
    const isEmpty = threads.threads.length + events.length === 0;
    if (isEmpty && isUnread && problems.length === 0)
      return <NotAnalyzed projectId={projectId} language={language} chapters={chapters} />;
    return (
      <>
        <div className={css.head}>
          <h3>{t({ message: "还开着", context: "threads" })}</h3>
          <span className={css.untouched}>{open.length > 0 && t`多久没提`}</span>
          <Ruler chapters={strip} scale={PLOT_SCALE} />
        </div>
        {open.length > 0 ? (
          <ul data-testid="threads-open">{open.map(threadRow)}</ul>
        ) : (
          <p className={css.none} data-testid="threads-none">
            {threads.threads.length > 0
              ? t`到这里为止，没有开着的线索。`
              : t`书里提出来、以后要回答的，记成一条线索：它埋在哪一章、多久没提、收了没有，这里都看得出。`}
          </p>
        )}
        {leftOpen.length > 0 && (
          <>
            <h3 className={css.group}>{t`就让它开着的`}</h3>
            <ul data-testid="threads-left-open">{leftOpen.map(threadRow)}</ul>
          </>
        )}
        {(paid.length > 0 || threads.threads.length > 0) && (
          <div className={css.fold}>
            {paid.length > 0 && (
              <button
                type="button"
                aria-expanded={!isFolded}
                onClick={() => setFolded(!isFolded)}
                data-stop
                data-testid="threads-fold"
              >
                <Icon name={isFolded ? "right" : "down"} size="xs" />
                {t({ message: "收了", context: "threads" })}
                <b>{count(paid.length)}</b>
              </button>
            )}
            <span className="grow" />
            <Legend />
          </div>
        )}
        {paid.length > 0 && !isFolded && <ul data-testid="threads-paid">{paid.map(threadRow)}</ul>}
        <div className={css.time}>
          <h3>
            {t({ message: "时间", context: "the time of a story" })}
            {events.length > 0 && <small>{t`点在哪里，哪里讲`}</small>}
          </h3>
          {events.length > 1 && (
            <Seg<Order>
              label={t`先后`}
              value={order}
              onChange={setOrder}
              options={[
                { key: "happened", label: t`按发生的先后`, testId: "events-happened" },
                { key: "told", label: t`按讲的先后`, testId: "events-told" },
              ]}
              testId="events-order"
            />
          )}
        </div>
        {events.length > 0 ? (
          <ul data-testid="events">{(order === "told" ? asTold(events, chapters) : events).map(eventRow)}</ul>
        ) : (
          <p
            className={css.none}
            data-testid="events-none"
          >{t`写下一件事，或者给卡上的一条写明什么时候，就按先后排在这里。`}</p>
        )}
      </>
    );
  }
}
