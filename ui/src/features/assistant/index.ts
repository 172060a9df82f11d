export { AssistantPanel } from "./AssistantPanel";
export { Assistant, type Place } from "./session";
export { Compare } from "./Compare";
