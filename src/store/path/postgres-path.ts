// The path's statements on PostgreSQL: each method is one transaction, which many processes may run at once.
import { idBytes } from '../base/codec.ts';
import type { EndedAttempt } from '#domain/results/recording.ts';
import { walkStart } from './deliveries/delivery-rows.ts';
import { type JudgedTurn, judgeInParts } from './heartbeats/judge-heartbeats.ts';
import type { JudgedStates } from './states/judge-states.ts';
import type { Path } from './path.ts';
import type { Seal } from '../base/seal.ts';
import { type Bulk, type ColumnTypes, createBulk } from '../engines/postgres/bulk.ts';
import { type GoingTime, moveOnceWithClock, takeOver } from './postgres-clock-jump.ts';
import { type Connections, keyedSettings } from '../engines/postgres/connections.ts';
import type { Session } from '../engines/postgres/session.ts';
import { type Contexts, createContexts } from '../checks/postgres-contexts.ts';
import { claimDeliveries, renewDeliveries, settleAttempts } from './deliveries/postgres-deliveries.ts';
import { insertDeliveries } from './deliveries/postgres-delivery-rows.ts';
import { judgeHeartbeats, receivePings } from './heartbeats/postgres-heartbeats.ts';
import { createLookBack, type LookBack } from './runs/look-back.ts';
import { recordAttempts } from './record/postgres-results.ts';
import { TooManyDeliveriesError } from './record/record-attempts.ts';
import { readContents, saveRendered } from './deliveries/postgres-rendering.ts';
import { claimRuns, heldBackMs, holdBack, renewRuns, returnRuns } from './runs/postgres-runs.ts';
import { scheduleDue } from './schedule/postgres-schedules.ts';
import { bringForward } from './deliveries/postgres-shared-channels.ts';
import { judgeStates } from './states/postgres-states.ts';
import { isTheTime } from '../engines/postgres/the-time.ts';

/** What the path on PostgreSQL is joined with. */
export interface PostgresPathMeans {
  readonly connections: Connections;
  readonly types: ColumnTypes;
  readonly seal: Seal;
  /** Whether the clock that jumped is everyone's: the server's, and not this process's view of it. */
  readonly wasServerSet: () => boolean;
  /** Told when work was not taken because it is another time at the server; null = instants are not the server's. */
  readonly onOtherTime: (() => void) | null;
}

/** Undoes what was taken by a clock that is not the database's. */
class OtherTimeError extends Error {
  override readonly name = 'OtherTimeError';
}

const noneScheduled = { schedules: 0, runs: 0, missed: 0, latestByMs: 0, nextDueAt: null };

type Work<Answer> = (session: Session, bulk: Bulk) => Promise<Answer>;

/** Does work in one transaction. */
type Written = <Answer>(work: Work<Answer>) => Promise<Answer>;

/** How work is taken: nothing is taken by a clock that is not the database's (docs/decisions/0016). */
function takenWith(
  written: Written,
  onOtherTime: PostgresPathMeans['onOtherTime'],
): <Answer>(now: number, nothing: Answer, work: Work<Answer>) => Promise<Answer> {
  return async (now, nothing, work) => {
    if (onOtherTime === null) return written(work);
    try {
      return await written(async (session, bulk) => {
        // Travels with the first statements of the work, which is undone when it is another time.
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

/** How runs are claimed: with what they depend on, or not at all. */
function claimsWith(
  written: Written,
  contexts: Contexts,
  onOtherTime: PostgresPathMeans['onOtherTime'],
): Path['claimRuns'] {
  const lookBacks = new Map<string, LookBack>();
  return async (claim) => {
    const lookBack = lookBacks.get(claim.location) ?? createLookBack();
    lookBacks.set(claim.location, lookBack);
    const asksTime = onOtherTime !== null;
    const { behind, revisions, isRightTime, ...taken } = await lookBack.find(claim.now, (from) =>
      written((session) => claimRuns(session, claim, { from, asksTime })),
    );
    if (!isRightTime) onOtherTime?.();
    const runs = taken.runs.filter((run) => !behind.has(run));
    const again = claim.now + heldBackMs;
    const nextAvailableAt = behind.size > 0 ? Math.min(taken.nextAvailableAt ?? again, again) : taken.nextAvailableAt;
    try {
      if (behind.size > 0) await written((session) => holdBack(session, [...behind], claim));
      if (runs.length === 0) return { runs: [], nextAvailableAt };
      // What is read after the claim is as new as it, or newer.
      const found = contexts.remembered(runs, revisions) ?? (await written((session) => contexts.read(session, runs)));
      return { runs: runs.map((run, index) => ({ run, context: found[index] ?? null })), nextAvailableAt };
    } catch (error) {
      // Nobody will run them: otherwise they rest until their lease is over.
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
          return recordAttempts(session, bulk, { attempts: of, judged }, { ...rules, seal });
        });
      } catch (error) {
        if (!(error instanceof TooManyDeliveriesError)) throw error;
        part = part.slice(0, error.fitting);
      }
    }
  };
}

/** Every method rejects with StoreUnavailableError while the database is away. */
export function createPostgresPath(means: PostgresPathMeans): Path {
  const { connections, types, seal, wasServerSet, onOtherTime } = means;
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
        taken<JudgedTurn>(rules.now, { looked: 0, recorded: [], nextDueAt: null }, (session, bulk) =>
          judgeHeartbeats(session, bulk, part, contexts),
        ),
      ),
    judgeStates: (rules) =>
      taken<JudgedStates>(rules.now, { opened: [], next: null }, (session, bulk) =>
        judgeStates(session, bulk, { ...rules, seal }, contexts),
      ),
    claimDeliveries: (claim) =>
      taken(claim.now, { claimed: [], nextDueAt: null, looked: [] }, (session, bulk) =>
        claimDeliveries(session, bulk, { ...claim, seal, place }),
      ),
    readContents: (deliveries) => written((session) => readContents(session, deliveries, contexts)),
    saveRendered: (rendered, owner) => written((session, bulk) => saveRendered(session, bulk, rendered, owner)),
    renewDeliveries: async (deliveries, lease) => {
      // First our own: who brings forward waits for nobody, so that two who renew after a pause do not wait for each other.
      if (deliveries.length > 0) await written((session) => renewDeliveries(session, deliveries, lease));
      const underWay = deliveries.map(({ id }) => idBytes(id));
      await taken<void>(lease.now, undefined, (session) => bringForward(session, lease, underWay));
    },
    settleAttempts: (settled, rules) => written((session, bulk) => settleAttempts(session, bulk, settled, rules)),
    addDelivery: (delivery) => written((_, bulk) => insertDeliveries(bulk, [delivery])),
    takeOver: (now) => {
      const time = goingOn(now);
      return written((session) => takeOver(session, time));
    },
    moveWithClock: async (byMs, now) => {
      const time = goingOn(now);
      if (wasServerSet()) await written((session) => moveOnceWithClock(session, byMs, time));
    },
  };
}

function goingOn(now: number): GoingTime {
  const since = performance.now();
  return () => now + Math.round(performance.now() - since);
}
