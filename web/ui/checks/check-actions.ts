// Actions on checks from lists and pages: run, mute, pause.
import { useQueryClient } from '@tanstack/react-query';
import { use } from 'react';
import { AccountContext } from '../../api/account.ts';
import { clientOf } from '../../api/client.ts';
import { toast } from '../layout/toast.tsx';
import { plural } from '../text/format.ts';

/** The check of an action. */
export interface NamedCheck {
  readonly checkId: string;
  readonly name: string;
}

/** A change that pauses, resumes, mutes or unmutes. */
export type CheckChange =
  | { readonly muted: boolean; readonly mutedUntil?: string | null; readonly mutedUntilRecovery?: boolean }
  | { readonly activated: boolean };

/** Mutes for an hour from now, or until the check recovers; each replaces the other. */
export const muteFor = {
  hour: (): CheckChange => ({
    muted: false,
    mutedUntil: new Date(Date.now() + 3_600_000).toISOString(),
    mutedUntilRecovery: false,
  }),
  recovery: (): CheckChange => ({ muted: false, mutedUntil: null, mutedUntilRecovery: true }),
} as const;

/** Ends every mute of a check. */
export const unmuted: CheckChange = { muted: false, mutedUntil: null, mutedUntilRecovery: false };

/** Maximum number of concurrent requests for an action on many checks. */
const inFlight = 6;

/** Actions that report their outcome. */
export function useCheckActions(): {
  readonly start: (checks: readonly NamedCheck[]) => Promise<void>;
  readonly change: (checks: readonly NamedCheck[], change: CheckChange) => Promise<void>;
} {
  const client = clientOf(use(AccountContext));
  const accountId = use(AccountContext);
  const cache = useQueryClient();
  const each = async (
    checks: readonly NamedCheck[],
    done: string,
    work: (checkId: string) => Promise<unknown>,
  ): Promise<void> => {
    const failed = await forEach(checks, ({ checkId }) => work(checkId));
    const reached = checks.length - failed.length;
    const [only] = checks;
    if (reached > 0) toast.done(`${done} ${checks.length === 1 && only ? only.name : plural(reached, 'check')}`);
    if (failed[0] !== undefined) toast.fault(failed[0]);
    await Promise.all(
      (['getOverview', 'getCheck', 'getCheckStatus'] as const).map((id) =>
        cache.invalidateQueries({ queryKey: [accountId, id] }),
      ),
    );
  };
  return {
    start: (checks) => each(checks, 'Started', (checkId) => client.call('createCheckTrigger', { params: { checkId } })),
    change: (checks, body) => each(checks, verbOf(body), (id) => client.call('updateCheck', { params: { id }, body })),
  };
}

function verbOf(change: CheckChange): string {
  if ('muted' in change) return change.muted || change.mutedUntil || change.mutedUntilRecovery ? 'Muted' : 'Unmuted';
  return change.activated ? 'Resumed' : 'Paused';
}

/** Bounded concurrency; returns the errors. */
async function forEach<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<unknown[]> {
  const faults: unknown[] = [];
  const rest = [...items];
  const lane = async (): Promise<void> => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) {
      await work(item).catch((error: unknown) => faults.push(error));
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return faults;
}
