// The web UI, GET /v1/overview and GET /v1/events with 10,000 checks and 1,000,000 results, on each engine.
import { request } from 'node:http';
import { bundled } from '../tooling/bundle.ts';
import { type HistoryEngine, onEachEngine } from './support/history-engines.ts';
import { type CheckPlan, planEvenly } from './support/history-plan.ts';
import { rollUpTo } from './support/history-ticks.ts';
import { browseChecks, openList, visitor } from './support/first-page.ts';
import { percentile, type Bench, type BenchOptions, type Findings, type Row } from './support/report.ts';
import { bootstrapKey } from './support/seed.ts';
import { create, pause, type Service, startService } from './support/service.ts';

const resultsEach = 100;
const asks = 200;
const warmUps = 10;
const streamSeconds = 20;
const resultsPerSecond = 500;

/** Queries of the list in the web UI. */
const queries: Readonly<Record<string, (index: number) => string>> = {
  'first page': () => '',
  'any page': (index) => `?page=${1 + ((index * 37) % 200)}`,
  'page of 200 rows': (index) => `?limit=200&page=${1 + ((index * 7) % 50)}`,
  filters: (index) => `?state=failing,degraded&search=check%20${index % 10}&tag=shop`,
  'sorted by name': (index) => `?sort=name&page=${1 + (index % 50)}`,
  'sorted by response time': (index) => `?sort=-responseTime&page=${1 + (index % 50)}`,
  'by tag': (index) => `?groupBy=tag&page=${1 + (index % 50)}`,
  'sorted by availability': (index) => `?sort=availability&page=${1 + (index % 50)}`,
};

export const webBench: Bench = {
  about: 'the web UI and overview of 10,000 checks with 1,000,000 results, and the CPU of live updates',
  run: (options) => onEachEngine(options, (engine, dataDir) => onEngine(engine, dataDir, options)),
};

async function onEngine(engine: HistoryEngine, dataDir: string, options: BenchOptions): Promise<Findings> {
  // Fails now instead of after minutes of seeding if dist/ is outdated.
  bundled('main');
  try {
    const now = Date.now();
    const plans = planEvenly(await engine.seedAccount(), resultsEach, 15, now);
    const written = await engine.fill(plans, now, options.say);
    const rolled = await rollUpTo(engine, now, 2);
    options.say(`${engine.name}: ${written} results, rolled up in ${(rolled.tookMs / 1000).toFixed(0)} s`);
    return { rows: await measure(engine, dataDir, plans, options), notes: [], faults: [] };
  } finally {
    await engine.stop();
  }
}

async function measure(
  engine: HistoryEngine,
  dataDir: string,
  plans: readonly CheckPlan[],
  { isQuick, profileFolder, ...options }: BenchOptions,
): Promise<Row[]> {
  const { name } = engine;
  const say = (what: string): void => options.say(`${name}: ${what}`);
  let service: Service | null = null;
  try {
    await engine.write(newestResults);
    await engine.write(`status = 'failing'`, plans.slice(0, 200));
    await engine.tidy();
    const environment = {
      TOCSIN_ROLES: 'api',
      TOCSIN_BOOTSTRAP_EMAIL: visitor.email,
      TOCSIN_BOOTSTRAP_PASSWORD: visitor.password,
      ...engine.environment,
    };
    service = await startService({ dataDir, profileFolder, environment });
    const live = { name, service, engine, plans, seconds: isQuick ? 5 : streamSeconds, say };
    return [
      ...(await askOverview(name, service, isQuick ? asks / 4 : asks, say)),
      ...(await browseChecks(name, service, isQuick ? 1 : 5)),
      ...(await follow(live)),
      ...(await followInBrowser(live)),
    ];
  } finally {
    await service?.stop();
  }
}

/** The state of each check refers to its latest result. */
const newestResults = `last_result_id = (SELECT id FROM results
  WHERE results.account_id = check_states.account_id AND results.check_id = check_states.check_id
  ORDER BY id DESC LIMIT 1)`;

async function askOverview(name: string, service: Service, count: number, say: (what: string) => void): Promise<Row[]> {
  const rows: Row[] = [];
  const firstAt = performance.now();
  await service.call('GET', '/v1/overview');
  say(`first response after ${(performance.now() - firstAt).toFixed(0)} ms`);
  for (const [what, query] of Object.entries(queries)) {
    const times: number[] = [];
    const cpuSeconds = service.cpuSeconds();
    for (let index = 0; index < count + warmUps; index++) {
      const startedAt = performance.now();
      const { status } = await service.call('GET', `/v1/overview${query(index)}`);
      if (status !== 200) throw new Error(`GET /v1/overview${query(index)} answered ${status}`);
      if (index >= warmUps) times.push(performance.now() - startedAt);
    }
    const value = percentile(times, 0.95);
    const cpuMs = ((service.cpuSeconds() - cpuSeconds) * 1000) / (count + warmUps);
    say(`${what}: p50 ${percentile(times, 0.5).toFixed(1)}, p95 ${value.toFixed(1)}, CPU ${cpuMs.toFixed(1)} ms`);
    rows.push({ figure: `${name}: overview, ${what}, p95`, value, unit: 'ms', atMost: 100 });
  }
  return rows;
}

interface Live {
  readonly name: string;
  readonly service: Service;
  readonly engine: HistoryEngine;
  readonly plans: readonly CheckPlan[];
  readonly seconds: number;
  readonly say: (what: string) => void;
}

/** Records results of 500 checks per second. Returns the CPU time of the service meanwhile, ms per second. */
async function record({ service, engine, plans, seconds }: Live): Promise<number> {
  const cpuSeconds = service.cpuSeconds();
  for (let second = 0; second < seconds; second++) {
    const next = pause(1000);
    const first = (second * resultsPerSecond) % plans.length;
    await engine.write('revision = revision + 1', plans.slice(first, first + resultsPerSecond));
    await next;
  }
  return ((service.cpuSeconds() - cpuSeconds) * 1000) / seconds;
}

/** CPU time of the service and output of a stream, with results of 500 checks per second and then of all checks at once. */
async function follow(live: Live): Promise<Row[]> {
  const { name, service, engine, seconds, say } = live;
  const rows: Row[] = [];
  const cpu: number[] = [];
  for (const streams of [0, 1, 50]) {
    const keys = await keysFor(service, streams);
    const opened = await Promise.all(keys.map((key) => openStream(service, key)));
    await pause(3000);
    const before = opened.map((stream) => stream.sent().messages);
    const value = await record(live);
    cpu.push(value);
    say(`${streams} streams: ${value.toFixed(1)} ms of CPU per second`);
    rows.push({ figure: `${name}: CPU of ${streams} event streams at 500 results/s`, value, unit: 'ms/s' });
    if (streams === 1) {
      const messages = opened.map((stream, index) => (stream.sent().messages - (before[index] ?? 0)) / seconds);
      await engine.write('revision = revision + 1');
      await pause(2000);
      const longest = Math.max(...opened.map((stream) => stream.sent().longest)) / 1000;
      rows.push(
        { figure: `${name}: messages of a stream`, value: Math.max(...messages), unit: '1/s', atLeast: 0.1, atMost: 1 },
        { figure: `${name}: longest message of a stream`, value: longest, unit: 'kB', atLeast: 0.1, atMost: 32 },
      );
    }
    for (const stream of opened) stream.close();
  }
  const [, one = NaN, fifty = NaN] = cpu;
  return [
    ...rows,
    { figure: `${name}: CPU of each further stream`, value: (fifty - one) / 49, unit: 'ms/s', atMost: 1 },
  ];
}

/** Time until an open page shows a state committed by another process, and the cost of the page for the service. */
async function followInBrowser(live: Live): Promise<Row[]> {
  const { name, engine, plans, seconds, say } = live;
  const page = await openList(live.service);
  try {
    const delays: number[] = [];
    for (let round = 0; round < (seconds < 10 ? 3 : 10); round++) {
      const status = round % 2 === 0 ? 'failing' : 'passing';
      // As in a real change, the state begins anew: otherwise two changes between polls look like none.
      const change = `revision = revision + 1, since = since + 1, status = '${status}'`;
      await engine.write(change, plans.slice(5000, 5001));
      const writtenAt = performance.now();
      await page.shows('check 5000', status);
      delays.push(performance.now() - writtenAt);
    }
    say(`changes shown after ${delays.map((ms) => ms.toFixed(0)).join(', ')} ms`);
    return [
      { figure: `${name}: changed state shown, slowest of 10`, value: Math.max(...delays), unit: 'ms', atMost: 2000 },
      { figure: `${name}: CPU of an open list at 500 results/s`, value: await record(live), unit: 'ms/s' },
    ];
  } finally {
    await page.close();
  }
}

/** Each key can open 20 streams. */
async function keysFor(service: Service, streams: number): Promise<string[]> {
  const keys = [bootstrapKey];
  while (keys.length * 20 < streams) {
    const made = await create(service, '/v1/api-keys', { name: 'wall', role: 'read-only' });
    keys.push(String(made['key']));
  }
  return Array.from({ length: streams }, (_, index) => keys[index % keys.length] ?? bootstrapKey);
}

/** An event stream as read by a client. */
interface EventStream {
  /** Number of changes so far, and the size of the longest one in bytes. */
  sent(): { readonly messages: number; readonly longest: number };
  close(): void;
}

function openStream({ address }: Service, key: string): Promise<EventStream> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` };
    request(`${address}/v1/events`, { headers, agent: false }, (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`GET /v1/events returned ${answer.statusCode}`));
      let [rest, messages, longest] = ['', 0, 0];
      answer.on('data', (chunk: Buffer) => {
        const parts = (rest + chunk.toString('latin1')).split('\n\n');
        rest = parts.pop() ?? '';
        for (const { length } of parts.filter((part) => part.includes('event: change'))) {
          messages++;
          longest = Math.max(longest, length);
        }
      });
      answer.on('error', () => undefined);
      resolve({ sent: () => ({ messages, longest }), close: () => answer.destroy() });
    })
      .on('error', reject)
      .end();
  });
}
