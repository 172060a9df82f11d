import { useLingui } from "@lingui/react/macro";
import { useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { useDrag } from "react-aria-components/useDrag";
import { useDrop } from "react-aria-components/useDrop";
import type { ChapterInfo, Language } from "../../backend";
import { ActionMenu, IconButton, tooltip } from "../../design";
import { count } from "../../i18n/words";
import { isComposing } from "../../lib/ime";
import css from "./book.module.css";

/** Type of the drag data, so that foreign data is not taken for a chapter. */
const KIND = "application/x-palimpsest-chapter";

interface ChapterRowProps {
  chapter: ChapterInfo;
  /** Shown before the title; `null`: the title has its own, or there is none. */
  number: number | null;
  /** Whether it can be merged: another chapter follows. */
  hasNext: boolean;
  language: Language;
  isOpen: boolean;
  /** The rename field, shown instead of the title. */
  field: ReactNode;
  onOpen: () => void;
  onRename: () => void;
  onDelete: () => void;
  onMerge: () => void;
  /** Splits it at the caret; only while it is open. */
  onSplit: () => void;
  onShift: (way: "up" | "down") => void;
  /** Another chapter was dropped on the upper or lower half of this row. */
  onDrop: (chapterId: string, side: "above" | "below") => void;
}

/** A chapter in the list: opens, renames, and moves by mouse or Alt+arrows. */
export function ChapterRow({
  chapter,
  number,
  hasNext,
  language,
  isOpen,
  field,
  onOpen,
  onRename,
  onDelete,
  onMerge,
  onSplit,
  onShift,
  onDrop,
}: ChapterRowProps) {
  const { t } = useLingui();
  const row = useRef<HTMLLIElement>(null);
  const [side, setSide] = useState<"above" | "below" | null>(null);
  // The keyboard has its own shortcuts for moving, so a press always opens the chapter.
  const { dragProps, isDragging } = useDrag({
    hasDragButton: true,
    getItems: () => [{ [KIND]: chapter.chapterId }],
    getAllowedDropOperations: () => ["move"],
  });
  const sideAt = (y: number) => (y < (row.current?.offsetHeight ?? 0) / 2 ? "above" : "below");
  const { dropProps } = useDrop({
    ref: row,
    getDropOperation: (types) => (types.has(KIND) ? "move" : "cancel"),
    onDropEnter: ({ y }) => setSide(sideAt(y)),
    onDropMove: ({ y }) => setSide(sideAt(y)),
    onDropExit: () => setSide(null),
    onDrop: ({ items, y }) => {
      setSide(null);
      const dropped = items.find((item) => item.kind === "text" && item.types.has(KIND));
      if (dropped?.kind === "text")
        void dropped.getText(KIND).then((chapterId) => chapterId !== chapter.chapterId && onDrop(chapterId, sideAt(y)));
    },
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.altKey || event.ctrlKey || event.metaKey || isComposing(event.nativeEvent)) return;
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    event.preventDefault();
    onShift(event.key === "ArrowUp" ? "up" : "down");
  };
  if (field) return <li className={css.row}>{field}</li>;
  return (
    <li
      ref={row}
      className={css.row}
      data-drop={side ?? undefined}
      data-dragging={isDragging || undefined}
      {...dropProps}
    >
      <button
        {...dragProps}
        type="button"
        className={css.chapter}
        data-testid="chapter-item"
        data-chapter-id={chapter.chapterId}
        aria-current={isOpen ? "page" : undefined}
        aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
        onClick={onOpen}
        onDoubleClick={onRename}
        onKeyDown={onKeyDown}
        {...tooltip(t`拖动，或按 Alt+↑、Alt+↓ 换位置`)}
      >
        <span className={css.number}>{number}</span>
        <span className={css.name} lang={language === "zh" ? "zh-CN" : "en"}>
          {chapter.title}
        </span>
        <span className={css.words}>{chapter.words > 0 ? count(chapter.words) : "—"}</span>
      </button>
      <div className={css.acts}>
        <IconButton
          name="pen"
          size="xs"
          label={t`重命名《${chapter.title}》`}
          onPress={onRename}
          data-testid="chapter-rename"
        />
        <ActionMenu
          label={t`整理《${chapter.title}》`}
          testId="chapter-menu"
          actions={[
            { key: "split", label: t`在光标处拆成两章…`, onAction: onSplit, disabled: !isOpen && t`先打开` },
            { key: "merge", label: t`和下一章合并`, onAction: onMerge, disabled: !hasNext && t`已是最后一章` },
            { key: "delete", label: t`删除`, onAction: onDelete, danger: true },
          ]}
        />
      </div>
    </li>
  );
}
