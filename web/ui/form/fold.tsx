// A part of a form that folds open.
import { type ReactNode, useState } from 'react';
import css from './form.module.css';

export function Fold({
  title,
  note = '',
  isOpen,
  children,
}: {
  readonly title: string;
  /** What it contains, while it is closed. */
  readonly note?: string;
  readonly isOpen: boolean;
  readonly children: ReactNode;
}) {
  const [wasOpen, setOpen] = useState(isOpen);
  return (
    <details
      className={css['fold']}
      // An error inside opens it.
      open={wasOpen || isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        {title}
        {note !== '' && <span>{note}</span>}
      </summary>
      <div className={css['folded']}>{children}</div>
    </details>
  );
}
