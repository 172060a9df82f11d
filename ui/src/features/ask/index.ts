export { AskPanel } from "./AskPanel";
export { passagesOf } from "./exchange";
export { AskSession, type AskAsOf } from "./session";
