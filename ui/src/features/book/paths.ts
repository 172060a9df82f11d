/** The last part of a path, as either kind of system writes it. */
export const fileName = (path: string): string => path.split(/[/\\]/).at(-1) ?? path;

/** A file name for a book: its title, without what file systems refuse. */
export const safeName = (title: string): string =>
  title.replace(/[/\\:*?"<>|]+|\p{Cc}+/gu, "-").replace(/^[\s.-]+|[\s.-]+$/gu, "") || "book";
