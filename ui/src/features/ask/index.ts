export { AskPanel } from "./AskPanel";
export { passagesOf } from "./exchange";
export { AskSession, type AskAsOf, type AskState } from "./session";
