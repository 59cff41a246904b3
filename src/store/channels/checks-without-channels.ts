// Checks whose failures notify no channel, and channels that are subscribed and send nothing.
import { inAccount, selectRows } from '../base/rows.ts';
import { sql } from 'kysely';
import type { Check } from '#domain/checks/check.ts';
import { idBytes, type IdBytes, idText } from '../base/codec.ts';
import type { Database } from '../base/database.ts';
import type { Db } from '../base/tables/schema.ts';
import { nameOf } from './failing-channels.ts';

/** Maximum number of names. */
const maxNames = 6;

/** Subscriptions through which a channel is notified of failures. */
function failureSubscriptions(db: Db, accountId: string) {
  return db
    .selectFrom('subscriptions')
    .innerJoin('alert_channels', inAccount('alert_channels.id', 'subscriptions.alert_channel_id'))
    .where('subscriptions.account_id', '=', idBytes(accountId))
    .where('subscriptions.activated', '=', 1)
    .where('alert_channels.send_failure', '=', 1);
}

/** IDs of the checks that notify no channel, through a subscription of their own or of their group: one query. */
export async function findChecksWithoutChannel(
  db: Db,
  accountId: string,
  checks: readonly Pick<Check, 'id' | 'groupId'>[],
): Promise<ReadonlySet<string>> {
  if (checks.length === 0) return new Set();
  const ids = checks.map(({ id }) => idBytes(id));
  const groupIds = [...new Set(checks.flatMap(({ groupId }) => groupId ?? []))];
  const rows = await failureSubscriptions(db, accountId)
    .select(['subscriptions.check_id as check', 'subscriptions.group_id as group'])
    .where((either) =>
      either.or([
        either('subscriptions.check_id', 'in', ids),
        ...(groupIds.length === 0 ? [] : [either('subscriptions.group_id', 'in', groupIds)]),
      ]),
    )
    .distinct()
    .execute();
  const notifying = new Set(rows.map(({ check, group }) => (check === null ? group : idText(check))));
  const isNotifying = ({ id, groupId }: Pick<Check, 'id' | 'groupId'>) =>
    notifying.has(id) || (groupId !== null && notifying.has(groupId));
  return new Set(checks.flatMap((check) => (isNotifying(check) ? [] : check.id)));
}

export function createChecksWithoutChannels({ reader }: Database) {
  const withoutChannel = (accountId: string) => {
    const notifyingChecks = failureSubscriptions(reader, accountId)
      .where('subscriptions.check_id', 'is not', null)
      .select(sql<IdBytes>`check_id`.as('id'));
    const notifyingGroups = failureSubscriptions(reader, accountId)
      .where('subscriptions.group_id', 'is not', null)
      .select(sql<number>`group_id`.as('id'));
    const groupsWithoutChannel = selectRows(reader, 'check_groups', {
      account_id: idBytes(accountId),
      activated: 1,
      muted: 0,
    })
      .select('check_groups.id')
      .where('check_groups.id', 'not in', notifyingGroups);
    return reader
      .selectFrom('checks')
      .where('checks.account_id', '=', idBytes(accountId))
      .where('checks.activated', '=', 1)
      .where('checks.muted', '=', 0)
      .where('checks.id', 'not in', notifyingChecks)
      .where((either) =>
        either.or([either('checks.group_id', 'is', null), either('checks.group_id', 'in', groupsWithoutChannel)]),
      );
  };
  return {
    /**
     * Number of active checks, names of the newest ones, and when one of them was last changed (epoch ms). Excludes muted
     * checks and those of muted groups. null = none.
     */
    async ofAccount(accountId: string) {
      const { checks, since } = await withoutChannel(accountId)
        .select(({ fn }) => [
          fn.countAll<number>().as('checks'),
          fn.max(fn.coalesce('checks.updated_at', 'checks.created_at')).as('since'),
        ])
        .executeTakeFirstOrThrow();
      if (checks === 0) return null;
      const names = await withoutChannel(accountId)
        .select('checks.name')
        .orderBy('checks.created_at', 'desc')
        .limit(maxNames)
        .execute();
      return { checks, since, among: names.map(({ name }) => name) };
    },
    switchedOff: (accountId: string) => switchedOffChannels(reader, accountId),
  };
}

/**
 * Channels with an active subscription and every alert switched off, as an import creates them: their number, names of
 * the first ones, and when one of them was last changed (epoch ms). null = none.
 */
async function switchedOffChannels(db: Db, accountId: string) {
  const off = selectRows(db, 'alert_channels', {
    account_id: idBytes(accountId),
    send_failure: 0,
    send_recovery: 0,
    send_degraded: 0,
    ssl_expiry: 0,
  })
    .where('report', 'is', null)
    .where(
      'id',
      'in',
      selectRows(db, 'subscriptions', { account_id: idBytes(accountId), activated: 1 }).select('alert_channel_id'),
    );
  const { channels, since } = await off
    .select(({ fn }) => [
      fn.countAll<number>().as('channels'),
      fn.max(fn.coalesce('updated_at', 'created_at')).as('since'),
    ])
    .executeTakeFirstOrThrow();
  if (channels === 0) return null;
  const rows = await off.select(['id', 'type', 'config']).orderBy('id').limit(maxNames).execute();
  return { channels, since, among: rows.map(nameOf) };
}
