// Pings that are to be judged, and deadlines at which none came, become results, states, alerts and deliveries, in one
// durable commit (docs/decisions/0090).
import {
  type DeafSpan,
  type Heartbeat,
  judgeMissed,
  lookAtHeartbeat,
  type MissedDeadline,
  type Overdue,
  type Reach,
} from '#domain/checks/heartbeat.ts';
import type { CheckContext, DeliveryFacts, EndedAttempt, Prepared, Recorded } from '#domain/results/recording.ts';
import type { Finding } from '#domain/results/result.ts';
import { maintenanceOf, pausedIn, stateRulesOf } from '#domain/checks/state-rules.ts';
import type { Clock } from '#lib/clock.ts';

/** A ping that waits to be judged. */
interface WaitingPing {
  readonly id: string;
  /** Epoch ms. */
  readonly at: number;
  readonly isFailure: boolean;
  readonly intervalMs: number | null;
  /** Not null = it is no ping, but a deadline that the ping after it found not judged. */
  readonly missed: MissedDeadline | null;
}

/** A heartbeat whose time has come. */
interface DueHeartbeat<Ping> {
  readonly heartbeat: Heartbeat;
  readonly waiting: readonly Ping[];
  /** More wait: the next turn is for them. */
  readonly hasMore: boolean;
  readonly context: CheckContext;
  readonly reception: { readonly heardAt: number | null; readonly deaf: readonly DeafSpan[] };
  readonly newId: (at: number) => string;
}

interface Judged {
  readonly attempts: readonly EndedAttempt[];
  /** Those of deadlines that were over. */
  readonly overdue: readonly EndedAttempt[];
  /** Of these, those that tell of a ping that did not come. */
  readonly missing: readonly EndedAttempt[];
  readonly heartbeat: Heartbeat;
}

/** What this step needs of the store. */
interface HeartbeatStore<Ping> {
  judgeHeartbeats(rules: {
    readonly owner: string;
    readonly now: number;
    readonly most: number;
    readonly render: (facts: DeliveryFacts) => Prepared;
    readonly statusOf: (attempt: EndedAttempt) => number | null;
    readonly judge: (due: DueHeartbeat<Ping>) => Judged;
  }): Promise<{
    readonly looked: number;
    readonly recorded: readonly { readonly attempt: EndedAttempt; readonly recorded: Recorded }[];
    readonly nextDueAt: number | null;
  }>;
}

/** What the step is joined with. */
export interface JudgeHeartbeatsOptions<Ping extends WaitingPing> {
  readonly store: HeartbeatStore<Ping>;
  readonly clock: Clock;
  readonly owner: string;
  /** Where results are said to be made. */
  readonly location: string;
  readonly pingFinding: (ping: Ping) => Finding;
  readonly overdueFinding: (heartbeat: Heartbeat, overdue: Overdue, timerAt: number | null) => Finding;
  readonly render: (facts: DeliveryFacts) => Prepared;
  readonly statusOf: (attempt: EndedAttempt) => number | null;
  /** Told of what was recorded. */
  readonly onRecorded: (attempt: EndedAttempt, recorded: Recorded) => void;
  /** Told of each deadline that was judged, and how long after it was over, ms. */
  readonly onOverdue?: (attempt: EndedAttempt, delayMs: number) => void;
}

const heartbeatsPerTurn = 500;
const idleMs = 1000;

/** One turn of the step, answering in how many ms the next heartbeat is due. */
export function createJudgeHeartbeats<Ping extends WaitingPing>(
  options: JudgeHeartbeatsOptions<Ping>,
): () => Promise<number> {
  const { store, clock, owner, render, statusOf } = options;
  return async () => {
    const now = clock.now();
    const overdue = new Set<EndedAttempt>();
    const judge = (due: DueHeartbeat<Ping>): Judged => {
      const judged = judgeOne(due, now, options);
      for (const attempt of judged.overdue) overdue.add(attempt);
      return judged;
    };
    const turn = await store.judgeHeartbeats({ owner, now, most: heartbeatsPerTurn, render, statusOf, judge });
    for (const { attempt, recorded } of turn.recorded) {
      options.onRecorded(attempt, recorded);
      if (overdue.has(attempt)) options.onOverdue?.(attempt, clock.now() - attempt.run.dueAt);
    }
    if (turn.nextDueAt === null) return idleMs;
    // Rows that another process is at are due as well: who finds none leaves them to it.
    return turn.looked === 0 ? Math.max(10, turn.nextDueAt - clock.now()) : Math.max(0, turn.nextDueAt - clock.now());
  };
}

/** Every ping in its order, then the deadline: a failure is not hidden by a later success. */
function judgeOne<Ping extends WaitingPing>(
  due: DueHeartbeat<Ping>,
  now: number,
  options: JudgeHeartbeatsOptions<Ping>,
): Judged {
  const { heartbeat, waiting, context, reception } = due;
  const maintenance = maintenanceOf(context, now);
  const { isPaused } = maintenance;
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
    const attempt = ended(id, over.at, over.intervalMs, options.overdueFinding(heartbeat, over, timerAt));
    overdue.push(attempt);
    return attempt;
  };
  const { deaf, heardAt } = reception;
  const reach: Reach = { deaf, heardAt, isPaused, pausedIn: (span) => pausedIn(context, span) };
  const attempts = waiting.map((ping) => {
    const { id, at, missed, intervalMs } = ping;
    if (missed === null) return ended(id, at, intervalMs, options.pingFinding(ping));
    return overdueAttempt(id, judgeMissed(heartbeat, missed, now, reach), missed.at - missed.expectedMs);
  });
  const looked = due.hasMore ? null : lookAtHeartbeat(heartbeat, now, reach);
  if (looked !== null && looked.overdue !== null) {
    attempts.push(overdueAttempt(due.newId(looked.overdue.at), looked.overdue, heartbeat.timerAt));
  }
  const missing = overdue.filter(({ outcome }) => outcome === 'failed');
  return { attempts, overdue, missing, heartbeat: looked?.heartbeat ?? { ...heartbeat, dueAt: now } };
}
