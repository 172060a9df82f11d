import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { call, queries, type PairCounts, type StudyEstimate } from "../../backend";
import { Busy, Button } from "../../design";
import { errorSentence, refusedField } from "../../i18n/errors";
import { count } from "../../i18n/words";
import css from "./continuity.module.css";
import { comparedWords, pairsStateOf, waitingWords, type PairsState } from "./pairs";

interface PairsNoteProps {
  projectId: string;
  pairs: PairCounts;
  /** Whether no comparison can be started now. */
  isReadOnly: boolean;
  /** Opens the tray of the study. */
  onOpenStudy: () => void;
}

/** States in which the tray of the study has what is missing. */
const IN_STUDY: ReadonlySet<PairsState> = new Set<PairsState>(["noModel", "notAgreed", "otherHost"]);

/** The pairs of sentences that a model compares: how many wait, how to start it, or what it said. */
export function PairsNote({ projectId, pairs, isReadOnly, onOpenStudy }: PairsNoteProps) {
  const { t } = useLingui();
  const note = useRef<HTMLDivElement>(null);
  const { data: study } = useQuery(queries.study(projectId));
  const { data: estimate } = useQuery({ ...queries.studyEstimate(projectId), enabled: pairs.waiting > 0 });
  const [isAsked, setAsked] = useState(false);
  if (isAsked && (pairs.waiting === 0 || study?.currentPhase === "stopped")) setAsked(false);
  const { start, stop, error, isPending } = useComparison(projectId, setAsked);
  const state = pairsStateOf(pairs, study, estimate, isAsked);
  const isPressed = useRef(false);
  useEffect(() => {
    // The button that was pressed is gone: the focus stays in the panel.
    if (!isPressed.current || document.activeElement !== document.body) return;
    const next = note.current?.querySelector("button") ?? note.current?.closest<HTMLElement>("section");
    next?.focus({ preventScroll: true });
  }, [state]);
  const press = (act: () => void) => () => {
    isPressed.current = true;
    if (!isPending) act();
  };

  if (state === "none" && !error) return null;
  return (
    <div ref={note} className={css.pairs} data-state={state} data-testid="continuity-pairs">
      {state === "comparing" ? (
        <p>
          <Busy>{t`正在比……`}</Busy>
          {pairs.waiting > 0 && <span>{t`全书还有 ${count(pairs.waiting)} 对`}</span>}
        </p>
      ) : (
        state !== "none" && <p>{state === "compared" ? comparedWords(pairs) : waitingWords(pairs, state)}</p>
      )}
      {!isReadOnly && state === "comparing" && (
        <Button size="s" kind="quiet" onPress={press(stop)} data-stop data-testid="continuity-compare-stop">
          {t`停下`}
        </Button>
      )}
      {!isReadOnly && state === "ready" && (
        <Button size="s" kind="quiet" onPress={press(start)} data-stop data-testid="continuity-compare">
          {t`现在就比`}
        </Button>
      )}
      {!isReadOnly && IN_STUDY.has(state) && (
        <Button size="s" kind="quiet" onPress={onOpenStudy} data-stop data-testid="continuity-open-study">
          {state === "notAgreed" ? t`先看要花多少` : t`展开自读`}
        </Button>
      )}
      {state === "ready" && estimate && <Destination estimate={estimate} />}
      {IN_STUDY.has(state) && <small>{t`左腿右腿这样的，要有模型才比得出来。`}</small>}
      {error !== null && (
        <small role="alert" className={css.problem} data-testid="continuity-compare-problem">
          {refusedField(error) === "projectId" ? t`这个模型还没有说好，先看要花多少，再比。` : errorSentence(error)}
        </small>
      )}
    </div>
  );
}

/** The words that a comparison sends, and where. */
function Destination({ estimate: { host, isLocal, model, namesHidden } }: { estimate: StudyEstimate }) {
  const { t } = useLingui();
  return (
    <small data-testid="continuity-compare-sends">
      {isLocal ? (
        <>
          <Trans>
            每对问一次，问的是本机的 <b>{model}</b>，什么也不发出去。
          </Trans>
          {namesHidden && t`藏着的名字照样换成化名。`}
        </>
      ) : (
        <>
          <Trans>
            每对问一次，只把这两句和说的是谁发往 <b>{host}</b>。
          </Trans>
          {namesHidden ? t`名字换成化名。` : t`这本书没有藏着的名字，都照原样发。`}
        </>
      )}
    </small>
  );
}

/** Starts and stops the comparison. `onAccepted` is called once that was accepted. */
function useComparison(projectId: string, onAccepted: (isStarted: boolean) => void) {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (name: "story:continuity:compare" | "story:continuity:stop") => call(name, { projectId }),
    onSuccess: (state, name) => {
      client.setQueryData(queries.study(projectId).queryKey, state);
      onAccepted(name === "story:continuity:compare");
    },
    // Also after a refusal: the settings or the model may have been changed elsewhere.
    onSettled: () => {
      for (const of of ["knowledge", "studyEstimate"]) void client.invalidateQueries({ queryKey: [of, projectId] });
    },
  });
  return {
    start: () => change.mutate("story:continuity:compare"),
    stop: () => change.mutate("story:continuity:stop"),
    isPending: change.isPending,
    /** Why the last of them was refused. */
    error: change.error,
  };
}
