// Heartbeats whose time has come: what the step `judge-heartbeats` decides, written once for every engine over the rows
// of one transaction. They are held until it is over, so no lease is needed, and each outcome is recorded once.
import { type Heartbeat, waitingMost } from '#domain/checks/heartbeat.ts';
import type { CheckContext, EndedAttempt, Recorded } from '#domain/results/recording.ts';
import { newIdAt } from '#lib/id.ts';
import { idBytes } from '../../base/codec.ts';
import { pingSignalCodes, pingStateCodes } from '../../base/codes.ts';
import type { Counts } from '../../base/counts.ts';
import type { HeartbeatsTable, PingsTable } from '../../base/tables/heartbeat-tables.ts';
import { heartbeatOf, keyColumns, type WaitingPing } from './heartbeat-rows.ts';
import { type RecordRules, TooManyDeliveriesError } from '../record/record-attempts.ts';
import type { Reception } from './reception.ts';

/** A heartbeat that is looked at. */
export interface DueHeartbeat {
  readonly heartbeat: Heartbeat;
  /** In the order in which they came. */
  readonly waiting: readonly WaitingPing[];
  /** More wait than are judged at once. */
  readonly hasMore: boolean;
  readonly context: CheckContext;
  readonly reception: Reception;
  /** The id of the result, should there be one of its absence. @param at epoch ms */
  readonly newId: (at: number) => string;
}

/** What became of it. */
export interface JudgedHeartbeat {
  /** In their order; each is final, and its run was never queued. */
  readonly attempts: readonly EndedAttempt[];
  /** The attempts that tell of a ping that did not come. */
  readonly missing: readonly EndedAttempt[];
  readonly heartbeat: Heartbeat;
}

/** How heartbeats are judged. */
export interface JudgeRules extends RecordRules {
  /** Heartbeats of one transaction at most. */
  readonly most: number;
  readonly judge: (due: DueHeartbeat) => JudgedHeartbeat;
}

/** What a turn did. */
export interface JudgedTurn {
  readonly looked: number;
  readonly recorded: readonly { readonly attempt: EndedAttempt; readonly recorded: Recorded }[];
  /** When the next is due, epoch ms; the present or before when more are; null = none. */
  readonly nextDueAt: number | null;
}

/** Judges fewer heartbeats in a transaction where their alerts would make too many deliveries at once. */
export async function judgeInParts(
  rules: JudgeRules,
  judge: (rules: JudgeRules) => Promise<JudgedTurn>,
): Promise<JudgedTurn> {
  for (let { most } = rules; ;) {
    try {
      return await judge({ ...rules, most });
    } catch (error) {
      if (!(error instanceof TooManyDeliveriesError)) throw error;
      most = Math.max(1, Math.min(error.fitting, Math.floor(most / 2)));
    }
  }
}

/** What is written of a turn, results apart. */
export interface JudgedRows {
  readonly attempts: readonly EndedAttempt[];
  readonly heartbeats: readonly Heartbeat[];
  readonly missing: readonly PingsTable[];
}

/** @param found `contextOf` by the place of the row as well; null = the check is gone; then its row goes with it in another transaction */
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
    const hasMore = waiting.length >= waitingMost;
    const judged = judge({ heartbeat, waiting, hasMore, context, reception: found.reception, newId: newIdAt });
    attempts.push(...judged.attempts);
    heartbeats.push(judged.heartbeat);
    missing.push(...judged.missing.map(missingPing));
    if (judged.attempts.length > 0) counts.add(row.account_id, 'scheduled', judged.attempts.length);
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
