// Reading a month of results while a day of them is rolled up and another goes: ten million on each engine.
import { type HistoryEngine, postgresEngine, sqliteEngine } from './support/history-engines.ts';
import { type CheckPlan, dayMs, planHistory } from './support/history-plan.ts';
import { percentile } from './support/numbers.ts';
import type { Bench, BenchOptions, Row } from './support/report.ts';
import { pause, type Service, startService } from './support/service.ts';

const resultsInAll = 10_000_000;
/** How long each question is asked again and again. */
const asks = 150;
/** Days of results: one more than are kept, so that a day's rows go while the API is asked. */
const daysOf = (isQuick: boolean): number => (isQuick ? 6 : 31);

export const historyBench: Bench = {
  about: 'a check, an account and a result out of 10 million results (--results N), roll-up and retention meanwhile',
  async run(options) {
    const dataDir = `${options.folder}/history`;
    const sqlite = await onEngine(sqliteEngine(dataDir), dataDir, options);
    const postgres = await onEngine(await postgresEngine(), `${options.folder}/beside`, options);
    return {
      rows: [...sqlite.rows, ...postgres.rows],
      notes: [...sqlite.notes, ...postgres.notes],
      faults: [...sqlite.faults, ...postgres.faults],
    };
  },
};

interface Found {
  readonly rows: Row[];
  readonly notes: string[];
  readonly faults: string[];
}

async function onEngine(engine: HistoryEngine, dataDir: string, options: BenchOptions): Promise<Found> {
  const { say } = options;
  const { name } = engine;
  try {
    const now = Date.now();
    const accountId = await engine.seedAccount();
    const wanted = options.results ?? (options.isQuick ? resultsInAll / 20 : resultsInAll);
    const days = daysOf(options.isQuick);
    const plans = planHistory(accountId, wanted, days, now);
    const startedAt = performance.now();
    const written = await engine.fill(plans, now, say);
    const filledMs = performance.now() - startedAt;
    say(`${name}: ${written} results after ${(filledMs / 1000).toFixed(0)} s; rolling up all but the last day`);
    const rolled = await rollUpTo(engine, now - dayMs, days);
    say(
      `${name}: ${rolled.results} results rolled up in ${(rolled.tookMs / 1000).toFixed(0)} s, ` +
        `CPU of a turn p99 ${rolled.p99TurnMs.toFixed(0)} ms; asking while the rest is`,
    );
    const roles = { TOCSIN_ROLES: 'api,upkeep', TOCSIN_RETENTION_DAYS: String(days - 1) };
    const service = await startService({ dataDir, environment: { ...roles, ...engine.environment } });
    const busy = plans.filter(({ intervalMs }) => intervalMs === 60_000);
    const questions = questionsOf(busy);
    const meanwhile = await askWhileUpkeep(service, questions);
    say(`${name}: upkeep is through, API p99 ${percentile(meanwhile.times, 0.99).toFixed(0)} ms meanwhile; asking`);
    const rows: Row[] = [];
    for (const [question, path] of Object.entries(questions)) {
      const times = await ask(service, path, asks);
      const value = percentile(times, 0.95);
      say(`${name}: ${question}: p50 ${percentile(times, 0.5).toFixed(1)} ms, p95 ${value.toFixed(1)} ms`);
      rows.push({ figure: `${name}: ${question}, p95`, value, unit: 'ms', atMost: 50 });
    }
    const complaints = service
      .output()
      .split('\n')
      .filter((line) => /"level":"(error|fatal)"/.test(line));
    await service.stop();
    return {
      rows: [
        ...rows,
        { figure: `${name}: API meanwhile, p99`, value: percentile(meanwhile.times, 0.99), unit: 'ms', atMost: 100 },
        { figure: `${name}: rolled up`, value: rolled.results / (rolled.tookMs / 1000), unit: 'results/s' },
        { figure: `${name}: CPU of it at 1,000 results/s`, value: rolled.cpuShare * 100, unit: '%', atMost: 5 },
      ],
      notes: [
        `${name}: ${written} results written in ${(filledMs / 1000).toFixed(0)} s; ${rolled.results} rolled up in ` +
          `${(rolled.tookMs / 1000).toFixed(0)} s, CPU of the longest turn ${rolled.longestTurnMs.toFixed(0)} ms, p99 ${rolled.p99TurnMs.toFixed(0)} ms`,
        `${name}: the last day rolled up and the oldest removed within ${(meanwhile.tookMs / 1000).toFixed(0)} s ` +
          `of ${meanwhile.times.length} answers, longest ${Math.max(...meanwhile.times).toFixed(0)} ms`,
      ],
      faults: complaints.slice(0, 3),
    };
  } finally {
    await engine.stop();
  }
}

/** Rolls up all hours that have ended by `until` (epoch ms), turn after turn; the time of the process is measured. */
async function rollUpTo(engine: HistoryEngine, until: number, days: number) {
  const store = await engine.openStore(() => until);
  const [startedAt, cpu] = [performance.now(), process.cpuUsage()];
  let results = 0;
  const turns: number[] = [];
  for (;;) {
    const before = process.cpuUsage();
    const turn = await store.rollUps.turn(until, days * dayMs);
    const { user, system } = process.cpuUsage(before);
    turns.push((user + system) / 1000);
    results += turn.results;
    if (turn.isThrough) break;
  }
  const tookMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpu);
  await store.close();
  const cpuShare = ((user + system) / 1e6 / results) * 1000;
  return { results, tookMs, cpuShare, longestTurnMs: Math.max(...turns), p99TurnMs: percentile(turns, 0.99) };
}

type Questions = Readonly<Record<string, () => string>>;

function questionsOf(plans: readonly CheckPlan[]): Questions {
  const any = (): string => plans[Math.floor(Math.random() * plans.length)]?.check.id ?? '';
  const anyResult = (): string => {
    const plan = plans[Math.floor(Math.random() * plans.length)];
    if (plan === undefined) return '';
    const at = plan.from + Math.floor((0.5 + 0.5 * Math.random()) * plan.count) * plan.intervalMs;
    const time = at.toString(16).padStart(12, '0');
    return `/v1/check-results/${plan.check.id}/${time.slice(0, 8)}-${time.slice(8)}${plan.check.id.slice(13)}`;
  };
  return {
    'last 50 results': () => `/v1/check-results/${any()}?limit=50`,
    'last 50 results, by cursor': () => `/v2/check-results/${any()}?limit=50`,
    'chart of 24 h': () => `/v1/analytics/api-checks/${any()}?quickRange=last24Hours&aggregationInterval=60`,
    'availability of 30 days': () => `/v1/analytics/api-checks/${any()}?quickRange=last30Days&metrics=availability`,
    'statuses of 10,000 checks': () => '/v1/check-statuses',
    'one result by id': anyResult,
  };
}

async function ask(service: Service, path: () => string, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let asked = 0; asked < count + 10; asked++) {
    const startedAt = performance.now();
    const { status, body } = await service.call('GET', path());
    const tookMs = performance.now() - startedAt;
    if (status !== 200) throw new Error(`${path()} answered ${status}: ${JSON.stringify(body)}`);
    // The first ones are of code that is not compiled yet.
    if (asked >= 10) times.push(tookMs);
  }
  return times;
}

/** Asks one question after the other until roll-ups and retention have nothing left to do. */
async function askWhileUpkeep(service: Service, questions: Questions) {
  const startedAt = performance.now();
  const times: number[] = [];
  // The statuses of the whole account are one question among many, as people look at them.
  const paths = Object.entries(questions).flatMap(([name, path]) =>
    name.startsWith('statuses') ? [path] : Array.from({ length: 5 }, () => path),
  );
  for (const path of paths) await ask(service, path, 0);
  for (let round = 0; !(await isUpkeepThrough(service)); round++) {
    for (const path of paths) {
      const askedAt = performance.now();
      await service.call('GET', path());
      times.push(performance.now() - askedAt);
      await pause(5);
    }
    if (round > 5000) throw new Error('upkeep does not end');
  }
  return { times, tookMs: performance.now() - startedAt };
}

async function isUpkeepThrough(service: Service): Promise<boolean> {
  const { body } = await service.call('GET', '/metrics');
  const gauge = /^tocsin_roll_up_delay_seconds ([\d.]+)$/m.exec(String(body))?.[1];
  return Number(gauge) < 2 * 3600;
}
