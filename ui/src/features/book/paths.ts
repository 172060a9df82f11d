/** The last segment of a path, with slashes or backslashes. */
export const fileName = (path: string): string => path.split(/[/\\]/).at(-1) ?? path;

/** A file name from a book's title, without characters that file systems refuse. */
export const safeName = (title: string): string =>
  title.replace(/[/\\:*?"<>|]+|\p{Cc}+/gu, "-").replace(/^[\s.-]+|[\s.-]+$/gu, "") || "book";
