import { useLingui } from "@lingui/react/macro";
import type { HealthProblem } from "../../backend";
import { Button, Notice } from "../../design";
import { problemDetail, problemTitle } from "../../i18n/healthProblems";
import css from "./memory.module.css";

/** The parts of the memory a page lacks, with a link to the remedies. */
export function Missing({ problems, onMend }: { problems: HealthProblem[]; onMend: () => void }) {
  const { t } = useLingui();
  return (
    <div className={css.missing}>
      {problems.map(({ kind }) => (
        <Notice
          key={kind}
          warn
          title={problemTitle(kind)}
          actions={<Button size="s" onPress={onMend}>{t`查看`}</Button>}
          testId={`missing-${kind}`}
        >
          {problemDetail(kind)}
        </Notice>
      ))}
    </div>
  );
}
