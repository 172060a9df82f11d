export { Desk } from "./desk";
export { Editor } from "./Editor";
export type { DeskOptions, DeskState, SaveState } from "./state";
