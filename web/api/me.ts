// The signed-in user and their permissions.
import { createContext, use } from 'react';
import type { AnswerOf } from '#contract/operations.ts';

/** The signed-in user with the account of the page. */
export type Me = AnswerOf<'getMe'>;

export const MeContext = createContext<Me | null>(null);

/** The signed-in user. Only available below the shell, which waits for it. */
export function useMe(): Me {
  const me = use(MeContext);
  if (me === null) throw new Error('useMe is used outside of the shell');
  return me;
}

/** Whether the user can run checks, write, or manage. */
export function useMay(): {
  readonly run: boolean;
  readonly write: boolean;
  readonly admin: boolean;
  readonly operate: boolean;
} {
  const { role } = useMe();
  const admin = role === 'operator' || role === 'owner' || role === 'admin';
  const write = admin || role === 'read-write';
  return { operate: role === 'operator', admin, write, run: write || role === 'read-run' };
}
