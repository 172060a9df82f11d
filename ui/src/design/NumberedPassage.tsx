import type { ReactNode } from "react";
import css from "./numberedPassage.module.css";
import { tooltip } from "./Tooltip";

interface NumberedPassageProps {
  number: number;
  quote: string;
  /** Language of the book. */
  lang: string;
  /** The chapter in words. */
  place: string;
  testId: string;
}

interface OpenProps extends NumberedPassageProps {
  /** Explains the press. */
  hint: string;
  onPress: () => void;
  /** Whether the passage is lit in the text; absent where pressing it only opens it. */
  isLit?: boolean;
  /** Id of the button, for the numbers that it describes. */
  id?: string;
  /** Key that opens the passage. */
  shortcut?: string | undefined;
}

/** A numbered sentence of the book. Pressing it opens it in the text. */
export const NumberedPassage = ({ hint, onPress, isLit, id, shortcut, ...row }: OpenProps) => (
  <button
    type="button"
    id={id}
    className={css.passage}
    aria-pressed={isLit}
    aria-keyshortcuts={shortcut}
    onClick={onPress}
    data-testid={row.testId}
    {...tooltip(hint)}
  >
    <Row {...row} isLit={isLit}>
      <q lang={row.lang}>{row.quote}</q>
    </Row>
  </button>
);

/** One that the book has lost: it cannot be opened. */
export const LostPassage = (row: NumberedPassageProps) => (
  <p className={css.passage} data-lost data-testid={row.testId}>
    <Row {...row}>
      <del lang={row.lang}>{row.quote}</del>
    </Row>
  </p>
);

const Row = ({
  number,
  place,
  isLit,
  children,
}: NumberedPassageProps & { isLit?: boolean | undefined; children: ReactNode }) => (
  <>
    <span className={css.number} data-lit={isLit || undefined}>
      {number}
    </span>
    {children}
    <small>{place}</small>
  </>
);
