export { EditorController } from "./controller";
export { Editor } from "./Editor";
export type { NamedHere } from "./nameHover";
export type { ChapterRef, EditorOptions, EditorStatus, SaveState } from "./state";
