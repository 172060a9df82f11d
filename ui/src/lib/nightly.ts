/** Where the writer is, jobs run from this hour on. Fixed by the owner. */
const HOUR = 2;

/** When the next night's window opens after `since`, on the writer's clock: what failed is tried again then. */
export function nextNight(since: Date): Date {
  const night = new Date(since.getFullYear(), since.getMonth(), since.getDate(), HOUR);
  return night.getTime() > since.getTime()
    ? night
    : new Date(since.getFullYear(), since.getMonth(), since.getDate() + 1, HOUR);
}
