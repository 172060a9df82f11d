export { MemoryPanel, type MemoryPage } from "./MemoryPanel";
