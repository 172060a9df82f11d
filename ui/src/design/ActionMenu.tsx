import { Button as Press } from "react-aria-components/Button";
import { Menu, MenuItem, MenuTrigger } from "react-aria-components/Menu";
import { Popover } from "react-aria-components/Popover";
import { Icon, type IconName } from "./Icon";
import css from "./controls.module.css";

export interface Action {
  key: string;
  label: string;
  onAction: () => void;
  /** Why it cannot be done now; shown behind the label. */
  disabled?: string | false;
  danger?: boolean;
  /** Behind the label. */
  note?: string;
  /** Language of the label if it is not the window's. A label with one is cut to one line. */
  lang?: string;
}

interface ActionMenuProps {
  label: string;
  actions: Action[];
  icon?: IconName;
  /** Whether the menu opens above the button and to the right. */
  isAbove?: boolean;
  /** Shown in place of the actions while there are none. */
  empty?: string;
  onOpen?: (isOpen: boolean) => void;
  className?: string | undefined;
  testId: string;
}

/** A button with a menu of actions. The test id of an action is that of the menu and its key. */
export function ActionMenu({
  label,
  actions,
  icon = "more",
  isAbove,
  empty,
  onOpen,
  className,
  testId,
}: ActionMenuProps) {
  return (
    <MenuTrigger onOpenChange={(isOpen) => onOpen?.(isOpen)}>
      <Press
        aria-label={label}
        className={[css.icon, css["icon-xs"], className].filter(Boolean).join(" ")}
        data-testid={testId}
      >
        <Icon name={icon} />
      </Press>
      <Popover className={css.popover} offset={4} placement={isAbove ? "top start" : "bottom end"}>
        <Menu
          className={css.menu!}
          aria-label={label}
          disabledKeys={actions.flatMap(({ key, disabled }) => (disabled ? [key] : []))}
          onAction={(key) => actions.find((action) => action.key === key)?.onAction()}
          {...(empty !== undefined && {
            renderEmptyState: () => (
              <p className={css.menuEmpty} data-testid={`${testId}-empty`}>
                {empty}
              </p>
            ),
          })}
        >
          {actions.map(({ key, label: text, disabled, danger, note, lang }) => (
            <MenuItem
              key={key}
              id={key}
              textValue={text}
              className={danger ? `${css.action} ${css.actionDanger}` : css.action!}
              data-testid={`${testId}-${key}`}
            >
              {lang === undefined ? (
                text
              ) : (
                <span lang={lang} className={css.actionText}>
                  {text}
                </span>
              )}
              {note && <span className={css.optionNote}>{note}</span>}
              {disabled && <span className={css.optionNote}>{disabled}</span>}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
