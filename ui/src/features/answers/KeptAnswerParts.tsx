import { useState } from "react";
import type { Answer, ChapterInfo } from "../../backend";
import { StaleCitations, type OpenPassage } from "./AnswerCitations";
import { useAnswerChanges, type ReportChange } from "./answerChanges";
import { AnswerHistory } from "./AnswerHistory";
import { AnswerStanding, BlockedAnswer, ChallengedAnswer } from "./AnswerStanding";

interface KeptAnswerPartsProps {
  answer: Answer;
  chapters: readonly ChapterInfo[];
  onOpenPassage: OpenPassage;
  onChanged: ReportChange;
}

/** The standing of a kept answer, for a card elsewhere: changed text, blocks, how far it has held, and its history. */
export function KeptAnswerParts({ answer, chapters, onOpenPassage, onChanged }: KeptAnswerPartsProps) {
  const [isOpen, setOpen] = useState(false);
  const changes = useAnswerChanges(answer, onChanged);
  const { citations, staleness, status, isChallenged } = answer;
  return (
    <>
      {staleness === "stale" && (
        <StaleCitations citations={citations} chapters={chapters} onOpenPassage={onOpenPassage} />
      )}
      {status === "blocked" && <BlockedAnswer answer={answer} />}
      {isChallenged && <ChallengedAnswer answer={answer} />}
      <AnswerStanding answer={answer} isOpen={isOpen} onOpen={setOpen} />
      {isOpen && <AnswerHistory answer={answer} isPending={changes.isPending} onUndo={changes.undo} />}
    </>
  );
}
