// Updates the row of a heartbeat in the transaction of each change of its check or group.
import { findRow, insertRows, selectRows, updateRows } from '../base/rows.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import type { Check } from '#domain/checks/check.ts';
import { effectiveCheck } from '#domain/checks/effective-check.ts';
import { type Heartbeat, inspect, neverAt, readHeartbeat } from '#domain/checks/heartbeat.ts';
import { flag, idBytes } from '../base/codec.ts';
import { heartbeatOf, keyColumns, movesOf } from './heartbeat-rows.ts';
import { noteHeartbeatWriter } from '../base/locks/lock-heartbeats.ts';
import type { Db } from '../base/tables/schema.ts';

/**
 * Updates the row from check and group. The timer of a heartbeat that was pinged restarts when it is activated and when
 * its period changes (reference §4.9); a new grace only moves its deadline.
 */
export async function keepHeartbeat(tx: Db, check: Check, group: CheckGroup | null, now: number): Promise<void> {
  const { periodMs, graceMs, pingToken } = readHeartbeat(check.settings);
  const isActive = effectiveCheck(check, group).activated;
  noteHeartbeatWriter(tx);
  const row = await findRow(tx, 'heartbeats', { account_id: idBytes(check.accountId), check_id: idBytes(check.id) });
  const settings = { is_active: flag(isActive), period_ms: periodMs, grace_ms: graceMs };
  if (row === undefined) {
    const fresh: Heartbeat = {
      ...unpinged,
      accountId: check.accountId,
      checkId: check.id,
      isActive,
      periodMs,
      graceMs,
    };
    const values = { ...keyColumns(fresh), token: idBytes(pingToken), ...settings, ...movesOf(fresh) };
    await insertRows(tx, 'heartbeats', values);
    return;
  }
  const present = heartbeatOf(row);
  if (present.isActive === isActive && present.periodMs === periodMs && present.graceMs === graceMs) return;
  const isRestarted = present.timerAt !== null && isActive && (!present.isActive || present.periodMs !== periodMs);
  const timerAt = isRestarted ? now : present.timerAt;
  // The time in which it was not active counts as neither passed nor failed.
  const resultAt = isRestarted && !present.isActive && present.resultAt !== null ? now : present.resultAt;
  const next = { ...present, isActive, periodMs, graceMs, timerAt, resultAt };
  // Waiting pings are evaluated, whatever the settings are now.
  const waiting = await selectRows(tx, 'waiting_pings', { account_id: row.account_id, check_id: row.check_id })
    .select('id')
    .limit(1)
    .executeTakeFirst();
  const dueAt = Math.min(inspect(next), waiting === undefined ? neverAt : present.dueAt);
  const key = { account_id: row.account_id, check_id: row.check_id };
  await updateRows(tx, 'heartbeats', key, { ...settings, timer_at: timerAt, result_at: resultAt, due_at: dueAt });
}

const unpinged = {
  dueAt: neverAt,
  timerAt: null,
  pingedAt: null,
  startedAt: null,
  resultAt: null,
  isPassing: false,
  isExcused: false,
} as const;
