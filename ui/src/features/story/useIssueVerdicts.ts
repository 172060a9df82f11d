import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, queries, type ContinuityIssue, type ContinuityVerdict, type Project } from "../../backend";

interface Given {
  issue: ContinuityIssue;
  /** `null`: the verdict is taken back. */
  verdict: ContinuityVerdict | null;
  /** Whether a fact is written that says that the character knew it. */
  isKnown?: boolean;
}

/** Maximum characters of a fact. */
const MAX_VALUE = 500;

/** The fact on the card of a character that it knows what an issue says it learns, with the earlier place. */
function factOfKnowing({ projectId, language }: Project, { entityId, first, second, values }: ContinuityIssue) {
  const { chapterId, from, quote } = first;
  const words = (values[1] ?? second.quote).replaceAll(/\s+/g, " ").trim();
  return {
    projectId,
    entityId: entityId!,
    attribute: language === "zh" ? "知道" : "knows",
    value: [...words].slice(0, MAX_VALUE).join(""),
    citation: { chapterId, from, quote },
  };
}

/** The writer's verdicts on continuity issues, one at a time. `onGiven` is called once one is stored. */
export function useIssueVerdicts(project: Project, onGiven: (given: Given) => void) {
  const { projectId } = project;
  const client = useQueryClient();
  const { queryKey } = queries.continuity(projectId);
  /** The changes that wrote facts of knowing, by issue. */
  const [noted, setNoted] = useState<ReadonlyMap<string, string>>(new Map());
  const resolve = ({ issue: { issueId }, verdict }: Given) =>
    call("story:continuity:resolve", { projectId, issueId, verdict });
  const change = useMutation({
    mutationFn: async (given: Given) => {
      const { issueId } = given.issue;
      const changeId = noted.get(issueId);
      if (given.isKnown) {
        const written = await call("story:fact:save", factOfKnowing(project, given.issue));
        try {
          const changed = await resolve(given);
          setNoted((before) => new Map([...before, [issueId, written.changeId]]));
          return changed;
        } catch (error) {
          // One without the other is not what the writer asked for.
          await call("story:undo", { projectId, changeId: written.changeId });
          throw error;
        }
      }
      if (changeId !== undefined) {
        await call("story:undo", { projectId, changeId });
        setNoted((before) => new Map([...before].filter(([of]) => of !== issueId)));
      }
      return resolve(given);
    },
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
  const give = (given: Given) => {
    if (!change.isPending) change.mutate(given);
  };
  return {
    resolve: (issue: ContinuityIssue, verdict: ContinuityVerdict | null) => give({ issue, verdict }),
    noteKnown: (issue: ContinuityIssue) => give({ issue, verdict: "intended", isKnown: true }),
    isNoted: ({ issueId }: ContinuityIssue) => noted.has(issueId),
    /** The issue whose verdict was refused last, and why; `null`: the last one was stored. */
    refused: change.error && change.variables ? { issueId: change.variables.issue.issueId, error: change.error } : null,
  };
}
