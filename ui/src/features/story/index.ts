export { StoryPanel } from "./StoryPanel";
export { StorySession } from "./session";
export type { Undoable } from "./factChanges";
export { lastIndexOf, positionOf, type AsOf } from "./position";
export { isReadOnly } from "./readOnly";
