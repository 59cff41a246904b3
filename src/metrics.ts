// What Prometheus reads: the path's own figures, and those of the process.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Registry as MetricRegistry } from 'prom-client';
import type { ProcessSign } from '#domain/process.ts';
import type { Figures } from '#store/figures.ts';
import { StoreUnavailableError } from '#store/unavailable.ts';
import { Counter, Gauge, Histogram, Registry } from './metric-classes.ts';

/** The registry and what the path tells it. */
export interface Metrics {
  readonly registry: MetricRegistry;
  onScheduled(done: { readonly missed: number; readonly latestByMs: number }): void;
  onStarted(delayMs: number): void;
  onRecorded(outcome: string): void;
  onSettled(outcome: string): void;
  /** A call of a ping address: the signal, and what became of it. */
  onPing(signal: string, what: string): void;
  /** A deadline of a heartbeat was judged so long after it was over, ms. */
  onOverdue(outcome: string, delayMs: number): void;
  stop(): void;
}

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** What is asked at each scrape beside the store. */
export interface MetricSources {
  /** The longest a probing thread's loop was held up lately, ms. */
  readonly probeLoopDelayMs: () => number;
  /** Epoch ms. */
  readonly now: () => number;
  /** What this process last wrote of itself; null before its first sign of life. */
  readonly ownProcess: () => ProcessSign | null;
  /** Whether to tell of each check: a line or two for every one, read anew at each scrape. */
  readonly showsChecks: boolean;
}

export function createMetrics(figures: Figures, sources: MetricSources): Metrics {
  const { probeLoopDelayMs, now, ownProcess, showsChecks } = sources;
  const registry = new Registry();
  const registers = [registry];
  const started = new Histogram({
    name: 'tocsin_run_start_delay_seconds',
    help: 'How long after its due time a run started',
    buckets: seconds,
    registers,
  });
  const runs = new Counter({
    name: 'tocsin_runs_total',
    help: 'Attempts recorded by this process, by outcome',
    labelNames: ['outcome'] as const,
    registers,
  });
  const missed = new Counter({
    name: 'tocsin_slots_missed_total',
    help: 'Slots recorded as missed when they were scheduled',
    registers,
  });
  const attempts = new Counter({
    name: 'tocsin_delivery_attempts_total',
    help: 'Delivery attempts of this process, by what became of the delivery',
    labelNames: ['status'] as const,
    registers,
  });
  const noteLag = addLagGauge(registers);
  const heartbeats = addHeartbeatMetrics(registers);
  const loop = monitorEventLoopDelay({ resolution: 10 });
  loop.enable();
  addProcessGauges(registers, loop, probeLoopDelayMs);
  addStoreGauges(registers, figures, now, showsChecks);
  addSignGauges(registers, ownProcess);
  return {
    registry,
    onScheduled(done) {
      missed.inc(done.missed);
      noteLag(done.latestByMs / 1000);
    },
    onStarted: (delayMs) => started.observe(delayMs / 1000),
    onRecorded: (outcome) => runs.inc({ outcome }),
    onSettled: (status) => attempts.inc({ status }),
    ...heartbeats,
    stop: () => loop.disable(),
  };
}

/** How late slots were planned: the longest since the last scrape, since each turn has its own. */
function addLagGauge(registers: MetricRegistry[]): (seconds: number) => void {
  let longest = 0;
  const lag = new Gauge({
    name: 'tocsin_schedule_lag_seconds',
    help: 'How long after its slot a run was planned: the longest since the last scrape',
    registers,
    collect() {
      lag.set(longest);
      longest = 0;
    },
  });
  return (seconds) => {
    longest = Math.max(longest, seconds);
  };
}

function addHeartbeatMetrics(registers: MetricRegistry[]): Pick<Metrics, 'onPing' | 'onOverdue'> {
  const pings = new Counter({
    name: 'tocsin_pings_total',
    help: 'Calls of ping addresses at this process, by signal and by what became of them',
    labelNames: ['signal', 'what'] as const,
    registers,
  });
  const overdue = new Histogram({
    name: 'tocsin_heartbeat_judge_delay_seconds',
    help: 'How long after the deadline of a heartbeat was over it was judged, by outcome',
    labelNames: ['outcome'] as const,
    buckets: [1, 1.25, 1.5, 2, 3, 5, 10, 30, 60, 300, 3600],
    registers,
  });
  return {
    onPing: (signal, what) => pings.inc({ signal, what }),
    onOverdue: (outcome, delayMs) => overdue.observe({ outcome }, Math.max(0, delayMs) / 1000),
  };
}

type Loop = ReturnType<typeof monitorEventLoopDelay>;

function addProcessGauges(registers: MetricRegistry[], loop: Loop, probeLoopDelayMs: () => number): void {
  const delay = new Gauge({
    name: 'tocsin_event_loop_delay_seconds',
    help: 'Longest delay of the event loop since the last scrape',
    labelNames: ['thread'] as const,
    registers,
    collect() {
      delay.set({ thread: 'main' }, loop.max / 1e9);
      delay.set({ thread: 'probes' }, probeLoopDelayMs() / 1000);
      loop.reset();
    },
  });
  const memory = new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory',
    registers,
    collect(): void {
      memory.set(process.memoryUsage.rss());
    },
  });
  const cpu = new Gauge({
    name: 'process_cpu_seconds_total',
    help: 'User and system CPU time',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      cpu.set((user + system) / 1e6);
    },
  });
}

/** What this process is among the others: the same as GET /v1/processes shows of it. */
function addSignGauges(registers: MetricRegistry[], ownProcess: () => ProcessSign | null): void {
  const info = new Gauge({
    name: 'tocsin_process_info',
    help: 'Always 1: which process this is, what it does, in which version and location',
    labelNames: ['process', 'roles', 'version', 'location'] as const,
    registers,
    collect() {
      info.reset();
      const own = ownProcess();
      if (own === null) return;
      const { id, roles, version, location } = own;
      info.set({ process: id, roles: roles.join(','), version, location: location.code }, 1);
    },
  });
  const seen = new Gauge({
    name: 'tocsin_process_last_sign_timestamp_seconds',
    help: 'When this process last wrote into the database that it lives, Unix time',
    registers,
    collect() {
      seen.set((ownProcess()?.seenAt ?? 0) / 1000);
    },
  });
  const held = new Gauge({
    name: 'tocsin_leases_held',
    help: 'Runs and deliveries that this process held at its last sign of life',
    labelNames: ['what'] as const,
    registers,
    collect() {
      const { runs, deliveries } = ownProcess()?.holds ?? { runs: 0, deliveries: 0 };
      held.set({ what: 'runs' }, runs);
      held.set({ what: 'deliveries' }, deliveries);
    },
  });
}

/** A figure of the store; undefined = it is away for now. */
type Reading<Found> = () => Promise<Found | undefined>;

/** Makes readings of the store, and tells whether all of them found it. */
interface Readings {
  readonly add: <Found>(read: () => Promise<Found>) => Reading<Found>;
  readonly isUp: () => Promise<boolean>;
}

/**
 * Every gauge sets itself, because each is written out as soon as it is collected; one scrape reads each figure once. Where
 * the store is away, what this process knows by itself is told all the same; other faults fail the scrape.
 */
function createReadings(): Readings {
  const all: Reading<unknown>[] = [];
  return {
    add(read) {
      const reading = oncePerScrape(async () => {
        try {
          return await read();
        } catch (error) {
          if (error instanceof StoreUnavailableError) return undefined;
          throw error;
        }
      });
      all.push(reading);
      return reading;
    },
    isUp: async () => (await Promise.all(all.map((reading) => reading()))).every((found) => found !== undefined),
  };
}

function oncePerScrape<Found>(read: () => Promise<Found>): () => Promise<Found> {
  let found: Promise<Found> | null = null;
  return () => {
    found ??= read().finally(() => {
      found = null;
    });
    return found;
  };
}

/** A gauge of one figure, which has no line where the figure cannot be read. */
function addFigure<Found>(
  registers: MetricRegistry[],
  [name, help]: readonly [string, string],
  reading: Reading<Found>,
  valueOf: (found: Found) => number,
): void {
  const gauge = new Gauge({
    name,
    help,
    registers,
    async collect() {
      const found = await reading();
      if (found === undefined) gauge.remove();
      else gauge.set(valueOf(found));
    },
  });
}

function addStoreGauges(registers: MetricRegistry[], figures: Figures, now: () => number, showsChecks: boolean): void {
  const readings = createReadings();
  /** How long ago something was, s; 0 = it was not, or is to come. */
  const age = (at: number | null): number => (at === null ? 0 : Math.max(0, (now() - at) / 1000));
  addConservationGauges(
    registers,
    readings.add(() => figures.conservation()),
  );
  addOutboxGauges(
    registers,
    readings.add(() => figures.outbox(now())),
    age,
  );
  addFigure(
    registers,
    ['tocsin_channels_failing', 'Alert channels whose last five deliveries did not arrive'],
    readings.add(() => figures.failingChannels()),
    (failing) => failing,
  );
  addFigure(
    registers,
    [
      'tocsin_heartbeat_due_age_seconds',
      'How long the heartbeat that is due for the longest time has waited to be judged',
    ],
    readings.add(() => figures.heartbeatDueAt(now())),
    age,
  );
  addFigure(
    registers,
    [
      'tocsin_roll_up_delay_seconds',
      'Time since the end of the newest hour whose results are rolled up: one hour and a few minutes at most',
    ],
    readings.add(() => figures.rolledUpTo()),
    age,
  );
  if (showsChecks)
    addCheckGauges(
      registers,
      readings.add(() => figures.checkStates()),
    );
  const up = new Gauge({
    name: 'tocsin_database_up',
    help: 'Whether the database answered this scrape: where it is 0, what would be read from it is left out',
    registers,
    async collect() {
      up.set((await readings.isUp()) ? 1 : 0);
    },
  });
}

function addOutboxGauges(
  registers: MetricRegistry[],
  outbox: Reading<Awaited<ReturnType<Figures['outbox']>>>,
  age: (at: number | null) => number,
): void {
  addFigure(
    registers,
    ['tocsin_deliveries_pending', 'Deliveries that have not ended'],
    outbox,
    ({ pending }) => pending,
  );
  addFigure(
    registers,
    [
      'tocsin_outbox_age_seconds',
      'How long the oldest delivery that is due and not begun has waited; one that was cut off waits since it was begun',
    ],
    outbox,
    ({ waitingSince }) => age(waitingSince),
  );
}

function addConservationGauges(
  registers: MetricRegistry[],
  conservation: Reading<Awaited<ReturnType<Figures['conservation']>>>,
): void {
  const runs = new Gauge({
    name: 'tocsin_runs',
    help: 'Runs since the installation began: asked for, open, and by outcome',
    labelNames: ['what'] as const,
    registers,
    async collect() {
      const found = await conservation();
      runs.reset();
      if (found === undefined) return;
      runs.set({ what: 'asked_for' }, found.askedFor);
      runs.set({ what: 'open' }, found.open);
      for (const [outcome, count] of Object.entries(found.outcomes)) runs.set({ what: outcome }, count);
    },
  });
  addFigure(
    registers,
    ['tocsin_conservation_difference', 'Runs asked for minus outcomes minus open runs: anything but 0 is a fault'],
    conservation,
    ({ difference }) => difference,
  );
}

type CheckFigures = Awaited<ReturnType<Figures['checkStates']>>[number];

function addCheckGauges(registers: MetricRegistry[], states: Reading<readonly CheckFigures[]>): void {
  const labelNames = ['account', 'check', 'name'] as const;
  const labelsOf = ({ accountId: account, checkId: check, name }: CheckFigures) => ({ account, check, name });
  const response = new Gauge({
    name: 'tocsin_check_response_seconds',
    help: 'Response time of the newest result of a check',
    labelNames,
    registers,
    async collect() {
      const found = (await states()) ?? [];
      response.reset();
      for (const check of found) {
        if (check.responseTimeMs !== null) response.set(labelsOf(check), check.responseTimeMs / 1000);
      }
    },
  });
  const state = new Gauge({
    name: 'tocsin_check_state',
    help: 'State of a check: 0 passing, 1 degraded, 2 failing, -1 not known yet',
    labelNames,
    registers,
    async collect() {
      const found = (await states()) ?? [];
      state.reset();
      for (const check of found) state.set(labelsOf(check), ['passing', 'degraded', 'failing'].indexOf(check.status));
    },
  });
}
