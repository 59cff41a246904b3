// Prometheus metrics of the steps and of the process.
import type { ProcessSign } from '#domain/accounts/process.ts';
import type { EndedAttempt } from '#domain/results/recording.ts';
import { type LongestStall, watchLongestStall } from '#lib/loop-delay.ts';
import type { Figures } from '#store/accounts/figures.ts';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { addStoreGauges } from './store-gauges.ts';

/** The registry and the methods that record events. */
export interface Metrics {
  readonly registry: Registry;
  onScheduled(done: { readonly missed: number; readonly latestByMs: number }): void;
  onStarted(delayMs: number): void;
  onRecorded(
    attempt: Pick<EndedAttempt, 'outcome'> & { readonly finding: Pick<EndedAttempt['finding'], 'reason'> },
  ): void;
  onSettled(outcome: string): void;
  /** A call of a ping URL: its signal and outcome. */
  onPing(signal: string, what: string): void;
  /** Time from the end of a heartbeat's deadline to its evaluation, ms. */
  onOverdue(outcome: string, delayMs: number): void;
  stop(): void;
}

/** Resolution of the event loop delay, ms. A coarse value saves CPU time. */
const loopPollMs = 50;

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Values read at each scrape in addition to the store. */
export interface MetricSources {
  /** Longest recent event loop delay of a probe thread, ms. */
  readonly probeLoopDelayMs: () => number;
  /** Epoch ms. */
  readonly now: () => number;
  /** The last published state of this process; null before its first heartbeat. */
  readonly ownProcess: () => ProcessSign | null;
  /** When each runtime of this process ends or ended, epoch ms. Runtimes without an end are omitted. */
  readonly runtimeEnds: () => readonly { readonly runtime: string; readonly at: number }[];
  /** Whether to export metrics per check: one or two lines each, read anew at each scrape. */
  readonly showsChecks: boolean;
}

export function createMetrics(figures: Figures, sources: MetricSources): Metrics {
  const { probeLoopDelayMs, now, ownProcess, runtimeEnds, showsChecks } = sources;
  const registry = new Registry();
  const registers = [registry];
  const started = new Histogram({
    name: 'tocsin_run_start_delay_seconds',
    help: 'Delay between the due time and the start of a run',
    buckets: seconds,
    registers,
  });
  const runs = new Counter({
    name: 'tocsin_runs_total',
    help: 'Attempts recorded by this process, by outcome',
    labelNames: ['outcome'] as const,
    registers,
  });
  const withheld = new Counter({
    name: 'tocsin_verdicts_withheld_total',
    help: 'Attempts recorded by this process that ended as unknown, by reason',
    labelNames: ['reason'] as const,
    registers,
  });
  // Initialized to 0, so that alerts on its increase see the first one.
  withheld.inc({ reason: 'runtime' }, 0);
  const missed = new Counter({
    name: 'tocsin_slots_missed_total',
    help: 'Scheduled runs that were recorded as missed',
    registers,
  });
  const attempts = new Counter({
    name: 'tocsin_delivery_attempts_total',
    help: 'Delivery attempts of this process, by outcome of the delivery',
    labelNames: ['status'] as const,
    registers,
  });
  const noteLag = addLagGauge(registers);
  const heartbeats = addHeartbeatMetrics(registers);
  const loop = watchLongestStall(loopPollMs);
  addProcessGauges(registers, loop, probeLoopDelayMs);
  const ownLocation = (): string | null => ownProcess()?.location.code ?? null;
  addStoreGauges(registers, figures, { now, ownLocation, showsChecks });
  addSignGauges(registers, ownProcess);
  addRuntimeGauge(registers, runtimeEnds);
  return {
    registry,
    onScheduled(done) {
      missed.inc(done.missed);
      noteLag(done.latestByMs / 1000);
    },
    onStarted: (delayMs) => started.observe(delayMs / 1000),
    onRecorded({ outcome, finding }) {
      runs.inc({ outcome });
      if (outcome === 'unknown') withheld.inc({ reason: finding.reason ?? 'none' });
    },
    onSettled: (status) => attempts.inc({ status }),
    ...heartbeats,
    stop: () => loop.stop(),
  };
}

/** The longest planning delay since the last scrape, because each process has its own scrapes. */
function addLagGauge(registers: Registry[]): (seconds: number) => void {
  let longest = 0;
  const lag = new Gauge({
    name: 'tocsin_schedule_lag_seconds',
    help: 'Longest delay between the scheduled time of a run and its planning since the last scrape',
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

function addHeartbeatMetrics(registers: Registry[]): Pick<Metrics, 'onPing' | 'onOverdue'> {
  const pings = new Counter({
    name: 'tocsin_pings_total',
    help: 'Calls of ping URLs on this process, by signal and outcome',
    labelNames: ['signal', 'what'] as const,
    registers,
  });
  const overdue = new Histogram({
    name: 'tocsin_heartbeat_judge_delay_seconds',
    help: 'Delay between the deadline of a heartbeat and its evaluation, by outcome',
    labelNames: ['outcome'] as const,
    buckets: [1, 1.25, 1.5, 2, 3, 5, 10, 30, 60, 300, 3600],
    registers,
  });
  return {
    onPing: (signal, what) => pings.inc({ signal, what }),
    onOverdue: (outcome, delayMs) => overdue.observe({ outcome }, Math.max(0, delayMs) / 1000),
  };
}

function addProcessGauges(registers: Registry[], loop: LongestStall, probeLoopDelayMs: () => number): void {
  const delay = new Gauge({
    name: 'tocsin_event_loop_delay_seconds',
    help: 'Longest delay of the event loop since the last scrape',
    labelNames: ['thread'] as const,
    registers,
    collect() {
      delay.set({ thread: 'main' }, loop.take() / 1000);
      delay.set({ thread: 'probes' }, probeLoopDelayMs() / 1000);
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

/** State of this process, the same as in GET /v1/processes. */
function addSignGauges(registers: Registry[], ownProcess: () => ProcessSign | null): void {
  const info = new Gauge({
    name: 'tocsin_process_info',
    help: 'Always 1; labels identify the process with its roles, version and location',
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
    help: 'Unix time of the last heartbeat of this process in the database',
    registers,
    collect() {
      seen.set((ownProcess()?.seenAt ?? 0) / 1000);
    },
  });
  const held = new Gauge({
    name: 'tocsin_leases_held',
    help: 'Runs and deliveries that this process had leased at its last heartbeat',
    labelNames: ['what'] as const,
    registers,
    collect() {
      const { runs, deliveries } = ownProcess()?.holds ?? { runs: 0, deliveries: 0 };
      held.set({ what: 'runs' }, runs);
      held.set({ what: 'deliveries' }, deliveries);
    },
  });
}

function addRuntimeGauge(registers: Registry[], runtimeEnds: MetricSources['runtimeEnds']): void {
  const ends = new Gauge({
    name: 'tocsin_runtime_end_timestamp_seconds',
    help: 'Unix time at which a runtime of this process ends or ended; absent for runtimes without an end',
    labelNames: ['runtime'] as const,
    registers,
    collect() {
      ends.reset();
      for (const { runtime, at } of runtimeEnds()) ends.set({ runtime }, at / 1000);
    },
  });
}
