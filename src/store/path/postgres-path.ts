// Statements of the pipeline on PostgreSQL: each method is a transaction, which many processes may run at once.
import { idBytes } from '../base/codec.ts';
import type { EndedAttempt } from '#domain/results/recording.ts';
import { walkStart } from '../channels/delivery-rows.ts';
import { type JudgedBatch, judgeInParts } from './heartbeats/judge-heartbeats.ts';
import type { JudgedStates } from './states/judge-states.ts';
import type { Path } from './path.ts';
import type { Seal } from '../base/seal.ts';
import { type Bulk, type ColumnTypes, createBulk } from '../engines/postgres/bulk.ts';
import type { GoingTime } from './clock-jump.ts';
import { moveOnceWithClock, takeOver } from './postgres-clock-jump.ts';
import { type Connections, keyedSettings } from '../engines/postgres/connections.ts';
import type { Session } from '../engines/postgres/session.ts';
import { type Contexts, createContexts } from '../checks/postgres-contexts.ts';
import { claimDeliveries, renewDeliveries, settleAttempts } from './deliveries/postgres-deliveries.ts';
import { addDelivery } from '../channels/delivery-rows.ts';
import { judgeHeartbeats, receivePings } from './heartbeats/postgres-heartbeats.ts';
import { createLookback, type Lookback } from './runs/lookback.ts';
import { recordAttempts } from './record/postgres-results.ts';
import { TooManyDeliveriesError } from './record/record-attempts.ts';
import { readContents, saveRendered } from './deliveries/postgres-rendering.ts';
import { claimRuns, heldBackMs, deferRuns, renewRuns, returnRuns } from './runs/postgres-runs.ts';
import { scheduleDue } from './schedule/postgres-schedules.ts';
import { bringForward } from './deliveries/postgres-channels.ts';
import { judgeStates } from './states/postgres-states.ts';
import { isTheTime } from '../engines/postgres/the-time.ts';

/** Dependencies. */
export interface PostgresPathDeps {
  readonly connections: Connections;
  readonly types: ColumnTypes;
  readonly seal: Seal;
  /** Whether the server's own clock jumped, and not this process's view of it. */
  readonly wasServerSet: () => boolean;
  /** Called when a claim was refused because the server's time differs; null = the server's time is not used. */
  readonly onOtherTime: (() => void) | null;
}

/** Rolls back a claim made with a different time than the database's. */
class OtherTimeError extends Error {
  override readonly name = 'OtherTimeError';
}

const noneScheduled = { schedules: 0, runs: 0, missed: 0, latestByMs: 0, nextDueAt: null };

type Work<Answer> = (session: Session, bulk: Bulk) => Promise<Answer>;

/** Runs work in one transaction. */
type Written = <Answer>(work: Work<Answer>) => Promise<Answer>;

/** How work is claimed: never with a different time than the database's (docs/decisions/0016). */
function takenWith(
  written: Written,
  onOtherTime: PostgresPathDeps['onOtherTime'],
): <Answer>(now: number, nothing: Answer, work: Work<Answer>) => Promise<Answer> {
  return async (now, nothing, work) => {
    if (onOtherTime === null) return written(work);
    try {
      return await written(async (session, bulk) => {
        // Sent with the first statements of the work, which is rolled back if the time differs.
        const isRight = isTheTime(session, now);
        isRight.catch(() => undefined);
        const answer = await work(session, bulk);
        if (await isRight) return answer;
        throw new OtherTimeError();
      });
    } catch (error) {
      if (!(error instanceof OtherTimeError)) throw error;
      onOtherTime();
      return nothing;
    }
  };
}

/** Claims runs together with their contexts, or not at all. */
function claimsWith(
  written: Written,
  contexts: Contexts,
  onOtherTime: PostgresPathDeps['onOtherTime'],
): Path['claimRuns'] {
  const lookbacks = new Map<string, Lookback>();
  return async (claim) => {
    const lookback = lookbacks.get(claim.location) ?? createLookback();
    lookbacks.set(claim.location, lookback);
    const asksTime = onOtherTime !== null;
    const { behind, revisions, isRightTime, ...taken } = await lookback.find(claim.now, (from) =>
      written((session) => claimRuns(session, claim, { from, asksTime })),
    );
    if (!isRightTime) onOtherTime?.();
    const runs = taken.runs.filter((run) => !behind.has(run));
    const again = claim.now + heldBackMs;
    const nextAvailableAt = behind.size > 0 ? Math.min(taken.nextAvailableAt ?? again, again) : taken.nextAvailableAt;
    try {
      if (behind.size > 0) await written((session) => deferRuns(session, [...behind], claim));
      if (runs.length === 0) return { runs: [], nextAvailableAt };
      // Reads after the claim are at least as new.
      const found = contexts.remembered(runs, revisions) ?? (await written((session) => contexts.read(session, runs)));
      return { runs: runs.map((run, index) => ({ run, context: found[index] ?? null })), nextAvailableAt };
    } catch (error) {
      // They will not run here: without release, they would wait for the end of their lease.
      await written((session) => returnRuns(session, taken.runs, claim.owner)).catch(() => undefined);
      throw error;
    }
  };
}

/** Records as many attempts as one transaction takes. */
function recordsWith(written: Written, contexts: Contexts, seal: Seal): Path['recordAttempts'] {
  return async (attempts, { judge, ...rules }) => {
    for (let part = attempts; ;) {
      try {
        const of = part;
        return await written((session, bulk) => {
          const judged = async (): Promise<EndedAttempt[]> => {
            const found = await contexts.read(
              session,
              of.map(({ run }) => run),
            );
            return of.map((attempt, index) => judge(attempt, found[index] ?? null));
          };
          return recordAttempts(session, bulk, { attempts: of, judged }, { ...rules, seal }, contexts);
        });
      } catch (error) {
        if (!(error instanceof TooManyDeliveriesError)) throw error;
        part = part.slice(0, error.fitting);
      }
    }
  };
}

/** Every method rejects with StoreUnavailableError while the database is unavailable. */
export function createPostgresPath(deps: PostgresPathDeps): Path {
  const { connections, types, seal, wasServerSet, onOtherTime } = deps;
  const contexts = createContexts(seal);
  const place = walkStart();
  const written: Written = (work) =>
    connections.transaction((session) => work(session, createBulk(session, types)), keyedSettings);
  const taken = takenWith(written, onOtherTime);
  return {
    scheduleDue: (rules) => {
      let tries = 0;
      return taken(rules.now, noneScheduled, (session, bulk) =>
        scheduleDue(session, bulk, { ...rules, isRepeated: tries++ > 0 }),
      );
    },
    claimRuns: claimsWith(written, contexts, onOtherTime),
    renewRuns: (runs, lease) => written((session) => renewRuns(session, runs, lease)),
    returnRuns: (runs, owner) => written((session) => returnRuns(session, runs, owner)),
    contextOf: async (run) => (await written((session) => contexts.read(session, [run])))[0] ?? null,
    recordAttempts: recordsWith(written, contexts, seal),
    receivePings: (pings) => written((session, bulk) => receivePings(session, bulk, pings)),
    judgeHeartbeats: (rules) =>
      judgeInParts({ ...rules, seal }, (part) =>
        taken<JudgedBatch>(rules.now, { examined: 0, recorded: [], nextDueAt: null }, (session, bulk) =>
          judgeHeartbeats(session, bulk, part, contexts),
        ),
      ),
    judgeStates: (rules) =>
      taken<JudgedStates>(rules.now, { opened: [], next: null }, (session, bulk) =>
        judgeStates(session, bulk, { ...rules, seal }, contexts),
      ),
    claimDeliveries: (claim) =>
      taken(claim.now, { claimed: [], nextDueAt: null, scanned: [] }, (session, bulk) =>
        claimDeliveries(session, bulk, { ...claim, seal, place }),
      ),
    readContents: (deliveries) => written((session) => readContents(session, deliveries, contexts)),
    saveRendered: (rendered, rules) => written((session, bulk) => saveRendered(session, bulk, rendered, rules)),
    renewDeliveries: async (deliveries, lease) => {
      // Own leases first: making deliveries due does not wait for locks, so that two renewals after a pause do not
      // deadlock.
      if (deliveries.length > 0) await written((session) => renewDeliveries(session, deliveries, lease));
      const inProgress = deliveries.map(({ id }) => idBytes(id));
      await taken<void>(lease.now, undefined, (session) => bringForward(session, lease, inProgress));
    },
    settleAttempts: (settled, rules) => written((session, bulk) => settleAttempts(session, bulk, settled, rules)),
    addDelivery: (delivery) => written(async (_, bulk) => addDelivery(bulk, delivery)),
    takeOver: (now) => {
      const time = clockFrom(now);
      return written((session) => takeOver(session, time));
    },
    moveWithClock: async (byMs, now) => {
      const time = clockFrom(now);
      if (wasServerSet()) await written((session) => moveOnceWithClock(session, byMs, time));
    },
  };
}

function clockFrom(now: number): GoingTime {
  const since = performance.now();
  return () => now + Math.round(performance.now() - since);
}
