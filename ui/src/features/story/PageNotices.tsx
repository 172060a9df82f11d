import { errorSentence } from "../../i18n/errors";
import { AsOfNote } from "./AsOf";
import type { PageProps, PageState } from "./pageState";
import { Remember } from "./Remember";
import { Analyzing, FilesDown, NamesMissing, type FailedWords } from "./States";
import css from "./story.module.css";

interface PageNoticesProps {
  page: Pick<PageProps, "project" | "session" | "problems" | "onMend">;
  state: PageState;
  /** The error of the page's own list; `null`: it is there. */
  error: unknown;
  /** The error in the words of the page; by default in those of a list of names. */
  failed?: FailedWords;
  /** Whether Chinese names that only a tagger finds are missing, and the page lists names. */
  isMissing: boolean;
  onRetry: () => void;
}

/** The states of the book above the rows of a page, and the fact that is being written from selected words. */
export function PageNotices({ page, state, error, failed, isMissing, onRetry }: PageNoticesProps) {
  const { project, session, problems, onMend } = page;
  const { asOf, chapters, status, progress, context } = state;
  const { changes, factChanges } = context;
  const problem = changes.error ?? factChanges.error;
  return (
    <div className={css.notices}>
      <AsOfNote session={session} chapters={chapters} />
      <FilesDown problems={problems} error={error} failed={failed} onRetry={onRetry} onMend={onMend} />
      {isMissing && <NamesMissing isTaggerMissing={status?.isTaggerMissing ?? false} />}
      {progress && <Analyzing progress={progress} />}
      {problem != null && (
        <p className={css.problem} role="alert" data-testid="story-problem">
          {errorSentence(problem)}
        </p>
      )}
      {asOf.remembered && (
        <Remember
          projectId={project.projectId}
          lang={project.language === "zh" ? "zh-CN" : "en"}
          citation={asOf.remembered}
          entities={context.entities}
          accepted={context.accepted}
          changes={factChanges}
          onDone={(entityId) => session.endRemembering(entityId)}
        />
      )}
    </div>
  );
}
