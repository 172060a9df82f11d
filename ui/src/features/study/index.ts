export { StudyFoot } from "./StudyFoot";
