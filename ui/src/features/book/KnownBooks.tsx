import { useLingui } from "@lingui/react/macro";
import type { Project } from "../../backend";
import { Button, ConfirmDialog } from "../../design";
import css from "./book.module.css";

interface KnownBooksProps {
  projects: Project[];
  /** Id of the open book. */
  openId: string;
  onForget: (project: Project) => void;
  onDismiss: () => void;
}

/** The known books with their folders; each can be forgotten, after a question that says what is cleared. */
export function KnownBooks({ projects, openId, onForget, onDismiss }: KnownBooksProps) {
  const { t } = useLingui();
  return (
    <ConfirmDialog
      title={t`书的清单`}
      onDismiss={onDismiss}
      testId="books"
      actions={<Button autoFocus onPress={onDismiss} data-testid="books-close">{t`关闭`}</Button>}
    >
      <p className={css.lead}>{t`忘掉一本书，它就不在清单里了。书的文件夹和正文不变；会清除什么，先问过你。`}</p>
      <ul className={css.shelf}>
        {projects.map((project) => (
          <li key={project.projectId} data-testid="known-book">
            <span className={css.shelfTitle} lang={project.language === "zh" ? "zh-CN" : "en"}>
              {project.projectId === openId ? t`《${project.title}》（现在打开的）` : t`《${project.title}》`}
            </span>
            <span className={css.shelfNote}>{project.path ?? t`没有文件夹，在别的编辑器里写`}</span>
            <Button
              size="s"
              kind="danger"
              onPress={() => onForget(project)}
              data-testid="book-forget"
            >{t`忘掉…`}</Button>
          </li>
        ))}
      </ul>
    </ConfirmDialog>
  );
}
