// Whether the cost of a check depends on their number: a thousand and a hundred thousand at the same total rate.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type BenchDatabase, openBenchDatabase } from './support/database.ts';
import { type Peer, startPeer } from './support/peer.ts';
import type { Bench, BenchOptions, Row } from './support/report.ts';
import { apiCheck, seedAccount, seedChecks, seedFirstAccount } from './support/seed.ts';
import { pause, type Service, startService } from './support/service.ts';

const sizes = [1000, 100_000];
/**
 * Checks per second of each of the two processes, whatever their number: far below the capacity of two cores, so that the
 * cost is that of normal load.
 */
const rates = { sqlite: 500, postgres: 250 } as const;
/** Tolerance of the measured rate: the period may begin and end within a second of slots. */
const rateSlack = 0.02;
const names = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;
/** A start catches up on missed slots before the first complete round, s. */
const catchUpSeconds = 15;
type Engine = keyof typeof names;

export const growthBench: Bench = {
  about: 'CPU per check with 1,000 and with 100,000 checks at the same total rate, on both engines',
  async run(options) {
    const rows: Row[] = [];
    const faults: string[] = [];
    const engines = (['sqlite', 'postgres'] as const).filter(
      (engine) => options.engine === null || options.engine === names[engine],
    );
    for (const engine of engines) {
      const costs = await measure(engine, options);
      for (const [index, { service, database, residentMb, perSecond }] of costs.entries()) {
        const figure = `${names[engine]}, ${sizes[index]?.toLocaleString('en')} checks`;
        // A process that lags or catches up does different work.
        if (Math.abs(perSecond / rates[engine] - 1) > rateSlack)
          faults.push(`${figure}: ${perSecond.toFixed(1)} checks/s instead of ${rates[engine]}`);
        rows.push({ figure: `${figure}: CPU`, value: service + database, unit: 's per 1,000 checks' });
        if (engine === 'postgres') rows.push({ figure: `${figure}: PostgreSQL's share`, value: database, unit: 's' });
        rows.push({ figure: `${figure}: memory`, value: residentMb, unit: 'MB RSS' });
      }
      const [few = Number.NaN, many = Number.NaN] = costs.map(({ service, database }) => service + database);
      rows.push({ figure: `${names[engine]}: growth`, value: (many / few - 1) * 100, unit: '%', atMost: 15 });
    }
    return {
      rows,
      notes: [
        ...engines.map((engine) => `${names[engine]}: ${sizes.map((size) => scheduleOf(engine, size)).join(' and ')};`),
        'measured side by side, with processes of the same age, after one run of every check: the cost of a process varies by a fifth between minutes',
      ],
      faults,
    };
  },
};

function scheduleOf(engine: Engine, size: number): string {
  return `${size.toLocaleString('en')} checks every ${size / rates[engine]} s`;
}

/** CPU seconds per 1,000 checks, memory, and number of checks. */
interface Cost {
  readonly service: number;
  readonly database: number;
  readonly residentMb: number;
  /** Number of runs. */
  readonly perSecond: number;
}

/** Both sizes at the same time, each with its own target and, on PostgreSQL, its own server. */
async function measure(engine: Engine, options: BenchOptions): Promise<Cost[]> {
  const { isQuick, say } = options;
  await using stack = new AsyncDisposableStack();
  const scenes: Fixture[] = [];
  for (const size of sizes) {
    say(`${names[engine]}, ${scheduleOf(engine, size)}: seeding`);
    scenes.push(await seededFixture(engine, size, options, stack));
  }
  const running = await Promise.all(
    scenes.map(async (fixture) => {
      const service = await startService(fixture);
      stack.defer(() => service.stop());
      return { ...fixture, service };
    }),
  );
  say(`${names[engine]}: one run of every check`);
  // Processes of the same age: in its first minutes a process compiles hot code, and a check costs a fifth more.
  await pause(isQuick ? 10_000 : (Math.max(...sizes) / rates[engine] + catchUpSeconds) * 1000);
  say(`${names[engine]}: measuring`);
  return await Promise.all(running.map((each) => costOf(each, isQuick ? 10_000 : 120_000)));
}

/** Prepares an installation with that many checks. */
interface Fixture {
  readonly dataDir: string;
  readonly environment: Record<string, string>;
  readonly target: Peer;
  readonly database: BenchDatabase | null;
}

async function seededFixture(
  engine: Engine,
  size: number,
  { folder }: BenchOptions,
  stack: AsyncDisposableStack,
): Promise<Fixture> {
  const target = startPeer('target');
  stack.defer(() => target.stop());
  const url = await target.ask<string>('listen');
  const dataDir = join(folder, `growth-${engine}-${size}`);
  mkdirSync(dataDir, { recursive: true });
  const checksOf = (accountId: string) =>
    Array.from({ length: size }, (_, index) =>
      apiCheck(accountId, `${url}/${index}`, { frequency: 0, frequencyOffset: size / rates[engine] }),
    );
  if (engine === 'sqlite') {
    await seedChecks(dataDir, checksOf(await seedAccount(dataDir)));
    return { dataDir, environment: {}, target, database: null };
  }
  const database = stack.use(await openBenchDatabase());
  const store = await database.openStore();
  const accountId = await seedFirstAccount(store);
  await store.close();
  await database.addChecks(checksOf(accountId));
  return { dataDir, environment: { DATABASE_URL: database.url }, target, database };
}

async function costOf(
  { service, database, target }: Fixture & { readonly service: Service },
  forMs: number,
): Promise<Cost> {
  const used = async () => ({
    requests: await target.ask<number>('requests'),
    service: service.cpuSeconds(),
    database: database?.cpuSeconds() ?? 0,
  });
  const startedAt = performance.now();
  const from = await used();
  const residentMb = await peakResident(service, forMs);
  const to = await used();
  const thousands = (to.requests - from.requests) / 1000;
  return {
    service: (to.service - from.service) / thousands,
    database: (to.database - from.database) / thousands,
    residentMb,
    perSecond: (thousands * 1_000_000) / (performance.now() - startedAt),
  };
}

async function peakResident(service: Service, forMs: number): Promise<number> {
  const until = performance.now() + forMs;
  let max = 0;
  while (performance.now() < until) {
    max = Math.max(max, service.residentMb());
    await pause(500);
  }
  return max;
}
