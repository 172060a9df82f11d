export const ACTIVITY_INTERVAL_MS = 30_000;

/** Reports that the writer types: once at the beginning, then at most once per interval and project. */
export class ActivityReporter {
  private last = { at: -Infinity, projectId: "" };

  constructor(private readonly report: (projectId: string) => void) {}

  onEdit(projectId: string): void {
    const at = performance.now();
    if (projectId === this.last.projectId && at - this.last.at < ACTIVITY_INTERVAL_MS) return;
    this.last = { at, projectId };
    this.report(projectId);
  }
}
