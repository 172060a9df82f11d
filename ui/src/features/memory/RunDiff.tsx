import { useLingui } from "@lingui/react/macro";
import { useMemo } from "react";
import type { ChangeKind, RunChange } from "../../backend";
import { Changes, Icon, type IconName } from "../../design";
import { changesOf } from "../../lib/difference";
import { langOf } from "../../lib/langOf";
import css from "./learning.module.css";
import { changeWords } from "./runs";

const ICONS: Partial<Record<ChangeKind, IconName>> = {
  learned: "plus",
  proposed: "info",
  replaced: "pen",
  strengthened: "up",
  returned: "up",
  weakened: "down",
  steppedBack: "pause",
  withdrawn: "pause",
  dropped: "bin",
  challenged: "again",
  globalised: "away",
  localised: "book",
};

/** The changes of a learning run, or of a proposed one: one line per rule. */
export function RunDiff({ changes }: { changes: RunChange[] }) {
  return (
    <ul className={css.diff}>
      {changes.map((change) => (
        <Line key={change.ruleId} change={change} />
      ))}
    </ul>
  );
}

function Line({ change: { kind, before, after, kept } }: { change: RunChange }) {
  const { t } = useLingui();
  const [was, is] = [before?.rule ?? "", after?.rule ?? ""];
  const segments = useMemo(() => {
    if (was === "") return [{ kind: "same" as const, text: is }];
    if (is === "") return [{ kind: "del" as const, text: was }];
    return changesOf(was, is);
  }, [was, is]);
  const [from, to] = [shown(before?.confidence), shown(after?.confidence)];
  return (
    <li className={css.line} data-testid="run-change" data-kind={kind}>
      <Icon name={ICONS[kind] ?? "dot"} size="xs" />
      <p className={css.lineText} lang={langOf(is || was)}>
        <Changes segments={segments} />
      </p>
      <span className={css.lineKind}>
        {changeWords(kind)}
        {from !== null && to !== null && from !== to && ` ${from} → ${to}`}
        {kept && t`（你后来改过，保持不变）`}
      </span>
    </li>
  );
}

const shown = (confidence: number | null | undefined) =>
  confidence === null || confidence === undefined ? null : confidence.toFixed(2);
