import { useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import type { Project, HealthProblem } from "../../backend";
import { IconButton, Pages } from "../../design";
import { problemTitle } from "../../i18n/healthProblems";
import { JournalPage } from "./JournalPage";
import css from "./memory.module.css";
import { NamesPage } from "./NamesPage";
import { PastPage, type PastTarget } from "./PastPage";
import { RulesPage } from "./RulesPage";
import { SafetyPage } from "./SafetyPage";
import { StylePage } from "./StylePage";

export type MemoryPage = "rules" | "past" | "journal" | "answers" | "style" | "names" | "safety";

interface MemoryPanelProps {
  /** The open book; without one, the pages about the whole memory still work. */
  project: Project | null;
  page: MemoryPage;
  /** The past passage that the page of past passages shows at first; `null`: the newest ones. */
  target: PastTarget | null;
  problems: HealthProblem[];
  /** The page of the answers of the open book. */
  answers: ReactNode;
  onPage: (page: MemoryPage) => void;
  /** Opens a chapter, at the text of a generation if one is given. */
  onOpenChapter: (chapterId: string, generationId?: string | null) => void;
  /** Opens why a generation was written. */
  onWhy: (generationId: string) => void;
  /** Shows an answer that was kept. */
  onOpenAnswer: (answerId: string) => void;
  /** Saves the text; `false` if it could not be saved. */
  onSave: () => Promise<boolean>;
  /**
   * The memory of the book with this title, or with `null` all memory, was cleared. `forgotten`: the book was removed
   * too, or all were.
   */
  onCleared: (title: string | null, forgotten: boolean) => void;
  onClose: () => void;
}

/** The memory panel: rules, episodes, journal, answers, style, names and safety. */
export function MemoryPanel({
  project,
  page,
  target,
  problems,
  answers,
  onPage,
  onOpenChapter,
  onWhy,
  onOpenAnswer,
  onSave,
  onCleared,
  onClose,
}: MemoryPanelProps) {
  const { t } = useLingui();
  const [gravest] = problems;
  return (
    <section className={css.memory} aria-label={t`记忆`} data-testid="memory-panel">
      <Pages<MemoryPage>
        title={t`记忆`}
        label={t`记忆里的`}
        value={project ? page : "safety"}
        onChange={onPage}
        testId="memory-page"
        actions={<IconButton name="cross" size="s" label={t`关闭记忆`} onPress={onClose} data-testid="memory-close" />}
        pages={[
          {
            key: "rules",
            label: t`规则`,
            disabled: !project,
            children: project && (
              <RulesPage
                key={project.projectId}
                projectId={project.projectId}
                language={project.language}
                problems={problems}
                onMend={() => onPage("safety")}
              />
            ),
          },
          {
            key: "past",
            label: t`往事`,
            disabled: !project,
            children: project && (
              <PastPage
                key={project.projectId}
                project={project}
                target={target}
                problems={problems}
                onMend={() => onPage("safety")}
                onOpenChapter={onOpenChapter}
              />
            ),
          },
          {
            key: "journal",
            label: t`流水`,
            disabled: !project,
            children: project && (
              <JournalPage
                key={project.projectId}
                project={project}
                problems={problems}
                onMend={() => onPage("safety")}
                onOpenChapter={onOpenChapter}
                onWhy={onWhy}
                onOpenAnswer={onOpenAnswer}
              />
            ),
          },
          {
            key: "answers",
            label: t`答案`,
            disabled: !project,
            children: answers,
          },
          {
            key: "style",
            label: t`文风`,
            disabled: !project,
            children: project && <StylePage key={project.projectId} project={project} />,
          },
          {
            key: "names",
            label: t({ message: "名字", context: "hidden from models" }),
            disabled: !project,
            children: project && <NamesPage key={project.projectId} project={project} />,
          },
          {
            key: "safety",
            label: t`保管`,
            warn: gravest ? problemTitle(gravest.kind) : null,
            children: <SafetyPage project={project} problems={problems} onSave={onSave} onCleared={onCleared} />,
          },
        ]}
      />
    </section>
  );
}
