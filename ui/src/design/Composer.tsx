import type { ReactNode } from "react";
import css from "./composer.module.css";
import { GrowingText } from "./parts";

interface ComposerProps {
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
  onEnter: () => void;
  maxRows: number;
  /** Before the field. */
  before?: ReactNode;
  /** The button that sends the text. */
  children: ReactNode;
  testId: string;
}

/** A growing field in one frame with the button that sends its text. */
export const Composer = ({ before, children, ...field }: ComposerProps) => (
  <div className={css.composer} data-before={before ? true : undefined}>
    {before}
    <GrowingText bare hideLabel className={css.field!} {...field} />
    {children}
  </div>
);
