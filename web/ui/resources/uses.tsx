// Where a resource is used: the numbers of checks, groups and channels, with links.
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ChannelName } from '../alerts/channels.tsx';
import { LoadError, Skeleton } from '../layout/feedback.tsx';
import { plural } from '../text/format.ts';
import { text } from './strings.ts';
import css from './resources.module.css';

interface UsersOf<User> {
  readonly total: number;
  readonly listed: readonly User[];
}

/** The users of a resource, as the API lists them. */
export interface Uses {
  /** `required`: whether the check cannot run without it; absent = it always can. */
  readonly checks: UsersOf<{ readonly id: string; readonly name: string; readonly required?: boolean }>;
  readonly groups: UsersOf<{ readonly id: number; readonly name: string }>;
  /** Absent = no channel can use it. */
  readonly channels?: UsersOf<{ readonly id: number }>;
}

const none: UsersOf<never> = { total: 0, listed: [] };

export function isUsed({ checks, groups, channels = none }: Uses): boolean {
  return checks.total + groups.total + channels.total > 0;
}

/** @param unused what is said if nothing uses it */
export function UsesOf({ uses, unused }: { readonly uses: UseQueryResult<Uses>; readonly unused: string }) {
  const { data, error, refetch } = uses;
  if (error && data === undefined) return <LoadError error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton />;
  if (!isUsed(data)) return <p>{unused}</p>;
  const { checks, groups, channels = none } = data;
  return (
    <div className={css['uses']}>
      <Users title={plural(checks.total, 'check')} users={checks}>
        {({ id, name, required }) => (
          <>
            <Link to="/checks/$checkId" params={{ checkId: id }} search={{}}>
              {name}
            </Link>{' '}
            {required !== undefined && <span className="quiet">{required ? text.required : text.inScript}</span>}
          </>
        )}
      </Users>
      <Users title={plural(groups.total, 'group')} users={groups}>
        {({ id, name }) => (
          <Link to="/groups/$groupId" params={{ groupId: String(id) }}>
            {name}
          </Link>
        )}
      </Users>
      <Users title={plural(channels.total, 'channel')} users={channels}>
        {({ id }) => (
          <Link to="/channels/$channelId" params={{ channelId: String(id) }}>
            <ChannelName id={id} />
          </Link>
        )}
      </Users>
    </div>
  );
}

function Users<User extends { readonly id: string | number }>({
  title,
  users: { total, listed },
  children,
}: {
  readonly title: string;
  readonly users: UsersOf<User>;
  readonly children: (user: User) => ReactNode;
}) {
  if (total === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <ul aria-label={title}>
        {listed.map((user) => (
          <li key={user.id}>{children(user)}</li>
        ))}
      </ul>
      {total > listed.length && <p className="quiet">{text.firstOnly(listed.length)}</p>}
    </section>
  );
}
