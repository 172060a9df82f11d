export { BookFinder, type Hit } from "./bookFinder";
export { FindPanel } from "./FindPanel";
