import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { Backup, Project, HealthProblem } from "../../backend";
import { Backups } from "./Backups";
import { Clearings } from "./Clearings";
import { Exchange } from "./Exchange";
import { Fullness } from "./Fullness";
import { Health } from "./Health";
import css from "./memory.module.css";
import { Restore } from "./Restore";

interface SafetyPageProps {
  project: Project | null;
  problems: HealthProblem[];
  onSave: () => Promise<boolean>;
  onCleared: (title: string | null, forgotten: boolean) => void;
}

/** State of the two files, backups, exchange and clearing. */
export function SafetyPage({ project, problems, onSave, onCleared }: SafetyPageProps) {
  const { t } = useLingui();
  const [restoring, setRestoring] = useState<Backup | null>(null);
  const [done, setDone] = useState<{ how: "restored" | "anew"; setAside: string | null } | null>(null);
  return (
    <div className={css.rules} data-testid="safety-page">
      <section className={css.group}>
        <h3 className={css.groupName}>{t({ message: "当前状态", context: "how the memory is" })}</h3>
        <div className={css.safe}>
          <Health
            problems={problems}
            onRestore={setRestoring}
            onAnew={({ setAside }) => setDone({ how: "anew", setAside })}
          />
          <p role="status" className={css.said}>
            {done && (
              <span className={css.well} data-testid="set-aside">
                {done.how === "restored" ? t`已恢复。` : t`已从空库开始。`}
                {done.setAside !== null && t`损坏的文件还在，名为 ${done.setAside}。`}
              </span>
            )}
          </p>
        </div>
      </section>
      <section className={css.group}>
        <h3 className={css.groupName}>{t`备份`}</h3>
        <div className={css.safe}>
          <Backups onRestore={setRestoring} />
        </div>
      </section>
      <section className={css.group}>
        <h3 className={css.groupName}>{t`导出和导入`}</h3>
        <div className={css.safe}>
          <Exchange project={project} />
        </div>
      </section>
      <section className={css.group}>
        <h3 className={css.groupName}>{t`容量`}</h3>
        <div className={css.safe}>
          <Fullness />
        </div>
      </section>
      <section className={css.group}>
        <h3 className={css.groupName}>{t`清除`}</h3>
        <div className={css.safe}>
          <Clearings project={project} onSave={onSave} onCleared={onCleared} />
        </div>
      </section>
      {restoring && (
        <Restore
          backup={restoring}
          onDone={(restored) => {
            setRestoring(null);
            setDone(restored?.setAside ? { how: "restored", setAside: restored.setAside } : null);
          }}
        />
      )}
    </div>
  );
}
