export { ActionMenu, type Action } from "./ActionMenu";
export { Button, IconButton } from "./Button";
export { CappedList } from "./CappedList";
export { Check, Picker, Seg, type Option } from "./Choice";
export { Composer } from "./Composer";
export { Busy, Combo, Field, NumberInput, Progress, Pulse, Search } from "./Field";
export { chooseFaces } from "./faces";
export { Icon, type IconName } from "./Icon";
export { ImportDialog } from "./ImportDialog";
export { NameField } from "./NameField";
export { LostPassage, NumberedPassage } from "./NumberedPassage";
export { Pages, type PageOf } from "./Pages";
export { Points } from "./Points";
export { QuoteLine } from "./QuoteLine";
export {
  Changes,
  Chip,
  ConfirmDialog,
  GroupHeading,
  GrowingText,
  InlineConfirm,
  LinkButton,
  Notice,
  Raw,
  TenDotMeter,
  Toast,
} from "./parts";
export { Tooltips, tooltip } from "./Tooltip";
export { Windowed } from "./Windowed";
