// A menu of actions behind a button.
import type { ReactNode } from 'react';
import { Menu as AriaMenu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import css from './menu.module.css';

/** An action of a menu; the caller omits `undefined` entries. */
export interface Action {
  readonly id: string;
  readonly label: string;
  readonly icon?: ReactNode;
  readonly isDanger?: boolean;
  readonly isDisabled?: boolean;
  readonly run: () => void;
}

export function ActionMenu({
  label,
  trigger,
  actions,
}: {
  readonly label: string;
  readonly trigger: ReactNode;
  readonly actions: readonly Action[];
}) {
  return (
    <MenuTrigger>
      {trigger}
      <Popover className={css['popover'] ?? ''} placement="bottom end">
        <AriaMenu
          aria-label={label}
          className={css['menu'] ?? ''}
          disabledKeys={actions.filter(({ isDisabled }) => isDisabled).map(({ id }) => id)}
        >
          {actions.map(({ id, label: text, icon, isDanger, run }) => (
            <MenuItem key={id} id={id} onAction={run} className={`${css['item']} ${isDanger ? css['danger'] : ''}`}>
              {icon}
              {text}
            </MenuItem>
          ))}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}
