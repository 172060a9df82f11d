/** The name of a file, of its path on any system. */
export const fileOf = (path: string) => path.split(/[\\/]/).at(-1) || path;

/** What no system wants in the name of a file, left out of it. */
export const safeName = (name: string) =>
  name
    .replace(/[\\/:*?"<>|\p{Cc}]/gu, " ")
    .replace(/\s+/g, " ")
    .trim();

/** "2026-10-20", where the writer is. */
export const dayOf = (time: Date) => new Intl.DateTimeFormat("sv-SE").format(time);
