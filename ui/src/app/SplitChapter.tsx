import { useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useStore } from "zustand";
import { Button, ConfirmDialog, Field } from "../design";
import { errorSentence } from "../i18n/errors";
import css from "./app.module.css";
import { useProgram } from "./program";
import type { SplitRequest } from "./window";

/** Asks for the title of the second part before a chapter is split. */
export function SplitChapter() {
  const { splitting } = useStore(useProgram().window);
  return splitting && <SplitDialog key={splitting.offset} request={splitting} />;
}

function SplitDialog({ request }: { request: SplitRequest }) {
  const { t } = useLingui();
  const program = useProgram();
  const language = useStore(program.window, (state) => state.project?.language);
  const lang = language === "en" ? "en" : "zh-CN";
  const [title, setTitle] = useState(request.title);
  const split = useMutation({ mutationFn: () => program.chapterChanges.split(title.trim()) });
  const { before, after } = request;
  const isPossible = before !== "" && after !== "";
  const isReady = isPossible && title.trim() !== "" && !split.isPending;
  const dismiss = () => program.window.setState({ splitting: null });
  return (
    <ConfirmDialog
      title={t`在光标处拆成两章`}
      onDismiss={dismiss}
      testId="split"
      actions={
        <>
          <Button kind="quiet" onPress={dismiss} data-testid="split-cancel">{t`取消`}</Button>
          <Button
            kind="primary"
            isDisabled={!isReady}
            onPress={() => split.mutate()}
            data-testid="split-go"
          >{t`拆成两章`}</Button>
        </>
      }
    >
      {isPossible ? (
        <>
          <dl className={css.split}>
            <dt>{t`这一章到`}</dt>
            <dd lang={lang}>{`…${before}`}</dd>
            <dt>{t`新的一章从`}</dt>
            <dd lang={lang}>{`${after}…`}</dd>
          </dl>
          <Field
            label={t`新的一章的名称`}
            value={title}
            onChange={setTitle}
            onEnter={() => isReady && split.mutate()}
            lang={lang}
            autoFocus
            problem={split.error && errorSentence(split.error)}
            testId="split-title"
          />
        </>
      ) : (
        <p className={css.question} data-testid="split-impossible">
          {t`光标前后都要有正文，才能拆成两章。把光标放到新的一章开头的地方再试。`}
        </p>
      )}
    </ConfirmDialog>
  );
}
