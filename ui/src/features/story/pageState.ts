import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useStore } from "zustand";
import { queries, type CitationDraft, type HealthProblem, type MentionRange, type Project } from "../../backend";
import { numberOf } from "../../lib/ordinal";
import { useEntityChanges } from "./changes";
import { acceptedOf, pageOf } from "./entities";
import type { RowContext } from "./EntityDetail";
import { useFactChanges, type Undoable } from "./factChanges";
import { lastIndexOf, positionOf } from "./position";
import type { StripChapters } from "./PresenceStrip";
import { isReadOnly } from "./readOnly";
import type { StorySession } from "./session";

/** The surroundings of each page of the panel. */
export interface PageProps {
  project: Project;
  session: StorySession;
  problems: readonly HealthProblem[];
  onOpenMention: (range: MentionRange, text: string | null) => void;
  /** The words that are selected in the text, to be cited; `null` without a selection. */
  selection: () => CitationDraft | null;
  hasSelection: boolean;
  onChanged: (message: string, change: Undoable) => void;
  onMend: () => void;
}

/** The book as of the position of the panel, and the changes that the writer makes from there. */
export function usePageState(props: PageProps) {
  const { project, session, problems, selection, hasSelection, onOpenMention, onChanged } = props;
  const { projectId } = project;
  const asOf = useStore(session.state);
  const at = positionOf(asOf);
  const isWhole = asOf.mode === "whole";
  const { data: loaded } = useQuery(queries.chapters(projectId));
  const chapters = loaded ?? [];
  const { data: status } = useQuery(queries.analysis(projectId));
  const { data: progress } = useQuery(queries.analyzing(projectId));
  const listed = useQuery({ ...queries.entities(projectId, at), enabled: isWhole || at !== null });
  const { data: list } = listed;
  const changes = useEntityChanges({ projectId, at, onChanged });
  const factChanges = useFactChanges({ projectId, at, onChanged });
  // A list without the text knows no chapters.
  const known = list && !list.degraded ? list.chapters.length : lastIndexOf(asOf, chapters) + 1;
  /** Index of the chapter of the position; `null`: no chapter is special. */
  const last = isWhole ? null : known - 1;
  const strip: StripChapters = {
    all: Math.max(chapters.length, known, 1),
    known,
    end: asOf.mode === "whole" ? null : asOf.mode,
  };
  const isGone = asOf.pinned !== null && loaded !== undefined && numberOf(asOf.pinned, loaded) === 0;
  useEffect(() => {
    if (isGone) session.unpin();
  }, [isGone, session]);
  const context: RowContext = {
    project,
    at,
    chapters,
    entities: list?.entities ?? [],
    accepted: list ? acceptedOf(list, last) : [],
    changes,
    factChanges,
    hasSelection,
    selection,
    onShow: (entityId: string) => session.show(entityId),
    isReadOnly: isReadOnly(problems),
    onOpenMention,
  };
  return { asOf, at, isWhole, chapters, status, progress, listed, known, last, strip, context };
}

export type PageState = ReturnType<typeof usePageState>;

/**
 * Shows an entity that was asked for from elsewhere: its page, and its row with the focus. `rows`: the data of the rows
 * of the page, which may arrive after the list.
 */
export function useShowSought(session: StorySession, { listed }: PageState, ...rows: [unknown, unknown?]): void {
  const { data: list, isFetching } = listed;
  const [first, second] = rows;
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
  }, [list, isFetching, isSought, open, page, session, first, second]);
}
