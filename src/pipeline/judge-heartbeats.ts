// Pings that are to be judged, and deadlines at which none came, become results, states, alerts and deliveries, in one
// durable commit (docs/decisions/0090).
import { type DeafSpan, type Heartbeat, lookAtHeartbeat, type Overdue } from '#domain/heartbeat.ts';
import type { CheckContext, DeliveryFacts, EndedAttempt, Recorded, Rendered } from '#domain/recording.ts';
import type { Finding } from '#domain/result.ts';
import { maintenanceOf, stateRulesOf } from '#domain/state-rules.ts';
import type { Clock } from '#lib/clock.ts';

/** A ping that waits to be judged. */
interface WaitingPing {
  readonly id: string;
  /** Epoch ms. */
  readonly at: number;
  readonly isFailure: boolean;
  readonly intervalMs: number | null;
}

/** A heartbeat whose time has come. */
interface DueHeartbeat<Ping> {
  readonly heartbeat: Heartbeat;
  readonly waiting: readonly Ping[];
  readonly context: CheckContext;
  readonly reception: { readonly heardAt: number | null; readonly deaf: DeafSpan | null };
  readonly newId: (at: number) => string;
}

interface Judged {
  readonly attempts: readonly EndedAttempt[];
  readonly missing: EndedAttempt | null;
  readonly heartbeat: Heartbeat;
}

/** What this step needs of the store. */
interface HeartbeatStore<Ping> {
  judgeHeartbeats(rules: {
    readonly owner: string;
    readonly now: number;
    readonly most: number;
    readonly render: (facts: DeliveryFacts) => Rendered;
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
  /** Whether this process receives pings: then they can be received as long as it judges. */
  readonly isReceiving: boolean;
  /** Where results are said to be made. */
  readonly location: string;
  readonly pingFinding: (ping: Ping) => Finding;
  /** `deaf` null and no verdict = it is not expected in maintenance. */
  readonly overdueFinding: (heartbeat: Heartbeat, overdue: Overdue, deaf: DeafSpan | null) => Finding;
  readonly render: (facts: DeliveryFacts) => Rendered;
  readonly statusOf: (attempt: EndedAttempt) => number | null;
  /** Told of what was recorded. */
  readonly onRecorded: (attempt: EndedAttempt, recorded: Recorded) => void;
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
    const judge = (due: DueHeartbeat<Ping>): Judged => judgeOne(due, now, options);
    const turn = await store.judgeHeartbeats({ owner, now, most: heartbeatsPerTurn, render, statusOf, judge });
    for (const { attempt, recorded } of turn.recorded) options.onRecorded(attempt, recorded);
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
    retryAt: null,
    rules,
  });
  const attempts = waiting.map((ping) => ended(ping.id, ping.at, ping.intervalMs, options.pingFinding(ping)));
  const looked = lookAtHeartbeat(heartbeat, now, {
    deaf: reception.deaf,
    heardAt: options.isReceiving ? null : reception.heardAt,
    isPaused,
  });
  if (looked.overdue === null) return { attempts, missing: null, heartbeat: looked.heartbeat };
  const { at, intervalMs, outcome } = looked.overdue;
  const finding = options.overdueFinding(heartbeat, looked.overdue, isPaused ? null : reception.deaf);
  const overdue = ended(due.newId(at), at, intervalMs, finding);
  const missing = outcome === 'failed' ? overdue : null;
  return { attempts: [...attempts, overdue], missing, heartbeat: looked.heartbeat };
}
