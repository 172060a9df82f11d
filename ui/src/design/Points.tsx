import type { ReactNode } from "react";
import { Icon, type IconName } from "./Icon";
import css from "./controls.module.css";

interface Point {
  icon: IconName;
  words: ReactNode;
  testId?: string;
}

/** The consequences of an action, each with a sign. */
export function Points({ points }: { points: Point[] }) {
  return (
    <ul className={css.points}>
      {points.map(({ icon, words, testId }, index) => (
        // oxlint-disable-next-line react/no-array-index-key
        <li key={index} data-testid={testId}>
          <Icon name={icon} />
          <span>{words}</span>
        </li>
      ))}
    </ul>
  );
}
