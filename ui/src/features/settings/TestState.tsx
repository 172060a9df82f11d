import { useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { Busy, Icon } from "../../design";
import { errorSentence } from "../../i18n/errors";
import css from "./settings.module.css";

interface TestStateProps<T> {
  test: { isPending: boolean; error: unknown; data: T | undefined };
  /** The result in words: `TestPassed` or `TestFailed`. */
  children: (tested: T) => ReactNode;
  testId: string;
}

/** The test of a service or of a program: under way, failed, or its result. Its place is reserved. */
export function TestState<T>({ test: { isPending, error, data }, children, testId }: TestStateProps<T>) {
  const { t } = useLingui();
  const state = isPending ? "busy" : error ? "failed" : data === undefined ? "none" : "ok";
  return (
    <div className={css.tested} data-testid={testId} data-state={state}>
      {isPending ? (
        <Busy>{t`正在测试……`}</Busy>
      ) : error ? (
        <TestFailed>{errorSentence(error)}</TestFailed>
      ) : (
        data !== undefined && children(data)
      )}
    </div>
  );
}

export const TestPassed = ({ children }: { children: ReactNode }) => (
  <span role="status">
    <Icon name="check" size="xs" />
    {children}
  </span>
);

export const TestFailed = ({ children }: { children: ReactNode }) => (
  <span className={css.problem} role="alert">
    <Icon name="warning" size="xs" />
    {children}
  </span>
);
