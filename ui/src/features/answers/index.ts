export { AnswerList } from "./AnswerList";
export type { ReportChange } from "./answerChanges";
export { KeptAnswerParts } from "./KeptAnswerParts";
