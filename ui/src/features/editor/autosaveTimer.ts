/** Milliseconds without an edit after which the text is saved. */
const QUIET_MS = 800;
/** Milliseconds that an edit waits at most while the writer keeps typing. */
const MAX_WAIT_MS = 2_000;

/** Decides when unsaved text is saved. */
export class AutosaveTimer {
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Time of the oldest edit that no save has taken up, on the clock of `performance`. */
  private oldestEdit: number | null = null;

  constructor(private readonly save: () => void) {}

  onEdit(): void {
    this.oldestEdit ??= performance.now();
    this.schedule();
  }

  /** Call when the edits so far are being stored: they wait no longer. */
  resetWait(): void {
    this.oldestEdit = null;
  }

  schedule(): void {
    const waited = this.oldestEdit === null ? 0 : performance.now() - this.oldestEdit;
    this.saveIn(Math.min(QUIET_MS, Math.max(0, MAX_WAIT_MS - waited)));
  }

  saveIn(milliseconds: number): void {
    this.cancel();
    this.timer = setTimeout(this.save, milliseconds);
  }

  cancel(): void {
    clearTimeout(this.timer);
  }
}
