/** The file name of a path with slashes or backslashes. */
export const fileOf = (path: string) => path.split(/[\\/]/).at(-1) || path;

/** The name without characters that file systems refuse. */
export const safeName = (name: string) =>
  name
    .replace(/[\\/:*?"<>|\p{Cc}]/gu, " ")
    .replace(/\s+/g, " ")
    .trim();

/** "2026-10-20", in local time. */
export const dayOf = (time: Date) => new Intl.DateTimeFormat("sv-SE").format(time);
