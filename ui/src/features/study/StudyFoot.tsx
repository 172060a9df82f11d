import { useLingui } from "@lingui/react/macro";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";
import { queries, type MentionRange, type Project } from "../../backend";
import { Button, IconButton } from "../../design";
import { errorSentence, isOfReason } from "../../i18n/errors";
import { count } from "../../i18n/words";
import { isComposing } from "../../lib/ime";
import { BookNotes } from "./BookNotes";
import { isStartable, isStoppable, modeOf, type StudyMode } from "./mode";
import { Depth, StudyOff } from "./StudyOff";
import { StudyOn } from "./StudyOn";
import { OwnQuestion } from "./OwnQuestion";
import { StudyQueue } from "./StudyQueue";
import { StudyRecords } from "./StudyRecords";
import css from "./study.module.css";
import { useStudyChanges } from "./useStudyChanges";
import { headline, modelWords } from "./words";

/** Modes whose notice in the tray says why. */
const EXPLAINED: ReadonlySet<StudyMode> = new Set<StudyMode>(["failed", "keyRefused", "noModel"]);

interface StudyFootProps {
  project: Project;
  /** Whether the settings and the records cannot be changed now. */
  isReadOnly: boolean;
  /** Whether the editor shows a passage that was opened from the panel: Escape returns from it first. */
  isAway: boolean;
  /** Counts requests from elsewhere to open the tray. */
  called: number;
  /** Opens a passage of the text and lights it; the focus stays where it is. */
  onOpenPassage: (range: MentionRange, text: string | null) => void;
  onSettings: () => void;
}

/** The study of a book, below the story: one line, and a tray with its estimate, its work and its records. */
export function StudyFoot({ project, isReadOnly, isAway, called, onOpenPassage, onSettings }: StudyFootProps) {
  const { t } = useLingui();
  const { projectId } = project;
  const trayId = useId();
  const foot = useRef<HTMLElement>(null);
  const [isOpen, setOpen] = useState(false);
  const { data: state, error, refetch } = useQuery(queries.study(projectId));
  const { data: estimate, error: unestimated } = useQuery({ ...queries.studyEstimate(projectId), enabled: isOpen });
  const { data: listed } = useInfiniteQuery(queries.records(projectId));
  const changes = useStudyChanges(projectId);
  const proposed = listed?.pages[0]?.proposed ?? 0;
  const mode = state && modeOf(state);
  /** Whether the study is switched off: its tray shows the estimate. */
  const isOff = state !== undefined && !state.isEnabled;
  const [answered, setAnswered] = useState(called);
  if (called !== answered) {
    setAnswered(called);
    setOpen(true);
  }
  const focused = useRef(called);
  useEffect(() => {
    if (called === focused.current) return;
    focused.current = called;
    foot.current?.querySelector<HTMLElement>("[data-fold]")?.focus();
  }, [called]);
  const fold = () => {
    setOpen(false);
    foot.current?.querySelector<HTMLElement>("[data-fold]")?.focus();
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented || isComposing(event.nativeEvent)) return;
    if (!isOpen || isAway) return;
    event.preventDefault();
    event.stopPropagation();
    // A question that is being written is not thrown away by the key.
    const { target } = event;
    if (!(target instanceof HTMLTextAreaElement) || target.value === "") fold();
  };

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section ref={foot} className={css.foot} aria-label={t`自读`} onKeyDown={onKeyDown} data-testid="study">
      <div className={css.head}>
        <h3>{t`自读`}</h3>
        {state && (
          <span className={css.headline} role="status" data-testid="study-headline" data-mode={mode}>
            {isOpen && mode && EXPLAINED.has(mode)
              ? t({ message: "停下了", context: "a study" })
              : headline(state, isOpen && estimate ? modelWords(estimate) : null)}
            {!isOpen && proposed > 0 && <span data-testid="study-proposed">{t`，${count(proposed)} 条等你看`}</span>}
          </span>
        )}
        <span className="grow" />
        {mode && !isReadOnly && mode !== "failed" && mode !== "keyRefused" && isStartable(mode) && (
          <Button
            size="s"
            kind="quiet"
            icon="play"
            isDisabled={changes.isPending}
            onPress={changes.run}
            data-testid="study-run"
          >
            {mode === "backingOff" ? t`现在就试` : mode === "stopped" ? t`接着读` : t`现在就读`}
          </Button>
        )}
        {mode && !isReadOnly && isStoppable(mode) && (
          <Button
            size="s"
            kind="quiet"
            icon="pause"
            isDisabled={changes.isPending}
            onPress={changes.stop}
            data-testid="study-stop"
          >{t`停下`}</Button>
        )}
        {mode === "off" && !isOpen ? (
          <Button
            size="s"
            kind="quiet"
            aria-expanded={false}
            onPress={() => setOpen(true)}
            data-fold
            data-stop
            data-testid="study-open"
          >{t`先看要花多少`}</Button>
        ) : (
          state && (
            <IconButton
              name={isOpen ? "down" : "right"}
              size="xs"
              label={isOpen ? t`收起自读` : t`展开自读`}
              aria-expanded={isOpen}
              aria-controls={isOpen ? trayId : undefined}
              onPress={() => (isOpen ? fold() : setOpen(true))}
              data-fold
              data-stop
              data-testid="study-open"
            />
          )
        )}
      </div>
      {error && (
        <p className={css.problem} role="alert" data-testid="study-failed">
          {isOfReason(error, "clearing") ? t`正在清除这本书的记忆……清完以前，这里不列，也不答。` : errorSentence(error)}
          {!isOfReason(error, "clearing") && (
            <Button
              size="s"
              kind="quiet"
              onPress={() => void refetch()}
              data-testid="study-retry"
            >{t`再试一次`}</Button>
          )}
        </p>
      )}
      {mode === "off" && !isOpen && <p className={css.quiet}>{t`读人名、地方和时间用不着它，都在这台电脑上。`}</p>}
      {isOpen && state && (
        <div id={trayId} className={css.tray} data-scroller data-testid="study-tray">
          {(changes.error ?? unestimated) && (
            <p className={css.problem} role="alert" data-testid="study-problem">
              {errorSentence(changes.error ?? unestimated)}
            </p>
          )}
          {isOff ? (
            <StudyOff
              state={state}
              estimate={estimate}
              changes={changes}
              isReadOnly={isReadOnly}
              onFold={fold}
              onSettings={onSettings}
            />
          ) : (
            <StudyOn
              state={state}
              estimate={estimate}
              changes={changes}
              isReadOnly={isReadOnly}
              onSettings={onSettings}
            />
          )}
          <StudyRecords project={project} isReadOnly={isReadOnly} onOpenPassage={onOpenPassage} />
          {!isOff && <StudyQueue projectId={projectId} isReadOnly={isReadOnly} asked={state.questionId} />}
          <BookNotes projectId={projectId} isReadOnly={isReadOnly} />
          {!isOff && !isReadOnly && (
            <div className={css.switches}>
              <Depth state={state} changes={changes} />
              <span className="grow" />
              <Button
                size="s"
                kind="quiet"
                isDisabled={changes.isPending}
                onPress={() => changes.switchOff(state)}
                data-testid="study-off"
              >{t`关掉自读`}</Button>
            </div>
          )}
        </div>
      )}
      {isOpen && state && !isOff && !isReadOnly && <OwnQuestion projectId={projectId} />}
    </section>
  );
}
