import { useLingui } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, queries, type Backend, type BackendFence, type TestedBackend } from "../../backend";
import { Button, InlineConfirm } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { reasonSentence } from "../../i18n/reasons";
import css from "./settings.module.css";
import { TestFailed, TestPassed, TestState } from "./TestState";

interface AssistantRowProps {
  backend: Backend;
  onEdit: () => void;
  /** True right after the form of the program was closed: its button gets the focus. */
  cameBack: boolean;
}

/** A program that answers questions: its place, whether it can answer now, its change and its removal. */
export function AssistantRow({ backend, onEdit, cameBack }: AssistantRowProps) {
  const { t } = useLingui();
  const { backendId, name, program, arguments: args, model } = backend;
  const client = useQueryClient();
  const [leaving, setLeaving] = useState<"asked" | "stays" | null>(null);
  const test = useMutation({
    mutationFn: () => call("backend:test", { backendId }),
    onSuccess: (tested) => client.setQueryData(queries.testedBackend(backendId).queryKey, tested),
  });
  const remove = useMutation({ mutationFn: () => call("backend:delete", { backendId }) });
  return (
    <>
      <div className={css.providerFace}>
        <b>{name}</b>
        <span className={css.providerAt} data-testid="assistant-at">
          {[program, ...args].join(" ")}
          {backend.kind !== "own" && model !== null && t`·模型 ${model}`}
        </span>
        {leaving !== "asked" && (
          <span className={css.providerActs}>
            <Button
              size="s"
              icon="again"
              isDisabled={test.isPending}
              onPress={() => test.mutate()}
              aria-label={t`测试 ${name}`}
              data-testid="assistant-test"
            >{t`测试`}</Button>
            <Button
              size="s"
              kind="quiet"
              onPress={onEdit}
              autoFocus={cameBack}
              aria-label={t`修改 ${name}`}
              data-testid="assistant-edit"
            >{t`修改`}</Button>
            <Button
              size="s"
              kind="quiet"
              onPress={() => setLeaving("asked")}
              autoFocus={leaving === "stays"}
              aria-label={t`移除 ${name}`}
              data-testid="assistant-remove"
            >{t`移除`}</Button>
          </span>
        )}
      </div>
      {leaving === "asked" ? (
        <InlineConfirm
          label={t`移除 ${name}`}
          yes={t`移除 ${name}`}
          no={t`保留`}
          busy={remove.isPending}
          onYes={() => remove.mutate()}
          onNo={() => setLeaving("stays")}
          testId="assistant-remove"
        >
          {t`以后不再问它。程序还在这台电脑上。`}
        </InlineConfirm>
      ) : (
        <TestState test={test} testId="assistant-tested">
          {(tested) => <Result tested={tested} />}
        </TestState>
      )}
      {remove.error && (
        <p className={css.problem} role="alert" data-testid="assistant-problem">
          {errorSentence(remove.error)}
        </p>
      )}
    </>
  );
}

/** The version of a program, whether it can answer, and what keeps it in the copy. */
function Result({ tested: { version, ready, fence, reason } }: { tested: TestedBackend }) {
  const { t } = useLingui();
  const fences: Record<BackendFence, string> = {
    system: t`系统把它关在抄本里，别的读不到。`,
    asked: t`系统关不住它：靠它自己的选项不写文件，读可以读到别处。`,
    none: t`系统关不住它：它读得到别处，也写得到。`,
  };
  const at = version === null ? "" : t`${version}·`;
  if (!ready) return <TestFailed>{at + (reasonSentence(reason) ?? t`现在用不了。`)}</TestFailed>;
  return <TestPassed>{at + t`可以问。` + fences[fence]}</TestPassed>;
}
