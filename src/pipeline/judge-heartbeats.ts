// Evaluates pings and missed deadlines: results, states, alerts and deliveries, in one durable commit
// (docs/decisions/0090).
import {
  type ReceptionGap,
  type Heartbeat,
  judgeMissed,
  evaluateHeartbeat,
  type MissedDeadline,
  type Overdue,
  type Reach,
} from '#domain/checks/heartbeat.ts';
import { zoneOf } from '#domain/accounts/time-zone.ts';
import type { CheckContext, EndedAttempt, NotificationRules, Recorded } from '#domain/results/recording.ts';
import type { Finding } from '#domain/results/result.ts';
import { maintenanceOf, pausedIn, stateRulesOf } from '#domain/checks/state-rules.ts';
import type { Clock } from '#lib/clock.ts';

interface WaitingPing {
  readonly id: string;
  /** Epoch ms. */
  readonly at: number;
  readonly isFailure: boolean;
  readonly intervalMs: number | null;
  /** Not null = not a ping, but a missed deadline found by a later ping. */
  readonly missed: MissedDeadline | null;
}

interface DueHeartbeat<Ping> {
  readonly heartbeat: Heartbeat;
  readonly waiting: readonly Ping[];
  /** More pings are waiting; they are left for the next tick. */
  readonly hasMore: boolean;
  readonly context: CheckContext;
  readonly reception: { readonly receivingAt: number | null; readonly gaps: readonly ReceptionGap[] };
  readonly newId: (at: number) => string;
}

interface Judged {
  readonly attempts: readonly EndedAttempt[];
  /** Results of missed deadlines. */
  readonly overdue: readonly EndedAttempt[];
  /** Those of them that report a missing ping. */
  readonly missing: readonly EndedAttempt[];
  readonly heartbeat: Heartbeat;
}

interface HeartbeatStore<Ping> {
  judgeHeartbeats(
    rules: NotificationRules & {
      readonly owner: string;
      readonly now: number;
      readonly max: number;
      readonly judge: (due: DueHeartbeat<Ping>) => Judged;
    },
  ): Promise<{
    readonly examined: number;
    readonly recorded: readonly { readonly attempt: EndedAttempt; readonly recorded: Recorded }[];
    readonly nextDueAt: number | null;
  }>;
}

export interface JudgeHeartbeatsOptions<Ping extends WaitingPing> extends NotificationRules {
  readonly store: HeartbeatStore<Ping>;
  readonly clock: Clock;
  readonly owner: string;
  /** Run location of the results. */
  readonly location: string;
  readonly pingFinding: (ping: Ping) => Finding;
  /** IANA name: the zone of accounts without their own. */
  readonly serverTimeZone: string;
  /** @param timeZone of the account, IANA name */
  readonly overdueFinding: (
    heartbeat: Heartbeat,
    overdue: Overdue,
    timerAt: number | null,
    timeZone: string,
  ) => Finding;
  /** Called with the outcome of recording. */
  readonly onRecorded: (attempt: EndedAttempt, recorded: Recorded) => void;
  /** Called for each evaluated deadline, with the delay of its evaluation, ms. */
  readonly onOverdue?: (attempt: EndedAttempt, delayMs: number) => void;
}

const heartbeatsPerTick = 500;
const idleMs = 1000;

/** One tick of the step. Returns the delay until the next heartbeat is due, ms. */
export function createJudgeHeartbeats<Ping extends WaitingPing>(
  options: JudgeHeartbeatsOptions<Ping>,
): () => Promise<number> {
  const { store, clock, owner, render, statusOf, isDigested, isBrief } = options;
  return async () => {
    const now = clock.now();
    const overdue = new Set<EndedAttempt>();
    const judge = (due: DueHeartbeat<Ping>): Judged => {
      const judged = judgeOne(due, now, options);
      for (const attempt of judged.overdue) overdue.add(attempt);
      return judged;
    };
    const tick = await store.judgeHeartbeats({
      owner,
      now,
      max: heartbeatsPerTick,
      render,
      statusOf,
      isDigested,
      isBrief,
      judge,
    });
    for (const { attempt, recorded } of tick.recorded) {
      options.onRecorded(attempt, recorded);
      if (overdue.has(attempt)) options.onOverdue?.(attempt, clock.now() - attempt.run.dueAt);
    }
    if (tick.nextDueAt === null) return idleMs;
    // Rows locked by another process are due as well; it will handle them.
    return tick.examined === 0 ? Math.max(10, tick.nextDueAt - clock.now()) : Math.max(0, tick.nextDueAt - clock.now());
  };
}

/** All pings in order, then the deadline, so that a later success does not hide a failure. */
function judgeOne<Ping extends WaitingPing>(
  due: DueHeartbeat<Ping>,
  now: number,
  options: JudgeHeartbeatsOptions<Ping>,
): Judged {
  const { heartbeat, waiting, context, reception } = due;
  const maintenance = maintenanceOf(context, now);
  const { isPaused } = maintenance;
  const timeZone = zoneOf({ timeZone: context.accountTimeZone }, options.serverTimeZone);
  const rules = stateRulesOf(context, [], { ...maintenance, isSilenced: maintenance.isSilenced || isPaused });
  const ended = (id: string, at: number, intervalMs: number | null, finding: Finding): EndedAttempt => ({
    run: {
      accountId: heartbeat.accountId,
      checkId: heartbeat.checkId,
      id,
      location: options.location,
      source: 'SCHEDULER',
      slotAt: at,
      intervalMs,
      attempt: 1,
      dueAt: at,
      firstStartedAt: at,
      batchId: null,
    },
    context,
    finding,
    outcome: finding.verdict,
    retry: null,
    rules,
  });
  const overdue: EndedAttempt[] = [];
  const overdueAttempt = (id: string, over: Overdue, timerAt: number | null): EndedAttempt => {
    const finding = options.overdueFinding(heartbeat, over, timerAt, timeZone);
    const attempt = ended(id, over.at, over.intervalMs, finding);
    overdue.push(attempt);
    return attempt;
  };
  const { gaps, receivingAt } = reception;
  const reach: Reach = { gaps, receivingAt, isPaused, pausedIn: (span) => pausedIn(context, span) };
  const attempts = waiting.map((ping) => {
    const { id, at, missed, intervalMs } = ping;
    if (missed === null) return ended(id, at, intervalMs, options.pingFinding(ping));
    return overdueAttempt(id, judgeMissed(heartbeat, missed, now, reach), missed.at - missed.expectedMs);
  });
  const examined = due.hasMore ? null : evaluateHeartbeat(heartbeat, now, reach);
  if (examined !== null && examined.overdue !== null) {
    attempts.push(overdueAttempt(due.newId(examined.overdue.at), examined.overdue, heartbeat.timerAt));
  }
  const missing = overdue.filter(({ outcome }) => outcome === 'failed');
  return { attempts, overdue, missing, heartbeat: examined?.heartbeat ?? { ...heartbeat, dueAt: now } };
}
