import { useLingui } from "@lingui/react/macro";
import { useEffect, useMemo, useRef } from "react";
import { Dialog } from "react-aria-components/Dialog";
import { ListBox, ListBoxItem } from "react-aria-components/ListBox";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { useStore } from "zustand";
import type { SnapshotInfo } from "../../backend";
import { Busy, Button, Changes, IconButton } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count, when } from "../../i18n/words";
import { changesOf } from "../../lib/difference";
import { countWords } from "../../lib/words";
import type { EditorController } from "./controller";
import css from "./snapshots.module.css";

/** Compares earlier texts of the chapter with the present one and restores them. */
export function SnapshotsDialog({ editor, language }: { editor: EditorController; language: "zh" | "en" }) {
  const { t } = useLingui();
  const open = useStore(editor.snapshots.state, (state) => state.open);
  return (
    <ModalOverlay
      className={css.scrim}
      isOpen={open}
      isDismissable
      onOpenChange={(next) => !next && editor.snapshots.close()}
    >
      <Modal className={css.modal}>
        <Dialog className={css.dialog} aria-label={t`这一章的旧稿`} data-testid="old-drafts">
          <SnapshotsContent editor={editor} language={language} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function SnapshotsContent({ editor, language }: { editor: EditorController; language: "zh" | "en" }) {
  const { t } = useLingui();
  const { recoveryCopies, list, chosen, read, problem, present } = useStore(editor.snapshots.state);
  const isRecoveryCopy = recoveryCopies.some(({ keptId }) => keptId === chosen);
  const same = read?.text === present;
  const none = list?.length === 0 && recoveryCopies.length === 0;
  const restore = () => {
    if (!read) return;
    editor.snapshots.close();
    if (isRecoveryCopy) void editor.restoreRecovery(read.snapshotId);
    else editor.restoreSnapshot(read);
  };
  return (
    <>
      <div className={css.head}>
        <h3>{t`这一章的旧稿`}</h3>
        <span className="grow" />
        <IconButton
          name="cross"
          size="s"
          label={t`关闭（Esc）`}
          onPress={() => editor.snapshots.close()}
          data-testid="old-drafts-close"
        />
      </div>
      {none ? (
        <div className={css.none}>
          {problem ? errorSentence(problem) : t`还没有旧稿。每次采用 AI 的文字以前，会先存一份。`}
        </div>
      ) : (
        <div className={css.parts}>
          <SnapshotList editor={editor} />
          <div className={css.comparison}>
            {problem && (
              <p className={css.problem} role="alert">
                {errorSentence(problem)}
              </p>
            )}
            {!problem && !read && <Busy>{t`正在读取`}</Busy>}
            {!problem && read && (
              <Comparison
                key={read.snapshotId}
                earlier={read.text}
                present={present}
                words={read.words}
                lang={language === "zh" ? "zh-CN" : "en"}
              />
            )}
          </div>
        </div>
      )}
      <div className={css.foot}>
        <p>{read && (same ? t`和现在的一样。` : t`换回以前会先保存现在这一稿，也可以用撤销换回来。`)}</p>
        <Button key={String(none)} autoFocus={none} onPress={() => editor.snapshots.close()}>{t`关闭`}</Button>
        {!none && (
          <Button kind="primary" isDisabled={!read || same} onPress={restore} data-testid="old-draft-take">
            {isRecoveryCopy ? t`放回正文` : t`换回这一稿`}
          </Button>
        )}
      </div>
    </>
  );
}

function SnapshotList({ editor }: { editor: EditorController }) {
  const { t } = useLingui();
  const { recoveryCopies, list, chosen } = useStore(editor.snapshots.state);
  const reason = (one: SnapshotInfo["reason"]) =>
    one === "beforeInsertion" ? t`采用 AI 的文字之前` : one === "beforeRestore" ? t`换回旧稿之前` : t`两份里没选的那份`;
  const rows = [
    ...recoveryCopies.map(({ keptId, at, words }) => ({ id: keptId, at, words, why: t`上次未保存的文字` })),
    ...(list ?? []).map(({ snapshotId, takenAt, words, reason: one }) => ({
      id: snapshotId,
      at: takenAt,
      words,
      why: reason(one),
    })),
  ];
  // The list takes the focus when it is mounted, so it is mounted only with entries.
  if (rows.length === 0)
    return (
      <div className={css.list}>
        <Busy>{t`正在读取`}</Busy>
      </div>
    );
  return (
    <ListBox
      className={css.list}
      aria-label={t`旧稿，新的在前`}
      // oxlint-disable-next-line jsx-a11y/no-autofocus
      autoFocus="first"
      selectionMode="single"
      selectionBehavior="replace"
      disallowEmptySelection
      selectedKeys={chosen === null ? [] : [chosen]}
      onSelectionChange={(keys) => {
        for (const key of keys) editor.snapshots.choose(String(key));
      }}
      data-testid="old-draft-list"
    >
      {rows.map(({ id, at, words, why }) => (
        <ListBoxItem
          key={id}
          id={id}
          className={css.row}
          textValue={`${why} ${when(at)}`}
          data-testid="old-draft"
          data-id={id}
        >
          <b>{when(at)}</b>
          <span>{why}</span>
          <small>{t`${count(words)} 字`}</small>
        </ListBoxItem>
      ))}
    </ListBox>
  );
}

/** Two texts side by side with their differences marked, scrolled to the first one. */
function Comparison({
  earlier,
  present,
  words,
  lang,
}: {
  earlier: string;
  present: string;
  words: number;
  lang: string;
}) {
  const { t } = useLingui();
  const box = useRef<HTMLDivElement>(null);
  const segments = useMemo(() => changesOf(earlier, present), [earlier, present]);
  useEffect(() => {
    const first = box.current?.querySelector("del, ins");
    if (first && box.current)
      box.current.scrollTop = Math.max(
        0,
        first.getBoundingClientRect().top - box.current.getBoundingClientRect().top - 96,
      );
  }, []);
  return (
    <div
      ref={box}
      className={css.texts}
      // Focusable, so the keyboard can scroll it.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      role="region"
      aria-label={t`那时和现在的对照`}
      data-testid="old-draft-beside"
    >
      <section>
        <h4>{t`那时，${count(words)} 字`}</h4>
        <div className={css.text} lang={lang}>
          <Changes segments={segments.filter(({ kind }) => kind !== "ins")} />
        </div>
      </section>
      <section>
        <h4>{t`现在，${count(countWords(present))} 字`}</h4>
        <div className={css.text} lang={lang}>
          <Changes segments={segments.filter(({ kind }) => kind !== "del")} />
        </div>
      </section>
    </div>
  );
}
