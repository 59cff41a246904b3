// What an account uses of its limits.
import type { Caller } from '#domain/accounts/api-key.ts';
import type { UsageEntry } from '#domain/accounts/account.ts';
import type { SendingLimits } from '#domain/deliveries/sending-quota.ts';
import type { Store } from '#store/store.ts';
import { requirePermission } from '../accounts/permission.ts';

export interface UsageDeps extends Pick<Store, 'usage'> {
  readonly sendingLimits: SendingLimits;
}

export type UsageActions = ReturnType<typeof createUsageActions>;

export function createUsageActions({ usage, sendingLimits }: UsageDeps) {
  return {
    async list(caller: Caller): Promise<UsageEntry[]> {
      requirePermission(caller, 'read');
      return usage.read(caller.accountId, sendingLimits);
    },
  };
}
