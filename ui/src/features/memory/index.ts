export { MemoryPanel } from "./MemoryPanel";
