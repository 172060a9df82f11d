import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  call,
  queries,
  toBackendError,
  type ContinuityIssue,
  type ContinuityVerdict,
  type Project,
} from "../../backend";
import { isKnownTooEarly } from "./continuity";

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

/** The fact that an issue wrote on a card, as it was written; `undefined`: it wrote none, or the writer changed it. */
async function writtenFactOf(project: Project, issue: ContinuityIssue) {
  if (!isKnownTooEarly(issue)) return undefined;
  const { attribute, value, citation } = factOfKnowing(project, issue);
  const card = call("story:entity:get", { projectId: project.projectId, entityId: issue.entityId! });
  const facts = await card.then(
    ({ facts: onCard }) => onCard,
    (error: unknown) => {
      // A character that is no longer on a card has no fact to delete.
      if (toBackendError(error).code === "MEMORY_NOT_FOUND") return [];
      throw error;
    },
  );
  return facts.find(
    (fact) =>
      fact.version === 1 &&
      fact.attribute === attribute &&
      fact.value === value &&
      fact.citations.some(({ chapterId, quote }) => chapterId === citation.chapterId && quote === citation.quote),
  );
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
  const forget = (issueId: string) => setNoted((before) => new Map([...before].filter(([of]) => of !== issueId)));
  /** Gives a verdict beside a change of facts: one without the other is not what the writer asked for. */
  const resolveBeside = async (changeId: string, given: Given) => {
    try {
      return await resolve(given);
    } catch (error) {
      await call("story:undo", { projectId, changeId });
      throw error;
    }
  };
  const change = useMutation({
    mutationFn: async (given: Given) => {
      const { issueId } = given.issue;
      if (given.isKnown) {
        const { changeId } = await call("story:fact:save", factOfKnowing(project, given.issue));
        const changed = await resolveBeside(changeId, given);
        setNoted((before) => new Map([...before, [issueId, changeId]]));
        return changed;
      }
      const changeId = noted.get(issueId);
      if (changeId !== undefined) {
        await call("story:undo", { projectId, changeId });
        forget(issueId);
        return resolve(given);
      }
      // A note of an earlier session has no change to undo here: its fact is deleted.
      const fact = given.verdict === null ? await writtenFactOf(project, given.issue) : undefined;
      if (!fact) return resolve(given);
      const { factId, version } = fact;
      const deleted = await call("story:fact:delete", { projectId, factId, version });
      return resolveBeside(deleted.changeId, given);
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
