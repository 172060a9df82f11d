import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call, queries, type ContinuityIssue, type ContinuityVerdict } from "../../backend";

interface Given {
  issue: ContinuityIssue;
  /** `null`: the verdict is taken back. */
  verdict: ContinuityVerdict | null;
}

/** The writer's verdicts on continuity issues, one at a time. `onGiven` is called once one is stored. */
export function useIssueVerdicts(projectId: string, onGiven: (given: Given) => void) {
  const client = useQueryClient();
  const { queryKey } = queries.continuity(projectId);
  const change = useMutation({
    mutationFn: ({ issue, verdict }: Given) =>
      call("story:continuity:resolve", { projectId, issueId: issue.issueId, verdict }),
    onSuccess: (changed, given) => {
      client.setQueryData(
        queryKey,
        (list) =>
          list && { ...list, issues: list.issues.map((one) => (one.issueId === changed.issueId ? changed : one)) },
      );
      onGiven(given);
    },
    // Also after a refusal: a sentence of it may have been edited meanwhile, and then it is another issue.
    onSettled: () => void client.invalidateQueries({ queryKey }),
  });
  return {
    resolve: (issue: ContinuityIssue, verdict: ContinuityVerdict | null) => {
      if (!change.isPending) change.mutate({ issue, verdict });
    },
    /** The issue whose verdict was refused last, and why; `null`: the last one was stored. */
    refused: change.error && change.variables ? { issueId: change.variables.issue.issueId, error: change.error } : null,
  };
}
