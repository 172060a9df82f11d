import { useQuery } from "@tanstack/react-query";
import { useStore } from "zustand";
import { queries, type Project } from "../backend";
import { KeptAnswerParts } from "../features/answers";
import { AskPanel } from "../features/ask";
import { useProgram } from "./program";

/** The questions in the assistant's panel. Apart from the shell, which is not rendered again when the caret moves. */
export function Ask({ project }: { project: Project }) {
  const program = useProgram();
  const { ask, story } = program;
  const caretChapterId = useStore(story.session.state, ({ caret }) => caret?.chapterId ?? null);
  const { data: chapters = [] } = useQuery(queries.chapters(project.projectId));
  return (
    <AskPanel
      key={project.projectId}
      session={ask.session}
      project={project}
      caretChapterId={caretChapterId}
      onStart={() => ask.ask()}
      onJudge={(answer, isRight) => void ask.judge(answer, isRight)}
      onSettle={(answer, isSettled) => void ask.settle(answer, isSettled)}
      onUnblock={(answer) => void ask.setBlocked(answer, false)}
      onTake={(answer) => void ask.judge(answer, true)}
      onAgain={(onlyBook) => void ask.session.again(onlyBook === undefined ? {} : { onlyBook })}
      onInsert={(text, kept) => void ask.insert(text, kept)}
      onCopy={(text, kept) => void ask.copy(text, kept)}
      onWhy={(generationId) => program.openWhy(generationId)}
      onSettings={() => program.show("settings")}
      onMend={() => program.openMemory("safety")}
      renderKept={(answer) => (
        <KeptAnswerParts
          answer={answer}
          chapters={chapters}
          onOpenPassage={(range, text) => void story.openMention(range, text)}
          onChanged={(message, undo) => program.reportChange(message, undo)}
        />
      )}
    />
  );
}
