import { useLingui } from "@lingui/react/macro";
import { useEffect, useRef, useState } from "react";
import { useStore } from "zustand";
import type { ChapterInfo, Language } from "../../backend";
import { Button, Notice, Picker, Seg } from "../../design";
import { count } from "../../i18n/words";
import { lastIndexOf, type AsOfMode } from "./position";
import type { StorySession } from "./session";
import css from "./story.module.css";

interface AsOfProps {
  session: StorySession;
  chapters: readonly ChapterInfo[];
  language: Language;
}

/** The position up to which the book is listed: the caret, the end of a chapter, or all of it. */
export function AsOf({ session, chapters, language }: AsOfProps) {
  const { t } = useLingui();
  const asOf = useStore(session.state);
  const { mode, caret, pinned } = asOf;
  const last = lastIndexOf(asOf, chapters);
  const number = count(last + 1);
  const lang = language === "zh" ? "zh-CN" : "en";
  const change = (next: AsOfMode) => {
    if (next === "caret") session.unpin();
    else if (next === "whole") session.showWhole();
    else session.pin(pinned ?? chapters[last]?.chapterId ?? "");
  };
  return (
    <div className={css.asOf}>
      <Seg<AsOfMode>
        label={t`列到哪里为止`}
        value={mode}
        onChange={change}
        options={[
          {
            key: "caret",
            label: mode === "caret" && caret ? t`跟着光标·到第 ${number} 章` : t`跟着光标`,
            testId: "as-of-caret",
          },
          {
            key: "pinned",
            icon: "pin",
            label: mode === "pinned" ? t`第 ${number} 章` : t`钉在一章…`,
            testId: "as-of-pin",
          },
          { key: "whole", label: t({ message: "全书", context: "how far the book is listed" }), testId: "as-of-all" },
        ]}
        testId="as-of"
      />
      {mode === "pinned" && (
        <span className={css.chapter}>
          <Picker
            quiet
            label={t`钉在哪一章`}
            value={pinned ?? ""}
            onChange={(chapterId) => session.pin(chapterId)}
            options={chapters.map(({ chapterId, title }, index) => ({
              key: chapterId,
              label: `${count(index + 1)} ${title}`,
              lang,
            }))}
            testId="as-of-chapter"
          />
        </span>
      )}
    </div>
  );
}

/** Explains the position where it is not the caret. */
export function AsOfNote({ session, chapters }: Omit<AsOfProps, "language">) {
  const { t } = useLingui();
  const asOf = useStore(session.state);
  const number = count(lastIndexOf(asOf, chapters) + 1);
  if (asOf.mode === "caret") return null;
  if (asOf.mode === "pinned")
    return (
      <p className={css.note} data-testid="as-of-pinned">
        {t`光标走到哪里，这里都停在第 ${number} 章。按“跟着光标”就松开。`}
      </p>
    );
  const caretNumber = lastIndexOf({ ...asOf, mode: "caret" }, chapters) + 1;
  return (
    <div className={css.notices}>
      <Notice
        warn
        title={t`后面的事也列出来了`}
        testId="as-of-whole-note"
        actions={
          asOf.caret && (
            <Button size="s" onPress={() => session.unpin()} data-testid="as-of-back">
              {t({ message: `回到第 ${count(caretNumber)} 章`, context: "how far the book is listed" })}
            </Button>
          )
        }
      >{t`只给你看。带给模型的，照旧到光标为止。`}</Notice>
    </div>
  );
}

/** Announces a change of the position once, when its list has arrived; `text` says what is listed now. */
export function AsOfAnnouncement({ text, position, isReady }: { text: string; position: string; isReady: boolean }) {
  const seen = useRef<string | null>(null);
  const [announced, setAnnounced] = useState("");
  useEffect(() => {
    if (!isReady || seen.current === position) return;
    if (seen.current !== null) setAnnounced(text);
    seen.current = position;
  }, [isReady, position, text]);
  return (
    <p className="sr" role="status" data-testid="as-of-announced">
      {announced}
    </p>
  );
}
