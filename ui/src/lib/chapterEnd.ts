/** An offset that no chapter reaches: the engine takes it for the end of the text. */
export const CHAPTER_END = 2_147_483_647;
