import { useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { call, pickSavePath, type ExportFormat, type Project } from "../../backend";
import { Busy, Button, ConfirmDialog, Notice, Seg } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { fileName, safeName } from "./paths";
import css from "./import.module.css";

interface ExportProps {
  project: Project;
  /** Saves everything first. Resolves to whether it is saved. */
  onSave: () => Promise<boolean>;
  onDone: (file: string) => void;
  onDismiss: () => void;
}

/** Exports the whole book as one file. */
export function Export({ project, onSave, onDone, onDismiss }: ExportProps) {
  const { t } = useLingui();
  const { projectId, title } = project;
  const [format, setFormat] = useState<ExportFormat>("docx");
  const [unsaved, setUnsaved] = useState(false);
  const write = useMutation({
    mutationFn: async () => {
      setUnsaved(false);
      if (!(await onSave())) {
        setUnsaved(true);
        return null;
      }
      const kind =
        format === "docx" ? { name: "Word", extensions: ["docx"] } : { name: "Markdown", extensions: ["md"] };
      const [extension] = kind.extensions;
      const path = await pickSavePath(t`导出到哪里`, `${safeName(title)}.${extension}`, kind);
      if (path === null) return null;
      // Some dialogs do not add the extension.
      const whole = path.toLowerCase().endsWith(`.${extension}`) ? path : `${path}.${extension}`;
      await call("project:export", { projectId, path: whole, format });
      return whole;
    },
    onSuccess: (path) => {
      if (path !== null) onDone(fileName(path));
    },
  });
  return (
    <ConfirmDialog
      title={t`导出《${title}》`}
      onDismiss={() => !write.isPending && onDismiss()}
      testId="export"
      actions={
        <>
          {write.isPending && <Busy>{t`正在导出…`}</Busy>}
          <Button kind="quiet" isDisabled={write.isPending} onPress={onDismiss}>{t`取消`}</Button>
          <Button
            kind="primary"
            autoFocus
            isDisabled={write.isPending}
            onPress={() => write.mutate()}
            data-testid="export-go"
          >{t`选择位置…`}</Button>
        </>
      }
    >
      <p className={css.lead}>{t`按现在的顺序，把整本书导出为一个文件。只有正文，不含记忆和 AI 标记。`}</p>
      <Seg
        label={t`格式`}
        value={format}
        onChange={setFormat}
        options={[
          { key: "docx", label: "Word", testId: "export-format-docx" },
          { key: "markdown", label: "Markdown", testId: "export-format-markdown" },
        ]}
        testId="export-format"
      />
      {(write.error || unsaved) && (
        <div className={css.refused}>
          <Notice warn title={t`没有导出`} testId="export-problem">
            {unsaved ? t`还有文字没保存，先保存再导出。` : errorSentence(write.error)}
          </Notice>
        </div>
      )}
    </ConfirmDialog>
  );
}
