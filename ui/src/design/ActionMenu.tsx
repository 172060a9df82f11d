import { Button as Press } from "react-aria-components/Button";
import { Menu, MenuItem, MenuTrigger } from "react-aria-components/Menu";
import { Popover } from "react-aria-components/Popover";
import { Icon } from "./Icon";
import css from "./controls.module.css";

export interface Action {
  key: string;
  label: string;
  onAction: () => void;
  /** Why it cannot be done now; shown behind the label. */
  disabled?: string | false;
  danger?: boolean;
}

interface ActionMenuProps {
  label: string;
  actions: Action[];
  className?: string | undefined;
  testId: string;
}

/** A button with a menu of actions. The test id of an action is that of the menu and its key. */
export function ActionMenu({ label, actions, className, testId }: ActionMenuProps) {
  return (
    <MenuTrigger>
      <Press
        aria-label={label}
        className={[css.icon, css["icon-xs"], className].filter(Boolean).join(" ")}
        data-testid={testId}
      >
        <Icon name="more" />
      </Press>
      <Popover className={css.popover} offset={4} placement="bottom end">
        <Menu
          className={css.menu!}
          aria-label={label}
          disabledKeys={actions.flatMap(({ key, disabled }) => (disabled ? [key] : []))}
          onAction={(key) => actions.find((action) => action.key === key)?.onAction()}
        >
          {actions.map(({ key, label: text, disabled, danger }) => (
            <MenuItem
              key={key}
              id={key}
              textValue={text}
              className={danger ? `${css.action} ${css.actionDanger}` : css.action!}
              data-testid={`${testId}-${key}`}
            >
              {text}
              {disabled && <span className={css.optionNote}>{disabled}</span>}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
