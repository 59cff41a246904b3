// Who would be notified if a check failed now, and when.
import type { CheckAlerting } from '#store/overview/check-alerting.ts';
import type { Store } from '#store/store.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import { type EffectiveAlertSettings, effectiveAlertSettings } from '#domain/alerts/effective-alert-settings.ts';
import { type HeldBack, heldBack, type WouldReceive, wouldReceive } from '#domain/alerts/who-is-notified.ts';
import type { Clock } from '#lib/clock.ts';
import { requirePermission } from '../accounts/permission.ts';
import { orNotFound } from '../refusal.ts';

/** Times are epoch ms. */
export interface ShownAlerting extends EffectiveAlertSettings, Pick<CheckAlerting, 'needs' | 'neededBy'> {
  readonly channels: readonly WouldReceive[];
  readonly heldBack: readonly HeldBack[];
}

export interface CheckAlertingDeps extends Pick<Store, 'checkAlerting'> {
  readonly clock: Clock;
}

export type CheckAlertingActions = ReturnType<typeof createCheckAlertingActions>;

export function createCheckAlertingActions({ checkAlerting, clock }: CheckAlertingDeps) {
  return {
    /** Refuses (`not-found`) an unknown check. */
    async find(caller: Caller, checkId: string): Promise<ShownAlerting> {
      requirePermission(caller, 'read');
      const found = orNotFound(await checkAlerting.ofCheck(caller.accountId, checkId), 'check', checkId);
      const { context, passedAt, subscribers, suppressor, needs, neededBy } = found;
      const { check, group, accountAlertSettings } = context;
      const now = clock.now();
      return {
        ...effectiveAlertSettings(check, group, accountAlertSettings),
        channels: subscribers.map((channel) => wouldReceive(channel, now)),
        heldBack: heldBack(context, passedAt, suppressor, now),
        needs,
        neededBy,
      };
    },
  };
}
