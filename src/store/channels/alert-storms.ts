// Sends digests and ends alert storms; deliveries join digests in storm-rows.ts.
import { findRows, insertRows, selectRows, updateRows } from '../base/rows.ts';
import type { AlertSettings } from '#domain/alerts/alert-settings.ts';
import {
  afterSending,
  afterTime,
  type AlertStorm,
  countedFrom,
  digestThresholdOf,
  latestDueAt,
  stormWindowMs,
} from '#domain/alerts/alert-storm.ts';
import { type Digest, digestAlertType } from '#domain/alerts/digest.ts';
import { type IdBytes, idBytes, idText, json, parsedOrNull } from '../base/codec.ts';
import { deliveryStatusCodes } from '../base/codes.ts';
import type { Database } from '../base/database.ts';
import type { Db, DeliveriesTable } from '../base/tables/schema.ts';
import { alertedAtMost, stormOf, stormRow } from './storm-rows.ts';
import { digestContent, readDigest } from './digests.ts';

/** What was done for an account. */
export interface JudgedStorm {
  readonly accountId: string;
  /** Digests that are due now. */
  readonly digests: number;
  /** Whether its storm ended. */
  readonly isOver: boolean;
}

const collecting = deliveryStatusCodes.encode('collecting');
const pending = deliveryStatusCodes.encode('pending');

/** Storms and digests of all accounts. */
export function createAlertStorms({ reader, waitingTransaction }: Database) {
  return {
    /** Accounts with a storm or digests, after this one in the order of their IDs; null = from the start. */
    async current(after: string | null, max: number): Promise<readonly string[]> {
      const from = after === null ? new Uint8Array() : idBytes(after);
      const storms = await selectRows(reader, 'alert_storms', { is_current: 1 })
        .select('account_id')
        .where('account_id', '>', from)
        .orderBy('account_id')
        .limit(max)
        .execute();
      return storms.map(({ account_id }) => idText(account_id));
    },
    /** Makes the due digests of an account ready to send, and ends its storm if it is over, in one transaction. */
    async judge(accountId: string, now: number): Promise<JudgedStorm> {
      const storm = await readStorm(reader, accountId);
      // Most of the time nothing is due, and nothing is written.
      const { due, next } = await judged(reader, accountId, storm, now);
      if (due.length === 0 && isSame(storm, next)) return { accountId, digests: 0, isOver: false };
      return waitingTransaction((tx) => judge(tx, accountId, now));
    },
    /** When the storm of an account began, epoch ms; null = there is none. */
    since: async (accountId: string): Promise<number | null> => (await readStorm(reader, accountId)).startedAt,
  };
}

async function judge(tx: Db, accountId: string, now: number): Promise<JudgedStorm> {
  const storm = await lockStorm(tx, accountId);
  const { due, next } = await judged(tx, accountId, storm, now);
  for (const row of due) await release(tx, row, await readDigest(tx, row, now), now);
  if (!isSame(storm, next)) {
    const { account_id, ...columns } = stormRow(accountId, next);
    await updateRows(tx, 'alert_storms', { account_id }, columns);
  }
  return { accountId, digests: due.length, isOver: storm.startedAt !== null && next.startedAt === null };
}

/** The digests that leave now, and the storm afterwards. */
async function judged(db: Db, accountId: string, storm: AlertStorm, now: number) {
  const account = idBytes(accountId);
  const digestIds = Object.values(storm.channels).flatMap(({ digestId }) => digestId ?? []);
  const waiting = await collectingOf(db, account, digestIds);
  const due = waiting.filter(({ next_attempt_at: at }) => at === null || at <= now || at > latestDueAt(now));
  const facts = {
    threshold: storm.startedAt === null ? null : digestThresholdOf(await findAlertSettings(db, account)),
    counted: storm.startedAt === null ? 0 : (await readAlerted(db, account, now)).length,
    collecting: new Set(waiting.map(({ id }) => idText(id))),
  };
  const sent = due.reduce((after, { alert_channel_id }) => afterSending(after, alert_channel_id, now), storm);
  return { due, next: afterTime(sent, facts, now) };
}

function isSame(one: AlertStorm, other: AlertStorm): boolean {
  return one.startedAt === other.startedAt && json(one.channels) === json(other.channels);
}

async function readStorm(db: Db, accountId: string): Promise<AlertStorm> {
  const storms = selectRows(db, 'alert_storms', { account_id: idBytes(accountId) }).selectAll();
  return stormOf(await storms.executeTakeFirst());
}

/** Recording waits for this lock before it adds to a digest. */
export async function lockStorm(tx: Db, accountId: string): Promise<AlertStorm> {
  const locked = tx.updateTable('alert_storms').set((table) => ({ channels: table.ref('channels') }));
  return stormOf(await locked.where('account_id', '=', idBytes(accountId)).returningAll().executeTakeFirst());
}

/** Alert settings of an account; null = none. */
export async function findAlertSettings(db: Db, account: IdBytes): Promise<AlertSettings | null> {
  const accounts = selectRows(db, 'accounts', { id: account }).select('alert_settings');
  return parsedOrNull<AlertSettings>((await accounts.executeTakeFirst())?.alert_settings ?? null);
}

/** The checks that `countedChecks` finds. */
export async function readAlerted(db: Db, account: IdBytes, now: number): Promise<string[]> {
  const from = countedFrom(now);
  const waiting = selectRows(db, 'notified', { account_id: account })
    .select('check_id')
    .where('escalates_at', '>', from)
    .where('escalates_at', '<=', now + stormWindowMs);
  const rows = await selectRows(db, 'alerts', { account_id: account, is_counted: 1 })
    .select('check_id')
    .where('created_at', '>', from)
    // In the future: the clock was set back.
    .where('created_at', '<=', now)
    .union(waiting)
    .limit(alertedAtMost)
    .execute();
  return rows.map(({ check_id }) => idText(check_id));
}

async function collectingOf(db: Db, account: IdBytes, digestIds: readonly string[]): Promise<DeliveriesTable[]> {
  const key = { account_id: account, id: digestIds.map(idBytes), status: collecting };
  return findRows(db, 'deliveries', key, '*', ['id']);
}

/** A digest that collected alerts is due now; nothing joins it any more. */
async function release(
  tx: Db,
  { account_id, id }: Pick<DeliveriesTable, 'account_id' | 'id'>,
  digest: Digest,
  now: number,
): Promise<void> {
  await updateRows(
    tx,
    'deliveries',
    { account_id, id },
    { status: pending, next_attempt_at: now, alert_type: digestAlertType(digest.sections) },
  );
  await insertRows(tx, 'delivery_contents', { account_id, delivery_id: id, content: digestContent(id, digest) });
}
