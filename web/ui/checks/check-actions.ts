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

/** Every mute of a check or group; a change replaces all of them. */
export interface Mute {
  readonly muted: boolean;
  /** ISO 8601. */
  readonly mutedUntil: string | null;
  readonly mutedUntilRecovery: boolean;
}

/** A change that pauses, resumes, mutes or unmutes. */
export type CheckChange = Mute | { readonly activated: boolean };

/** Only the fields of the mute, which a later write restores. */
export function muteOf({ muted, mutedUntil, mutedUntilRecovery }: Mute): Mute {
  return { muted, mutedUntil, mutedUntilRecovery };
}

/** Whether anything mutes. The server returns the end of a mute that is over, too. */
export function isMutedAt({ muted, mutedUntil, mutedUntilRecovery }: Mute, now: number): boolean {
  return muted || mutedUntilRecovery || (mutedUntil !== null && Date.parse(mutedUntil) > now);
}

/** Maximum number of concurrent requests for an action on many checks. */
const inFlight = 6;

/** Receives how many checks are done. */
type OnProgress = (done: number) => void;

/** Actions that report their outcome. */
export function useCheckActions(): {
  readonly start: (checks: readonly NamedCheck[], onProgress?: OnProgress) => Promise<void>;
  /** The message about a mute can take it back. */
  readonly change: (check: NamedCheck, change: CheckChange) => Promise<void>;
} {
  const accountId = use(AccountContext);
  const client = clientOf(accountId);
  const cache = useQueryClient();
  const refresh = (): Promise<unknown> =>
    Promise.all(shownIn.map((id) => cache.invalidateQueries({ queryKey: [accountId, id] })));
  const update = (id: string, to: CheckChange) => client.call('updateCheck', { params: { id }, body: to });
  return {
    async start(checks, onProgress = () => undefined) {
      let finished = 0;
      const failed = await forEach(checks, ({ checkId }) =>
        client.call('createCheckTrigger', { params: { checkId } }).finally(() => onProgress(++finished)),
      );
      const [only] = checks;
      const what = checks.length === 1 && only ? only.name : plural(checks.length - failed.length, 'check');
      if (failed.length < checks.length) toast.done(`Started ${what}`);
      if (failed[0] !== undefined) toast.fault(failed[0]);
      await refresh();
    },
    async change({ checkId, name }, to) {
      let before: Mute | null = null;
      const work = async (): Promise<void> => {
        if ('muted' in to) before = muteOf(await client.call('getCheck', { params: { id: checkId } }));
        await update(checkId, to);
      };
      const undo = (): void =>
        void toast.of(update(checkId, restored(before ?? (to as Mute))), `Restored ${name}`).then(refresh);
      await toast.of(work(), `${verbOf(to)} ${name}`, 'muted' in to ? undo : undefined);
      await refresh();
    },
  };
}

/** Operations that show what these actions change. */
export const shownIn = ['getOverview', 'getCheck', 'getCheckStatus'] as const;

/** The change that restores a mute. An end in the past is refused, and needs no restoring. */
export function restored(mute: Mute): Mute {
  const isOver = mute.mutedUntil !== null && Date.parse(mute.mutedUntil) <= Date.now();
  return isOver ? { ...mute, mutedUntil: null } : mute;
}

/** The verb of the message about a change. */
export function verbOf(change: CheckChange): string {
  if ('muted' in change) return isMutedAt(change, Date.now()) ? 'Muted' : 'Unmuted';
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
