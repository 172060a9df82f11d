import type { StudyPhase, StudyState } from "../../backend";

/** The state of a study as the writer sees it. */
export type StudyMode =
  | "off"
  | "working"
  /** The writer is writing: the present question goes on later. */
  | "writing"
  /** The writer has paused learning. */
  | "learningPaused"
  /** It begins when the writer is away. */
  | "waiting"
  | "backingOff"
  | "usedUp"
  | "failed"
  | "keyRefused"
  /** The writer stopped it. */
  | "stopped"
  | "nothingLeft"
  | "noModel";

export function modeOf({ isEnabled, currentPhase, stopReason, question }: StudyState): StudyMode {
  // The writer can have sentences compared while it is off.
  if (!isEnabled) return currentPhase === "comparing" && stopReason === null ? "working" : "off";
  switch (stopReason) {
    case "user":
      return "stopped";
    case "noKey":
      return "keyRefused";
    case "fullyLearned":
    case "duplicates":
    case "unchanged":
      return "nothingLeft";
    case "quota":
      return "usedUp";
    case "error":
      return currentPhase === "backingOff" ? "backingOff" : "failed";
    case "noModel":
      return "noModel";
    case "paused":
      return "learningPaused";
    case "bookClosed":
      return "waiting";
    case null:
      if (currentPhase === "idle") return question === null ? "waiting" : "writing";
      if (currentPhase === "stopped") return "stopped";
      return currentPhase === "backingOff" ? "backingOff" : "working";
  }
}

/** The place of a phase among the four that are named; −1: it is at none of them. */
const STEP_OF: Record<StudyPhase, number> = {
  idle: -1,
  checking: 0,
  // No question is explored.
  comparing: -1,
  generatingQuestion: 0,
  exploring: 1,
  summarizing: 2,
  committing: 3,
  backingOff: -1,
  stopped: -1,
};
export const phaseIndex = (phase: StudyPhase): number => STEP_OF[phase];

/** Modes in which the writer can ask it to go on at once. */
const STARTABLE: ReadonlySet<StudyMode> = new Set<StudyMode>([
  "writing",
  "waiting",
  "backingOff",
  "failed",
  "keyRefused",
  "stopped",
]);
export const isStartable = (mode: StudyMode): boolean => STARTABLE.has(mode);

/** Modes in which it would go on by itself. */
const STOPPABLE: ReadonlySet<StudyMode> = new Set<StudyMode>([
  "working",
  "writing",
  "learningPaused",
  "waiting",
  "backingOff",
]);
export const isStoppable = (mode: StudyMode): boolean => STOPPABLE.has(mode);
