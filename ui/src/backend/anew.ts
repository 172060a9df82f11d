import type { StoreFile } from "./bindings.gen";

/**
 * Moves a damaged file that has no backup aside and begins an empty one in its place, once the writer has confirmed it.
 * `null` as long as the backend has no command for it: the window then does not offer it.
 */
export const beginAnew = null as ((file: StoreFile) => Promise<unknown>) | null;
