export { Desk, type DeskOptions, type DeskState, type SaveState } from "./desk";
export { Editor } from "./Editor";
