// Channels that several processes send to: what the others have under way there counts, and its checks wait for it
// (docs/decisions/0071).
import { type IdBytes, idText } from '../codec.ts';
import { deliveryStatusCodes } from '../codes.ts';
import type { DeliveryClaim } from '../delivery-rows.ts';
import type { DeliveriesTable } from '../schema.ts';
import type { Session } from './session.ts';

const pending = deliveryStatusCodes.encode('pending');

/** Any number that nothing else locks. */
const lockSpace = 7_253;
/** Locks of one transaction are memory of the whole server: channels share so many. */
const locks = 1000;
/**
 * Deliveries looked at in each channel. Leases end last of what waits there, but for retries of attempts that ended in the
 * same seconds: more than a few only where attempts are quick, which are then not under way for long.
 */
const lookedAtMost = 200;
/** As many of those that became due last: a lease that has just run out is among them. */
const leftMost = 20;
/** How far the clocks of two processes may be apart, ms. */
const apartMs = 1000;

type Place = Pick<DeliveriesTable, 'account_id' | 'alert_channel_id'>;

/** A check of a channel, of which another process has an attempt under way. */
export type HeldCheck = Place & { readonly check_id: IdBytes };

/** What other processes have under way at some channels. */
export interface Elsewhere<Lane> {
  /** Channels that nobody else takes from until this transaction ends. */
  readonly lanes: readonly Lane[];
  /** How many of a channel others have under way. */
  count(lane: Place): number;
  /** What else waits of these begins later. */
  readonly held: readonly HeldCheck[];
}

/** Looks at these channels; those that another process takes from just now are left out. */
export async function lookElsewhere<Lane extends Place>(
  session: Session,
  lanes: readonly Lane[],
  { owner, now, leaseMs }: Pick<DeliveryClaim, 'owner' | 'now' | 'leaseMs'>,
): Promise<Elsewhere<Lane>> {
  if (lanes.length === 0) return { lanes, count: () => 0, held: [] };
  const keys = lanes.map(lockOf);
  const places = [lanes.map((lane) => lane.account_id), lanes.map((lane) => lane.alert_channel_id)];
  // Those behind the first see what was committed before the locks were had.
  const [locked, held, left] = await Promise.all([
    session.query<{ key: number }>(
      'SELECT key FROM unnest($1::int[]) AS wanted (key) WHERE pg_try_advisory_xact_lock($2, key)',
      [[...new Set(keys)], lockSpace],
    ),
    session.query<LeasedRow>(leasedAround(lookedAtMost), [...places, now, now + leaseMs + apartMs, owner]),
    session.query<LeasedRow>(leasedAround(leftMost), [...places, now - 2 * leaseMs, now, owner]),
  ]);
  const mine = new Set(locked.map(({ key }) => key));
  await pullForward(
    session,
    left.filter((row) => mine.has(lockOf(row))),
  );
  const counts = new Map<string, number>();
  for (const row of held) counts.set(nameOf(row), (counts.get(nameOf(row)) ?? 0) + 1);
  return {
    lanes: lanes.filter((_, index) => mine.has(keys[index] ?? -1)),
    count: (lane) => counts.get(nameOf(lane)) ?? 0,
    held: held.flatMap(({ account_id, alert_channel_id, check_id }) =>
      check_id === null ? [] : { account_id, alert_channel_id, check_id },
    ),
  };
}

type LeasedRow = Place & Pick<DeliveriesTable, 'id' | 'check_id' | 'leased_by' | 'next_attempt_at'>;

/** Deliveries that others have leased, of the last ones of each channel whose next due time, or end of lease, is between two. */
function leasedAround(most: number): string {
  return `SELECT d.account_id, d.alert_channel_id, d.id, d.check_id, d.leased_by, d.next_attempt_at
    FROM unnest($1::bytea[], $2::bigint[]) AS l (account_id, alert_channel_id)
    CROSS JOIN LATERAL (
      SELECT * FROM deliveries d WHERE d.status = ${pending} AND d.account_id = l.account_id
        AND d.alert_channel_id = l.alert_channel_id AND d.next_attempt_at > $3 AND d.next_attempt_at <= $4
      ORDER BY d.next_attempt_at DESC LIMIT ${most}) d
    WHERE d.leased_by <> $5 AND d.next_attempt_at > d.created_at`;
}

/** What a process left behind when it ended is due before what was made after it (docs/decisions/0070). */
async function pullForward(session: Session, left: readonly LeasedRow[]): Promise<void> {
  if (left.length === 0) return;
  await session.query(
    `UPDATE deliveries d SET next_attempt_at = d.created_at
     FROM unnest($1::bytea[], $2::bytea[], $3::text[], $4::bigint[]) AS l (account_id, id, leased_by, until)
     WHERE d.account_id = l.account_id AND d.id = l.id AND d.leased_by = l.leased_by AND d.next_attempt_at = l.until`,
    [
      left.map(({ account_id }) => account_id),
      left.map(({ id }) => id),
      left.map(({ leased_by }) => leased_by),
      left.map(({ next_attempt_at }) => next_attempt_at),
    ],
  );
}

function lockOf({ account_id, alert_channel_id }: Place): number {
  const account = Buffer.from(account_id.buffer, account_id.byteOffset, account_id.byteLength).readUInt32BE(12);
  return (account + alert_channel_id) % locks;
}

function nameOf({ account_id, alert_channel_id }: Place): string {
  return `${idText(account_id)}/${alert_channel_id}`;
}
