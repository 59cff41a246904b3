// Checks whose failures no channel is told of.
import { type Kysely, sql } from 'kysely';
import type { Check } from '#domain/checks/check.ts';
import { idBytes, type IdBytes, idText } from '../base/codec.ts';
import type { Database } from '../base/database.ts';
import type { Tables } from '../base/tables/schema.ts';

/** The active checks of an account whose failures no channel is told of. */
export interface Unheard {
  readonly checks: number;
  /** Names of the newest. */
  readonly among: readonly string[];
  /** When one of them was changed last, epoch ms. */
  readonly since: number;
}

export interface UnheardChecks {
  /** Muted checks and those of muted groups are left out: nobody is meant to hear of them. null = there is none. */
  ofAccount(accountId: string): Promise<Unheard | null>;
}

/** Names that are told. */
const mostNames = 6;

/** Subscriptions through which a channel is told of failures. */
function hearing(db: Kysely<Tables>, accountId: string) {
  return db
    .selectFrom('subscriptions')
    .innerJoin('alert_channels', (join) =>
      join
        .onRef('alert_channels.account_id', '=', 'subscriptions.account_id')
        .onRef('alert_channels.id', '=', 'subscriptions.alert_channel_id'),
    )
    .where('subscriptions.account_id', '=', idBytes(accountId))
    .where('subscriptions.activated', '=', 1)
    .where('alert_channels.send_failure', '=', 1);
}

/** Ids of those of the checks that no channel is told of, by a subscription of theirs or of their group: one query. */
export async function unheardOf(
  db: Kysely<Tables>,
  accountId: string,
  checks: readonly Pick<Check, 'id' | 'groupId'>[],
): Promise<ReadonlySet<string>> {
  if (checks.length === 0) return new Set();
  const ids = checks.map(({ id }) => idBytes(id));
  const groupIds = [...new Set(checks.flatMap(({ groupId }) => groupId ?? []))];
  const rows = await hearing(db, accountId)
    .select(['subscriptions.check_id as check', 'subscriptions.group_id as group'])
    .where((either) =>
      either.or([
        either('subscriptions.check_id', 'in', ids),
        ...(groupIds.length === 0 ? [] : [either('subscriptions.group_id', 'in', groupIds)]),
      ]),
    )
    .distinct()
    .execute();
  const heard = new Set(rows.map(({ check, group }) => (check === null ? group : idText(check))));
  const isHeard = ({ id, groupId }: Pick<Check, 'id' | 'groupId'>) =>
    heard.has(id) || (groupId !== null && heard.has(groupId));
  return new Set(checks.flatMap((check) => (isHeard(check) ? [] : check.id)));
}

export function createUnheardChecks({ reader }: Database): UnheardChecks {
  const unheard = (accountId: string) => {
    const heardChecks = hearing(reader, accountId)
      .where('subscriptions.check_id', 'is not', null)
      .select(sql<IdBytes>`check_id`.as('id'));
    const heardGroups = hearing(reader, accountId)
      .where('subscriptions.group_id', 'is not', null)
      .select(sql<number>`group_id`.as('id'));
    const unheardGroups = reader
      .selectFrom('check_groups')
      .select('check_groups.id')
      .where('account_id', '=', idBytes(accountId))
      .where('activated', '=', 1)
      .where('muted', '=', 0)
      .where('check_groups.id', 'not in', heardGroups);
    return reader
      .selectFrom('checks')
      .where('checks.account_id', '=', idBytes(accountId))
      .where('checks.activated', '=', 1)
      .where('checks.muted', '=', 0)
      .where('checks.id', 'not in', heardChecks)
      .where((either) =>
        either.or([either('checks.group_id', 'is', null), either('checks.group_id', 'in', unheardGroups)]),
      );
  };
  return {
    async ofAccount(accountId) {
      const { checks, since } = await unheard(accountId)
        .select(({ fn }) => [
          fn.countAll<number>().as('checks'),
          fn.max(fn.coalesce('checks.updated_at', 'checks.created_at')).as('since'),
        ])
        .executeTakeFirstOrThrow();
      if (checks === 0) return null;
      const names = await unheard(accountId)
        .select('checks.name')
        .orderBy('checks.created_at', 'desc')
        .limit(mostNames)
        .execute();
      return { checks, since, among: names.map(({ name }) => name) };
    },
  };
}
