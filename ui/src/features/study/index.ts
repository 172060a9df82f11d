export { StudyFoot } from "./StudyFoot";
export { studyLine } from "./words";
