import type { BackendError, UnusableText } from "../../backend";

/** A draft on its card. A failed one keeps its partial text, which can be accepted; an unusable one has no text. */
export interface Draft {
  text: string;
  state: "writing" | "ready" | "failed" | "unusable";
  error: BackendError | null;
  /** The model's text that is no draft. */
  unusable?: UnusableText | null;
  /** Whether it is written a second time because the first text was no draft. */
  isRetry?: boolean;
  /** The generation of the second try that wrote it; otherwise the run wrote it. */
  writtenBy?: string | null;
}
