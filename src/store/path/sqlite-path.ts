// Statements of the pipeline on SQLite: writes of the only writer, committed in groups.
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import type { EndedAttempt, Judge } from '#domain/results/recording.ts';
import { walkStart } from '../channels/delivery-rows.ts';
import type { Path } from './path.ts';
import type { RunClaim } from '#domain/checks/run.ts';
import type { Seal } from '../base/seal.ts';
import { bringBack, type ClockEngine, moveWithClock } from './clock-jump.ts';
import type { Connection } from '../engines/sqlite/connection.ts';
import { type Contexts, createContexts } from '../checks/sqlite-contexts.ts';
import { claimDeliveries, endDeliveryLeases, renewDeliveries, settleAttempts } from './deliveries/sqlite-deliveries.ts';
import { addDelivery } from '../channels/delivery-rows.ts';
import { writesOn } from '../engines/sqlite/many-rows.ts';
import type { SqliteFile } from '../engines/sqlite/file.ts';
import { runStatements } from '../engines/sqlite/connection.ts';
import { judgeHeartbeats, receivePings } from './heartbeats/sqlite-heartbeats.ts';
import { judgeInParts } from './heartbeats/judge-heartbeats.ts';
import { recordAttempts } from './record/sqlite-results.ts';
import { readContents, saveRendered } from './deliveries/sqlite-rendering.ts';
import { claimRuns, endLeases, renewRuns, returnRuns } from './runs/sqlite-runs.ts';
import { scheduleDue } from './schedule/sqlite-schedules.ts';
import { judgeStates } from './states/sqlite-states.ts';

const engine: ClockEngine = { locking: '', runTimes: ['available_at', 'first_started_at'], rollUpLock: null };

/** Every method rejects with StoreUnavailableError while the disk cannot be written. */
export function createSqlitePath(file: SqliteFile, seal: Seal): Path {
  const contexts = createContexts(seal);
  const channels = new Map<string, AlertChannel>();
  const place = walkStart();
  const group = <Answer>(work: (connection: Connection) => Answer): Promise<Answer> => file.queue.group(work);
  // Claimed work is late already, so it does not wait for others to share its commit.
  const groupNow = <Answer>(work: (connection: Connection) => Answer): Promise<Answer> => file.queue.groupNow(work);
  return {
    scheduleDue: (rules) => group((connection) => scheduleDue(connection, rules)),
    claimRuns: (claim) => groupNow((connection) => claimWithContexts(connection, claim, contexts)),
    renewRuns: (runs, lease) => group((connection) => renewRuns(connection, runs, lease)),
    returnRuns: (runs, owner) => group((connection) => returnRuns(connection, runs, owner)),
    contextOf: ({ accountId, checkId }) =>
      groupNow((connection) => {
        contexts.begin();
        return contexts.read(connection, accountId, checkId);
      }),
    recordAttempts: (attempts, { judge, ...rules }) =>
      group((connection) =>
        recordAttempts(connection, judgedWith(connection, attempts, judge, contexts), { ...rules, seal }, contexts),
      ),
    receivePings: (pings) => groupNow((connection) => receivePings(connection, pings)),
    judgeHeartbeats: (rules) =>
      judgeInParts({ ...rules, seal }, (part) =>
        groupNow((connection) => {
          contexts.begin();
          return judgeHeartbeats(connection, part, contexts);
        }),
      ),
    judgeStates: (rules) =>
      group((connection) => {
        contexts.begin();
        return judgeStates(connection, { ...rules, seal }, contexts);
      }),
    claimDeliveries: (claim) =>
      groupNow((connection) => claimDeliveries(connection, { ...claim, seal, channels, place })),
    readContents: (deliveries) =>
      groupNow((connection) => {
        contexts.begin();
        return readContents(connection, deliveries, contexts);
      }),
    saveRendered: (rendered, rules) => groupNow((connection) => saveRendered(connection, rendered, rules)),
    // No other process leaves deliveries behind; the start takes over those of its predecessor.
    renewDeliveries: async (deliveries, lease) => {
      if (deliveries.length > 0) await group((connection) => renewDeliveries(connection, deliveries, lease));
    },
    settleAttempts: (settled, rules) => group((connection) => settleAttempts(connection, settled, rules)),
    addDelivery: (delivery) => group((connection) => addDelivery(writesOn(connection), delivery)),
    takeOver: (now) => group((connection) => takeOver(connection, now)),
    moveWithClock: (byMs, now, slept = { ms: 0, after: now }) =>
      group((connection) =>
        runStatements(
          connection,
          moveWithClock(engine, byMs, () => now, slept),
        ),
      ),
  };
}

/** What a start takes over from the previous process. @param now epoch ms */
function takeOver(connection: Connection, now: number): void {
  endLeases(connection, now);
  endDeliveryLeases(connection, now);
  runStatements(
    connection,
    bringBack(engine, () => now),
  );
}

function judgedWith(
  connection: Connection,
  attempts: readonly EndedAttempt[],
  judge: Judge,
  contexts: Contexts,
): EndedAttempt[] {
  contexts.begin();
  return attempts.map((attempt) =>
    judge(attempt, contexts.read(connection, attempt.run.accountId, attempt.run.checkId)),
  );
}

function claimWithContexts(connection: Connection, claim: RunClaim, contexts: Contexts) {
  const { runs, nextAvailableAt } = claimRuns(connection, claim);
  contexts.begin();
  return {
    runs: runs.map((run) => ({ run, context: contexts.read(connection, run.accountId, run.checkId) })),
    nextAvailableAt,
  };
}
