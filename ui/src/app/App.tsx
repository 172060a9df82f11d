import { I18nProvider } from "@lingui/react";
import { useLingui } from "@lingui/react/macro";
import { QueryClientProvider, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { I18nProvider as AriaLanguage } from "react-aria-components/I18nProvider";
import { useStore } from "zustand";
import { queries, useHealthProblems } from "../backend";
import { Button, ConfirmDialog, IconButton, Notice, Toast, Tooltips } from "../design";
import { AssistantPanel, Compare } from "../features/assistant";
import { BookPanel } from "../features/book";
import { Editor } from "../features/editor";
import { FindPanel } from "../features/find";
import { ClearBook, MemoryPanel } from "../features/memory";
import { WhyPanel } from "../features/provenance";
import { SettingsPanel } from "../features/settings";
import { errorSentence } from "../i18n/errors";
import { count } from "../i18n/words";
import { i18n, localeOf } from "../i18n/locale";
import { chapterNumbers } from "../lib/ordinal";
import { Answers } from "./Answers";
import { Ask } from "./Ask";
import css from "./app.module.css";
import { IconBar } from "./IconBar";
import { useLook } from "./look";
import { ProgramContext, useProgram, type Program } from "./program";
import { useShortcuts, useKeepFocus } from "./shortcuts";
import { ScenePicker } from "./ScenePicker";
import { SplitChapter } from "./SplitChapter";
import { StatusBar } from "./StatusBar";
import { Story } from "./Story";

export function App({ program }: { program: Program }) {
  return (
    <ProgramContext value={program}>
      <QueryClientProvider client={program.client}>
        <I18nProvider i18n={i18n}>
          <Frame />
        </I18nProvider>
      </QueryClientProvider>
    </ProgramContext>
  );
}

function Frame() {
  const { data: settings } = useQuery(queries.settings());
  const { interfaceLanguage, dark } = useLook(settings);
  useShortcuts();
  useKeepFocus();
  return (
    <AriaLanguage locale={localeOf(interfaceLanguage)}>
      <Shell dark={dark} />
    </AriaLanguage>
  );
}

function Shell({ dark }: { dark: boolean }) {
  const { t } = useLingui();
  const program = useProgram();
  const { assistant, editor } = program;
  const {
    project,
    panel,
    assistantMode,
    memoryPage,
    pastTarget,
    answerTarget,
    alone,
    compared,
    why,
    index,
    toast,
    undo,
    forgetting,
  } = useStore(program.window);
  const problems = useHealthProblems(project?.projectId ?? null);
  const toSafety = () => program.openMemory("safety");
  const chapterId = useStore(editor.state, (state) => state.chapter?.chapterId ?? null);
  const language = project?.language ?? "zh";
  const { data: chapters } = useQuery({ ...queries.chapters(project?.projectId ?? ""), enabled: project !== null });
  const openIndex = chapters?.findIndex((chapter) => chapter.chapterId === chapterId) ?? -1;
  const number = chapterNumbers(chapters?.map(({ title }) => title) ?? [])[openIndex] ?? null;
  const staleAnswers = useStaleAnswers(project?.projectId ?? null);
  const view = why ? "why" : panel;

  return (
    <div className={css.app}>
      <div className={css.panes} data-view={view} data-alone={alone || undefined} data-compared={compared || undefined}>
        <IconBar
          panel={panel}
          onPanel={(next) => {
            if (next === "find") program.findInBook();
            else if (next === "story") program.story.open();
            else program.show(next);
          }}
          dark={dark}
          onTheme={(theme) => void program.changeSettings({ theme })}
        />
        {project && view === "book" && (
          <BookPanel
            project={project}
            chapterId={chapterId}
            onOpen={(next, at) => (next === null ? program.editor.clear() : void program.openChapter(next, at))}
            onRename={(id, title) => program.renameChapter(id, title)}
            onDelete={(id) => program.chapterChanges.delete(id)}
            onMerge={(id, nextId) => program.chapterChanges.merge(id, nextId)}
            onSplit={() => program.chapterChanges.askSplit()}
            onRestore={(deletedId) => program.chapterChanges.restore(deletedId)}
            onOpenFolder={() => void program.openFolder()}
            onOpenBook={(path) => void program.openPath(path)}
            onForget={(known) => program.window.setState({ forgetting: known })}
            onSave={() => editor.flush()}
            onDone={(message) => program.announce(message)}
          />
        )}
        {!project && view === "book" && <div className={css.none} />}
        {view === "memory" && (
          <MemoryPanel
            project={project}
            page={memoryPage}
            target={pastTarget}
            problems={problems}
            answers={project && <Answers project={project} problems={problems} target={answerTarget} />}
            onPage={(page) => program.openMemory(page)}
            onOpenChapter={(next, generationId) => void program.openGenerated(next, generationId)}
            onWhy={(generationId) => program.openWhy(generationId)}
            onOpenAnswer={(answerId) => program.openAnswer(answerId)}
            onSave={() => editor.flush()}
            onCleared={(title, forgotten) => program.cleared(title, forgotten)}
            onClose={() => program.closePanel()}
          />
        )}
        {view === "story" && <Story problems={problems} onMend={toSafety} />}
        {project && view === "find" && (
          <FindPanel
            project={project}
            finder={program.bookFinder}
            problems={problems}
            onOpen={(next, query, hit) => void program.openHit(next, query, hit)}
            onOpenPassage={(passage) => void program.openPassage(passage)}
            onOpenChapter={(next) => void program.openChapter(next)}
            onOpenPast={(episodeId, query) => program.openPast({ episodeId, query })}
            onClose={() => program.closePanel()}
          />
        )}
        {view === "settings" && (
          <SettingsPanel
            index={index}
            onMemory={(page) => program.openMemory(page)}
            onClose={() => program.closePanel()}
          />
        )}
        <Editor
          editor={editor}
          language={language}
          number={number}
          onReady={() => void program.start()}
          onFindWhole={(query) => program.findInBook(query)}
          toolbar={<Toolbar assistantHidden={view !== "book" && view !== "why"} />}
        />
        <AssistantPanel
          assistant={assistant}
          language={language}
          onWhy={(generationId) => program.openWhy(generationId)}
          onSettings={() => program.show("settings")}
          problems={problems}
          onMend={toSafety}
          hidden={view !== "book" || compared}
          compared={compared}
          onCompare={() => program.setCompared(true)}
          mode={assistantMode}
          onMode={(mode) => program.window.setState({ assistantMode: mode })}
          ask={project && <Ask project={project} />}
          onAnswers={() => program.openMemory("answers")}
          staleAnswers={staleAnswers}
        />
        {compared && (
          <Compare
            assistant={assistant}
            language={language}
            onWhy={(generationId) => program.openWhy(generationId)}
            onSettings={() => program.show("settings")}
            onClose={() => program.setCompared(false)}
          />
        )}
        {project && why && (
          <WhyPanel
            projectId={project.projectId}
            generationId={why}
            onOpen={(range, text) => void program.openSource(range, text)}
            onClose={() => program.closeWhy()}
          />
        )}
      </div>
      <StatusBar project={project} problems={problems} onMend={toSafety} />
      <div className={css.said}>
        <Toast
          text={toast}
          action={undo ? { label: t`撤销`, onPress: undo } : null}
          onDone={() => program.announce(null)}
        />
        <Problem />
      </div>
      <Copied />
      <SplitChapter />
      {forgetting && (
        <ClearBook
          project={forgetting}
          forget
          onSave={() => editor.flush()}
          onDone={(cleared) => program.forgotten(forgetting, cleared)}
        />
      )}
      <Tooltips />
    </div>
  );
}

/** Number of kept answers whose cited text has changed. */
function useStaleAnswers(projectId: string | null): number {
  const { data, isPlaceholderData } = useInfiniteQuery({
    ...queries.answers(projectId ?? "", "stale", null, ""),
    enabled: projectId !== null,
  });
  // Placeholder data is that of the book before.
  return isPlaceholderData ? 0 : (data?.pages[0]?.total ?? 0);
}

/** The last action of the writer that failed. */
function Problem() {
  const { t } = useLingui();
  const program = useProgram();
  const { problem, starting } = useStore(program.window);
  const failed = starting === "failed";
  if (!problem && !failed) return null;
  const action = failed ? (
    <Button size="s" onPress={() => void program.start()}>{t`再试一次`}</Button>
  ) : (
    <Button size="s" kind="quiet" onPress={() => program.window.setState({ problem: null })}>{t`知道了`}</Button>
  );
  return (
    <div className={css.problem}>
      <Notice warn title={failed ? t`没能打开` : t`没有成功`} actions={action} testId="problem">
        {errorSentence(problem)}
      </Notice>
    </div>
  );
}

function Copied() {
  const { t } = useLingui();
  const program = useProgram();
  const { copied } = useStore(program.window);
  if (!copied) return null;
  const dismiss = () => program.window.setState({ copied: null });
  return (
    <ConfirmDialog
      title={t`这是同一本书，还是另一本？`}
      onDismiss={dismiss}
      actions={
        <>
          <Button kind="quiet" autoFocus onPress={dismiss}>{t`先不打开`}</Button>
          <Button
            onPress={() => void program.openPath(copied.path, "newBook")}
            data-testid="copied-new-book"
          >{t`另一本`}</Button>
          <Button
            kind="primary"
            onPress={() => void program.openPath(copied.path, "sameBook")}
            data-testid="copied-same-book"
          >{t`同一本`}</Button>
        </>
      }
    >
      <p className={css.question} data-testid="copied-of">
        {copied.copiedFrom === null
          ? t`记忆里已经有这本书了：《${copied.knownTitle ?? ""}》。它还没有文件夹，是在别的编辑器里写的，或者是随记忆导入的。`
          : t`这个文件夹和 ${copied.copiedFrom} 里的是一样的。`}
      </p>
      <p
        className={css.question}
      >{t`同一本：书现在在这个文件夹里，记忆沿用。另一本：记忆从空的开始，和原来那本互不影响。`}</p>
    </ConfirmDialog>
  );
}

/** Returns to the writer's caret after a passage was opened from the story panel. */
function BackToCaret() {
  const { t } = useLingui();
  const program = useProgram();
  const { isAway, caret } = useStore(program.story.session.state);
  const project = useStore(program.window, (state) => state.project);
  const { data: chapters } = useQuery({ ...queries.chapters(project?.projectId ?? ""), enabled: project !== null });
  const index = chapters?.findIndex(({ chapterId }) => chapterId === caret?.chapterId) ?? -1;
  if (!isAway || index < 0) return null;
  return (
    <Button
      kind="quiet"
      size="s"
      icon="back"
      onPress={() => void program.story.returnToCaret(true)}
      data-testid="story-back"
    >
      {t`回到第 ${count(index + 1)} 章`}
    </Button>
  );
}

/** Controls for the current passage: the scene type. */
function Toolbar({ assistantHidden }: { assistantHidden: boolean }) {
  const { t } = useLingui();
  const program = useProgram();
  const { editor } = program;
  const alone = useStore(program.window, (state) => state.alone);
  const hasSelection = useStore(editor.state, (state) => state.hasSelection);
  return (
    <>
      <ScenePicker />
      <span className="grow" />
      <BackToCaret />
      {hasSelection && (
        <IconButton
          name="story"
          size="s"
          label={t`记下这一点（F2）`}
          onPress={() => program.story.rememberOrOpen()}
          data-testid="remember-open"
        />
      )}
      <IconButton
        name="clock"
        size="s"
        label={t`这一章的旧稿（F6）`}
        onPress={() => void editor.snapshots.show()}
        data-testid="old-drafts-open"
      />
      <IconButton
        name="find"
        size="s"
        label={t`在本章中查找（Ctrl+F）`}
        onPress={() => editor.finder.show()}
        data-testid="find-open"
      />
      {alone ? (
        <Button
          kind="quiet"
          size="s"
          keys="Esc"
          onPress={() => program.setAlone(false)}
          data-testid="alone-leave"
        >{t`退出专注模式`}</Button>
      ) : (
        <IconButton
          name="alone"
          size="s"
          label={t`专注模式（F8）`}
          onPress={() => program.setAlone(true)}
          data-testid="alone"
        />
      )}
      {assistantHidden && !alone && (
        <IconButton name="panel" size="s" label={t`打开助手`} onPress={() => program.show("book")} />
      )}
    </>
  );
}
