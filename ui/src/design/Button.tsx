import type { ReactNode, Ref } from "react";
import { Button as Press, type ButtonProps } from "react-aria-components/Button";
import { Icon, type IconName } from "./Icon";
import css from "./controls.module.css";

interface Look {
  /** `primary`: the only filled button of a view. `destroy`: the same for irreversible actions. */
  kind?: "plain" | "primary" | "quiet" | "danger" | "destroy";
  size?: "m" | "s";
  icon?: IconName;
  keys?: string;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({
  kind = "plain",
  size = "m",
  icon,
  keys,
  children,
  className,
  ...rest
}: Omit<ButtonProps, "children" | "className"> & Look & { children: ReactNode; className?: string }) {
  return (
    <Press
      {...rest}
      className={[css.btn, css[kind], size === "s" ? css.small : "", className].filter(Boolean).join(" ")}
    >
      {icon && <Icon name={icon} size="xs" />}
      {children}
      {keys && <kbd aria-hidden="true">{keys}</kbd>}
    </Press>
  );
}

export function IconButton({
  name,
  label,
  size = "m",
  current,
  pressed,
  className,
  ...rest
}: Omit<ButtonProps, "children" | "className"> &
  Omit<Look, "icon" | "size"> & {
    name: IconName;
    label: string;
    size?: "m" | "s" | "xs";
    current?: boolean;
    pressed?: boolean;
    className?: string;
  }) {
  return (
    <Press
      {...rest}
      aria-label={label}
      aria-current={current ? "true" : undefined}
      aria-pressed={pressed}
      className={[css.icon, css[`icon-${size}`], className].filter(Boolean).join(" ")}
    >
      <Icon name={name} size={size === "m" ? "m" : "s"} />
    </Press>
  );
}
