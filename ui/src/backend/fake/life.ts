import type { Backup, Clearing, Commands, Episode } from "../bindings.gen";

type Name =
  | Extract<keyof Commands, `memory:backup:${string}` | `memory:clear:${string}` | `memory:names:${string}`>
  | "memory:episode:confirm"
  | "memory:episode:delete"
  | "memory:episode:feedback"
  | "memory:maintenance:run"
  | "memory:skills:order"
  | "memory:working:end-session";

const missing = { code: "MEMORY_NOT_FOUND", message: "there is no such thing" } as const;

/** What becomes of episodes, and of the memory as a whole. */
export class FakeLife {
  backups: Backup[] = [];
  clearings: Clearing[] = [];

  constructor(
    private readonly episodes: Episode[],
    private readonly now: () => string,
    private readonly changed: (projectId: string | null) => void,
  ) {}

  private find(episodeId: string): Episode {
    const found = this.episodes.find(({ id }) => id === episodeId);
    if (!found) throw missing;
    return found;
  }

  private told(episode: Episode, change: Partial<Episode>): Episode {
    Object.assign(episode, change, { version: episode.version + 1 });
    this.changed(episode.projectId);
    return episode;
  }

  private clear(projectId: string | null, confirmed: boolean | null | undefined) {
    if (!confirmed) throw { code: "MEMORY_CLEAR_CONFIRM_REQUIRED", message: "clearing needs to be confirmed" };
    const kept = this.episodes.filter((episode) => projectId !== null && episode.projectId !== projectId);
    const counts = { episodes: this.episodes.length - kept.length };
    this.episodes.splice(0, this.episodes.length, ...kept);
    this.clearings.push({ clearingId: `clearing-${this.clearings.length + 1}`, projectId, requestedBy: "writer", requestedAt: this.now(), finishedAt: this.now(), counts });
    this.changed(projectId);
    return counts;
  }

  readonly commands: { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "memory:backup:list": () => ({ backups: this.backups }),
    "memory:backup:create": () => {
      this.backups = [{ backupId: `backup-${this.backups.length + 1}`, file: "rules", createdAt: this.now(), bytes: 98_304, reason: "manual" }, ...this.backups];
      return { backups: this.backups };
    },
    "memory:backup:restore": ({ backupId }) => {
      const restored = this.backups.find((backup) => backup.backupId === backupId);
      if (!restored) throw missing;
      return { restored, setAside: null };
    },
    "memory:clear:project": ({ projectId, confirmed }) => this.clear(projectId, confirmed),
    "memory:clear:all": ({ confirmed }) => this.clear(null, confirmed),
    "memory:clear:log": () => ({ clearings: this.clearings }),
    "memory:episode:confirm": ({ episodeId, userConfirmed }) => this.told(this.find(episodeId), { userConfirmed: userConfirmed ?? true }),
    "memory:episode:delete": ({ episodeId }) => {
      const [gone] = this.episodes.splice(this.episodes.indexOf(this.find(episodeId)), 1);
      this.changed(gone!.projectId);
      return { episodeId };
    },
    "memory:episode:feedback": ({ episodeId, signal, text }) =>
      this.told(this.find(episodeId), signal === "undo" ? { implicit: "delayedNegative", implicitWeight: -1.5 } : { explicit: text ?? null }),
    "memory:maintenance:run": ({ job }) => ({ job: job ?? null, begunAt: this.now(), steps: [] }),
    "memory:names:list": () => ({ names: [] }),
    "memory:names:set": ({ names }) => ({ names }),
    "memory:skills:order": () => ({ skills: [] }),
    "memory:working:end-session": () => ({ archived: 0, dropped: 0 }),
  };
}
