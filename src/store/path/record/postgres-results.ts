// Recording in PostgreSQL: reads, locks and writes the rows of a batch of ended attempts at once; the decisions are in
// record-attempts.ts.
import type { EndedAttempt, Recorded } from '#domain/results/recording.ts';
import { firstIdAt, type IdBytes, idBytes, idText, idTime } from '../../base/codec.ts';
import { deliveryStatusCodes } from '../../base/codes.ts';
import { createCounts } from '../../base/counts.ts';
import {
  deliveriesAtOnce,
  firstResultOf,
  recordAttempt,
  type RecordRules,
  TooManyDeliveriesError,
} from './record-attempts.ts';
import type { CheckStatesTable, ResultsTable } from '../../base/tables/schema.ts';
import { endsOf, withEnds } from './held-alerts.ts';
import { isListening, type ListenerRow } from './listener-rows.ts';
import type { Contexts } from '../../checks/postgres-contexts.ts';
import { type Bulk, inPairs, columnsOf } from '../../engines/postgres/bulk.ts';
import type { Session } from '../../engines/postgres/session.ts';
import type { StormRead } from '../../channels/storm-rows.ts';
import { readStorms } from './postgres-storms.ts';
import { type CheckKey, readNeeded } from './postgres-suppression.ts';
import type { NeededRow } from './suppression.ts';
import { createRecording, type RecordReads, sendRecording } from './recording.ts';
import { keysOf } from '../runs/postgres-runs.ts';

/**
 * Records each attempt whose run this owner has leased; drops the others, which another process repeats.
 * @param judged reads the input of their evaluation
 * @throws {TooManyDeliveriesError} before channels are read
 */
export async function recordAttempts(
  session: Session,
  bulk: Bulk,
  { attempts, judged }: { readonly attempts: readonly EndedAttempt[]; readonly judged: () => Promise<EndedAttempt[]> },
  rules: RecordRules,
  contexts: Contexts,
): Promise<Recorded[]> {
  const [held, ended] = await Promise.all([release(session, attempts, rules.owner), judged()]);
  return recordOf(session, bulk, ended, { held, isDivisible: true, contexts }, rules);
}

/**
 * Records attempts without a queued run; the caller's transaction has locked what they belong to.
 * @throws {TooManyDeliveriesError} if the batch can be divided, before channels are read
 */
export function recordLocked(
  session: Session,
  bulk: Bulk,
  attempts: readonly EndedAttempt[],
  rules: RecordRules & { readonly isDivisible: boolean },
  contexts: Contexts,
): Promise<Recorded[]> {
  const held = new Set(attempts.map(({ run }) => run.id));
  return recordOf(session, bulk, attempts, { held, isDivisible: rules.isDivisible, contexts }, rules);
}

interface Batch {
  /** Runs that the owner has leased. */
  readonly held: ReadonlySet<string>;
  readonly isDivisible: boolean;
  readonly contexts: Contexts;
}

async function recordOf(
  session: Session,
  bulk: Bulk,
  attempts: readonly EndedAttempt[],
  { held, isDivisible, contexts }: Batch,
  rules: RecordRules,
): Promise<Recorded[]> {
  // If the run was deleted, the check may be, too: a state written now would remain forever.
  const ours = attempts.filter(({ run }) => held.has(run.id));
  const [states, locations] = await Promise.all([
    holdStates(session, bulk, ours, rules.now),
    readLocations(session, attempts),
  ]);
  const found: FoundRows = { held, states, locations, ...nothingFound() };
  // The channels to notify are known only after folding the results. Most batches notify none and are finished; the
  // others are folded again once the requested channels are read.
  for (;;) {
    const counts = createCounts();
    const { reads, asked, askedNeeded } = readsOf(found);
    const recording = createRecording(reads);
    const recorded = attempts.map((attempt) => recordAttempt(recording.rows, attempt, rules, counts));
    if (askedNeeded.size > 0) {
      await readNeeded(session, contexts, [...askedNeeded.values()], found);
      continue;
    }
    if (asked.size > 0) {
      const unread = [...asked.values()];
      if (isDivisible && attempts.length > 1) {
        const sizes = await countListeners(session, unread);
        const fitting = fittingOf(attempts, sizes);
        if (fitting < attempts.length) throw new TooManyDeliveriesError(fitting);
      }
      await readListeners(session, unread, found.listeners);
      await readStorms(session, bulk, unread, found, rules);
      continue;
    }
    sendRecording(bulk, recording, counts);
    return recorded;
  }
}

/** Rows read, by account and check; runs by ID. */
export interface FoundRows {
  /** Runs that the owner has leased. */
  readonly held: ReadonlySet<string>;
  /** Of the checks of the attempts, locked, and of those that they need. */
  readonly states: Map<string, CheckStatesTable>;
  /** Needed checks; null = gone. */
  readonly needed: Map<string, NeededRow | null>;
  /** Of first attempts, by `resultKey`. */
  readonly locations: ReadonlyMap<string, string>;
  readonly listeners: Map<string, readonly ListenerRow[]>;
  /** Of accounts whose channels of people may be notified. */
  readonly storms: Map<string, StormRead>;
}

/** What is read only on demand. */
export function nothingFound(): Pick<FoundRows, 'needed' | 'listeners' | 'storms'> {
  return { needed: new Map(), listeners: new Map(), storms: new Map() };
}

const noStorm: StormRead = { row: undefined, alerted: [] };

/** Reads of recording in memory; if anything was requested that is not read yet, the batch is discarded. */
export function readsOf({ held, states, locations, listeners, storms, needed }: FoundRows) {
  const unconfirmed = new Set(held);
  /** Attempts whose channels were requested. */
  const asked = new Map<string, EndedAttempt>();
  const askedNeeded = new Map<string, CheckKey>();
  const reads: RecordReads = {
    // A run is locked once: of two attempts of the same run, the second does not find it.
    release: ({ run }) => unconfirmed.delete(run.id),
    state: (accountId, checkId) => states.get(idText(accountId) + idText(checkId)),
    needed(accountId, checkId) {
      const known = needed.get(accountId + checkId);
      if (known === undefined) askedNeeded.set(accountId + checkId, { accountId, checkId });
      return known ?? null;
    },
    locationOf: (...key) => locations.get(resultKey(...key)),
    listeners(attempt) {
      const key = attempt.run.accountId + attempt.run.checkId;
      const known = listeners.get(key);
      if (known === undefined) asked.set(key, attempt);
      return known ?? [];
    },
    readStorm: (accountId) => storms.get(accountId) ?? noStorm,
  };
  return { reads, asked, askedNeeded };
}

/** A result in memory. */
function resultKey(accountId: IdBytes, checkId: IdBytes, resultId: IdBytes): string {
  return idText(accountId) + idText(checkId) + idText(resultId);
}

/** Closes the runs of final attempts and requeues the others; returns the IDs of those that the owner had leased. */
async function release(session: Session, attempts: readonly EndedAttempt[], owner: string): Promise<Set<string>> {
  const held: { id: IdBytes }[] = [];
  const final = attempts.filter(({ retry }) => retry === null).map(({ run }) => run);
  if (final.length > 0) {
    const closed = await session.query<{ id: IdBytes }>(
      `DELETE FROM runs r USING unnest($1::bytea[], $2::bytea[], $3::bigint[]) AS e (account_id, id, attempt)
       WHERE r.account_id = e.account_id AND r.id = e.id AND r.attempt = e.attempt AND r.leased_by = $4 RETURNING r.id`,
      [...keysOf(final), final.map(({ attempt }) => attempt), owner],
    );
    held.push(...closed);
  }
  const again = attempts.flatMap(({ run, retry }) => (retry === null ? [] : [{ run, retry }]));
  if (again.length > 0) {
    const sentBack = await session.query<{ id: IdBytes }>(
      `UPDATE runs r SET attempt = r.attempt + 1, location = e.location, due_at = e.retry_at, available_at = e.retry_at,
         leased_by = NULL
       FROM unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::bigint[], $5::text[])
         AS e (account_id, id, attempt, retry_at, location)
       WHERE r.account_id = e.account_id AND r.id = e.id AND r.attempt = e.attempt AND r.leased_by = $6 RETURNING r.id`,
      [
        ...keysOf(again.map(({ run }) => run)),
        again.map(({ run }) => run.attempt),
        again.map(({ retry }) => retry.at),
        again.map(({ retry }) => retry.location),
        owner,
      ],
    );
    held.push(...sentBack);
  }
  return new Set(held.map(({ id }) => idText(id)));
}

/**
 * The states of the checks, locked until the batch is written, in key order to avoid deadlocks. A check without a state
 * gets an empty one, so that there is a row to lock.
 */
async function holdStates(
  session: Session,
  bulk: Bulk,
  attempts: readonly EndedAttempt[],
  now: number,
): Promise<Map<string, CheckStatesTable>> {
  const checks = new Map(
    attempts
      .filter(({ retry }) => retry === null)
      .map(({ run }) => [
        run.accountId + run.checkId,
        { account_id: idBytes(run.accountId), check_id: idBytes(run.checkId) },
      ]),
  );
  const states = new Map<string, CheckStatesTable>();
  const hold = async (): Promise<void> => {
    const missing = [...checks].filter(([key]) => !states.has(key)).map(([, check]) => check);
    if (missing.length === 0) return;
    const rows = await session.query<CheckStatesTable>(
      `SELECT * FROM check_states WHERE ${inPairs('(account_id, check_id)', 1)}
       ORDER BY account_id, check_id FOR NO KEY UPDATE`,
      columnsOf(missing, 'account_id', 'check_id'),
    );
    for (const row of rows) states.set(idText(row.account_id) + idText(row.check_id), row);
  };
  await hold();
  const fresh = [...checks].filter(([key]) => !states.has(key)).sort(([a], [b]) => (a < b ? -1 : 1));
  const empty = { failed_in_a_row: 0, degraded_in_a_row: 0, created_at: now, updated_at: now, revision: 0 };
  bulk.send(
    'check_states',
    fresh.map(([, check]) => ({ ...check, ...empty })),
    'ON CONFLICT DO NOTHING',
  );
  await hold();
  return states;
}

/** Where retried runs of parallel checks started, by account, check and the result of the first attempt. */
async function readLocations(session: Session, attempts: readonly EndedAttempt[]): Promise<Map<string, string>> {
  const asked = attempts.flatMap((attempt) => {
    const first = firstResultOf(attempt);
    return first === null ? [] : [{ run: attempt.run, id: idBytes(first) }];
  });
  if (asked.length === 0) return new Map();
  const times = asked.map(({ id }) => idTime(id));
  const rows = await session.query<Pick<ResultsTable, 'account_id' | 'check_id' | 'id' | 'location'>>(
    // The bounds restrict the partitions to read.
    `SELECT r.account_id, r.check_id, r.id, r.location
     FROM unnest($1::bytea[], $2::bytea[], $3::bytea[]) AS a (account_id, check_id, id)
     JOIN results r ON r.account_id = a.account_id AND r.check_id = a.check_id AND r.id = a.id
     WHERE r.id >= $4 AND r.id < $5`,
    [
      asked.map(({ run }) => idBytes(run.accountId)),
      asked.map(({ run }) => idBytes(run.checkId)),
      asked.map(({ id }) => id),
      firstIdAt(Math.min(...times)),
      firstIdAt(Math.max(...times) + 1),
    ],
  );
  return new Map(rows.map((row) => [resultKey(row.account_id, row.check_id, row.id), row.location]));
}

/** How many of these, from the first, create at most `deliveriesAtOnce` deliveries; at least one. */
export function fittingOf(attempts: readonly EndedAttempt[], sizes: ReadonlyMap<string, number>): number {
  let deliveries = 0;
  const end = attempts.findIndex(({ run }) => {
    deliveries += sizes.get(run.accountId + run.checkId) ?? 0;
    return deliveries > deliveriesAtOnce;
  });
  return end === -1 ? attempts.length : Math.max(1, end);
}

/** Number of channels that `readListeners` would find, by account and check. */
export async function countListeners(
  session: Session,
  asked: readonly EndedAttempt[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await session.query<{ account_id: IdBytes; check_id: IdBytes; size: number }>(
    `SELECT a.account_id, a.check_id, (SELECT count(*)::int FROM (
         SELECT alert_channel_id FROM subscriptions
         WHERE account_id = a.account_id AND check_id = a.check_id AND activated = 1
         UNION
         SELECT alert_channel_id FROM subscriptions
         WHERE account_id = a.account_id AND group_id = a.group_id AND activated = 1
         UNION
         SELECT alert_channel_id FROM notified
         WHERE account_id = a.account_id AND check_id = a.check_id AND ${isListening('')}) l) AS size
     FROM unnest($1::bytea[], $2::bytea[], $3::bigint[]) AS a (account_id, check_id, group_id)`,
    askedColumns(asked),
  );
  return new Map(rows.map((row) => [idText(row.account_id) + idText(row.check_id), row.size]));
}

function askedColumns(asked: readonly EndedAttempt[]): (IdBytes[] | (number | null)[])[] {
  return [
    asked.map(({ run }) => idBytes(run.accountId)),
    asked.map(({ run }) => idBytes(run.checkId)),
    asked.map(({ context }) => context.check.groupId),
  ];
}

/** Channels subscribed to the checks or their groups, and those with an open alert. */
export async function readListeners(
  session: Session,
  asked: readonly EndedAttempt[],
  listeners: Map<string, readonly ListenerRow[]>,
): Promise<void> {
  const rows = await session.query<ListenerRow & { for_check: IdBytes }>(
    `WITH asked AS (SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bigint[]) AS a (account_id, check_id, group_id)),
     listening AS (
       SELECT a.account_id, a.check_id, s.alert_channel_id AS id, 1 AS is_subscribed, 0 AS is_via_group,
         s.escalation_minutes
       FROM asked a JOIN subscriptions s ON s.account_id = a.account_id AND s.check_id = a.check_id AND s.activated = 1
       UNION ALL
       SELECT a.account_id, a.check_id, s.alert_channel_id, 1, 1, s.escalation_minutes
       FROM asked a JOIN subscriptions s ON s.account_id = a.account_id AND s.group_id = a.group_id AND s.activated = 1
       UNION ALL
       SELECT a.account_id, a.check_id, t.alert_channel_id, 0, 0, NULL
       FROM asked a JOIN notified t ON t.account_id = a.account_id AND t.check_id = a.check_id
         AND ${isListening('t.')})
     SELECT c.*, l.check_id AS for_check, t.open AS open, t.certificates AS certificates, t.notified_at AS notified_at, t.reminders AS reminders,
       t.flapping AS flapping, t.escalates_at AS escalates_at, t.alert_id AS alert_id, coalesce(t.is_grouped, 0) AS is_grouped, max(l.is_subscribed) AS is_subscribed,
       max(l.is_via_group) AS is_via_group, min(l.escalation_minutes) AS escalation_minutes
     FROM listening l
     JOIN alert_channels c ON c.account_id = l.account_id AND c.id = l.id
     LEFT JOIN notified t ON t.account_id = l.account_id AND t.check_id = l.check_id AND t.alert_channel_id = l.id
     GROUP BY l.check_id, c.account_id, c.id, t.open, t.certificates, t.notified_at, t.reminders, t.flapping, t.is_grouped,
       t.escalates_at, t.alert_id ORDER BY c.id`,
    askedColumns(asked),
  );
  const withEndsKnown = withEnds(rows, await waitingEnds(session, rows));
  const byCheck = Map.groupBy(withEndsKnown, (row) => idText(row.account_id) + idText(row.for_check));
  for (const { run } of asked) {
    const key = run.accountId + run.checkId;
    listeners.set(key, byCheck.get(key) ?? []);
  }
}

/** The deliveries that report the end of flapping to these channels, and wait. */
async function waitingEnds(session: Session, listeners: readonly ListenerRow[]): Promise<ReadonlySet<string>> {
  const ends = listeners.flatMap((row) => endsOf([row]).map((id) => [row.account_id, idBytes(id)] as const));
  if (ends.length === 0) return new Set();
  const rows = await session.query<{ id: IdBytes }>(
    `SELECT d.id FROM unnest($1::bytea[], $2::bytea[]) AS e (account_id, id)
     JOIN deliveries d ON d.account_id = e.account_id AND d.id = e.id AND d.status = ${deliveryStatusCodes.encode('pending')}`,
    [ends.map(([accountId]) => accountId), ends.map(([, id]) => id)],
  );
  return new Set(rows.map(({ id }) => idText(id)));
}
