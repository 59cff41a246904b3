// Keys that work on every page, and the list of them behind `?`.
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Panel } from '../ui/controls/dialog.tsx';
import css from './shortcuts.module.css';

const keys = [
  ['Ctrl K', 'Search and commands'],
  ['/', 'Search in the list'],
  ['j k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['g c', 'Go to checks'],
  ['g a', 'Go to alerts'],
  ['g d', 'Go to deliveries'],
  ['g g', 'Go to groups'],
  ['g r', 'Go to reports'],
  ['g n', 'Go to notices'],
  ['g w', 'Go to the wallboard'],
  ['?', 'Show these keys'],
] as const;

const goals: Readonly<Record<string, '/' | '/alerts' | '/deliveries' | '/groups' | '/reports' | '/notices' | '/wall'>> =
  {
    c: '/',
    a: '/alerts',
    d: '/deliveries',
    g: '/groups',
    r: '/reports',
    n: '/notices',
    w: '/wall',
  };

export function Shortcuts({ onSearch }: { readonly onSearch: () => void }) {
  const [isShown, setShown] = useState(false);
  const navigate = useNavigate();
  useEffect(() => {
    let goUntil = 0;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey)) {
        event.preventDefault();
        onSearch();
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      const goal = event.timeStamp < goUntil ? goals[event.key] : undefined;
      goUntil = 0;
      if (goal !== undefined) void navigate({ to: goal });
      else if (event.key === 'g') goUntil = event.timeStamp + 1500;
      else if (event.key === '?') setShown(true);
      else if (event.key === '/') focusSearch(event);
      else if (event.key === 'j' || event.key === 'k') moveRow(event.key === 'j' ? 1 : -1);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [navigate, onSearch]);
  return (
    <Panel title="Keyboard shortcuts" isOpen={isShown} onClose={() => setShown(false)}>
      <dl className={css['keys']}>
        {keys.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest('input, textarea, select, [role=dialog], [role=menu]') !== null)
  );
}

function focusSearch(event: KeyboardEvent): void {
  const field = document.querySelector<HTMLInputElement>('main input[type=search]');
  if (field === null) return;
  event.preventDefault();
  field.focus();
}

/** Rows are the links that carry `data-row`. */
function moveRow(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  const at = rows.findIndex((row) => row === document.activeElement);
  const next = rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}
