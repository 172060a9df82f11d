import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call, queries, type StudyState } from "../../backend";

/** The writer's changes of a study. One at a time. */
export interface StudyChanges {
  /** Switches it on, which agrees to the estimate for this host. */
  switchOn: (state: StudyState, host: string) => void;
  switchOff: (state: StudyState) => void;
  setDeep: (state: StudyState, isDeep: boolean) => void;
  /** Goes on at once. */
  run: () => void;
  stop: () => void;
  isPending: boolean;
  error: unknown;
}

export function useStudyChanges(projectId: string): StudyChanges {
  const client = useQueryClient();
  const refresh = () => {
    for (const of of ["knowledge", "studyEstimate"]) void client.invalidateQueries({ queryKey: [of, projectId] });
  };
  const change = useMutation({
    mutationFn: (run: () => Promise<StudyState>) => run(),
    onSuccess: (state) => client.setQueryData(queries.study(projectId).queryKey, state),
    // Also after a refusal: the settings may have been changed elsewhere, or the model.
    onSettled: refresh,
  });
  const make = (run: () => Promise<StudyState>) => {
    if (!change.isPending) change.mutate(run);
  };
  return {
    switchOn: ({ version }, agreedHost) =>
      make(() => call("knowledge:study:set", { projectId, isEnabled: true, agreedHost, version })),
    switchOff: ({ version }) => make(() => call("knowledge:study:set", { projectId, isEnabled: false, version })),
    setDeep: ({ isEnabled, agreedHost, version }, isDeep) =>
      make(() => call("knowledge:study:set", { projectId, isEnabled, isDeep, agreedHost, version })),
    run: () => make(() => call("knowledge:study:run", { projectId })),
    stop: () => make(() => call("knowledge:study:stop", { projectId })),
    isPending: change.isPending,
    error: change.error,
  };
}
