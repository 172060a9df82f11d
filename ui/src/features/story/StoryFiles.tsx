import { useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { call, pickFile, pickSavePath, type FileKind, type LorebookFormat, type Project } from "../../backend";
import { ActionMenu } from "../../design";
import { count } from "../../i18n/words";
import { fileOf, safeName } from "../../lib/files";
import type { Undoable } from "./factChanges";
import { ImportStory } from "./ImportStory";

interface StoryFilesProps {
  project: Project;
  isReadOnly: boolean;
  onChanged: (message: string, change: Undoable) => void;
  onDone: (message: string) => void;
  onProblem: (error: unknown) => void;
}

const PAGE: FileKind = { name: "Markdown", extensions: ["md", "markdown"] };
const JSON_FILE: FileKind = { name: "JSON", extensions: ["json"] };
const KINDS: Record<LorebookFormat, FileKind> = { markdown: PAGE, sillyTavern: JSON_FILE, novelcrafter: JSON_FILE };

/** A menu to write the story of a book to a file, and to read one from a file. */
export function StoryFiles({ project, isReadOnly, onChanged, onDone, onProblem }: StoryFilesProps) {
  const { t } = useLingui();
  const { projectId, title } = project;
  const [chosen, setChosen] = useState<string | null>(null);
  const run = useMutation({ mutationFn: (action: () => Promise<void>) => action(), onError: onProblem });
  const begin = (action: () => Promise<void>) => !run.isPending && run.mutate(action);
  const write = (format: LorebookFormat, name: string) =>
    begin(async () => {
      const path = await pickSavePath(t`导出故事设定`, safeName(name), KINDS[format]);
      if (path === null) return;
      const { entities, facts } = await call("story:export", { projectId, path, format });
      const file = fileOf(path);
      onDone(
        entities > 0
          ? t`已导出“${file}”：${count(entities)} 个名字，${count(facts)} 条事实。`
          : t`已导出“${file}”，里面还没有内容。`,
      );
    });
  const choose = () =>
    begin(async () => {
      const kind: FileKind = { name: t`故事设定`, extensions: [...PAGE.extensions, ...JSON_FILE.extensions] };
      setChosen(await pickFile(t`导入故事设定`, kind));
    });
  return (
    <>
      <ActionMenu
        label={t`导入和导出故事设定`}
        testId="story-files"
        actions={[
          { key: "in", label: t`导入故事设定…`, onAction: choose, disabled: isReadOnly && t`现在只能读` },
          {
            key: "markdown",
            label: t`导出为可以阅读的一页…`,
            onAction: () => write("markdown", t`${title}的故事设定.md`),
          },
          {
            key: "sillyTavern",
            label: t`导出为 SillyTavern 世界书…`,
            onAction: () => write("sillyTavern", t`${title}的世界书.json`),
          },
          {
            key: "novelcrafter",
            label: t`导出为 Novelcrafter 词条…`,
            onAction: () => write("novelcrafter", t`${title}的词条.json`),
          },
        ]}
      />
      {chosen !== null && (
        <ImportStory
          projectId={projectId}
          path={chosen}
          onDone={(changeId) => {
            setChosen(null);
            if (changeId !== null) onChanged(t`“${fileOf(chosen)}”里的故事设定导入了`, { changeId });
          }}
        />
      )}
    </>
  );
}
