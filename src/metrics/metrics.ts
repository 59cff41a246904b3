// What Prometheus reads: the path's own figures, and those of the process.
import type { ProcessSign } from '#domain/accounts/process.ts';
import type { EndedAttempt } from '#domain/results/recording.ts';
import { type LongestHoldUp, watchLongestHoldUp } from '#lib/loop-delay.ts';
import type { Figures } from '#store/accounts/figures.ts';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { addStoreGauges } from './store-gauges.ts';

/** The registry and what the path tells it. */
export interface Metrics {
  readonly registry: Registry;
  onScheduled(done: { readonly missed: number; readonly latestByMs: number }): void;
  onStarted(delayMs: number): void;
  onRecorded(
    attempt: Pick<EndedAttempt, 'outcome'> & { readonly finding: Pick<EndedAttempt['finding'], 'reason'> },
  ): void;
  onSettled(outcome: string): void;
  /** A call of a ping address: the signal, and what became of it. */
  onPing(signal: string, what: string): void;
  /** A deadline of a heartbeat was judged so long after it was over, ms. */
  onOverdue(outcome: string, delayMs: number): void;
  stop(): void;
}

/** How often the main loop is woken up to see how late that is, ms: delays are known to as much, and a hundredth of a core is saved. */
const loopLookMs = 50;

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** What is asked at each scrape beside the store. */
export interface MetricSources {
  /** The longest a probing thread's loop was held up lately, ms. */
  readonly probeLoopDelayMs: () => number;
  /** Epoch ms. */
  readonly now: () => number;
  /** What this process last wrote of itself; null before its first sign of life. */
  readonly ownProcess: () => ProcessSign | null;
  /** When each runtime of this process ends or has ended, epoch ms; of those without an end nothing. */
  readonly runtimeEnds: () => readonly { readonly runtime: string; readonly at: number }[];
  /** Whether to tell of each check: a line or two for every one, read anew at each scrape. */
  readonly showsChecks: boolean;
}

export function createMetrics(figures: Figures, sources: MetricSources): Metrics {
  const { probeLoopDelayMs, now, ownProcess, runtimeEnds, showsChecks } = sources;
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
  const withheld = new Counter({
    name: 'tocsin_verdicts_withheld_total',
    help: 'Attempts recorded by this process that ended as unknown, by reason',
    labelNames: ['reason'] as const,
    registers,
  });
  // Alerted on: who counts its growth has to have seen it before the first one.
  withheld.inc({ reason: 'runtime' }, 0);
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
  const loop = watchLongestHoldUp(loopLookMs);
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

/** How late slots were planned: the longest since the last scrape, since each turn has its own. */
function addLagGauge(registers: Registry[]): (seconds: number) => void {
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

function addHeartbeatMetrics(registers: Registry[]): Pick<Metrics, 'onPing' | 'onOverdue'> {
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

function addProcessGauges(registers: Registry[], loop: LongestHoldUp, probeLoopDelayMs: () => number): void {
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

/** What this process is among the others: the same as GET /v1/processes shows of it. */
function addSignGauges(registers: Registry[], ownProcess: () => ProcessSign | null): void {
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

function addRuntimeGauge(registers: Registry[], runtimeEnds: MetricSources['runtimeEnds']): void {
  const ends = new Gauge({
    name: 'tocsin_runtime_end_timestamp_seconds',
    help: 'When a runtime of this process ends or has ended, Unix time; of those without an end nothing is told',
    labelNames: ['runtime'] as const,
    registers,
    collect() {
      ends.reset();
      for (const { runtime, at } of runtimeEnds()) ends.set({ runtime }, at / 1000);
    },
  });
}
