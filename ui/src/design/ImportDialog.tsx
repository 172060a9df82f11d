import type { ReactNode } from "react";
import { Button } from "./Button";
import { Busy } from "./Field";
import { ConfirmDialog } from "./parts";
import css from "./importDialog.module.css";

interface ImportDialogProps {
  title: string;
  /** Shown while the file is read and compared; `null`: it is. */
  reading: string | null;
  /** Why the file is refused, or the import failed; `null`: neither. */
  problem: string | null;
  /** Behind the problem: that nothing was imported. */
  nothing: string;
  verdict: string;
  /** Whether the import would change anything. */
  changes: boolean;
  /** Whether the import is under way. */
  isPending: boolean;
  words: { cancel: string; close: string; take: string; busy: string };
  onTake: () => void;
  onDismiss: () => void;
  /** Prefix of the test ids. */
  testId: string;
  /** The preview. */
  children: ReactNode;
}

/** Previews the import of a file, then lets the writer run it. */
export function ImportDialog(props: ImportDialogProps) {
  const { title, reading, problem, nothing, verdict, changes, isPending, words, testId, children } = props;
  const canTake = changes && problem === null;
  const dismiss = () => !isPending && props.onDismiss();
  return (
    <ConfirmDialog
      title={title}
      alert
      onDismiss={dismiss}
      testId={`${testId}-dialog`}
      actions={
        <>
          {isPending && <Busy>{words.busy}</Busy>}
          <span className="grow" />
          {/* Always rendered, so the focus has a place whatever the file contains. */}
          <Button autoFocus isDisabled={isPending} onPress={dismiss} data-testid={`${testId}-cancel`}>
            {canTake ? words.cancel : words.close}
          </Button>
          {/* Not disabled while busy, so the focus stays and returns to its origin later. */}
          {canTake && (
            <Button
              kind="primary"
              data-busy={isPending || undefined}
              onPress={() => !isPending && props.onTake()}
              data-testid={`${testId}-confirm`}
            >
              {words.take}
            </Button>
          )}
        </>
      }
    >
      <div className={css.file}>
        {reading !== null && (
          <p className={css.reading}>
            <Busy>{reading}</Busy>
          </p>
        )}
        {problem !== null && (
          <div className={css.problem} role="alert" data-testid={`${testId}-problem`}>
            <p>{problem}</p>
            <p>{nothing}</p>
          </div>
        )}
        {reading === null && problem === null && (
          <>
            <p className={css.verdict} role="status" data-testid={`${testId}-verdict`}>
              {verdict}
            </p>
            {children}
          </>
        )}
      </div>
    </ConfirmDialog>
  );
}
