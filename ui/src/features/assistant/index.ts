export { AssistantPanel } from "./AssistantPanel";
export { Assistant, type ChapterContext } from "./session";
export { Compare } from "./Compare";
