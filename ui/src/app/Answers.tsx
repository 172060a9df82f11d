import type { HealthProblem, Project } from "../backend";
import { AnswerList } from "../features/answers";
import { useProgram } from "./program";

interface AnswersProps {
  project: Project;
  problems: HealthProblem[];
  /** The answer that is shown first. */
  target: string | null;
}

/** The answers of a book in the memory panel: citations open in the text, and every verdict is reported with its undo. */
export function Answers({ project, problems, target }: AnswersProps) {
  const program = useProgram();
  return (
    <AnswerList
      key={project.projectId}
      project={project}
      problems={problems}
      target={target}
      onMend={() => program.openMemory("safety")}
      onOpenPassage={(range, text) => void program.story.openMention(range, text)}
      onChanged={(message, undo) => program.reportChange(message, undo)}
    />
  );
}
