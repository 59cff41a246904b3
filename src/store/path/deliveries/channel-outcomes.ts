// Records what the end of a delivery means for its channel, on both engines (docs/decisions/0026).
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
import { query, type Statement, type Statements } from '../../engines/statements.ts';

/** A channel. */
export type ChannelKey = Pick<Ended, 'accountId' | 'alertChannelId'>;

/** What differs between the engines. */
export interface OutcomeEngine {
  /** Ends a SELECT of rows that are updated: it locks them if there are several writers. */
  readonly locking: string;
  /** Sets `receivingColumns` of these channels where `exhausted_in_a_row` is not 0. */
  readonly clear: (channels: readonly ChannelKey[]) => readonly Statement[];
}

/** SET clause of a channel that receives. */
export const receivingColumns = `exhausted_in_a_row = 0, failing_since = NULL, failing_reason = NULL,
  failing_news = CASE WHEN failing_notified IS NOT NULL THEN 2 END`;

/** A receiver that requested a delay. */
interface RequestedDelay extends ChannelKey {
  /** Epoch ms. */
  readonly until: number;
}

/** Records the outcomes of attempts for their channels, and the delays that receivers requested. @param now epoch ms */
export function* noteOutcomes(
  engine: OutcomeEngine,
  tried: readonly (Tried & { readonly isTest: boolean })[],
  now: number,
): Statements<void> {
  const delays = tried.flatMap(delayOf);
  const ended = tried.flatMap((one) => endedOf(one) ?? []);
  // Without delays, all channels that receive are one statement.
  const lanes = delays.length === 0 ? [ended] : byChannel([...delays, ...ended]);
  for (const lane of lanes) {
    for (const one of lane) if ('until' in one) yield* noteDelay(one);
    const ends = lane.flatMap((one) => ('until' in one ? [] : one));
    yield* noteEnds(engine, ends, now);
  }
}

/** Records that deliveries ended, in order. @param now epoch ms */
export function* noteEnds(engine: OutcomeEngine, ended: readonly Ended[], now: number): Statements<void> {
  const lanes = byChannel(ended);
  const receiving: ChannelKey[] = [];
  const isAll = ended.every(({ end }) => end === 'received');
  for (const lane of lanes) {
    const [first] = lane;
    if (first === undefined) continue;
    if (isAll) receiving.push(first);
    else if (lane.every(({ end }) => end === 'received')) yield* each(engine.clear([first]));
    else yield* noteLane(engine, first, lane, now);
  }
  if (receiving.length > 0) yield* each(engine.clear(receiving));
}

/** By channel, in an order that is the same for all batches, to avoid deadlocks between them. */
function byChannel<One extends ChannelKey>(all: readonly One[]): One[][] {
  const lanes = [...Map.groupBy(all, keyOf)];
  return lanes.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, lane]) => lane);
}

function keyOf({ accountId, alertChannelId }: ChannelKey): string {
  return `${accountId}/${String(alertChannelId).padStart(16, '0')}`;
}

function* each(statements: readonly Statement[]): Statements<void> {
  for (const statement of statements) yield statement;
}

function delayOf({ attempt, alertChannelId, isTest }: Tried & { readonly isTest: boolean }): RequestedDelay[] {
  const until = isTest ? null : delayedUntil(attempt);
  return until === null ? [] : [{ accountId: attempt.accountId, alertChannelId, until }];
}

function* noteDelay({ accountId, alertChannelId, until }: RequestedDelay): Statements<void> {
  yield* query(
    `UPDATE alert_channels SET requested_until = CASE WHEN requested_until > $1 THEN requested_until ELSE $1 END
     WHERE account_id = $2 AND id = $3`,
    [until, idBytes(accountId), alertChannelId],
  );
}

/** @param ends of one channel */
function* noteLane(
  { locking }: OutcomeEngine,
  { accountId, alertChannelId }: ChannelKey,
  ends: readonly Ended[],
  now: number,
): Statements<void> {
  const key = [idBytes(accountId), alertChannelId] as const;
  const [row] = yield* query<StandingRow>(
    `SELECT ${standingColumns} FROM alert_channels WHERE account_id = $1 AND id = $2 ${locking}`,
    key,
  );
  if (row === undefined) return;
  const ids = deliveriesOf(row, ends);
  const read = yield* query<PurposeRow>(
    `SELECT ${purposeColumns.join()} FROM deliveries
     WHERE account_id = $1 AND id IN (${ids.map((_, index) => `$${index + 2}`).join()})`,
    [key[0], ...ids],
  );
  const next = standingAfter(row, ends, read, now);
  yield* query(
    `UPDATE alert_channels SET exhausted_in_a_row = $3, failing_since = $4, failing_news = $5, failing_reason = $6,
       failing_delivery_id = $7 WHERE account_id = $1 AND id = $2`,
    [
      ...key,
      next.exhausted_in_a_row,
      next.failing_since,
      next.failing_news,
      next.failing_reason,
      next.failing_delivery_id,
    ],
  );
}
