export { Button, IconButton } from "./Button";
export { Picker, Seg, type Option } from "./Choice";
export { Busy, Combo, Field, NumberInput, Progress } from "./Field";
export { chooseFaces } from "./faces";
export { Icon, type IconName } from "./Icon";
export { Ask, Chip, GrowingText, LinkButton, Notice, Raw, Ten } from "./parts";
