export { ClearBook } from "./Clear";
export { MemoryPanel, type MemoryPage } from "./MemoryPanel";
export type { PastTarget } from "./PastPage";
