import { useLingui } from "@lingui/react/macro";
import type { HealthProblem } from "../../backend";
import { Busy, Button, Notice } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { Missing } from "./Missing";

interface ReadStateProps {
  /** Problems that leave nothing to list. They replace the notice of a failed read. */
  unavailable: HealthProblem[];
  /** Problems that make the list incomplete. */
  less: HealthProblem[];
  error: Error | null;
  /** Title of the notice of a failed read. */
  errorTitle: string;
  isRead: boolean;
  onMend: () => void;
  onRetry: () => void;
}

/** Status above a list: missing parts of the memory, a failed read that can be repeated, or a read in progress. */
export function ReadState({ unavailable, less, error, errorTitle, isRead, onMend, onRetry }: ReadStateProps) {
  const { t } = useLingui();
  return (
    <>
      <Missing problems={unavailable.length > 0 ? unavailable : less} onMend={onMend} />
      {error && unavailable.length === 0 && (
        <Notice warn title={errorTitle} actions={<Button size="s" onPress={onRetry}>{t`重新读取`}</Button>}>
          {errorSentence(error)}
        </Notice>
      )}
      {!isRead && !error && <Busy>{t`正在读取……`}</Busy>}
    </>
  );
}
