// Where a variable is used: checks, groups and channels, with links.
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useRead } from '../../api/query.ts';
import { ChannelName } from '../../ui/alerts/channels.tsx';
import { LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { plural } from '../../ui/text/format.ts';
import { text } from './strings.ts';
import css from './variables.module.css';

export function Uses({ name }: { readonly name: string }) {
  const { data, error, refetch } = useRead('getVariableUses', { params: { key: name } });
  if (error && data === undefined) return <LoadError error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton />;
  const { checks, groups, channels } = data;
  if (checks.total + groups.total + channels.total === 0) return <p>{text.unused}</p>;
  return (
    <div className={css['uses']}>
      <Users title={plural(checks.total, 'check')} total={checks.total}>
        {checks.listed.map(({ id, name: check, required }) => (
          <li key={id}>
            <Link to="/checks/$checkId" params={{ checkId: id }} search={{}}>
              {check}
            </Link>{' '}
            <span className="quiet">{required ? text.required : text.inScript}</span>
          </li>
        ))}
      </Users>
      <Users title={plural(groups.total, 'group')} total={groups.total}>
        {groups.listed.map(({ id, name: group }) => (
          <li key={id}>
            <Link to="/groups/$groupId" params={{ groupId: String(id) }}>
              {group}
            </Link>
          </li>
        ))}
      </Users>
      <Users title={plural(channels.total, 'channel')} total={channels.total}>
        {channels.listed.map(({ id }) => (
          <li key={id}>
            <Link to="/channels/$channelId" params={{ channelId: String(id) }}>
              <ChannelName id={id} />
            </Link>
          </li>
        ))}
      </Users>
    </div>
  );
}

/** The API lists this many of each. */
const mostListed = 50;

function Users({
  title,
  total,
  children,
}: {
  readonly title: string;
  readonly total: number;
  readonly children: ReactNode;
}) {
  if (total === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <ul aria-label={title}>{children}</ul>
      {total > mostListed && <p className="quiet">{text.firstOnly(mostListed)}</p>}
    </section>
  );
}
