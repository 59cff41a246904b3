// How much accounts have sent in the current hour through services of the operator, and the deliveries that wait for the next.
import { findRow, findRows, inAccount, selectRows } from '../base/rows.ts';
import { sql } from 'kysely';
import {
  hourOf,
  limitOfOthers,
  maxQuotaWaitMs,
  type QuotaAnswer,
  type QuotaClaim,
  quotaEndsAt,
  quotaExpiredReason,
  quotaReason,
  quotaReasonStart,
  type SendingQuota,
} from '#domain/deliveries/sending-quota.ts';
import { idBytes } from '../base/codec.ts';
import { deliveryStatusCodes } from '../base/codes.ts';
import type { Database } from '../base/database.ts';
import type { Db } from '../base/tables/schema.ts';
import { isMarked, settledColumns } from './cancel-reminders.ts';
import { nameOf, noteLost } from './failing-channels.ts';

/** Deliveries of a channel that wait for a quota. */
export interface QuotaWait {
  readonly alertChannelId: number;
  readonly name: string;
  readonly deliveries: number;
  /** Since when the oldest waits, epoch ms. */
  readonly since: number;
  /** Why, with the time at which it ends. */
  readonly reason: string;
}

/** A counter holds the hour and, in its last six digits, the attempts in it: no row has to be removed. */
const perHour = 1_000_000;
/** A shorter wait is no notice, ms. */
const shownAfterMs = 300_000;
const pending = deliveryStatusCodes.encode('pending');
const exhausted = deliveryStatusCodes.encode('exhausted');

export function createSendingQuotas({ reader, transaction, clock }: Database) {
  return {
    /**
     * Counts an attempt. New failures are served first: a part of the limit is theirs. If the limit is reached, the delivery waits for the next hour without a lease. A reminder that
     * was cancelled meanwhile ends instead, and so does a delivery that has waited for `maxQuotaWaitMs`.
     */
    take: (claim: QuotaClaim): Promise<QuotaAnswer> =>
      transaction(async (tx) => {
        const counter = { accountId: claim.accountId, noun: `sent-${claim.quota}`, now: claim.now };
        if (await countInHour(tx, counter, limitOfOthers(claim.limit, claim.quota))) return 'admitted';
        const isNews = await tellsNews(tx, claim);
        if (isNews && (await countInHour(tx, counter, claim.limit))) return 'admitted';
        return waitOrEnd(tx, claim, isNews);
      }),
    /** Channels of an account whose deliveries have waited for a quota for five minutes. */
    async waiting(accountId: string): Promise<QuotaWait[]> {
      const account = idBytes(accountId);
      const now = clock.now();
      const rows = await selectRows(reader, 'deliveries', { account_id: account })
        .select(({ fn }) => [
          'alert_channel_id',
          fn.countAll<number>().as('deliveries'),
          fn.min('quota_waits_since').as('since'),
          fn.max('error').as('reason'),
        ])
        .where('status', '=', sql.lit(pending))
        .where('quota_waits_since', 'is not', null)
        .where('next_attempt_at', '>', now)
        // A delivery that was tried after its wait has another error.
        .where('error', 'like', `%${quotaReasonStart}%`)
        .groupBy('alert_channel_id')
        .orderBy('alert_channel_id')
        .execute();
      const long = rows.filter(({ since }) => (since ?? now) <= now - shownAfterMs);
      if (long.length === 0) return [];
      const key = { account_id: account, id: long.map((row) => row.alert_channel_id) };
      const channels = await findRows(reader, 'alert_channels', key, ['id', 'type', 'config']);
      return channels.flatMap((channel) => {
        const row = long.find((one) => one.alert_channel_id === channel.id);
        return row === undefined ? [] : [waitOf(channel, row)];
      });
    },
  };
}

function waitOf(
  channel: Parameters<typeof nameOf>[0],
  { deliveries, since, reason }: { deliveries: number; since: number | null; reason: string | null },
): QuotaWait {
  const text = reason ?? '';
  return {
    alertChannelId: channel.id,
    name: nameOf(channel),
    deliveries,
    since: since ?? 0,
    reason: text.slice(text.indexOf(quotaReasonStart)),
  };
}

/** Attempts of an account in the clock hour of `now` (epoch ms). */
export async function sentInHour(db: Db, accountId: string, quota: SendingQuota, now: number): Promise<number> {
  const counter = { account_id: idBytes(accountId), noun: `sent-${quota}` };
  const counted = (await findRow(db, 'counters', counter, ['last']))?.last ?? 0;
  return Math.floor(counted / perHour) === hourOf(now) ? counted % perHour : 0;
}

/** Counts one in the clock hour of `now` (epoch ms); false = the limit of the account is reached. */
export async function countInHour(
  tx: Db,
  { accountId, noun, now }: { readonly accountId: string; readonly noun: string; readonly now: number },
  limit: number,
): Promise<boolean> {
  const base = hourOf(now) * perHour;
  const counted = await tx
    .insertInto('counters')
    .values({ account_id: idBytes(accountId), noun, last: base + 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'noun'])
        .doUpdateSet((row) => ({
          last: row
            .case()
            .when(row.between('counters.last', base, base + perHour - 1))
            .then(row('counters.last', '+', 1))
            .else(base + 1)
            .end(),
        }))
        // A later hour is one from before the clock was set back.
        .where((row) => row.or([row('counters.last', '<', base + limit), row('counters.last', '>=', base + perHour)])),
    )
    .returning('last')
    .executeTakeFirst();
  return counted !== undefined;
}

/** Whether a delivery tells of a new failure or degradation; reminders do not. */
async function tellsNews(
  tx: Db,
  { accountId, deliveryId }: Pick<QuotaClaim, 'accountId' | 'deliveryId'>,
): Promise<boolean> {
  const row = await tx
    .selectFrom('deliveries')
    .leftJoin('alerts', inAccount('alerts.id', 'deliveries.alert_id'))
    .select('alerts.is_counted')
    .where('deliveries.account_id', '=', idBytes(accountId))
    .where('deliveries.id', '=', idBytes(deliveryId))
    .where('deliveries.alert_type', 'in', ['ALERT_FAILURE', 'ALERT_DEGRADED'])
    .executeTakeFirst();
  return row !== undefined && row.is_counted !== 0;
}

async function waitOrEnd(
  tx: Db,
  { accountId, deliveryId, owner, quota, limit, now }: QuotaClaim,
  isNews: boolean,
): Promise<QuotaAnswer> {
  const [account, id] = [idBytes(accountId), idBytes(deliveryId)];
  const key = { account_id: account, id };
  const row = await findRow(tx, 'deliveries', key, ['alert_channel_id', 'attempts', 'error', 'quota_waits_since']);
  if (row === undefined) return 'waits';
  // In the future: the clock was set back.
  const since = Math.min(row.quota_waits_since ?? now, now);
  const isExpired = now - since >= maxQuotaWaitMs && !isMarked(row.error);
  const until = quotaEndsAt(now, isNews);
  const reason = isExpired ? quotaExpiredReason(quota, limit) : quotaReason(quota, limit, until);
  const columns = isExpired
    ? settledColumns('', String(exhausted), 'CAST(NULL AS BIGINT)', `'${reason}'`)
    : settledColumns('', String(pending), String(until), `'${reason}'`);
  const { rows: ended } = await sql`UPDATE deliveries SET ${sql.raw(columns)}, leased_by = NULL,
    attempt_started_at = NULL, quota_waits_since = ${since}
    WHERE account_id = ${account} AND id = ${id} AND leased_by = ${owner} AND status = ${pending} RETURNING id`.execute(
    tx,
  );
  if (!isExpired || ended.length === 0) return 'waits';
  const { alert_channel_id: alertChannelId, attempts } = row;
  await noteLost(tx, { end: 'lost', accountId, alertChannelId, deliveryId, attempts, reason }, now);
  return 'expired';
}
