// Content for a signed-in user; redirects to the sign-in page without a session.
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { createContext, type ReactNode, useEffect, useState } from 'react';
import { AccountContext, storeAccount, storedAccount } from '../../api/account.ts';
import { ServiceError } from '../../api/client.ts';
import { MeContext } from '../../api/me.ts';
import { read } from '../../api/query.ts';
import { LoadError, Skeleton } from './feedback.tsx';
import { HatchPattern } from '../checks/outcome-bar.tsx';

/** Whether the session has ended while the page is open. */
export const ExpiredContext = createContext(false);

/**
 * Loads the signed-in user, or redirects to the sign-in page.
 *
 * @param again how to sign in again if the session ends later, so that the page keeps what was entered
 */
export function SignedIn({ children, again }: { readonly children: ReactNode; readonly again?: ReactNode }) {
  const [accountId, setAccountId] = useState(storedAccount);
  const navigate = useNavigate();
  const me = useQuery({ ...read(accountId, 'getMe'), staleTime: 5 * 60_000 });
  const hasEnded = me.error instanceof ServiceError && me.error.statusCode === 401;
  const isExpired = hasEnded && me.data !== undefined && again !== undefined;
  const isSignedOut = hasEnded && !isExpired;
  useEffect(() => {
    if (!isSignedOut) return;
    const { pathname, search } = location;
    void navigate({ to: '/sign-in', search: pathname === '/' ? {} : { next: pathname + search }, replace: true });
  }, [isSignedOut, navigate]);
  if (isSignedOut) return null;
  if (me.error instanceof ServiceError && me.error.statusCode === 403 && accountId !== '') {
    // The user left the account stored on this device.
    storeAccount('');
    setAccountId('');
  }
  // After a failed refresh the page stays unchanged, and the banner says that it is not live.
  if (me.error && me.data === undefined) return <LoadError error={me.error} onRetry={() => void me.refetch()} />;
  if (me.data === undefined) return <Skeleton lines={6} />;
  return (
    <AccountContext value={me.data.accountId}>
      <MeContext value={me.data}>
        <HatchPattern />
        <ExpiredContext value={isExpired}>{children}</ExpiredContext>
        {isExpired && again}
      </MeContext>
    </AccountContext>
  );
}
