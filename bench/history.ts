// Reading a month of results while one day is rolled up and another deleted: ten million results on each engine.
import { type HistoryEngine, onEachEngine } from './support/history-engines.ts';
import { type CheckPlan, dayMs, planHistory } from './support/history-plan.ts';
import {
  ask,
  askWhile,
  inProportion,
  type Questions,
  questionsOf,
  readReports,
  reports,
  stopAsking,
  warmUp,
  withoutOverviews,
} from './support/history-questions.ts';
import { heldRows, longestOf, readyToRemove, rollUpTo, type Ticks } from './support/history-ticks.ts';
import { percentile, type Bench, type BenchOptions, type Findings, type Row } from './support/report.ts';
import { complaintsIn, metricOf, type Service, startService } from './support/service.ts';

const resultsInAll = 10_000_000;
/** How long each query is repeated. */
const asks = 150;
const reportAsks = 5;
/** Retained days of results. */
const keptOf = (isQuick: boolean): number => (isQuick ? 5 : 30);
/** Additional days: some are deleted first, to measure slices, and more than one during the API queries. */
const extraDays = 2;
const leftDays = 1.25;

export const historyBench: Bench = {
  about: 'a check, an account and a result out of 10 million results (--results N), during roll-up and retention',
  run: (options) => onEachEngine(options, (engine, dataDir) => onEngine(engine, dataDir, options)),
};

/** Fixture of the measurement. */
interface Fixture {
  readonly engine: HistoryEngine;
  readonly now: number;
  readonly keptDays: number;
  /** Checks that run each minute and produce nearly all results. */
  readonly busy: readonly CheckPlan[];
  readonly questions: Questions;
  /** Starts the service with that many days of retention. */
  readonly start: (roles: string, retentionDays: number) => Promise<Service>;
  readonly say: (what: string) => void;
}

async function onEngine(engine: HistoryEngine, dataDir: string, options: BenchOptions): Promise<Findings> {
  const { isQuick, profileFolder } = options;
  const say = (what: string): void => options.say(`${engine.name}: ${what}`);
  const services: Service[] = [];
  const start: Fixture['start'] = async (roles, retentionDays) => {
    const environment = { TOCSIN_ROLES: roles, TOCSIN_RETENTION_DAYS: String(retentionDays), ...engine.environment };
    const service = await startService({ dataDir, profileFolder, environment });
    services.push(service);
    return service;
  };
  try {
    const now = Date.now();
    const keptDays = keptOf(isQuick);
    const days = keptDays + extraDays;
    // Number of results that are retained; those to delete come in addition.
    const wanted = ((options.results ?? (isQuick ? resultsInAll / 20 : resultsInAll)) * days) / keptDays;
    const plans = planHistory(await engine.seedAccount(), wanted, days, now);
    const written = await timeOf(() => engine.fill(plans, now, options.say));
    say(`${written.answer} results after ${seconds(written)}; rolling up all but the last day`);
    const rolled = await rollUpTo(engine, now - dayMs, days);
    say(`${rolled.rows} results rolled up in ${seconds(rolled)}; loop blocked by ticks for ${longestOf(rolled)} ms`);
    const cut = await (await readyToRemove(engine, now - (keptDays + leftDays) * dayMs, now))();
    if (engine.isInLoop && cut.rows === 0) throw new Error('nothing was deleted, so no slice was measured');
    await engine.tidy();
    const busy = plans.filter(({ intervalMs }) => intervalMs === 60_000);
    const fixture: Fixture = { engine, now, keptDays, busy, questions: questionsOf(busy), start, say };
    const rolling = await whileRolledUp(fixture);
    const service = await start(engine.isInLoop ? 'api,upkeep' : 'api', keptDays);
    const removing = await whileRemoved(fixture, service);
    const rows = await whenAtRest(fixture, service);
    await service.stop();
    const slices = removing.slices ?? cut;
    return {
      rows: [...rows, ...rolling.rows, ...removing.rows, ...tickRows(engine.name, rolled, slices)],
      notes: [
        `${engine.name}: ${written.answer} results written in ${seconds(written)}; ${rolled.rows} rolled up in ` +
          `${seconds(rolled)}, loop blocked by ticks (CPU time, kernel time, garbage collection): ${longestOf(rolled)} ms, ` +
          `by ${slices.times.length} slices ${longestOf(slices)} ms`,
        ...rolling.notes,
        ...removing.notes,
      ],
      faults: services.flatMap((service) => complaintsIn(service.output(), /"level":"(error|fatal)"/)).slice(0, 3),
    };
  } finally {
    stopAsking();
    await engine.stop();
  }
}

async function timeOf<Answer>(work: () => Promise<Answer>): Promise<{ answer: Answer; tookMs: number }> {
  const startedAt = performance.now();
  const answer = await work();
  return { answer, tookMs: performance.now() - startedAt };
}

const seconds = ({ tookMs }: { readonly tookMs: number }): string => `${(tookMs / 1000).toFixed(0)} s`;

function tickRows(name: string, rolled: Ticks, slices: Ticks): Row[] {
  return [
    ...heldRows(`${name}: roll-up ticks`, rolled, false),
    ...heldRows(`${name}: slices of retention`, slices, true),
    { figure: `${name}: rolled up`, value: rolled.rows / (rolled.tookMs / 1000), unit: 'results/s' },
    {
      figure: `${name}: roll-up CPU at 1,000 results/s`,
      value: (rolled.cpuSeconds / rolled.rows) * 1000 * 100,
      unit: '%',
      atMost: 5,
    },
  ];
}

/** Queries measured beside other work. */
interface Meanwhile {
  readonly rows: Row[];
  readonly notes: string[];
}

function meanwhile(fixture: Fixture, what: string, asked: Awaited<ReturnType<typeof askWhile>>): Meanwhile {
  const { times } = asked;
  const figure = `${fixture.engine.name}: API while a day is ${what}, p99`;
  const value = percentile(times, 0.99);
  const longest = `longest ${Math.max(...times).toFixed(0)} ms`;
  fixture.say(`a day is ${what} after ${seconds(asked)}; API p99 ${value.toFixed(0)} ms meanwhile, ${longest}`);
  return {
    rows: [{ figure, value, unit: 'ms', atMost: 100 }],
    notes: [
      `${fixture.engine.name}: a day was ${what} within ${seconds(asked)} of ${times.length} answers, ${longest}`,
    ],
  };
}

/**
 * Rolls up the last day in the process that is queried. Excludes overviews, which would read the complete raw day of a hundred
 * checks; in normal operation at most an hour is not rolled up.
 */
async function whileRolledUp(fixture: Fixture): Promise<Meanwhile> {
  const { keptDays, questions, start } = fixture;
  const service = await start('api,upkeep', keptDays + extraDays + 1);
  const asked = withoutOverviews(questions);
  await warmUp(service, inProportion(asked));
  const found = meanwhile(fixture, 'rolled up', await askWhile(service, asked, () => isRolledUp(service)));
  await service.stop();
  return found;
}

/**
 * Deletes a day and more during the queries and continuous reports: in the same process on SQLite, and in this one on
 * PostgreSQL, before a process starts.
 *
 * @returns slices of this process, if it deletes
 */
async function whileRemoved(
  fixture: Fixture,
  service: Service,
): Promise<Meanwhile & { readonly slices: Ticks | null }> {
  const { engine, now, keptDays, busy, questions } = fixture;
  const before = now - keptDays * dayMs;
  const goneBefore = engine.goneBefore(before);
  // Once each: on SQLite, the deletion has begun.
  await warmUp(service, Object.values(questions));
  const left = await engine.resultsBefore(busy, goneBefore);
  if (left < busy.length * 1440) throw new Error(`less than a day is left to delete: ${left} results`);
  const some = [busy.at(0), busy.at(-1)].filter((plan) => plan !== undefined);
  let isRemoved = engine.isInLoop;
  const remove = engine.isInLoop ? null : await readyToRemove(engine, before, now);
  const reader = readReports(service);
  const removal = remove?.() ?? null;
  void removal?.then(() => (isRemoved = true));
  const asked = await askWhile(
    service,
    questions,
    async () => isRemoved && (await engine.resultsBefore(some, goneBefore)) === 0,
  );
  const found = meanwhile(fixture, 'deleted and reports are read', asked);
  // The effect of the reports alone.
  const beside = await askWhile(service, questions, async () => true);
  const read = await reader.stop();
  const figure = `${engine.name}: API while only reports are read, p99`;
  return {
    rows: [...found.rows, { figure, value: percentile(beside.times, 0.99), unit: 'ms' }],
    notes: [...found.notes, `${engine.name}: ${read} reports were read during and without deletion`],
    slices: await removal,
  };
}

/** Each query on its own, repeatedly. */
async function whenAtRest({ engine, questions, say }: Fixture, service: Service): Promise<Row[]> {
  const { name } = engine;
  const rows: Row[] = [];
  for (const [what, question] of Object.entries(questions)) {
    await warmUp(service, [question]);
    const cpuBefore = service.cpuSeconds();
    const times = await ask(service, question, asks);
    const cpuMs = ((service.cpuSeconds() - cpuBefore) / asks) * 1000;
    const value = percentile(times, 0.95);
    const median = percentile(times, 0.5).toFixed(1);
    say(`${what}: p50 ${median} ms, p95 ${value.toFixed(1)} ms, CPU of the service ${cpuMs.toFixed(1)} ms`);
    rows.push({ figure: `${name}: ${what}, p95`, value, unit: 'ms', atMost: 50 });
    rows.push({ figure: `${name}: ${what}, CPU of the service`, value: cpuMs, unit: 'ms' });
  }
  for (const [what, question] of Object.entries(reports)) {
    const value = percentile(await ask(service, question, reportAsks), 0.5);
    say(`${what}: p50 ${value.toFixed(0)} ms`);
    rows.push({ figure: `${name}: ${what}, p50`, value, unit: 'ms' });
  }
  return rows;
}

async function isRolledUp(service: Service): Promise<boolean> {
  return (await metricOf(service, 'tocsin_roll_up_delay_seconds')) < 2 * 3600;
}
