export { SettingsPanel } from "./SettingsPanel";
