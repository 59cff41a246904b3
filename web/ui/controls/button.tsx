// Buttons and links that look like buttons.
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import {
  Button as AriaButton,
  type ButtonProps as AriaButtonProps,
  Tooltip,
  TooltipTrigger,
} from 'react-aria-components';
import css from './button.module.css';

interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'style'> {
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger';
  readonly children: ReactNode;
}

export function Button({ kind = 'plain', children, ...props }: ButtonProps) {
  return (
    <AriaButton {...props} className={`${css['button']} ${css[kind]}`}>
      {children}
    </AriaButton>
  );
}

/** A link to a page that looks like the main button. */
export function ButtonLink({
  to,
  children,
}: {
  readonly to:
    | '/checks/new'
    | '/channels/new'
    | '/groups/new'
    | '/maintenance/new'
    | '/status-pages/new'
    | '/status-pages/services/new'
    | '/status-pages/incidents/new';
  readonly children: ReactNode;
}) {
  return (
    <Link to={to} search={{}} className={`${css['button']} ${css['primary']}`}>
      {children}
    </Link>
  );
}

/** A button with an icon only; its label is the tooltip. */
export function IconButton({
  label,
  children,
  ...props
}: Omit<AriaButtonProps, 'className' | 'style' | 'children'> & {
  readonly label: string;
  readonly children: ReactNode;
}) {
  return (
    <TooltipTrigger delay={400}>
      <AriaButton {...props} aria-label={label} className={css['icon'] ?? ''}>
        {children}
      </AriaButton>
      <Tooltip className={css['tooltip'] ?? ''}>{label}</Tooltip>
    </TooltipTrigger>
  );
}
