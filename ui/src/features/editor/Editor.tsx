import { useLingui } from "@lingui/react/macro";
import { useEffect, useEffectEvent, useLayoutEffect, useRef, type ReactNode } from "react";
import { useStore } from "zustand";
import { Button, Notice } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count } from "../../i18n/words";
import { hanNumber } from "../../lib/ordinal";
import type { Desk } from "./desk";
import css from "./editor.module.css";
import { FindBar } from "./FindBar";

interface EditorProps {
  desk: Desk;
  language: "zh" | "en";
  /** 1-based place of the chapter in the book. */
  number: number;
  onReady: () => void;
  /** What is looked for in this chapter, looked for in all. */
  onFindWhole: (query: string) => void;
  toolbar?: ReactNode;
}

export function Editor({ desk, language, number, onReady, onFindWhole, toolbar }: EditorProps) {
  const { t } = useLingui();
  const { chapter, outside, problem, unanchored } = useStore(desk.state);
  const box = useRef<HTMLDivElement>(null);
  const sheet = useRef<HTMLDivElement>(null);
  const ready = useEffectEvent(onReady);

  useEffect(() => {
    if (!box.current) return;
    desk.mount(box.current);
    ready();
    return () => desk.unmount();
  }, [desk]);

  // Before anything that brings a place of the new chapter into sight.
  useLayoutEffect(() => {
    sheet.current?.scrollTo({ top: 0 });
  }, [chapter?.chapterId]);

  useEffect(() => {
    if (outside !== "reloaded") return;
    const timer = setTimeout(() => desk.dismissOutside(), 8_000);
    return () => clearTimeout(timer);
  }, [desk, outside]);

  return (
    <main className={css.page}>
      <div className={css.head}>
        {toolbar}
        {chapter && <FindBar finder={desk.finder} onWhole={onFindWhole} />}
      </div>
      <div className={css.notices}>
        {outside && (
          <Notice
            testId="outside-change"
            warn={outside !== "reloaded"}
            title={outside === "reloaded" ? t`这一章在别处改过，已经换成新的` : outside === "gone" ? t`这一章的文件不见了` : t`这一章在别处改过，你这里也有没存的字`}
            actions={
              outside === "reloaded" ? (
                <Button size="s" kind="quiet" onPress={() => desk.dismissOutside()}>{t`知道了`}</Button>
              ) : (
                <>
                  <Button size="s" onPress={() => void desk.keepMine()} data-testid="outside-keep-mine">{t`留我的`}</Button>
                  {outside === "changed" && (
                    <Button size="s" onPress={() => void desk.takeTheirs()} data-testid="outside-take-theirs">{t`用那边的`}</Button>
                  )}
                </>
              )
            }
          >
            {outside === "changed" && t`选好以前，两边都不动。用那边的以后，撤销可以换回来。`}
            {outside === "gone" && t`你的字还在窗口里，可以重新存一份。`}
          </Notice>
        )}
        {problem && (
          <Notice
            warn
            title={problem.of === "save" ? t`还没有存好` : t`没能读出来`}
            actions={
              problem.of === "save" ? (
                <Button size="s" onPress={() => void desk.flush()}>{t`再存一次`}</Button>
              ) : (
                <Button size="s" kind="quiet" onPress={() => desk.dismissProblem()}>{t`知道了`}</Button>
              )
            }
          >
            {errorSentence(problem.error)}
          </Notice>
        )}
      </div>
      {/* A convenience of the mouse; the keyboard has the text itself. */}
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions */}
      <div
        className={css.sheet}
        ref={sheet}
        onMouseDown={(event) => {
          // A press on the empty paper below the text goes to its end.
          if (event.target === event.currentTarget) {
            event.preventDefault();
            desk.focus();
          }
        }}
      >
        <div className={css.manuscript} lang={language === "zh" ? "zh-CN" : "en"}>
          {chapter && <div className={css.number}>{chapterNumber(language, number)}</div>}
          <div ref={box} data-testid="editor" className={css.editor} />
          {unanchored > 0 && <p className={css.unanchored}>{t`有 ${count(unanchored)} 段 AI 写的文字在别处改动后对不上位置了，它们的来历还留着。`}</p>}
        </div>
      </div>
    </main>
  );
}

/** In the language of the book, whatever the interface speaks. */
const chapterNumber = (language: "zh" | "en", number: number) => (language === "zh" ? `第${hanNumber(number)}章` : `Chapter ${number}`);
