// What an account uses of its limits, counted as the limits themselves are.
import { type LimitName, limitWords, monthStart, type UsageEntry } from '#domain/accounts/account.ts';
import type { SendingLimits, SendingQuota } from '#domain/deliveries/sending-quota.ts';
import { hourMs, hourOf } from '#domain/results/roll-up.ts';
import { countUsed, readLimit } from '../base/account-limits.ts';
import { idBytes } from '../base/codec.ts';
import { sourceCodes } from '../base/codes.ts';
import type { Database } from '../base/database.ts';
import { countRows, findRow } from '../base/rows.ts';
import { sentInHour } from '../channels/sending-quotas.ts';
import { trialsKept } from '../checks/check-trials.ts';
import { maxTriggered } from '../checks/start-trigger.ts';
import { maxEntries } from './audit-log.ts';
import { readRunCounts } from './ledger.ts';

export function createUsage({ reader, limits, clock }: Database) {
  return {
    /** In the order of `usageNames`; 0 as a limit of the configuration is null. */
    async read(accountId: string, sending: SendingLimits): Promise<UsageEntry[]> {
      const key = { account_id: idBytes(accountId) };
      const now = clock.now();
      const entries: UsageEntry[] = [];
      for (const name of Object.keys(limitWords) as LimitName[]) {
        const limit = await readLimit(limits, reader, accountId, name);
        entries.push({ name, used: await countUsed(reader, accountId, name), limit: limit === 0 ? null : limit });
      }
      const account = await findRow(reader, 'accounts', { id: key.account_id }, ['execution_limit']);
      const month = await findRow(reader, 'usage', { ...key, month: monthStart(now) }, ['used']);
      const lastHour = { from: hourOf(now) - hourMs, to: hourOf(now) };
      const { scheduled, onDemand, outcomes } = await readRunCounts(reader, [key.account_id], lastHour);
      const sent = async (quota: SendingQuota) => ({
        used: await sentInHour(reader, accountId, quota, now),
        limit: sending[quota] === 0 ? null : sending[quota],
      });
      const triggered = { ...key, source: sourceCodes.encode('TRIGGER_API') };
      return [
        ...entries,
        { name: 'runsOfMonth', used: month?.used ?? 0, limit: account?.execution_limit ?? null },
        { name: 'runsOfHour', used: scheduled + onDemand - outcomes.missed, limit: null },
        { name: 'emailsOfHour', ...(await sent('email')) },
        { name: 'statusEmailsOfHour', ...(await sent('status')) },
        { name: 'telephoneOfHour', ...(await sent('telephone')) },
        { name: 'triggeredRuns', used: await countRows(reader, 'runs', triggered), limit: maxTriggered },
        { name: 'checkTrials', used: await countRows(reader, 'check_trials', key), limit: trialsKept },
        { name: 'auditEntries', used: await countRows(reader, 'audit_log', key), limit: maxEntries },
      ];
    },
  };
}
