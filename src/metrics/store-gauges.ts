// Prometheus metrics of the whole installation, read from the store at each scrape.
import type { Figures } from '#store/accounts/figures.ts';
import { StoreUnavailableError } from '#store/base/unavailable.ts';
import { Gauge, type Registry } from 'prom-client';

/** A value from the store; undefined = the store is unavailable. */
type Reading<Found> = () => Promise<Found | undefined>;

/** Creates readings of the store and tracks whether all of them succeeded. */
interface Readings {
  readonly add: <Found>(read: () => Promise<Found>) => Reading<Found>;
  readonly isUp: () => Promise<boolean>;
}

/**
 * Every gauge sets itself, because each is written as soon as it is collected; a scrape reads each value once. If the
 * store is unavailable, the process's own metrics are still exported; other errors fail the scrape.
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

/** A gauge of one value; exports nothing if the value cannot be read. */
function addFigure<Found>(
  registers: Registry[],
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

/** Values read in addition to the store. */
export interface StoreGaugeSources {
  /** Epoch ms. */
  readonly now: () => number;
  /** Code of this process's run location; null before its first heartbeat. */
  readonly ownLocation: () => string | null;
  /** Whether to export metrics per check. */
  readonly showsChecks: boolean;
}

/** Adds the metrics of the whole installation, which are the same on every process. */
export function addStoreGauges(
  registers: Registry[],
  figures: Figures,
  { now, ownLocation, showsChecks }: StoreGaugeSources,
): void {
  const readings = createReadings();
  /** Age in seconds; 0 = never, or in the future. */
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
  addRunQueueGauge(
    registers,
    readings.add(() => figures.runQueue(now())),
    { age, ownLocation },
  );
  const addCount = (named: readonly [string, string], read: () => Promise<number>): void =>
    addFigure(registers, named, readings.add(read), (count) => count);
  addCount(['tocsin_channels_failing', 'Alert channels that do not receive alerts'], () => figures.failingChannels());
  addCount(['tocsin_page_copies_failing', 'Folder and bucket whose copies of status pages are not up to date'], () =>
    figures.failingPageCopies(now()),
  );
  addFigure(
    registers,
    ['tocsin_heartbeat_due_age_seconds', 'How long the most overdue heartbeat has waited for its evaluation'],
    readings.add(() => figures.heartbeatDueAt(now())),
    age,
  );
  addFigure(
    registers,
    [
      'tocsin_roll_up_delay_seconds',
      'Time since the end of the last rolled-up hour; normally at most one hour and a few minutes',
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
    help: 'Whether the database responded to this scrape; if 0, metrics from the database are missing',
    registers,
    async collect() {
      up.set((await readings.isUp()) ? 1 : 0);
    },
  });
}

function addOutboxGauges(
  registers: Registry[],
  outbox: Reading<Awaited<ReturnType<Figures['outbox']>>>,
  age: (at: number | null) => number,
): void {
  addFigure(registers, ['tocsin_deliveries_pending', 'Unfinished deliveries'], outbox, ({ pending }) => pending);
  addFigure(
    registers,
    [
      'tocsin_outbox_age_seconds',
      'How long the oldest due delivery has waited; for an interrupted delivery, the time since its start',
    ],
    outbox,
    ({ waitingSince }) => age(waitingSince),
  );
}

function addRunQueueGauge(
  registers: Registry[],
  queue: Reading<Awaited<ReturnType<Figures['runQueue']>>>,
  { age, ownLocation }: { age: (at: number | null) => number; ownLocation: () => string | null },
): void {
  const gauge = new Gauge({
    name: 'tocsin_run_queue_age_seconds',
    help: 'How long the oldest due run has waited, by run location',
    labelNames: ['location'] as const,
    registers,
    async collect() {
      const found = await queue();
      gauge.reset();
      if (found === undefined) return;
      // Exports 0 if nothing is open: autoscalers must find a value.
      const own = ownLocation();
      if (own !== null) gauge.set({ location: own }, 0);
      for (const { location, waitingSince } of found) gauge.set({ location }, age(waitingSince));
    },
  });
}

function addConservationGauges(
  registers: Registry[],
  conservation: Reading<Awaited<ReturnType<Figures['conservation']>>>,
): void {
  const runs = new Gauge({
    name: 'tocsin_runs',
    help: 'Runs since the installation was created: requested, open, and by outcome',
    labelNames: ['what'] as const,
    registers,
    async collect() {
      const found = await conservation();
      runs.reset();
      if (found === undefined) return;
      runs.set({ what: 'asked_for' }, found.requested);
      runs.set({ what: 'open' }, found.open);
      for (const [outcome, count] of Object.entries(found.outcomes)) runs.set({ what: outcome }, count);
    },
  });
  addFigure(
    registers,
    ['tocsin_conservation_difference', 'Requested runs minus outcomes minus open runs; any value but 0 is a bug'],
    conservation,
    ({ difference }) => difference,
  );
}

type CheckFigures = Awaited<ReturnType<Figures['checkStates']>>[number];

function addCheckGauges(registers: Registry[], states: Reading<readonly CheckFigures[]>): void {
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
    help: 'State of a check: 0 passing, 1 degraded, 2 failing, -1 unknown',
    labelNames,
    registers,
    async collect() {
      const found = (await states()) ?? [];
      state.reset();
      for (const check of found) state.set(labelsOf(check), ['passing', 'degraded', 'failing'].indexOf(check.status));
    },
  });
}
