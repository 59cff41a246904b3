// Counts lost deliveries of channels, in PostgreSQL.
import { delayedUntil } from '#domain/alerts/delivery.ts';
import { lostUntilFailing } from '#domain/alerts/failing-channel.ts';
import { idBytes } from '../../base/codec.ts';
import { type Ended, endedOf, hasLostNoAlert, type Tried } from '../../channels/failing-channels.ts';
import { inPairs } from '../../engines/postgres/bulk.ts';
import type { Session } from '../../engines/postgres/session.ts';

/**
 * Records the delays that receivers requested. Marks channels as failing or clears the mark, and creates a report for
 * the other channels (docs/decisions/0026). Reports only lost alerts of checks, so that a lost report does not cause
 * others.
 */
export async function noteOutcomes(session: Session, tried: readonly Tried[], now: number): Promise<void> {
  const ended = tried.flatMap((one) => endedOf(one) ?? []);
  const asking = tried.flatMap(askingOf);
  if (asking.length === 0 && ended.every(({ end }) => end === 'received')) return clear(session, ended);
  // In the order of the channels, to avoid deadlocks between batches; within one in the order of events.
  const inOrder = [...asking, ...ended].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : Number(keyOf(a) > keyOf(b))));
  for (const one of inOrder) {
    if ('until' in one) await noteAsked(session, one);
    else if (one.end === 'received') await clear(session, [one]);
    else await noteLost(session, one, lostUntilFailing[one.end], now);
  }
}

/** A receiver that requested a delay. */
interface Asking extends Pick<Ended, 'accountId' | 'alertChannelId'> {
  /** Epoch ms. */
  readonly until: number;
}

function askingOf({ attempt, alertChannelId }: Tried): Asking[] {
  const until = delayedUntil(attempt);
  return until === null ? [] : [{ accountId: attempt.accountId, alertChannelId, until }];
}

async function noteAsked(session: Session, { accountId, alertChannelId, until }: Asking): Promise<void> {
  await session.query(
    'UPDATE alert_channels SET asked_until = greatest(asked_until, $1) WHERE account_id = $2 AND id = $3',
    [until, idBytes(accountId), alertChannelId],
  );
}

function keyOf({ accountId, alertChannelId }: Pick<Ended, 'accountId' | 'alertChannelId'>): string {
  return `${accountId}/${String(alertChannelId).padStart(16, '0')}`;
}

async function clear(session: Session, received: readonly Ended[]): Promise<void> {
  const channels = [...new Map(received.map((one) => [keyOf(one), one])).values()];
  if (channels.length === 0) return;
  await session.query(
    `UPDATE alert_channels SET exhausted_in_a_row = 0, failing_since = NULL, failing_reason = NULL,
       failing_news = CASE WHEN failing_notified IS NOT NULL THEN 2 END
     WHERE (account_id, id) IN (
       SELECT account_id, id FROM alert_channels WHERE ${inPairs('(account_id, id)', 1, 'bigint')}
         AND exhausted_in_a_row > 0 ORDER BY account_id, id FOR NO KEY UPDATE)`,
    [channels.map(({ accountId }) => idBytes(accountId)), channels.map(({ alertChannelId }) => alertChannelId)],
  );
}

async function noteLost(session: Session, lost: Ended, maxLost: number, now: number): Promise<void> {
  const isAlert =
    'EXISTS (SELECT 1 FROM deliveries WHERE account_id = $5 AND deliveries.id = $4::bytea AND check_id IS NOT NULL)';
  const isKnown = `failing_since IS NOT NULL AND NOT (${isAlert} AND ${hasLostNoAlert('$5')})`;
  await session.query(
    `UPDATE alert_channels SET exhausted_in_a_row = exhausted_in_a_row + 1, failing_reason = $3::text,
       failing_since = CASE WHEN exhausted_in_a_row + 1 >= $1 THEN coalesce(failing_since, $2) END,
       failing_delivery_id = CASE WHEN ${isKnown} THEN failing_delivery_id ELSE $4::bytea END,
       failing_news = CASE WHEN exhausted_in_a_row + 1 < $1 OR ${isKnown} THEN failing_news
         WHEN failing_notified IS NULL AND ${isAlert} THEN 1 END
     WHERE account_id = $5 AND id = $6`,
    [maxLost, now, lost.reason, idBytes(lost.deliveryId), idBytes(lost.accountId), lost.alertChannelId],
  );
}
