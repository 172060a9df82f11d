import { useLingui } from "@lingui/react/macro";
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { useStore } from "zustand";
import { useShallow } from "zustand/react/shallow";
import { Button, Notice } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count, when } from "../../i18n/words";
import { hanNumber } from "../../lib/ordinal";
import { countWords } from "../../lib/words";
import type { EditorController } from "./controller";
import css from "./editor.module.css";
import { FindBar } from "./FindBar";
import { SnapshotsDialog } from "./SnapshotsDialog";
import type { EditorStatus } from "./state";

/** The fields this component renders: without the save state, which changes while typing. */
const shown = ({
  chapter,
  outsideChange,
  problem,
  unanchored,
  hasRecoveryCopy,
  recoveryCopies,
  snapshotFailed,
}: EditorStatus) => ({
  chapter,
  outsideChange,
  problem,
  unanchored,
  hasRecoveryCopy,
  recoveryCopies,
  snapshotFailed,
});

interface EditorProps {
  editor: EditorController;
  language: "zh" | "en";
  /** Number of the chapter in the book; `null`: not shown. */
  number: number | null;
  onReady: () => void;
  /** Searches for the query in all chapters. */
  onFindWhole: (query: string) => void;
  toolbar?: ReactNode;
}

export function Editor({ editor, language, number, onReady, onFindWhole, toolbar }: EditorProps) {
  const { t } = useLingui();
  const { chapter, outsideChange, problem, unanchored, hasRecoveryCopy, recoveryCopies, snapshotFailed } = useStore(
    editor.state,
    useShallow(shown),
  );
  const box = useRef<HTMLDivElement>(null);
  const sheet = useRef<HTMLDivElement>(null);
  const ready = useEffectEvent(onReady);

  useEffect(() => {
    if (!box.current) return;
    editor.mount(box.current);
    ready();
    return () => editor.unmount();
  }, [editor]);

  // Runs before anything scrolls to a position in the new chapter.
  useLayoutEffect(() => {
    sheet.current?.scrollTo({ top: 0 });
  }, [chapter?.chapterId]);

  useEffect(() => {
    if (outsideChange !== "reloaded") return;
    const timer = setTimeout(() => editor.dismissOutsideChange(), 8_000);
    return () => clearTimeout(timer);
  }, [editor, outsideChange]);

  return (
    <main className={css.page}>
      <div className={css.head}>
        {toolbar}
        {chapter && <FindBar finder={editor.finder} onWhole={onFindWhole} />}
      </div>
      <div className={css.notices}>
        {outsideChange && (
          <Notice
            testId="outside-change"
            warn={outsideChange !== "reloaded"}
            title={
              outsideChange === "reloaded"
                ? t`这一章在别处改过，已显示最新内容`
                : outsideChange === "gone"
                  ? t`这一章的文件不见了`
                  : t`这一章在别处改过，这里也有未保存的文字`
            }
            actions={
              outsideChange === "reloaded" ? (
                <Button size="s" kind="quiet" onPress={() => editor.dismissOutsideChange()}>{t`知道了`}</Button>
              ) : (
                <>
                  <Button
                    size="s"
                    onPress={() => void editor.resolveWithMine()}
                    data-testid="outside-keep-mine"
                  >{t`保留我的`}</Button>
                  {outsideChange === "changed" && (
                    <Button
                      size="s"
                      onPress={() => void editor.resolveWithTheirs()}
                      data-testid="outside-take-theirs"
                    >{t`用别处的`}</Button>
                  )}
                </>
              )
            }
          >
            {outsideChange === "changed" && t`选择以前，两份都不变。没选的那份会存进这一章的旧稿。`}
            {outsideChange === "gone" && t`你的文字还在窗口里，可以重新保存。`}
            {outsideChange === "gone" && hasRecoveryCopy && ` ${t`未保存的文字也另外存了一份，关闭窗口也不会丢。`}`}
          </Notice>
        )}
        {problem && (
          <Notice
            warn
            title={problem.of === "save" ? t`还没有保存` : problem.of === "recovery" ? t`没有成功` : t`没能读取`}
            actions={
              problem.of === "save" ? (
                <Button size="s" onPress={() => void editor.flush()}>{t`重新保存`}</Button>
              ) : (
                <Button size="s" kind="quiet" onPress={() => editor.dismissProblem()}>{t`知道了`}</Button>
              )
            }
          >
            {errorSentence(problem.error)}
            {problem.of === "save" &&
              ` ${hasRecoveryCopy ? t`未保存的文字也另外存了一份，关闭窗口也不会丢。` : t`文字还在窗口里。`}`}
          </Notice>
        )}
        {snapshotFailed && (
          <Notice
            warn
            testId="snapshot-failed"
            title={t`已保存，但旧稿没能留下`}
            actions={<Button size="s" kind="quiet" onPress={() => editor.dismissSnapshotFailure()}>{t`知道了`}</Button>}
          >
            {t`旧稿写不进书的文件夹，看看是不是满了。`}
          </Notice>
        )}
        {recoveryCopies[0] && outsideChange === null && (
          <RecoveryNotice key={recoveryCopies[0].keptId} editor={editor} />
        )}
      </div>
      <SnapshotsDialog editor={editor} language={language} />
      {/* For the mouse only; the keyboard uses the text field itself. */}
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions */}
      <div
        className={css.sheet}
        ref={sheet}
        onMouseDown={(event) => {
          // A press on the empty space below the text focuses the text.
          if (event.target === event.currentTarget) {
            event.preventDefault();
            editor.focus();
          }
        }}
      >
        <div className={css.manuscript} lang={language === "zh" ? "zh-CN" : "en"}>
          {chapter && <div className={css.number}>{number !== null && chapterNumber(language, number)}</div>}
          <div ref={box} data-testid="editor" className={css.editor} />
          {unanchored > 0 && (
            <p
              className={css.unanchored}
            >{t`有 ${count(unanchored)} 段 AI 写的文字在别处改动后对不上位置了，它们的来历还留着。`}</p>
          )}
        </div>
      </div>
    </main>
  );
}

/** Offers a recovery copy of an earlier run: the writer restores or discards it. */
function RecoveryNotice({ editor }: { editor: EditorController }) {
  const { t } = useLingui();
  const { recoveryCopies, chapter } = useStore(editor.state);
  const [copy] = recoveryCopies;
  const [asking, setAsking] = useState(false);
  if (!copy) return null;
  const { keptId, at, words } = copy;
  const isGone = copy.chapterId !== chapter?.chapterId;
  if (asking) {
    return (
      <Notice
        warn
        testId="left-over-sure"
        title={t`真的要丢弃？`}
        actions={
          <>
            <Button
              size="s"
              autoFocus
              onPress={() => setAsking(false)}
              data-testid="left-over-stay"
            >{t`先留着`}</Button>
            <Button
              size="s"
              kind="danger"
              onPress={() => void editor.discardRecovery(copy)}
              data-testid="left-over-let-go"
            >{t`丢弃`}</Button>
          </>
        }
      >
        {t`丢弃以后找不回来。`}
      </Notice>
    );
  }
  return (
    <Notice
      testId="left-over"
      title={isGone ? t`有一章的文件不见了，它未保存的文字还在` : t`上次未保存的文字还在`}
      actions={
        <>
          <Button size="s" kind="quiet" onPress={() => setAsking(true)} data-testid="left-over-drop">{t`丢弃`}</Button>
          {!isGone && (
            <Button
              size="s"
              onPress={() => void editor.snapshots.show(keptId)}
              data-testid="left-over-look"
            >{t`查看不同`}</Button>
          )}
          <Button size="s" onPress={() => void editor.restoreRecovery(keptId)} data-testid="left-over-back">
            {isGone ? t`放进新的一章` : t`放回正文`}
          </Button>
        </>
      }
    >
      {isGone
        ? t`${when(at)}留下的，${count(words)} 字。`
        : t`${when(at)}留下的，${count(words)} 字；正文现在是 ${count(countWords(editor.text))} 字。`}
    </Notice>
  );
}

/** Uses the language of the book, not of the interface. */
const chapterNumber = (language: "zh" | "en", number: number) =>
  language === "zh" ? `第${hanNumber(number)}章` : `Chapter ${number}`;
