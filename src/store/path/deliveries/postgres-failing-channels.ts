// Records what the end of a delivery means for its channel, in PostgreSQL.
import { delayedUntil } from '#domain/deliveries/delivery.ts';
import { idBytes } from '../../base/codec.ts';
import {
  deliveriesOf,
  type Ended,
  endedOf,
  purposeColumns,
  type PurposeRow,
  standingAfter,
  standingColumns,
  type StandingRow,
  type Tried,
} from '../../channels/channel-standing.ts';
import { inPairs } from '../../engines/postgres/bulk.ts';
import type { Session } from '../../engines/postgres/session.ts';

/** Records the outcomes of attempts for their channels, and the delays that receivers requested. */
export async function noteOutcomes(
  session: Session,
  tried: readonly (Tried & { readonly isTest: boolean })[],
  now: number,
): Promise<void> {
  const asking = tried.flatMap(askingOf);
  const ended = tried.flatMap((one) => endedOf(one) ?? []);
  if (asking.length === 0) return noteEnds(session, ended, now);
  // In the order of the channels, to avoid deadlocks between batches.
  for (const lane of lanesOf([...asking, ...ended])) {
    for (const one of lane) if ('until' in one) await noteAsked(session, one);
    await noteEnds(
      session,
      lane.flatMap((one) => ('until' in one ? [] : one)),
      now,
    );
  }
}

/** Records that deliveries ended, in order (docs/decisions/0026). */
export async function noteEnds(session: Session, ended: readonly Ended[], now: number): Promise<void> {
  const lanes = lanesOf(ended);
  if (ended.every(({ end }) => end === 'received')) return clear(session, lanes);
  for (const lane of lanes) {
    if (lane.every(({ end }) => end === 'received')) await clear(session, [lane]);
    else await noteLane(session, lane, now);
  }
}

/** By channel, in an order that is the same for all batches. */
function lanesOf<One extends Pick<Ended, 'accountId' | 'alertChannelId'>>(all: readonly One[]): One[][] {
  const lanes = [...Map.groupBy(all, keyOf)];
  return lanes.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, lane]) => lane);
}

/** A receiver that requested a delay. */
interface Asking extends Pick<Ended, 'accountId' | 'alertChannelId'> {
  /** Epoch ms. */
  readonly until: number;
}

function askingOf({ attempt, alertChannelId, isTest }: Tried & { readonly isTest: boolean }): Asking[] {
  const until = isTest ? null : delayedUntil(attempt);
  return until === null ? [] : [{ accountId: attempt.accountId, alertChannelId, until }];
}

async function noteAsked(session: Session, { accountId, alertChannelId, until }: Asking): Promise<void> {
  await session.query(
    'UPDATE alert_channels SET requested_until = greatest(requested_until, $1) WHERE account_id = $2 AND id = $3',
    [until, idBytes(accountId), alertChannelId],
  );
}

function keyOf({ accountId, alertChannelId }: Pick<Ended, 'accountId' | 'alertChannelId'>): string {
  return `${accountId}/${String(alertChannelId).padStart(16, '0')}`;
}

async function clear(session: Session, lanes: readonly (readonly Ended[])[]): Promise<void> {
  const channels = lanes.flatMap(([first]) => first ?? []);
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

/** @param ends of one channel */
async function noteLane(session: Session, ends: readonly Ended[], now: number): Promise<void> {
  const [first] = ends;
  if (first === undefined) return;
  const [account, channel] = [idBytes(first.accountId), first.alertChannelId];
  const [row] = await session.query<StandingRow>(
    `SELECT ${standingColumns} FROM alert_channels WHERE account_id = $1 AND id = $2 FOR NO KEY UPDATE`,
    [account, channel],
  );
  if (row === undefined) return;
  const read = await session.query<PurposeRow>(
    `SELECT ${purposeColumns} FROM deliveries WHERE account_id = $1 AND id = ANY($2::bytea[])`,
    [account, deliveriesOf(row, ends)],
  );
  const next = standingAfter(row, ends, read, now);
  await session.query(
    `UPDATE alert_channels SET exhausted_in_a_row = $3, failing_since = $4, failing_news = $5,
       failing_reason = $6::text, failing_delivery_id = $7::bytea WHERE account_id = $1 AND id = $2`,
    [
      account,
      channel,
      next.exhausted_in_a_row,
      next.failing_since,
      next.failing_news,
      next.failing_reason,
      next.failing_delivery_id,
    ],
  );
}
