// Prometheus metrics of the steps, of the process, and of the whole installation, read at each scrape.
import type { ProcessSign } from '#domain/accounts/process.ts';
import type { EndedAttempt } from '#domain/results/recording.ts';
import { type LongestStall, watchLongestStall } from '#lib/loop-delay.ts';
import type { Figures } from '#store/accounts/figures.ts';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { StoreUnavailableError } from '#store/base/unavailable.ts';

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
  const registry = new Registry();
  const registers = [registry];
  const counter = <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers });
  const started = new Histogram({
    name: 'tocsin_run_start_delay_seconds',
    help: 'Delay between the due time and the start of a run',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const runs = counter('tocsin_runs_total', 'Attempts recorded by this process, by outcome', 'outcome');
  const withheld = counter(
    'tocsin_verdicts_withheld_total',
    'Attempts recorded by this process that ended as unknown, by reason',
    'reason',
  );
  // Initialized to 0, so that alerts on its increase see the first one.
  withheld.inc({ reason: 'runtime' }, 0);
  const missed = counter('tocsin_slots_missed_total', 'Scheduled runs that were recorded as missed');
  const attempts = counter(
    'tocsin_delivery_attempts_total',
    'Delivery attempts of this process, by outcome of the delivery',
    'status',
  );
  const noteLag = addLagGauge(registers);
  const pings = counter(
    'tocsin_pings_total',
    'Calls of ping URLs on this process, by signal and outcome',
    'signal',
    'what',
  );
  const overdue = new Histogram({
    name: 'tocsin_heartbeat_judge_delay_seconds',
    help: 'Delay between the deadline of a heartbeat and its evaluation, by outcome',
    labelNames: ['outcome'] as const,
    buckets: [1, 1.25, 1.5, 2, 3, 5, 10, 30, 60, 300, 3600],
    registers,
  });
  const loop = watchLongestStall(loopPollMs);
  addProcessGauges(registers, loop, sources);
  addStoreGauges(registers, figures, sources);
  addSignGauges(registers, sources);
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
    onPing: (signal, what) => pings.inc({ signal, what }),
    onOverdue: (outcome, delayMs) => overdue.observe({ outcome }, Math.max(0, delayMs) / 1000),
    stop: () => loop.stop(),
  };
}

/** Values of a gauge with their labels; none = it exports nothing. */
type Samples = readonly (readonly [value: number, labels?: Readonly<Record<string, string>>])[];

/** A gauge that sets itself at each scrape, because each is written as soon as it is collected. */
function addGauge(
  registers: Registry[],
  name: string,
  help: string,
  read: () => Samples | Promise<Samples>,
  ...labelNames: string[]
): void {
  const gauge = new Gauge({
    name,
    help,
    labelNames,
    registers,
    collect() {
      const samples = read();
      // At once if it can: of two scrapes at the same time, one would lose what the other has taken.
      return samples instanceof Promise ? samples.then(show) : show(samples);
    },
  });
  const show = (samples: Samples): void => {
    gauge.reset();
    // Without labels, a reset exports 0.
    if (samples.length === 0 && labelNames.length === 0) gauge.remove();
    for (const [value, labels = {}] of samples) gauge.set(labels, value);
  };
}

/** The longest planning delay since the last scrape, because each process has its own scrapes. */
function addLagGauge(registers: Registry[]): (seconds: number) => void {
  let longest = 0;
  const help = 'Longest delay between the scheduled time of a run and its planning since the last scrape';
  addGauge(registers, 'tocsin_schedule_lag_seconds', help, () => {
    const value = longest;
    longest = 0;
    return [[value]];
  });
  return (seconds) => void (longest = Math.max(longest, seconds));
}

function addProcessGauges(registers: Registry[], loop: LongestStall, { probeLoopDelayMs }: MetricSources): void {
  const delays = (): Samples => [
    [loop.take() / 1000, { thread: 'main' }],
    [probeLoopDelayMs() / 1000, { thread: 'probes' }],
  ];
  const help = 'Longest delay of the event loop since the last scrape';
  addGauge(registers, 'tocsin_event_loop_delay_seconds', help, delays, 'thread');
  addGauge(registers, 'process_resident_memory_bytes', 'Resident memory', () => [[process.memoryUsage.rss()]]);
  addGauge(registers, 'process_cpu_seconds_total', 'User and system CPU time', () => {
    const { user, system } = process.cpuUsage();
    return [[(user + system) / 1e6]];
  });
}

/** State of this process, the same as in GET /v1/processes, and of its runtimes. */
function addSignGauges(registers: Registry[], { ownProcess, runtimeEnds }: MetricSources): void {
  const info = (): Samples => {
    const own = ownProcess();
    if (own === null) return [];
    const { id, roles, version, location } = own;
    return [[1, { process: id, roles: roles.join(','), version, location: location.code }]];
  };
  const infoHelp = 'Always 1; labels identify the process with its roles, version and location';
  addGauge(registers, 'tocsin_process_info', infoHelp, info, 'process', 'roles', 'version', 'location');
  const signHelp = 'Unix time of the last heartbeat of this process in the database';
  const seen = (): Samples => [[(ownProcess()?.seenAt ?? 0) / 1000]];
  addGauge(registers, 'tocsin_process_last_sign_timestamp_seconds', signHelp, seen);
  const holds = (): Samples => {
    const { runs, deliveries } = ownProcess()?.holds ?? { runs: 0, deliveries: 0 };
    return [
      [runs, { what: 'runs' }],
      [deliveries, { what: 'deliveries' }],
    ];
  };
  const holdsHelp = 'Runs and deliveries that this process had leased at its last heartbeat';
  addGauge(registers, 'tocsin_leases_held', holdsHelp, holds, 'what');
  const endsHelp = 'Unix time at which a runtime of this process ends or ended; absent for runtimes without an end';
  const ends = (): Samples => runtimeEnds().map(({ runtime, at }) => [at / 1000, { runtime }]);
  addGauge(registers, 'tocsin_runtime_end_timestamp_seconds', endsHelp, ends, 'runtime');
}

/**
 * Adds gauges of values in the store. A scrape reads each value once. If the store is unavailable, the process's own
 * metrics are still exported; other errors fail the scrape.
 */
function createReadings(registers: Registry[]) {
  const all: (() => Promise<unknown>)[] = [];
  return {
    /** A value for several gauges; undefined = the store is unavailable. */
    reading: <Found>(read: () => Promise<Found>): (() => Promise<Found | undefined>) => {
      const once = oncePerScrape(() =>
        read().catch((error: unknown) => {
          if (error instanceof StoreUnavailableError) return undefined;
          throw error;
        }),
      );
      all.push(once);
      return once;
    },
    add: <Found>(
      [name, help]: readonly [name: string, help: string],
      read: () => Promise<Found | undefined>,
      samplesOf: (found: Found) => Samples,
      ...labelNames: string[]
    ): void => {
      const samples = async (): Promise<Samples> => {
        const found = await read();
        return found === undefined ? [] : samplesOf(found);
      };
      addGauge(registers, name, help, samples, ...labelNames);
    },
    isUp: async () => !(await Promise.all(all.map((read) => read()))).includes(undefined),
  };
}

type Readings = ReturnType<typeof createReadings>;

function oncePerScrape<Found>(read: () => Promise<Found>): () => Promise<Found> {
  let found: Promise<Found> | null = null;
  return () => (found ??= read().finally(() => (found = null)));
}

/** Adds the metrics of the whole installation, which are the same on every process. */
function addStoreGauges(registers: Registry[], figures: Figures, sources: MetricSources): void {
  const readings = createReadings(registers);
  addRunGauges(readings, figures, sources);
  addUpkeepGauges(readings, figures, sources);
  if (sources.showsChecks) addCheckGauges(readings, figures);
  const upHelp = 'Whether the database responded to this scrape; if 0, metrics from the database are missing';
  addGauge(registers, 'tocsin_database_up', upHelp, async () => [[(await readings.isUp()) ? 1 : 0]]);
}

/** Age in seconds; 0 = never, or in the future. */
function ageAt(at: number | null, { now }: MetricSources): number {
  return at === null ? 0 : Math.max(0, (now() - at) / 1000);
}

function addRunGauges({ add, reading }: Readings, figures: Figures, sources: MetricSources): void {
  const conservation = reading(() => figures.conservation());
  add(
    ['tocsin_runs', 'Runs since the installation was created: requested, open, and by outcome'],
    conservation,
    ({ requested, open, outcomes }) =>
      Object.entries({ asked_for: requested, open, ...outcomes }).map(([what, count]) => [count, { what }]),
    'what',
  );
  add(
    ['tocsin_conservation_difference', 'Requested runs minus outcomes minus open runs; any value but 0 is a bug'],
    conservation,
    ({ difference }) => [[difference]],
  );
  const outbox = reading(() => figures.outbox(sources.now()));
  add(['tocsin_deliveries_pending', 'Unfinished deliveries'], outbox, ({ pending }) => [[pending]]);
  const outboxHelp =
    'How long the oldest due delivery has waited; for an interrupted delivery, the time since its start';
  add(['tocsin_outbox_age_seconds', outboxHelp], outbox, ({ waitingSince }) => [[ageAt(waitingSince, sources)]]);
  add(
    ['tocsin_run_queue_age_seconds', 'How long the oldest due run has waited, by run location'],
    reading(() => figures.runQueue(sources.now())),
    (queue) => {
      // Exports 0 if nothing is open: autoscalers must find a value.
      const own = sources.ownProcess()?.location.code;
      const idle: Samples = own === undefined ? [] : [[0, { location: own }]];
      const found = queue.map(({ location, waitingSince }) => [ageAt(waitingSince, sources), { location }] as const);
      return [...idle, ...found];
    },
    'location',
  );
}

function addUpkeepGauges({ add, reading }: Readings, figures: Figures, sources: MetricSources): void {
  const addOne = <Found>(name: string, help: string, read: () => Promise<Found>, valueOf: (found: Found) => number) =>
    add([name, help], reading(read), (found) => [[valueOf(found)]]);
  const itself = (count: number): number => count;
  const age = (at: number | null): number => ageAt(at, sources);
  const failing = (): Promise<number> => figures.failingChannels();
  addOne('tocsin_channels_failing', 'Alert channels that do not receive alerts', failing, itself);
  const copiesHelp = 'Folder and bucket whose copies of status pages are not up to date';
  addOne('tocsin_page_copies_failing', copiesHelp, () => figures.failingPageCopies(sources.now()), itself);
  const dueHelp = 'How long the most overdue heartbeat has waited for its evaluation';
  addOne('tocsin_heartbeat_due_age_seconds', dueHelp, () => figures.heartbeatDueAt(sources.now()), age);
  const delayHelp = 'Time since the end of the last rolled-up hour; normally at most one hour and a few minutes';
  addOne('tocsin_roll_up_delay_seconds', delayHelp, () => figures.rolledUpTo(), age);
}

function addCheckGauges({ add, reading }: Readings, figures: Figures): void {
  const checks = reading(() => figures.checkStates());
  const labels = ({
    accountId: account,
    checkId: check,
    name,
  }: Awaited<ReturnType<Figures['checkStates']>>[number]) => ({
    account,
    check,
    name,
  });
  const names = ['account', 'check', 'name'];
  const response = ['tocsin_check_response_seconds', 'Response time of the newest result of a check'] as const;
  const responses = (found: Awaited<ReturnType<Figures['checkStates']>>): Samples =>
    found.flatMap((check) => (check.responseTimeMs === null ? [] : [[check.responseTimeMs / 1000, labels(check)]]));
  add(response, checks, responses, ...names);
  const state = ['tocsin_check_state', 'State of a check: 0 passing, 1 degraded, 2 failing, -1 unknown'] as const;
  const codes = ['passing', 'degraded', 'failing'];
  add(state, checks, (found) => found.map((check) => [codes.indexOf(check.status), labels(check)]), ...names);
}
