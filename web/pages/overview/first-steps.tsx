// What a new account needs until it can notify somebody. It disappears when all of it is done, or when it is closed.
import { Link } from '@tanstack/react-router';
import { CircleCheck, Circle, X } from 'lucide-react';
import { use, useEffect, useState } from 'react';
import { AccountContext } from '../../api/account.ts';
import { useMay } from '../../api/me.ts';
import { usePage } from '../../api/query.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { text } from './strings.ts';
import css from './first-steps.module.css';

/** @param checks number of checks of the account */
export function FirstSteps({ checks }: { readonly checks: number }) {
  const key = `first steps ${use(AccountContext)}`;
  const [isOver, setOver] = useState(() => localStorage.getItem(key) !== null);
  const { write } = useMay();
  if (isOver || !write) return null;
  const end = (): void => {
    localStorage.setItem(key, 'over');
    setOver(true);
  };
  return <Steps checks={checks} onEnd={end} />;
}

function Steps({ checks, onEnd }: { readonly checks: number; readonly onEnd: () => void }) {
  const channels = usePage('listAlertChannels', { query: { limit: 1 } });
  const delivered = usePage('listDeliveries', { query: { limit: 1, status: 'delivered' } });
  const [hasChannel, hasDelivered] = [(channels.data?.total ?? 0) > 0, (delivered.data?.total ?? 0) > 0];
  const isKnown = channels.data !== undefined && delivered.data !== undefined;
  const isDone = isKnown && checks > 0 && hasDelivered;
  useEffect(() => {
    if (isDone) onEnd();
  });
  if (!isKnown || isDone) return null;
  const first = channels.data?.items[0]?.id;
  return (
    <section className={css['steps']} aria-label={text.steps}>
      <h2>{text.steps}</h2>
      <IconButton label={text.hideSteps} onPress={onEnd}>
        <X size={16} aria-hidden />
      </IconButton>
      <ol>
        <Step isDone={checks > 0}>
          <Link to="/checks/new" search={{}}>
            {text.stepCheck}
          </Link>
        </Step>
        <Step isDone={hasChannel}>
          <Link to="/channels/new" search={{}}>
            {text.stepChannel}
          </Link>
        </Step>
        <Step isDone={hasDelivered}>
          {first === undefined ? (
            text.stepTest
          ) : (
            <Link to="/channels/$channelId" params={{ channelId: String(first) }}>
              {text.stepTest}
            </Link>
          )}
        </Step>
      </ol>
    </section>
  );
}

function Step({ isDone, children }: { readonly isDone: boolean; readonly children: React.ReactNode }) {
  return (
    <li data-done={isDone ? '' : undefined}>
      {isDone ? <CircleCheck size={16} aria-hidden /> : <Circle size={16} aria-hidden />}
      <span>
        {children} {isDone && <span className="quiet">{text.stepDone}</span>}
      </span>
    </li>
  );
}
