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
  readonly change: (checks: readonly NamedCheck[], change: CheckChange, onProgress?: OnProgress) => Promise<void>;
} {
  const client = clientOf(use(AccountContext));
  const accountId = use(AccountContext);
  const cache = useQueryClient();
  const each = async (
    checks: readonly NamedCheck[],
    done: string,
    work: (checkId: string) => Promise<unknown>,
    onProgress: OnProgress = () => undefined,
    undo?: () => void,
  ): Promise<void> => {
    let finished = 0;
    const failed = await forEach(checks, ({ checkId }) => work(checkId).finally(() => onProgress(++finished)));
    const reached = checks.length - failed.length;
    const [only] = checks;
    if (reached > 0) toast.done(`${done} ${checks.length === 1 && only ? only.name : plural(reached, 'check')}`, undo);
    if (failed[0] !== undefined) toast.fault(failed[0]);
    await Promise.all(
      (['getOverview', 'getCheck', 'getCheckStatus'] as const).map((id) =>
        cache.invalidateQueries({ queryKey: [accountId, id] }),
      ),
    );
  };
  return {
    start: (checks, onProgress) =>
      each(checks, 'Started', (checkId) => client.call('createCheckTrigger', { params: { checkId } }), onProgress),
    change: (checks, body, onProgress) => {
      const update = (id: string, to: CheckChange) => client.call('updateCheck', { params: { id }, body: to });
      if (!('muted' in body)) return each(checks, verbOf(body), (id) => update(id, body), onProgress);
      const before = new Map<string, Mute>();
      const mute = async (id: string): Promise<void> => {
        const present = muteOf(await client.call('getCheck', { params: { id } }));
        await update(id, body);
        before.set(id, present);
      };
      const undo = (): void =>
        void each(
          checks.filter(({ checkId }) => before.has(checkId)),
          'Restored',
          (id) => update(id, restored(before.get(id) ?? body)),
        );
      return each(checks, verbOf(body), mute, onProgress, undo);
    },
  };
}

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
