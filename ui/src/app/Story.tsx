import { useState } from "react";
import { useStore } from "zustand";
import { toBackendError, type HealthProblem } from "../backend";
import { isReadOnly, StoryPanel } from "../features/story";
import { StudyFoot } from "../features/study";
import { useProgram } from "./program";

interface StoryProps {
  problems: readonly HealthProblem[];
  onMend: () => void;
}

/** The story panel beside the text. Apart from the shell, which is not rendered again when the selection changes. */
export function Story({ problems, onMend }: StoryProps) {
  const program = useProgram();
  const { story } = program;
  const project = useStore(program.window, (state) => state.project);
  const isAway = useStore(story.session.state, (state) => state.isAway);
  const hasSelection = useStore(program.editor.state, (state) => state.hasSelection);
  const [studyCalls, setStudyCalls] = useState(0);
  return (
    <StoryPanel
      project={project}
      session={story.session}
      problems={problems}
      onOpenMention={(range, text) => void story.openMention(range, text)}
      onEdit={(range, text) => void story.openToEdit(range, text)}
      onReturn={() => void story.returnToCaret(false)}
      selection={() => story.cited()}
      hasSelection={hasSelection}
      onChanged={(message, change) => story.report(message, change)}
      onDone={(message) => program.announce(message)}
      onProblem={(error) => program.window.setState({ problem: toBackendError(error) })}
      onMend={onMend}
      onClose={() => program.closePanel()}
      onOpenStudy={() => setStudyCalls((calls) => calls + 1)}
      foot={
        project && (
          <StudyFoot
            key={project.projectId}
            project={project}
            isReadOnly={isReadOnly(problems)}
            isAway={isAway}
            called={studyCalls}
            onOpenPassage={(range, text) => void story.openMention(range, text)}
            onSettings={() => program.show("settings")}
          />
        )
      }
    />
  );
}
