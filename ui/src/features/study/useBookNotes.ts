import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, queries, type Practice } from "../../backend";
import type { CraftNoteWords } from "./CraftNoteForm";

/** Characters of an introduction of a book, at most. */
export const MAX_BACKGROUND = 2_000;

/** The way back from a change: it is a change itself. */
type Back = () => Promise<void>;

/** The writer's changes of the introduction of a book and of the craft notes. One at a time. */
export interface BookNotesChanges {
  /** `before`: the words that it replaces. */
  saveBackground: (next: { background: string; version: number }, before: string) => void;
  addNote: (words: CraftNoteWords, onDone: () => void) => void;
  changeNote: (note: Practice, words: CraftNoteWords, onDone: () => void) => void;
  deleteNote: (note: Practice) => void;
  /** Takes the last change back; `null`: there is none, or it was taken back. */
  undo: (() => void) | null;
  /** The last change, in words. */
  done: string | null;
  isPending: boolean;
  error: unknown;
}

interface Change {
  run: () => Promise<Back | null>;
  done: string;
  onDone?: () => void;
}

/** The fields of a note beside its words. */
const rest = ({ applicableScenarios, sourceProjects }: Practice) => ({ applicableScenarios, sourceProjects });
const wordsOf = ({ title, description }: CraftNoteWords) => ({ title, description });

export function useBookNotes(projectId: string): BookNotesChanges {
  const client = useQueryClient();
  const [last, setLast] = useState<{ done: string; back: Back | null } | null>(null);
  const background = queries.background(projectId).queryKey;
  const change = useMutation({
    mutationFn: ({ run }: Change) => run(),
    onSuccess: (back, { done, onDone }) => {
      setLast({ done, back });
      onDone?.();
    },
    onError: () => setLast(null),
    // Also after a refusal: it was changed elsewhere, and the writer decides about what is shown then.
    onSettled: () =>
      Promise.all([background, queries.practices().queryKey].map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
  const make = (next: Change) => {
    if (!change.isPending) change.mutate(next);
  };
  const remove = async ({ practiceId, version }: Practice) =>
    void (await call("knowledge:practice:delete", { practiceId, version }));
  return {
    saveBackground: (next, before) =>
      make({
        done: t`这本书的介绍存好了`,
        run: async () => {
          const saved = await call("knowledge:project:update", { projectId, ...next });
          client.setQueryData(background, saved);
          return async () => {
            const { version } = saved;
            client.setQueryData(
              background,
              await call("knowledge:project:update", { projectId, background: before, version }),
            );
          };
        },
      }),
    addNote: (words, onDone) =>
      make({
        done: t`写法记下了`,
        onDone,
        run: async () => {
          const added = await call("knowledge:practice:add", wordsOf(words));
          return () => remove(added);
        },
      }),
    changeNote: (note, words, onDone) =>
      make({
        done: t`写法改好了`,
        onDone,
        run: async () => {
          const { practiceId } = note;
          const save = (version: number, of: CraftNoteWords) =>
            call("knowledge:practice:add", { practiceId, version, ...rest(note), ...wordsOf(of) });
          const { version } = await save(note.version, words);
          return async () => void (await save(version, note));
        },
      }),
    deleteNote: (note) =>
      make({
        done: t`写法删掉了`,
        run: async () => {
          await remove(note);
          return async () => void (await call("knowledge:practice:add", { ...rest(note), ...wordsOf(note) }));
        },
      }),
    undo:
      last?.back == null
        ? null
        : () => make({ done: t`已撤销，和原来一样`, run: async () => (await last.back!(), null) }),
    done: change.isPending ? null : (last?.done ?? null),
    isPending: change.isPending,
    error: change.error,
  };
}
