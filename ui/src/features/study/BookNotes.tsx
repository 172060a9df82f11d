import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { queries, type Practice } from "../../backend";
import { Button, CappedList, GrowingText, Icon, IconButton, LinkButton } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count } from "../../i18n/words";
import { langOf } from "../../lib/langOf";
import { CraftNoteForm } from "./CraftNoteForm";
import css from "./study.module.css";
import { MAX_BACKGROUND, useBookNotes, type BookNotesChanges } from "./useBookNotes";

interface BookNotesProps {
  projectId: string;
  isReadOnly: boolean;
}

/** The writer's own words that questions and studies are given: the introduction of the book, and craft notes. */
export function BookNotes({ projectId, isReadOnly }: BookNotesProps) {
  const { t } = useLingui();
  const headingId = useId();
  const { data: project, error: unread } = useQuery(queries.background(projectId));
  const { data: notes, error: unlisted } = useQuery(queries.practices());
  const changes = useBookNotes(projectId);
  const problem = changes.error ?? unread ?? unlisted;
  return (
    <section className={css.notes} aria-labelledby={headingId} data-testid="study-notes">
      <h4 id={headingId}>{t`你告诉它的`}</h4>
      {problem != null && (
        <p className={css.problem} role="alert" data-testid="study-notes-problem">
          {errorSentence(problem)}
        </p>
      )}
      {project && (
        <Background
          // Words that were saved elsewhere are another text to start from.
          key={project.background}
          background={project.background}
          version={project.version}
          changes={changes}
          isReadOnly={isReadOnly}
        />
      )}
      {notes && <CraftNotes notes={notes} changes={changes} isReadOnly={isReadOnly} />}
      <p className={css.saved} role="status" data-testid="study-notes-saved">
        {changes.done !== null && (
          <>
            <Icon name="check" size="xs" />
            <span>{changes.done}</span>
          </>
        )}
        {changes.done !== null && changes.undo !== null && !isReadOnly && (
          <LinkButton onPress={changes.undo} data-testid="study-notes-undo">{t`撤销`}</LinkButton>
        )}
      </p>
    </section>
  );
}

interface BackgroundProps {
  background: string;
  version: number;
  changes: BookNotesChanges;
  isReadOnly: boolean;
}

/** The introduction of the book. It is saved by its button, which is there once the words differ. */
function Background({ background, version, changes, isReadOnly }: BackgroundProps) {
  const { t } = useLingui();
  const [words, setWords] = useState(background);
  const isChanged = words.trim() !== background;
  const isTooLong = [...words.trim()].length > MAX_BACKGROUND;
  const save = () => {
    if (isChanged && !isTooLong) changes.saveBackground({ background: words.trim(), version }, background);
  };
  if (isReadOnly)
    return background === "" ? null : (
      <p className={css.said} lang={langOf(background)} data-testid="study-background-text">
        {background}
      </p>
    );
  return (
    <div className={css.stack}>
      <GrowingText
        label={t`这本书是什么：体裁、年代、地方、写什么`}
        value={words}
        onChange={setWords}
        onCommandEnter={save}
        maxRows={6}
        lang={langOf(words)}
        testId="study-background"
      />
      {isTooLong && <p className={css.problem} role="alert">{t`太长了，最多 2,000 字。`}</p>}
      {isChanged && (
        <div className={css.acts}>
          <Button
            size="s"
            isDisabled={changes.isPending || isTooLong}
            onPress={save}
            data-testid="study-background-save"
          >{t`保存`}</Button>
          <Button size="s" kind="quiet" onPress={() => setWords(background)} data-testid="study-background-cancel">
            {t`不改了`}
          </Button>
        </div>
      )}
    </div>
  );
}

interface CraftNotesProps {
  notes: readonly Practice[];
  changes: BookNotesChanges;
  isReadOnly: boolean;
}

/** The craft notes for all books, each to be changed or deleted, and the form for another one. */
function CraftNotes({ notes, changes, isReadOnly }: CraftNotesProps) {
  const { t } = useLingui();
  /** The note in the form; `new`: one that is added. */
  const [edited, setEdited] = useState<string | null>(null);
  const close = () => setEdited(null);
  const moreWords = (left: number) => t`后面还有 ${count(left)} 条`;
  return (
    <div className={css.stack}>
      <p className={css.quiet}>{t`写法，每本书都用得着的：`}</p>
      {notes.length > 0 && (
        <CappedList items={notes} moreWords={moreWords} testId="study-practices">
          {(note) =>
            edited === note.practiceId ? (
              <li key={note.practiceId}>
                <CraftNoteForm
                  initial={note}
                  isPending={changes.isPending}
                  onSave={(words) => changes.changeNote(note, words, close)}
                  onCancel={close}
                />
              </li>
            ) : (
              <li key={note.practiceId} className={css.queued} data-testid="study-practice">
                <span lang={langOf(note.title)}>
                  {note.title}
                  {note.description !== "" && <small lang={langOf(note.description)}>{note.description}</small>}
                </span>
                {!isReadOnly && (
                  <>
                    <IconButton
                      name="pen"
                      size="xs"
                      label={t`改：${note.title}`}
                      onPress={() => setEdited(note.practiceId)}
                      data-testid="study-practice-edit"
                    />
                    <IconButton
                      name="cross"
                      size="xs"
                      label={t`删掉：${note.title}`}
                      isDisabled={changes.isPending}
                      onPress={() => changes.deleteNote(note)}
                      data-testid="study-practice-delete"
                    />
                  </>
                )}
              </li>
            )
          }
        </CappedList>
      )}
      {!isReadOnly &&
        (edited === "new" ? (
          <CraftNoteForm
            initial={{ title: "", description: "" }}
            isPending={changes.isPending}
            onSave={(words) => changes.addNote(words, close)}
            onCancel={close}
          />
        ) : (
          <div className={css.acts}>
            <Button
              size="s"
              kind="quiet"
              icon="plus"
              onPress={() => setEdited("new")}
              data-testid="study-practice-add"
            >{t`添一条写法`}</Button>
          </div>
        ))}
    </div>
  );
}
