export { BookPanel } from "./BookPanel";
