import { useLingui } from "@lingui/react/macro";
import type { Trouble } from "../../backend";
import { Button, Notice } from "../../design";
import { troubleDetail, troubleTitle } from "../../i18n/troubles";
import css from "./memory.module.css";

/** The parts of the memory a page lacks, with a link to the remedies. */
export function Missing({ troubles, onMend }: { troubles: Trouble[]; onMend: () => void }) {
  const { t } = useLingui();
  return (
    <div className={css.missing}>
      {troubles.map(({ kind }) => (
        <Notice
          key={kind}
          warn
          title={troubleTitle(kind)}
          actions={<Button size="s" onPress={onMend}>{t`查看`}</Button>}
          testId={`missing-${kind}`}
        >
          {troubleDetail(kind)}
        </Notice>
      ))}
    </div>
  );
}
