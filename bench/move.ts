// Moving an account of ten thousand checks between two running services: how long it is paused, and how long the others
// wait meanwhile.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type HistoryEngine, postgresEngine, sqliteEngine } from './support/history-engines.ts';
import { dayMs, planHistory } from './support/history-plan.ts';
import { largest, percentile } from './support/numbers.ts';
import type { Bench, BenchOptions, Row } from './support/report.ts';
import { databasePath, secretKeyText } from './support/seed.ts';
import { pause, type Service, startService } from './support/service.ts';

const resultsInAll = 1_000_000;
/** Of results: every check has run each six hours or more often. */
const daysOf = (isQuick: boolean): number => (isQuick ? 2 : 15);
const entry = fileURLToPath(new URL('../src/tocsin.ts', import.meta.url));

/** One of the two installations. */
interface Place {
  readonly engine: HistoryEngine;
  readonly dataDir: string;
  /** As `migrate` names it. */
  readonly address: string;
}

export const moveBench: Bench = {
  about: 'an account of 10,000 checks and a million results (--results N) between two running services, each engine',
  async run(options) {
    const sqlite = await betweenTwo('SQLite', options, async (name) => {
      const dataDir = `${options.folder}/${name}`;
      return { engine: sqliteEngine(dataDir), dataDir, address: `sqlite:${databasePath(dataDir)}` };
    });
    const postgres = await betweenTwo('PostgreSQL', options, async (name) => {
      const engine = await postgresEngine();
      return { engine, dataDir: `${options.folder}/beside-${name}`, address: engine.environment['DATABASE_URL'] ?? '' };
    });
    return { rows: [...sqlite.rows, ...postgres.rows], notes: [...sqlite.notes, ...postgres.notes], faults: [] };
  },
};

async function betweenTwo(
  name: string,
  { isQuick, results, say }: BenchOptions,
  makePlace: (name: string) => Promise<Place>,
): Promise<{ rows: Row[]; notes: string[] }> {
  const from = await makePlace('from');
  const to = await makePlace('to');
  try {
    const accountId = await from.engine.seedAccount();
    const now = Date.now();
    const days = daysOf(isQuick);
    const plans = planHistory(accountId, results ?? (isQuick ? resultsInAll / 20 : resultsInAll), days, now);
    const written = await from.engine.fill(plans, now, say);
    say(`${name}: ${written} results; rolling up`);
    await rollUpAll(from.engine, now, days);
    const [source, target] = [await startAt(from), await startAt(to)];
    say(`${name}: moving ${plans.length} checks`);
    const [there, here] = [writeBeside(source), writeBeside(target)];
    const moved = await move(accountId, from, to, target.address, say);
    const [atSource, atTarget] = [await there.end(), await here.end()];
    await Promise.all([source.stop(), target.stop()]);
    const wait = (where: string, times: readonly number[]): Row[] => [
      { figure: `${name}: a change in another account, ${where}, p99`, value: percentile(times, 0.99), unit: 'ms' },
      { figure: `${name}: the longest of them`, value: largest(times), unit: 'ms' },
    ];
    return {
      rows: [
        { figure: `${name}: the account is paused`, value: moved.pausedS, unit: 's' },
        { figure: `${name}: the whole move`, value: moved.tookS, unit: 's' },
        ...wait('old place', atSource.times),
        { figure: `${name}: loop held, old place`, value: atSource.loopMs, unit: 'ms' },
        ...wait('new place', atTarget.times),
        { figure: `${name}: loop held, new place`, value: atTarget.loopMs, unit: 'ms' },
      ],
      notes: [`${name}: ${plans.length} checks, ${written} results in ${days} days, rolled up; ${moved.said}`],
    };
  } finally {
    await from.engine.stop();
    await to.engine.stop();
  }
}

async function rollUpAll(engine: HistoryEngine, now: number, days: number): Promise<void> {
  const store = await engine.openStore(() => now);
  while (!(await store.rollUps.turn(now, days * dayMs)).isThrough);
  await store.close();
}

function startAt({ engine, dataDir }: Place): Promise<Service> {
  return startService({ dataDir, environment: { ...engine.environment, TOCSIN_ROLES: 'api,upkeep' } });
}

/** Changes a variable of another account again and again, and looks how long the loop was held. */
function writeBeside(service: Service): { end(): Promise<{ times: number[]; loopMs: number }> } {
  const times: number[] = [];
  let loopMs = 0;
  const ending = new AbortController();
  const run = async (): Promise<void> => {
    const { body } = await service.call('POST', '/v1/accounts', { name: 'Beside' });
    const headers = { 'x-service-account': String((body as Record<string, unknown>)['id']) };
    await service.call('POST', '/v1/variables', { key: 'BESIDE', value: '0' }, headers);
    await service.call('GET', '/metrics');
    for (let round = 1; !ending.signal.aborted; round++) {
      const startedAt = performance.now();
      const { status } = await service.call('PUT', '/v1/variables/BESIDE', { value: String(round) }, headers);
      if (status !== 200) throw new Error(`a change in another account answered ${status}`);
      times.push(performance.now() - startedAt);
      if (round % 20 === 0) loopMs = Math.max(loopMs, await loopDelayMs(service));
      await pause(5);
    }
    loopMs = Math.max(loopMs, await loopDelayMs(service));
  };
  const running = run();
  return {
    async end() {
      ending.abort();
      await running;
      return { times, loopMs };
    },
  };
}

async function loopDelayMs(service: Service): Promise<number> {
  const { body } = await service.call('GET', '/metrics');
  return Number(/^tocsin_event_loop_delay_seconds\{thread="main"\} ([\d.e-]+)$/m.exec(String(body))?.[1]) * 1000;
}

/** Runs the command as an operator does. */
async function move(accountId: string, from: Place, to: Place, newPlace: string, say: (what: string) => void) {
  const words = [
    'migrate',
    '--account',
    accountId,
    '--from',
    from.address,
    '--to',
    to.address,
    '--redirect-to',
    newPlace,
  ];
  const startedAt = performance.now();
  const child = spawn(process.execPath, [entry, ...words], {
    env: { ...process.env, TOCSIN_SECRET_KEY: secretKeyText },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    for (const line of chunk.toString().trim().split('\n')) say(line);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  const pausedS = Number(/it was paused for ([\d.]+) s/.exec(said)?.[1]);
  if (code !== 0 || Number.isNaN(pausedS)) throw new Error(`the command ended with ${code}: ${said}`);
  return { pausedS, tookS: (performance.now() - startedAt) / 1000, said: said.trim().split('\n').at(-1) ?? '' };
}
