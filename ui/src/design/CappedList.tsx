import { useState, type ReactNode } from "react";
import { LinkButton } from "./parts";

/** Items that are rendered at first, and that each press adds. */
const STEP = 50;

interface CappedListProps<T> {
  items: readonly T[];
  /** Renders an item, with its key. */
  children: (item: T) => ReactNode;
  /** The words of the button below, of the number of items that are left. */
  moreWords: (left: number) => string;
  /** Of the list. That of the button has `-more` after it. */
  testId: string;
}

/** A list that renders some items at first, and more of them on request: rows of very different heights. */
export function CappedList<T>({ items, children, moreWords, testId }: CappedListProps<T>) {
  const [limit, setLimit] = useState(STEP);
  const left = items.length - limit;
  return (
    <>
      <ul data-testid={testId}>{items.slice(0, limit).map(children)}</ul>
      {left > 0 && (
        <LinkButton onPress={() => setLimit(limit + STEP)} data-testid={`${testId}-more`}>
          {moreWords(left)}
        </LinkButton>
      )}
    </>
  );
}
