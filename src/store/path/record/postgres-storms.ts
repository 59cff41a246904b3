// Reads and locks the alert storms of accounts in PostgreSQL; the decisions are in alert-storms.ts.
import { countedFrom, digestThresholdOf, stormWindowMs } from '#domain/alerts/alert-storm.ts';
import type { EndedAttempt } from '#domain/results/recording.ts';
import { type IdBytes, idBytes, idText } from '../../base/codec.ts';
import type { AlertStormsTable } from '../../base/tables/delivery-tables.ts';
import type { Bulk } from '../../engines/postgres/bulk.ts';
import type { Session } from '../../engines/postgres/session.ts';
import { countedChecks, type StormRead } from '../../channels/storm-rows.ts';
import type { ListenerRow } from './listener-rows.ts';
import type { NotifyRules } from './notify-channels.ts';

/**
 * Locks the storms of the accounts whose channels of people these attempts may notify, in the order of their IDs, until
 * the transaction ends. An account without a storm gets a row, so that there is one to lock.
 */
export async function readStorms(
  session: Session,
  bulk: Bulk,
  asked: readonly EndedAttempt[],
  found: {
    readonly listeners: ReadonlyMap<string, readonly ListenerRow[]>;
    readonly storms: Map<string, StormRead>;
  },
  { now, isDigested }: Pick<NotifyRules, 'now' | 'isDigested'>,
): Promise<void> {
  if (isDigested === undefined) return;
  const wanted = asked.filter(({ run, context }) => {
    const listeners = found.listeners.get(run.accountId + run.checkId) ?? [];
    const isAny = listeners.some(({ type, grouping }) => grouping === 1 && isDigested(type));
    return isAny && digestThresholdOf(context.accountAlertSettings) !== null;
  });
  const ids = [...new Set(wanted.map(({ run }) => run.accountId))].sort().map(idBytes);
  if (ids.length === 0) return;
  const lock = (): Promise<AlertStormsTable[]> =>
    session.query<AlertStormsTable>(
      'SELECT * FROM alert_storms WHERE account_id = ANY($1::bytea[]) ORDER BY account_id FOR NO KEY UPDATE',
      [ids],
    );
  let rows = await lock();
  if (rows.length < ids.length) {
    const known = new Set(rows.map(({ account_id }) => idText(account_id)));
    const missing = ids.filter((id) => !known.has(idText(id)));
    bulk.send(
      'alert_storms',
      missing.map((account_id) => ({ account_id, started_at: null, is_current: 0, channels: '{}' })),
      'ON CONFLICT DO NOTHING',
    );
    rows = await lock();
  }
  const calm = rows.filter(({ started_at }) => started_at === null);
  const alerted = await readAlerted(session, calm, now);
  for (const row of rows) {
    const accountId = idText(row.account_id);
    found.storms.set(accountId, { row, alerted: alerted.get(accountId) ?? [] });
  }
}

/** Checks with alerts that count towards a storm. After locking, so that those of other processes are included. */
async function readAlerted(
  session: Session,
  calm: readonly AlertStormsTable[],
  now: number,
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (calm.length === 0) return new Map();
  const rows = await session.query<{ account_id: IdBytes; check_id: IdBytes }>(
    `SELECT s.account_id, a.check_id FROM unnest($1::bytea[]) AS s (account_id)
     CROSS JOIN LATERAL (${countedChecks('s.account_id', '$2::bigint', '$3::bigint')}) a`,
    [
      calm.map(({ account_id }) => account_id),
      countedFrom(now),
      // Clocks of processes differ by some milliseconds.
      now + stormWindowMs / 60,
    ],
  );
  const byAccount = Map.groupBy(rows, ({ account_id }) => idText(account_id));
  return new Map(
    [...byAccount].map(([accountId, found]) => [accountId, found.map(({ check_id }) => idText(check_id))]),
  );
}
