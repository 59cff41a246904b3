// A process in simulated time: the steps of the product, run when something is due instead of by timers.
import { DatabaseSync } from 'node:sqlite';
import { overdueFinding, pingFinding } from '#checks/kinds/heartbeat/finding.ts';
import type { ProbeInput } from '#domain/checks/probe.ts';
import type { DueDelivery, SendOutcome } from '#domain/deliveries/delivery.ts';
import type { DeliveryFacts, EndedAttempt, Recorded, Rendered } from '#domain/results/recording.ts';
import type { Finding } from '#domain/results/result.ts';
import { createFollowedClock, type FollowedClock } from '#lib/followed-clock.ts';
import { createJudgeHeartbeats } from '#pipeline/judge-heartbeats.ts';
import { createJudgeStates } from '#pipeline/judge-states.ts';
import { createRecordResults } from '#pipeline/record-results.ts';
import { createRunChecks } from '#pipeline/run-checks.ts';
import { createScheduleRuns } from '#pipeline/schedule-runs.ts';
import { createSendDeliveries } from '#pipeline/send-deliveries.ts';
import type { WaitingPing } from '#store/schedules/heartbeat-rows.ts';
import type { OpenedAlert, StateKey } from '#store/path/states/judge-states.ts';
import { openStore } from '#store/sqlite-store.ts';
import type { Store } from '#store/store.ts';
import { createFollowClock } from '#upkeep/follow-clock.ts';
import { createRecordReception } from '#upkeep/record-reception.ts';
import { createRollUp } from '#upkeep/roll-up.ts';
import type { Clock } from '#lib/clock.ts';

/** Environment of the process. */
export interface Outside {
  /** Probes a target; null = the process is killed before the response. */
  probe(input: ProbeInput, now: number): Finding | null;
  /** Sends a delivery; null = it arrived, but the process is killed before the response. */
  send(delivery: DueDelivery, attempt: number, now: number): SendOutcome | null;
  /** Called with each attempt before it is recorded. */
  ended(attempt: EndedAttempt): void;
  /** Called with each recorded heartbeat result. */
  judged(attempt: EndedAttempt, recorded: Recorded): void;
  /** Called before states are evaluated without a result. @param now by the clock of the process, epoch ms */
  polls(now: number): void;
}

/** A running process. */
export interface SimulatedProcess {
  readonly store: Store;
  readonly clock: FollowedClock;
  /** Runs all steps until nothing is due; returns the time of the next due item by its clock, epoch ms. */
  settle(): Promise<number>;
  /** Makes every step run next time, even if nothing seems due. */
  wake(): void;
  /** Follows the machine's clock, which a real process does five times per second. */
  followClock(): Promise<void>;
  /** Writes the reception record that a process writes every second. */
  sign(): Promise<void>;
  /** Rolls up all complete hours. */
  rollUp(): Promise<void>;
  /** Stops normally. */
  stop(): Promise<void>;
  /** Ends as if killed: leases are not released. */
  kill(): Promise<void>;
}

const secretKey = new Uint8Array(32).fill(7);
/** Maximum time between two runs of all steps, ms. */
const restMs = 6 * 3_600_000;

/** Starts a process on the database at `path`, which a previous process may have used. */
export async function startProcess(path: string, world: World, outside: Outside): Promise<SimulatedProcess> {
  const clock = createFollowedClock(world.machine, world.steadyNow, world.upMs);
  // Commits are not shared, and nothing waits in real time.
  const store = openStore({ path, secretKey, clock, ownLocation: 'local', gatherMs: 0 });
  const startedAt = clock.now();
  await store.gaps.noteStart();
  await store.path.takeOver(startedAt);
  const owner = `life-${startedAt}-${world.upMs()}`;
  const faults: unknown[] = [];
  // Two of the loops poll every three seconds; here the rows tell when that is useful.
  const rows = new DatabaseSync(path, { readOnly: true });
  const dueRows = rows.prepare(
    `SELECT min((SELECT coalesce(min(available_at), ?1) FROM runs),
       (SELECT coalesce(min(next_attempt_at), ?1) FROM deliveries WHERE status = 0)) AS at`,
  );
  const unnotifiedRows = rows.prepare(
    `SELECT EXISTS (SELECT 1 FROM check_states WHERE status <> 'passing' AND alerted IS DISTINCT FROM status) AS is_there`,
  );
  const dueInRows = (): number => Number(dueRows.get(clock.now() + restMs)?.['at']);
  let [plannedAt, judgedAt, isWoken] = [0, 0, true];
  let hung = 0;
  const hang = (): Promise<never> => {
    hung++;
    return new Promise(() => undefined);
  };
  const joint = { store: store.path, clock, owner, render: rendered, statusOf: () => null };
  const records = createRecordResults({
    ...joint,
    locations: () => ['local'],
    onRecorded: () => undefined,
    onError: (error) => faults.push(error),
  });
  const runs = createRunChecks({
    ...joint,
    location: 'local',
    locations: () => ['local'],
    probe: (input) => {
      const finding = outside.probe(input, clock.now());
      return finding === null ? hang() : Promise.resolve(finding);
    },
    record: (attempt) => {
      outside.ended(attempt);
      return records.record(attempt);
    },
    startedAt,
    wake: () => undefined,
  });
  const deliveries = createSendDeliveries({
    ...joint,
    isShared: () => false,
    render: () => ({ error: 'deliveries are rendered when they are recorded' }),
    send: (delivery, _, attempt) => {
      const outcome = outside.send(delivery, attempt, clock.now());
      return outcome === null ? hang() : Promise.resolve(outcome);
    },
    wake: () => undefined,
    onError: (error) => faults.push(error),
  });
  const scheduleRuns = createScheduleRuns({
    ...joint,
    firstRuns: store.firstRuns,
    locations: () => ['local'],
    startedAt,
    wake: () => undefined,
  });
  const judgeHeartbeats = createJudgeHeartbeats<WaitingPing>({
    ...joint,
    location: 'local',
    pingFinding,
    overdueFinding,
    serverTimeZone: 'UTC',
    onRecorded: (attempt, recorded) => outside.judged(attempt, recorded),
  });
  const judgeStates = createJudgeStates<StateKey, OpenedAlert>({
    ...joint,
    locations: () => ['local'],
    onOpened: () => undefined,
  });
  /** The loop polls every second, here only if there is something to do. */
  const readStates = async (): Promise<void> => {
    if (Number(unnotifiedRows.get()?.['is_there']) === 0) return;
    outside.polls(clock.now());
    await judgeStates();
  };
  const recordReception = createRecordReception({
    store: store.receptions,
    ownProcess: { id: owner, known: () => [] },
    failures: { count: 0 },
    clock,
    // A delay is detected by ticks a second apart, but here ticks depend on what is due.
    steadyNow: () => 0,
  });
  await recordReception();
  const followClock = createFollowClock({ store: store.path, clock });
  const rollUp = createRollUp({ store: store.rollUps, clock, retentionDays: 2000 });
  const idle = async (): Promise<void> => {
    while (records.waiting > 0 || runs.inProgress + deliveries.inProgress > hung) await new Promise(setImmediate);
    if (faults.length > 0) throw faults[0];
  };
  return {
    store,
    clock,
    async settle() {
      for (let ticks = 0; ; ticks++) {
        if (ticks > 1000) throw new Error('the steps do not finish: something is always due');
        const now = clock.now();
        if (isWoken || plannedAt <= now) plannedAt = now + (await scheduleRuns());
        if (isWoken || dueInRows() <= now) await runs.tick();
        await idle();
        if (isWoken || judgedAt <= now) judgedAt = now + (await judgeHeartbeats());
        await readStates();
        if (isWoken || dueInRows() <= now) await deliveries.tick();
        await idle();
        isWoken = false;
        const at = Math.min(plannedAt, judgedAt, now + restMs, dueInRows());
        // A hung item is leased and due at the end of its lease, when this process has been killed.
        if (at > clock.now() || hung > 0) return at;
      }
    },
    wake() {
      isWoken = true;
    },
    async followClock() {
      await followClock();
    },
    async sign() {
      await recordReception();
    },
    async rollUp() {
      while ((await rollUp()) < 60_000);
    },
    async stop() {
      await runs.stop(0);
      await deliveries.stop(0);
      await records.stop(0);
      rows.close();
      await store.close();
    },
    async kill() {
      rows.close();
      await store.close();
    },
  };
}

function rendered({ alertType, context, resultId }: DeliveryFacts): Rendered {
  const body = JSON.stringify({ type: alertType, checkId: context.check.id, resultId });
  return { request: { method: 'POST', url: 'http://receiver.test/', headers: [], body } };
}

/** Finding about a target at `now`, epoch ms. */
export function findingOf(isDown: boolean, now: number): Finding {
  return {
    verdict: isDown ? 'failed' : 'passed',
    reason: isDown ? 'status' : null,
    message: isDown ? 'status 503' : null,
    startedAt: now,
    stoppedAt: now + 12,
    responseTimeMs: 12,
    loopDelayMs: 0,
    details: { status: isDown ? 503 : 200 },
    exchange: null,
    certificate: null,
  };
}

/** Outcome of an attempt with that start, epoch ms. */
export function outcomeOf(startedAt: number, status: number): SendOutcome {
  const error = status > 399 ? ({ class: 'status', message: `answered ${status}` } as const) : null;
  return { startedAt, durationMs: 5, headers: [], response: { status, headers: {}, body: '' }, error };
}

/** A machine and the true time. All in ms. */
export interface World {
  /** True time, epoch ms, for targets, jobs and receivers. */
  readonly trueNow: () => number;
  /** A monotonic clock that stops during suspension. */
  readonly steadyNow: () => number;
  /** A monotonic clock that continues during suspension. */
  readonly upMs: () => number;
  /** The machine's clock, which may be wrong. */
  readonly machine: Clock;
  /** Advances time. */
  pass(ms: number): void;
  /** Advances time while the machine is suspended. */
  sleep(ms: number): void;
  /** Changes the machine's clock. */
  setClock(byMs: number): void;
}

/** @param startsAt epoch ms */
export function createWorld(startsAt: number): World {
  let trueNow = startsAt;
  let sleptMs = 0;
  let wrongMs = 0;
  return {
    trueNow: () => trueNow,
    steadyNow: () => trueNow - startsAt - sleptMs,
    upMs: () => trueNow - startsAt,
    machine: { now: () => trueNow + wrongMs },
    pass(ms) {
      trueNow += ms;
    },
    sleep(ms) {
      trueNow += ms;
      sleptMs += ms;
    },
    setClock(byMs) {
      wrongMs += byMs;
    },
  };
}
