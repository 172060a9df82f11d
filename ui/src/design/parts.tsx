import { Fragment, useEffect, useEffectEvent, useRef, type KeyboardEvent, type ReactNode } from "react";
import { Button as Press, type ButtonProps } from "react-aria-components/Button";
import { Dialog } from "react-aria-components/Dialog";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import type { DiffSegment } from "../lib/difference";
import { isComposing } from "../lib/ime";
import type { MarkedSegment } from "../lib/matches";
import { Button } from "./Button";
import { Check } from "./Choice";
import { Icon, type IconName } from "./Icon";
import css from "./controls.module.css";

export const Chip = ({ children, testId }: { children: ReactNode; testId?: string }) => (
  <span className={css.chip} data-testid={testId}>
    {children}
  </span>
);

/**
 * `autoFocus`: focuses at once. The library waits a frame after some presses and then yields to whatever has the focus.
 */
export function LinkButton({
  children,
  className,
  autoFocus,
  ...rest
}: Omit<ButtonProps, "className"> & { className?: string }) {
  const ref = useRef<HTMLButtonElement>(null);
  const first = useRef(autoFocus);
  useEffect(() => {
    if (first.current) ref.current?.focus();
  }, []);
  return (
    <Press {...rest} ref={ref} className={[css.link, className].filter(Boolean).join(" ")}>
      {children}
    </Press>
  );
}

export const Raw = ({ children, ...rest }: { children: string; "data-testid"?: string }) => (
  <pre className={css.raw} {...rest}>
    {children}
  </pre>
);

interface NoticeProps {
  icon?: IconName;
  warn?: boolean;
  title: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
  /** Whether the actions have a line of their own. */
  areActionsBelow?: boolean;
  testId?: string;
}

/** A notice in the page, shown as long as its condition holds. */
export function Notice({ icon, warn, title, children, actions, areActionsBelow, testId }: NoticeProps) {
  return (
    <div
      className={`${css.notice} ${warn ? css.warn : ""}`}
      data-below={areActionsBelow || undefined}
      role="status"
      data-testid={testId}
    >
      <Icon name={icon ?? (warn ? "warning" : "info")} />
      <div>
        <div className={css.noticeTitle}>{title}</div>
        {children && <p>{children}</p>}
      </div>
      {actions && <div className={css.noticeActs}>{actions}</div>}
    </div>
  );
}

/** Ten dots filled by the share `value` (0..1); `null`: too few choices, no dot filled. */
export function TenDotMeter({ value, ink, label }: { value: number | null; ink: boolean; label: string }) {
  const on = value === null ? 0 : Math.round(value * 10);
  return (
    <span className={css.tenDotMeter} data-ink={ink || undefined} role="img" aria-label={label}>
      {Array.from({ length: 10 }, (_, index) => (
        <i key={index} data-on={index < on || undefined} />
      ))}
    </span>
  );
}

interface GrowingTextProps {
  label: string;
  hideLabel?: boolean;
  value: string;
  onChange: (value: string) => void;
  onEnter?: () => void;
  /** Ctrl+Enter or Cmd+Enter, if Enter alone starts a new line. */
  onCommandEnter?: () => void;
  onEscape?: () => void;
  placeholder?: string;
  prose?: boolean;
  bare?: boolean;
  autoFocus?: boolean;
  maxRows?: number;
  lang?: string;
  testId?: string;
  className?: string;
}

/** A text area that grows with its text. Enter and Escape are ignored while an input method composes. */
export function GrowingText({
  label,
  hideLabel,
  value,
  onChange,
  onEnter,
  onCommandEnter,
  onEscape,
  placeholder,
  prose,
  bare,
  autoFocus,
  maxRows = 8,
  lang,
  testId,
  className,
}: GrowingTextProps) {
  const ref = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const area = ref.current;
    if (!area) return;
    area.style.height = "auto";
    const line = Number.parseFloat(getComputedStyle(area).lineHeight) || 20;
    area.style.height = `${Math.min(area.scrollHeight + 2, line * maxRows + 14)}px`;
  }, [value, maxRows]);
  useEffect(() => {
    if (!autoFocus || !ref.current) return;
    ref.current.focus();
    ref.current.setSelectionRange(ref.current.value.length, ref.current.value.length);
  }, [autoFocus]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return;
    const meant =
      event.key !== "Enter" || event.shiftKey
        ? undefined
        : event.ctrlKey || event.metaKey
          ? (onCommandEnter ?? onEnter)
          : onEnter;
    if (meant) {
      event.preventDefault();
      meant();
    }
    if (event.key === "Escape" && onEscape) {
      event.preventDefault();
      event.stopPropagation();
      onEscape();
    }
  };
  return (
    <label className={[css.field, className].filter(Boolean).join(" ")}>
      <span className={hideLabel ? "sr" : css.fieldLabel}>{label}</span>
      <textarea
        ref={ref}
        rows={1}
        lang={lang}
        className={bare ? undefined : `${css.input} ${prose ? css.prose : ""}`}
        value={value}
        placeholder={placeholder}
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
        data-testid={testId}
      />
    </label>
  );
}

/** A diff in one text, with deletions and insertions, and with the marks of a search if it has any. */
export function Changes({ segments }: { segments: readonly (DiffSegment | MarkedSegment)[] }) {
  return (
    <span className={css.changes}>
      {segments.map((segment, index) => {
        const text = "marks" in segment ? <Marked {...segment} /> : segment.text;
        if (segment.kind === "del") return <del key={index}>{text}</del>;
        if (segment.kind === "ins") return <ins key={index}>{text}</ins>;
        return <span key={index}>{text}</span>;
      })}
    </span>
  );
}

const Marked = ({ text, marks }: MarkedSegment) => (
  <>
    {marks.map(({ from, to }, index) => (
      <Fragment key={from}>
        {text.slice(marks[index - 1]?.to ?? 0, from)}
        <mark>{text.slice(from, to)}</mark>
      </Fragment>
    ))}
    {text.slice(marks.at(-1)?.to ?? 0)}
  </>
);

/** The heading of a group in a list of results, with a line beside it. */
export function GroupHeading({ children, level = 3, testId }: { children: ReactNode; level?: 3 | 4; testId?: string }) {
  const Heading = `h${level}` as const;
  return (
    <Heading className={css.groupHeading} data-testid={testId}>
      {children}
    </Heading>
  );
}

interface InlineConfirmProps {
  label: string;
  children: ReactNode;
  yes: string;
  no: string;
  busy?: boolean;
  onYes: () => void;
  onNo: () => void;
  /** An additional option. */
  choice?: { label: string; note: string; checked: boolean; onChange: (checked: boolean) => void };
  testId: string;
}

/** Inline confirmation of an irreversible action. The cancel button has the focus. */
export function InlineConfirm({ label, children, yes, no, busy, onYes, onNo, choice, testId }: InlineConfirmProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      className={choice ? `${css.inlineConfirm} ${css.inlineConfirmChoice}` : css.inlineConfirm}
      role="group"
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || isComposing(event.nativeEvent)) return;
        event.preventDefault();
        event.stopPropagation();
        onNo();
      }}
    >
      <p>{children}</p>
      {choice && (
        <Check
          label={choice.label}
          note={choice.note}
          checked={choice.checked}
          onChange={choice.onChange}
          disabled={busy}
          testId={`${testId}-everywhere`}
        />
      )}
      <Button size="s" kind="danger" isDisabled={busy} onPress={onYes} data-testid={`${testId}-confirm`}>
        {yes}
      </Button>
      <Button size="s" autoFocus onPress={onNo} data-testid={`${testId}-cancel`}>
        {no}
      </Button>
    </div>
  );
}

/** Milliseconds a toast is shown. */
const TOAST_MS = 6_000;
/** The same for one with an action: the writer has to read it, decide, and reach the button. */
const TOAST_WITH_ACTION_MS = 20_000;

/**
 * Announces a success once. Failures stay where they happened instead. The live region always exists, so screen readers
 * announce its changes.
 */
export function Toast({
  text,
  action = null,
  onDone,
}: {
  text: string | null;
  action?: { label: string; onPress: () => void } | null;
  onDone: () => void;
}) {
  const done = useEffectEvent(onDone);
  const hasAction = action !== null;
  useEffect(() => {
    if (text === null) return;
    const timer = setTimeout(done, hasAction ? TOAST_WITH_ACTION_MS : TOAST_MS);
    return () => clearTimeout(timer);
  }, [text, hasAction]);
  return (
    <div role="status">
      {text !== null && (
        <div className={css.toast} data-testid="toast">
          <Icon name="check" />
          {text}
          {action && (
            <LinkButton onPress={action.onPress} data-testid="toast-action">
              {action.label}
            </LinkButton>
          )}
        </div>
      )}
    </div>
  );
}

/**
 * A modal confirmation dialog, opened only by an action of the writer. `alert`: the action is irreversible, and a press
 * outside the dialog does not close it.
 */
export function ConfirmDialog({
  title,
  children,
  actions,
  onDismiss,
  alert,
  wide,
  testId,
}: {
  title: string;
  children: ReactNode;
  actions: ReactNode;
  onDismiss: () => void;
  alert?: boolean;
  wide?: boolean;
  testId?: string;
}) {
  return (
    <ModalOverlay className={css.scrim} isOpen isDismissable={!alert} onOpenChange={(open) => !open && onDismiss()}>
      <Modal>
        <Dialog
          className={`${css.dialog} ${wide ? css.wide : ""}`}
          aria-label={title}
          role={alert ? "alertdialog" : "dialog"}
          data-testid={testId}
        >
          {/* The Escape that ends a composition does not close the dialog. */}
          {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions */}
          <div
            className={css.dialogContent}
            onKeyDown={(event) => isComposing(event.nativeEvent) && event.stopPropagation()}
          >
            <h3>{title}</h3>
            {children}
            <div className={css.dialogActs}>{actions}</div>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
