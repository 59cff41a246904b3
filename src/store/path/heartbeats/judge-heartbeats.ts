// Evaluates due heartbeats: the decisions of the step `judge-heartbeats`, shared by all engines. Rows are locked for
// the transaction, so no lease is needed, and each outcome is recorded once.
import { type Heartbeat, maxWaiting } from '#domain/checks/heartbeat.ts';
import type { CheckContext, EndedAttempt, Recorded } from '#domain/results/recording.ts';
import { newIdAt } from '#lib/id.ts';
import { idBytes, idTime } from '../../base/codec.ts';
import { pingSignalCodes, pingStateCodes } from '../../base/codes.ts';
import type { Counts } from '../../base/counts.ts';
import type { HeartbeatsTable, PingsTable } from '../../base/tables/heartbeat-tables.ts';
import { heartbeatOf, keyColumns, type WaitingPing } from '../../schedules/heartbeat-rows.ts';
import { type RecordRules, TooManyDeliveriesError } from '../record/record-attempts.ts';
import type { Reception } from './reception.ts';

/** A heartbeat being evaluated. */
export interface DueHeartbeat {
  readonly heartbeat: Heartbeat;
  /** In the order of arrival. */
  readonly waiting: readonly WaitingPing[];
  /** More are waiting than are evaluated at once. */
  readonly hasMore: boolean;
  readonly context: CheckContext;
  readonly reception: Reception;
  /** The ID of the result of a missing ping. @param at epoch ms */
  readonly newId: (at: number) => string;
}

/** Outcome of an evaluation. */
export interface JudgedHeartbeat {
  /** In order; each is final, and its run was never queued. */
  readonly attempts: readonly EndedAttempt[];
  /** The results of missing pings. */
  readonly missing: readonly EndedAttempt[];
  readonly heartbeat: Heartbeat;
}

/** Input of an evaluation. */
export interface JudgeRules extends RecordRules {
  /** Maximum number of heartbeats per transaction. */
  readonly max: number;
  readonly judge: (due: DueHeartbeat) => JudgedHeartbeat;
}

/** Outcome of a tick. */
export interface JudgedBatch {
  readonly examined: number;
  readonly recorded: readonly { readonly attempt: EndedAttempt; readonly recorded: Recorded }[];
  /** When the next is due, epoch ms; now or earlier if there are more; null = none. */
  readonly nextDueAt: number | null;
}

/** Evaluates fewer heartbeats in a transaction if their alerts would create too many deliveries at once. */
export async function judgeInParts(
  rules: JudgeRules,
  judge: (rules: JudgeRules) => Promise<JudgedBatch>,
): Promise<JudgedBatch> {
  for (let { max } = rules; ;) {
    try {
      return await judge({ ...rules, max });
    } catch (error) {
      if (!(error instanceof TooManyDeliveriesError)) throw error;
      max = Math.max(1, Math.min(error.fitting, Math.floor(max / 2)));
    }
  }
}

/** Changes of a tick, without results. */
export interface JudgedRows {
  readonly attempts: readonly EndedAttempt[];
  readonly heartbeats: readonly Heartbeat[];
  readonly missing: readonly PingsTable[];
}

/**
 * @param found `contextOf` by the index of the row; null = the check was deleted; its row is deleted by another
 * transaction
 */
export function judgeRows(
  rows: readonly Omit<HeartbeatsTable, 'token'>[],
  found: {
    readonly waiting: (heartbeat: Heartbeat) => readonly WaitingPing[];
    readonly contextOf: (heartbeat: Heartbeat, index: number) => CheckContext | null;
    readonly reception: Reception;
  },
  { judge }: JudgeRules,
  counts: Counts,
): JudgedRows {
  const attempts: EndedAttempt[] = [];
  const heartbeats: Heartbeat[] = [];
  const missing: PingsTable[] = [];
  for (const [index, row] of rows.entries()) {
    const heartbeat = heartbeatOf(row);
    const context = found.contextOf(heartbeat, index);
    if (context === null) continue;
    const waiting = found.waiting(heartbeat);
    const hasMore = waiting.length >= maxWaiting;
    const judged = judge({ heartbeat, waiting, hasMore, context, reception: found.reception, newId: newIdAt });
    attempts.push(...judged.attempts);
    heartbeats.push(judged.heartbeat);
    missing.push(...judged.missing.map(missingPing));
    for (const { run } of judged.attempts) counts.add(row.account_id, idTime(idBytes(run.id)), 'scheduled');
  }
  return { attempts, heartbeats, missing };
}

function missingPing({ run }: EndedAttempt): PingsTable {
  return {
    ...keyColumns(run),
    id: idBytes(run.id),
    signal: pingSignalCodes.encode('missing'),
    exit_code: null,
    state: pingStateCodes.encode('FAILING'),
    method: '',
    source: null,
    user_agent: null,
    body: null,
  };
}
