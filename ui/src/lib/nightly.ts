/** Local hour at which scheduled jobs begin. */
const START_HOUR = 2;

/** The next start of scheduled jobs after `since`, in local time: failed jobs are retried then. */
export function nextNight(since: Date): Date {
  const night = new Date(since.getFullYear(), since.getMonth(), since.getDate(), START_HOUR);
  return night.getTime() > since.getTime()
    ? night
    : new Date(since.getFullYear(), since.getMonth(), since.getDate() + 1, START_HOUR);
}
