export { StoryPanel } from "./StoryPanel";
export { StorySession } from "./session";
