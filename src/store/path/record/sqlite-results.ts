// Recording in SQLite: decided attempt by attempt (record-attempts.ts), and written at the end of the batch.
import type { EndedAttempt, Recorded } from '#domain/results/recording.ts';
import { idBytes, latin1 } from '../../base/codec.ts';
import { createCounts } from '../../base/counts.ts';
import { deliveriesAtOnce, recordAttempt, type RecordRules, TooManyDeliveriesError } from './record-attempts.ts';
import type { CheckStatesTable } from '../../base/tables/schema.ts';
import type { Contexts } from '../../checks/sqlite-contexts.ts';
import type { Connection } from '../../engines/sqlite/connection.ts';
import { writesOn } from '../../engines/sqlite/many-rows.ts';
import { createRecording, type RecordReads, sendRecording } from './recording.ts';
import { readsOf } from './sqlite-reads.ts';

/**
 * Records each attempt whose run this owner has leased; drops the others, which another process repeats. Stops after
 * the attempt that reaches `deliveriesAtOnce`.
 */
export function recordAttempts(
  connection: Connection,
  attempts: readonly EndedAttempt[],
  rules: RecordRules,
  contexts: Pick<Contexts, 'read'>,
): Recorded[] {
  const release = (attempt: EndedAttempt): boolean => releaseRun(connection, attempt, rules.owner);
  const reads = { ...readsOf(connection, contexts, rules.now), release };
  const { recorded, write } = decide(attempts, rules, reads, deliveriesAtOnce);
  write(connection);
  return recorded;
}

/** Data read at once for checks whose attempts are recorded together. */
interface HeldRows {
  /** Their states, as far as they exist. */
  readonly states: readonly CheckStatesTable[];
  /**
   * IDs of those with a subscribed or notified channel; read once there is something to send. Groups are read
   * separately.
   */
  readonly pinged: () => ReadonlySet<string>;
  readonly contexts: Pick<Contexts, 'read'>;
}

/**
 * Records attempts without a queued run; the caller's transaction has locked what they belong to.
 * Data read at once must be of this transaction.
 * @throws {TooManyDeliveriesError} if the batch can be divided
 */
export function recordLocked(
  connection: Connection,
  attempts: readonly EndedAttempt[],
  { states, pinged, contexts }: HeldRows,
  { isDivisible, ...rules }: RecordRules & { readonly isDivisible: boolean },
): Recorded[] {
  if (attempts.length === 0) return [];
  const known = new Map(states.map((row) => [latin1(row.account_id) + latin1(row.check_id), row]));
  const all = readsOf(connection, contexts, rules.now);
  let pingedNow: ReadonlySet<string> | null = null;
  const reads: RecordReads = {
    ...all,
    state: (...key) => known.get(latin1(key[0]) + latin1(key[1])) ?? all.state(...key),
    listeners(attempt) {
      pingedNow ??= pinged();
      const { groupId, id } = attempt.context.check;
      return groupId !== null || pingedNow.has(id) ? all.listeners(attempt) : [];
    },
  };
  const maxDeliveries = isDivisible ? deliveriesAtOnce : Infinity;
  const { recorded, write } = decide(attempts, rules, reads, maxDeliveries);
  if (recorded.length < attempts.length) throw new TooManyDeliveriesError(recorded.length);
  write(connection);
  return recorded;
}

/** Decides on attempts until they create `maxDeliveries`, and what to write. */
function decide(
  attempts: readonly EndedAttempt[],
  rules: RecordRules,
  reads: RecordReads,
  maxDeliveries: number,
): { readonly recorded: Recorded[]; readonly write: (connection: Connection) => void } {
  const recording = createRecording({ ...reads, state: eachOnce(reads.state) });
  const counts = createCounts();
  const recorded: Recorded[] = [];
  let deliveries = 0;
  for (const attempt of attempts) {
    const one = recordAttempt(recording.rows, attempt, rules, counts);
    recorded.push(one);
    deliveries += one.deliveries;
    if (deliveries >= maxDeliveries) break;
  }
  return { recorded, write: (connection) => sendRecording(writesOn(connection), recording, counts) };
}

/** Reads each state once: a batch writes its states at its end. */
function eachOnce(read: RecordReads['state']): RecordReads['state'] {
  const known = new Map<string, CheckStatesTable | undefined>();
  return (accountId, checkId) => {
    const key = latin1(accountId) + latin1(checkId);
    if (!known.has(key)) known.set(key, read(accountId, checkId));
    return known.get(key);
  };
}

/** Closes the run or requeues it. */
function releaseRun(connection: Connection, { run, retry }: EndedAttempt, owner: string): boolean {
  const [accountId, runId] = [idBytes(run.accountId), idBytes(run.id)];
  const held =
    retry === null
      ? connection
          .prepare('DELETE FROM runs WHERE account_id = ? AND id = ? AND leased_by = ? AND attempt = ?')
          .run(accountId, runId, owner, run.attempt)
      : connection
          .prepare(
            `UPDATE runs SET attempt = attempt + 1, location = ?, due_at = ?, available_at = ?, leased_by = NULL
             WHERE account_id = ? AND id = ? AND leased_by = ? AND attempt = ?`,
          )
          .run(retry.location, retry.at, retry.at, accountId, runId, owner, run.attempt);
  return Number(held.changes) === 1;
}
