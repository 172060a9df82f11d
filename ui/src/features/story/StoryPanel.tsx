import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, type ReactNode } from "react";
import { useStore } from "zustand";
import { queries, type CitationDraft, type HealthProblem, type MentionRange, type Project } from "../../backend";
import { IconButton, Pages } from "../../design";
import { count } from "../../i18n/words";
import { issuesUpTo } from "./continuity";
import { ContinuityPage } from "./ContinuityPage";
import type { StoryPage } from "./entities";
import type { Undoable } from "./factChanges";
import { usePanelKeys } from "./panelKeys";
import { PeoplePage } from "./PeoplePage";
import { positionOf } from "./position";
import { isReadOnly } from "./readOnly";
import type { StorySession } from "./session";
import { StoryFiles } from "./StoryFiles";
import css from "./story.module.css";
import { ThreadsPage } from "./ThreadsPage";

interface StoryPanelProps {
  /** `null`: no book is open. */
  project: Project | null;
  session: StorySession;
  problems: readonly HealthProblem[];
  /** Opens a mention and lights it; the focus stays in the panel. `null`: its words are those of the range. */
  onOpenMention: (range: MentionRange, text: string | null) => void;
  /** Opens a range of the text with the caret in it, to be edited; `text`: its words. */
  onEdit: (range: MentionRange, text: string) => void;
  /** Returns from a mention to the writer's caret. */
  onReturn: () => void;
  /** The words that are selected in the text, to be cited; `null` without a selection. */
  selection: () => CitationDraft | null;
  /** Whether words are selected in the text. */
  hasSelection: boolean;
  /** The writer changed entities or facts; `message` reports it. */
  onChanged: (message: string, change: Undoable) => void;
  /** Reports what was done. */
  onDone: (message: string) => void;
  onProblem: (error: unknown) => void;
  /** Opens the page about the memory's files. */
  onMend: () => void;
  onClose: () => void;
  /** Opens the tray of the study. */
  onOpenStudy: () => void;
  /** The study of the book, below every page. */
  foot: ReactNode;
}

/** The story panel: people, places and things of the book, its threads, and what does not agree in it. */
export function StoryPanel({
  project,
  session,
  onEdit,
  onReturn,
  onClose,
  onDone,
  onProblem,
  onOpenStudy,
  foot,
  ...rest
}: StoryPanelProps) {
  const { t } = useLingui();
  const asOf = useStore(session.state);
  const { page, called } = asOf;
  const panel = useRef<HTMLElement>(null);
  const { data: chapters } = useQuery({
    ...queries.chapters(project?.projectId ?? ""),
    enabled: project !== null,
  });
  const { data: list } = useQuery({
    ...queries.continuity(project?.projectId ?? ""),
    enabled: project !== null,
  });
  const at = positionOf(asOf);
  const isPlaced = asOf.mode === "whole" || at !== null;
  const open = isPlaced
    ? issuesUpTo(list?.issues ?? [], at, chapters ?? []).filter(({ verdict }) => verdict === null).length
    : 0;
  const onKeyDown = usePanelKeys({ panel, session, chapters: chapters ?? [], onReturn, onClose });
  useEffect(() => {
    // A row that was asked for may have the focus already.
    if (called > 0 && !panel.current?.contains(document.activeElement)) panel.current?.focus({ preventScroll: true });
  }, [called]);
  const pageOf = (key: StoryPage) =>
    project ? (
      key === "continuity" ? (
        <ContinuityPage
          key={project.projectId}
          project={project}
          session={session}
          onEdit={onEdit}
          onOpenStudy={onOpenStudy}
          {...rest}
        />
      ) : key === "threads" ? (
        <ThreadsPage key={project.projectId} project={project} session={session} {...rest} />
      ) : (
        <PeoplePage key={project.projectId} project={project} page={key} session={session} {...rest} />
      )
    ) : (
      <p className={css.nothing} data-testid="story-no-book">{t`打开一本书，这里就列出书里的人、地方和物。`}</p>
    );
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section
      ref={panel}
      className={css.panel}
      aria-label={t`故事`}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={-1}
      onKeyDown={onKeyDown}
      data-testid="story-panel"
    >
      <Pages<StoryPage>
        title={t`故事`}
        label={t`故事里的`}
        value={page}
        onChange={(next) => session.state.setState({ page: next, open: null })}
        testId="story-page"
        actions={
          <>
            {project && (
              <StoryFiles
                key={project.projectId}
                project={project}
                isReadOnly={isReadOnly(rest.problems)}
                onChanged={rest.onChanged}
                onDone={onDone}
                onProblem={onProblem}
              />
            )}
            <IconButton name="cross" size="s" label={t`关闭故事`} onPress={onClose} data-testid="story-close" />
          </>
        }
        pages={[
          { key: "people", label: t`人物`, disabled: !project, children: pageOf("people") },
          { key: "places", label: t`地方与物`, disabled: !project, children: pageOf("places") },
          { key: "threads", label: t`线索与时间`, disabled: !project, children: pageOf("threads") },
          {
            key: "continuity",
            label: t`疑点`,
            count: open > 0 ? count(open) : null,
            disabled: !project,
            children: pageOf("continuity"),
          },
        ]}
      />
      {foot}
    </section>
  );
}
