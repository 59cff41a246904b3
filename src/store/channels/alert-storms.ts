// Ends alert storms and sends their digests; deliveries join them in path/record/alert-storms.ts.
import type { Kysely } from 'kysely';
import type { AlertSettings } from '#domain/alerts/alert-settings.ts';
import {
  type AlertStorm,
  digestThresholdOf,
  isOver,
  latestDueAt,
  noStorm,
  stormWindowMs,
} from '#domain/alerts/alert-storm.ts';
import { type Digest, digestAlertType } from '#domain/alerts/digest.ts';
import type { DeliveryContent } from '#domain/alerts/delivery.ts';
import { type IdBytes, idBytes, idText, json, parsedOrNull } from '../base/codec.ts';
import { deliveryStatusCodes } from '../base/codes.ts';
import type { Database } from '../base/database.ts';
import type { AlertStormsTable } from '../base/tables/delivery-tables.ts';
import type { DeliveriesTable, Tables } from '../base/tables/schema.ts';
import { newDeliveryRow } from '../path/deliveries/delivery-rows.ts';
import { newDigest, stormOf, stormRow } from '../path/record/alert-storms.ts';
import { readDigest } from './digests.ts';

/** What was done for an account. */
export interface JudgedStorm {
  readonly accountId: string;
  /** Digests that are due now. */
  readonly digests: number;
  /** Whether its storm ended. */
  readonly isOver: boolean;
}

/** Storms and digests of all accounts. */
export interface AlertStorms {
  /** Accounts with a storm, after this one in the order of their IDs; null = from the start. */
  current(after: string | null, max: number): Promise<readonly string[]>;
  /** Makes the due digests of an account ready to send, and ends its storm if it is over, in one transaction. */
  judge(accountId: string, now: number): Promise<JudgedStorm>;
}

const collecting = deliveryStatusCodes.encode('collecting');
const pending = deliveryStatusCodes.encode('pending');

export function createAlertStorms({ reader, waitingTransaction }: Database): AlertStorms {
  return {
    async current(after, max) {
      const from = after === null ? new Uint8Array() : idBytes(after);
      const storms = await reader
        .selectFrom('alert_storms')
        .select('account_id')
        .where('started_at', 'is not', null)
        .where('account_id', '>', from)
        .orderBy('account_id')
        .limit(max)
        .execute();
      return storms.map(({ account_id }) => idText(account_id));
    },
    async judge(accountId, now) {
      const row = await reader
        .selectFrom('alert_storms')
        .selectAll()
        .where('account_id', '=', idBytes(accountId))
        .executeTakeFirst();
      // Most of the time nothing is due, and nothing is written.
      const { due, isEnding } = await dueOf(reader, accountId, stormOf(row), now);
      if (due.length === 0 && !isEnding) return { accountId, digests: 0, isOver: false };
      return waitingTransaction((tx) => judge(tx, accountId, now));
    },
  };
}

async function judge(tx: Kysely<Tables>, accountId: string, now: number): Promise<JudgedStorm> {
  const storm = await lockStorm(tx, accountId);
  const { waiting, due, isEnding } = await dueOf(tx, accountId, storm, now);
  for (const row of due) {
    const digest = await readDigest(tx, row, { now, isOver: isEnding });
    await release(tx, row, digest, now);
  }
  const last = isEnding ? await sendLast(tx, accountId, withoutDigest(storm, waiting), now) : 0;
  if (isEnding || due.length > 0) {
    await writeStorm(tx, accountId, isEnding ? { ...noStorm, endedAt: now } : withSent(storm, due, now));
  }
  return { accountId, digests: due.length + last, isOver: isEnding };
}

/** The digests that still collect, those of them that leave now, and whether the storm ends now. */
async function dueOf(db: Kysely<Tables>, accountId: string, { startedAt, channels }: AlertStorm, now: number) {
  const isEnding = startedAt !== null && isOver(await factsOf(db, accountId, startedAt, now), now);
  const digestIds = Object.values(channels).flatMap(({ digestId }) => digestId ?? []);
  const waiting = await collectingOf(db, idBytes(accountId), digestIds);
  const due = waiting.filter(
    ({ next_attempt_at: at }) => isEnding || at === null || at <= now || at > latestDueAt(now),
  );
  return { waiting, due, isEnding };
}

/** Recording waits for this lock before it adds to a digest. */
async function lockStorm(tx: Kysely<Tables>, accountId: string): Promise<AlertStorm> {
  const row: AlertStormsTable | undefined = await tx
    .updateTable('alert_storms')
    .set((table) => ({ channels: table.ref('channels') }))
    .where('account_id', '=', idBytes(accountId))
    .returningAll()
    .executeTakeFirst();
  return stormOf(row);
}

async function writeStorm(tx: Kysely<Tables>, accountId: string, storm: AlertStorm): Promise<void> {
  const { account_id, ...columns } = stormRow(accountId, storm);
  await tx.updateTable('alert_storms').set(columns).where('account_id', '=', account_id).execute();
}

async function factsOf(db: Kysely<Tables>, accountId: string, startedAt: number, now: number) {
  const account = idBytes(accountId);
  const [settings, last, failing] = [
    await db.selectFrom('accounts').select('alert_settings').where('id', '=', account).executeTakeFirst(),
    await db
      .selectFrom('alerts')
      .select('created_at')
      .where('account_id', '=', account)
      // In the future: the clock was set back.
      .where('created_at', '<=', now)
      .orderBy('created_at', 'desc')
      .limit(1)
      .executeTakeFirst(),
    await db
      .selectFrom('incidents')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('account_id', '=', account)
      .where('ended_at', 'is', null)
      .where('opened_at', '>', startedAt - stormWindowMs)
      .executeTakeFirstOrThrow(),
  ];
  return {
    threshold: digestThresholdOf(parsedOrNull<AlertSettings>(settings?.alert_settings ?? null)),
    // A restored backup has no later alerts.
    lastAlertAt: last?.created_at ?? startedAt,
    failing: failing.count,
  };
}

async function collectingOf(
  db: Kysely<Tables>,
  account: IdBytes,
  digestIds: readonly string[],
): Promise<DeliveriesTable[]> {
  if (digestIds.length === 0) return [];
  return db
    .selectFrom('deliveries')
    .selectAll()
    .where('account_id', '=', account)
    .where('id', 'in', digestIds.map(idBytes))
    .where('status', '=', collecting)
    .orderBy('id')
    .execute();
}

/** A digest that collected alerts is due now; nothing joins it any more. */
async function release(
  tx: Kysely<Tables>,
  { account_id, id }: Pick<DeliveriesTable, 'account_id' | 'id'>,
  digest: Digest,
  now: number,
): Promise<void> {
  await tx
    .updateTable('deliveries')
    .set({ status: pending, next_attempt_at: now, alert_type: digestAlertType(digest.sections) })
    .where('account_id', '=', account_id)
    .where('id', '=', id)
    .execute();
  await insertContent(tx, account_id, id, digest);
}

/** Tells the other channels of the storm that it is over. */
async function sendLast(
  tx: Kysely<Tables>,
  accountId: string,
  channels: readonly number[],
  now: number,
): Promise<number> {
  if (channels.length === 0) return 0;
  const existing = await tx
    .selectFrom('alert_channels')
    .select('id')
    .where('account_id', '=', idBytes(accountId))
    .where('id', 'in', channels)
    .orderBy('id')
    .execute();
  for (const channel of existing) {
    const row = newDeliveryRow(newDigest(accountId, channel.id, now));
    const digest = await readDigest(tx, row, { now, isOver: true });
    await tx
      .insertInto('deliveries')
      .values({
        ...row,
        alert_type: digestAlertType(digest.sections),
        attempts: 0,
        leased_by: null,
        attempt_started_at: null,
      })
      .execute();
    await insertContent(tx, row.account_id, row.id, digest);
  }
  return existing.length;
}

async function insertContent(tx: Kysely<Tables>, account: IdBytes, id: IdBytes, digest: Digest): Promise<void> {
  const content: DeliveryContent = {
    variables: { DELIVERY_ID: idText(id), IS_REPLAY: false },
    groupId: null,
    digest,
  };
  await tx
    .insertInto('delivery_contents')
    .values({ account_id: account, delivery_id: id, content: json(content) })
    .execute();
}

function withoutDigest(storm: AlertStorm, waiting: readonly DeliveriesTable[]): number[] {
  const collected = new Set(waiting.map(({ alert_channel_id }) => alert_channel_id));
  return Object.keys(storm.channels)
    .map(Number)
    .filter((id) => !collected.has(id));
}

function withSent(storm: AlertStorm, due: readonly DeliveriesTable[], now: number): AlertStorm {
  const sent = due.map(({ alert_channel_id }) => [String(alert_channel_id), { digestId: null, sentAt: now }] as const);
  return { ...storm, channels: { ...storm.channels, ...Object.fromEntries(sent) } };
}
