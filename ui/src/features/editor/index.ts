export { EditorController } from "./controller";
export { Editor } from "./Editor";
export type { ChapterRef, EditorOptions, EditorStatus, SaveState } from "./state";
