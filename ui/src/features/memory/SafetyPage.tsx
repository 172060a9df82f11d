import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { Backup, Project, Trouble } from "../../backend";
import { Backups } from "./Backups";
import { Clearings } from "./Clearings";
import { Health } from "./Health";
import css from "./memory.module.css";
import { Restore } from "./Restore";

interface SafetyPageProps {
  project: Project | null;
  troubles: Trouble[];
  onCleared: (title: string | null) => void;
}

/** How the two files are, their backups, and their end. */
export function SafetyPage({ project, troubles, onCleared }: SafetyPageProps) {
  const { t } = useLingui();
  const [restoring, setRestoring] = useState<Backup | null>(null);
  const [setAside, setSetAside] = useState<string | null>(null);
  return (
    <div className={css.rules} data-testid="safety-page">
      <section className={css.group}>
        <h3 className={css.groupName}>{t({ message: "眼下", context: "how the memory is" })}</h3>
        <div className={css.safe}>
          <Health troubles={troubles} onRestore={setRestoring} />
        </div>
      </section>
      <section className={css.group}>
        <h3 className={css.groupName}>{t`备份`}</h3>
        <div className={css.safe}>
          {setAside !== null && (
            <p className={css.well} role="status" data-testid="set-aside">
              {t`放回来了。坏掉的那份还留着，叫 ${setAside}。`}
            </p>
          )}
          <Backups onRestore={setRestoring} />
        </div>
      </section>
      <section className={css.group}>
        <h3 className={css.groupName}>{t`清除`}</h3>
        <div className={css.safe}>
          <Clearings project={project} onCleared={onCleared} />
        </div>
      </section>
      {restoring && (
        <Restore
          backup={restoring}
          onDone={(restored) => {
            setRestoring(null);
            setSetAside(restored?.setAside ?? null);
          }}
        />
      )}
    </div>
  );
}
