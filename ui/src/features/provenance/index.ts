export { WhyPanel } from "./WhyPanel";
