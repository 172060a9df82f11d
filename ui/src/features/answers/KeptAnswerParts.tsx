import { useState } from "react";
import type { Answer, ChapterInfo } from "../../backend";
import { DoubtedAnswer, StaleCitations, DoubtActions, type OpenPassage } from "./AnswerCitations";
import { useAnswerChanges, type ReportChange } from "./answerChanges";
import { AnswerHistory } from "./AnswerHistory";
import { AnswerProblem } from "./AnswerProblem";
import { AnswerStanding, BlockedAnswer, ChallengedAnswer } from "./AnswerStanding";
import { DisagreeingAnswer } from "./DisagreeingAnswer";

interface KeptAnswerPartsProps {
  answer: Answer;
  chapters: readonly ChapterInfo[];
  onOpenPassage: OpenPassage;
  onChanged: ReportChange;
}

/** The standing of a kept answer, for a card elsewhere, with what speaks against it, its history, and a failed change. */
export function KeptAnswerParts({ answer, chapters, onOpenPassage, onChanged }: KeptAnswerPartsProps) {
  const [isOpen, setOpen] = useState(false);
  const changes = useAnswerChanges(answer, onChanged);
  const { staleness, status, isChallenged, language } = answer;
  const doubt = {
    answer,
    chapters,
    isPending: changes.isPending,
    onOpenPassage,
    onReaffirm: changes.reaffirm,
    // It can be undone, and a deletion cannot.
    onDiscard: () => changes.setBlocked(true),
  };
  return (
    <>
      {staleness === "stale" && <StaleCitations {...doubt} lang={language} />}
      {staleness === "maybe" && <DoubtedAnswer {...doubt} />}
      {answer.disagreesWith.length > 0 && <DisagreeingAnswer answer={answer} changes={changes} />}
      {status === "blocked" && <BlockedAnswer answer={answer} />}
      {isChallenged && (
        <ChallengedAnswer answer={answer}>
          {staleness === "current" && (
            <DoubtActions isPending={doubt.isPending} onReaffirm={doubt.onReaffirm} onDiscard={doubt.onDiscard} />
          )}
        </ChallengedAnswer>
      )}
      <AnswerStanding answer={answer} isOpen={isOpen} onOpen={setOpen} />
      {isOpen && <AnswerHistory answer={answer} isPending={changes.isPending} onUndo={changes.undo} />}
      <AnswerProblem answer={answer} changes={changes} />
    </>
  );
}
