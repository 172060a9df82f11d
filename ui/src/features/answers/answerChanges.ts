import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call, type Answer, type AnswerChange } from "../../backend";

/** Reports a change of the writer; `undo` takes it back, `null`: it cannot be. */
export type ReportChange = (message: string, undo: (() => Promise<unknown>) | null) => void;

export interface EditedAnswer {
  question: string;
  answer: string;
}

interface Change {
  run: () => Promise<AnswerChange>;
  message: string;
  /** The events of a change by several commands, once it is made. */
  events?: readonly string[];
  /** Undoes a change that has no event. */
  undo?: ((changed: Answer) => Promise<unknown>) | undefined;
  onDone?: (() => void) | undefined;
}

/** A verdict on one of the answers that disagree. */
export interface Chosen {
  answer: Answer;
  verdict: "settled" | "blocked";
}

/** A choice between answers that disagree of which only some verdicts could be stored. */
export class PartlyChosen extends Error {
  constructor(
    readonly done: readonly Chosen[],
    readonly left: readonly Chosen[],
    /** Events of the stored ones, in their order. */
    readonly events: readonly string[],
    /** Why the next one could not be. */
    override readonly cause: unknown,
  ) {
    super("a choice between answers was stored in part");
  }
}

/** The writer's verdicts on an answer. One at a time. */
export interface AnswerChanges {
  judge: (isRight: boolean) => void;
  settle: (isSettled: boolean) => void;
  setBlocked: (isBlocked: boolean) => void;
  /** Keeps an answer that the text or later runs put in doubt. */
  reaffirm: () => void;
  /** Copies the text, which counts as a use once a day. */
  copy: (text: string) => void;
  /**
   * Confirms the right ones of answers that disagree, and blocks the others: several commands, so the error may be
   * `PartlyChosen`. They disagree until the last one, so the choice can be made again.
   */
  choose: (right: Answer[], wrong: Answer[]) => void;
  /** Makes a copy for all books. */
  promote: () => void;
  edit: (edited: EditedAnswer, onDone: () => void) => void;
  undo: (eventId: string) => void;
  /** Undoes the stored part of a choice. */
  undoChoice: (partly: PartlyChosen) => void;
  remove: () => void;
  error: unknown;
  isPending: boolean;
  /** Removes the error. */
  reset: () => void;
}

/** `onChanged` receives every change but an undo, whose effect is in the history that it was asked for in. */
export function useAnswerChanges({ projectId, answerId, version }: Answer, onChanged: ReportChange): AnswerChanges {
  const client = useQueryClient();
  // Also after a refusal: what is shown then is what the next verdict is about.
  const onSettled = () => client.invalidateQueries({ queryKey: ["answers", projectId] });
  const change = useMutation({
    mutationFn: ({ run }: Change) => run(),
    onSuccess: ({ answer, eventId }, { message, events = eventId === null ? [] : [eventId], undo, onDone }) => {
      onDone?.();
      const ofEvents = events.length === 0 ? null : () => undoAll(projectId, events);
      onChanged(message, undo ? () => undo(answer) : ofEvents);
    },
    onSettled,
  });
  const removal = useMutation({
    mutationFn: () => call("answer:delete", { projectId, answerId, version, confirmed: true }),
    onSuccess: ({ finishedAt }) =>
      onChanged(finishedAt === null ? t`删掉了，备份里的文字正在清除` : t`答案删掉了`, null),
    onSettled,
  });
  const isPending = change.isPending || removal.isPending;
  const make = (made: Change) => {
    if (isPending) return;
    removal.reset();
    change.mutate(made);
  };
  const one = { projectId, answerId, version };

  return {
    judge: (isRight) =>
      make({
        message: isRight ? t`记下了：有用` : t`记下了：不对`,
        run: () => call("answer:validate", { ...one, result: isRight ? "pass" : "fail", source: "writer" }),
      }),
    settle: (userConfirmed) =>
      make({
        message: userConfirmed ? t`定下来了` : t`不再算定论`,
        run: () => call("answer:confirm", { ...one, userConfirmed }),
        // The confirmation is what was undone, so there is no event: the writer settles it again.
        undo: userConfirmed
          ? undefined
          : (changed) => call("answer:confirm", { ...one, version: changed.version, userConfirmed: true }),
      }),
    setBlocked: (isBlocked) =>
      make({
        message: isBlocked ? t`停用了，不再带给模型` : t`重新用了`,
        run: () => call(isBlocked ? "answer:block" : "answer:unblock", one),
      }),
    reaffirm: () => make({ message: t`留着，以现在的原文为准`, run: () => call("answer:reaffirm", one) }),
    copy: (text) => {
      // At once: later the press does not permit it any more.
      const written = navigator.clipboard.writeText(text);
      const run = async () => {
        await written;
        return call("answer:copied", { projectId, answerId });
      };
      make({ message: t`复制了`, run });
    },
    choose: (right, wrong) => {
      const chosen: Chosen[] = [
        ...right.filter((answer) => !answer.userConfirmed).map((answer) => ({ answer, verdict: "settled" as const })),
        ...wrong.map((answer) => ({ answer, verdict: "blocked" as const })),
      ];
      const events: string[] = [];
      const run = async () => {
        let last: AnswerChange = { answer: right[0]!, eventId: null };
        for (const [index, verdict] of chosen.entries()) {
          try {
            last = await store(projectId, verdict);
          } catch (cause) {
            if (index === 0) throw cause;
            throw new PartlyChosen(chosen.slice(0, index), chosen.slice(index), events, cause);
          }
          if (last.eventId !== null) events.push(last.eventId);
        }
        return last;
      };
      make({ message: t`定下来了`, run, events });
    },
    promote: () => make({ message: t`别的书也找得到它了`, run: () => call("answer:promote", one) }),
    edit: (edited, onDone) =>
      make({ message: t`改好了，从头验起`, run: () => call("answer:update", { ...one, ...edited }), onDone }),
    undo: (eventId) => make({ message: t`已撤销，和原来一样`, run: () => call("answer:undo", { projectId, eventId }) }),
    undoChoice: ({ events }) => make({ message: t`已撤销，和原来一样`, run: () => undoAll(projectId, events) }),
    remove: () => {
      if (isPending) return;
      change.reset();
      removal.mutate();
    },
    error: change.error ?? removal.error,
    isPending,
    reset: () => {
      change.reset();
      removal.reset();
    },
  };
}

/** Stores a verdict on one answer, in the open book: a promoted one is of none. */
const store = (projectId: string, { answer: { answerId, version }, verdict }: Chosen): Promise<AnswerChange> =>
  verdict === "settled"
    ? call("answer:confirm", { projectId, answerId, version, userConfirmed: true })
    : call("answer:block", { projectId, answerId, version });

/** Undoes events, the last one first. */
async function undoAll(projectId: string, events: readonly string[]): Promise<AnswerChange> {
  const [first, ...others] = events.toReversed();
  let last = await call("answer:undo", { projectId, eventId: first! });
  for (const eventId of others) last = await call("answer:undo", { projectId, eventId });
  return last;
}
