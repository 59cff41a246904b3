// Whether a check costs more where there are more of them: a thousand and a hundred thousand at the same total rate.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openBenchDatabase } from './support/database.ts';
import { startPeer } from './support/peer.ts';
import type { Bench, BenchOptions, Row } from './support/report.ts';
import { apiCheck, seedAccount, seedChecks, seedFirstAccount } from './support/seed.ts';
import { pause, type Service, startService } from './support/service.ts';

const sizes = [1000, 100_000];
/** Checks a second, whatever their number: far from what two cores can do, so that the cost is that of normal work. */
const rate = 500;
/** By how much of it what was run may differ: where a second of slots begins and ends. */
const rateSlack = 0.02;
const names = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;
/** When it is measured, s after the start: a start catches up with what it missed, then comes a whole round of the many. */
const measuredAfter = Math.max(...sizes) / rate + 15;
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
      const costs: Cost[] = [];
      for (const size of sizes) costs.push(await measure(engine, size, options));
      for (const [index, { service, database, residentMb, perSecond }] of costs.entries()) {
        const figure = `${names[engine]}, ${sizes[index]?.toLocaleString('en')} checks`;
        // Who falls behind, or catches up, is not doing the same work.
        if (Math.abs(perSecond / rate - 1) > rateSlack)
          faults.push(`${figure}: ${perSecond.toFixed(1)} checks/s were run instead of ${rate}`);
        rows.push({ figure: `${figure}: CPU`, value: service + database, unit: 's per 1,000 checks' });
        if (engine === 'postgres') rows.push({ figure: `${figure}: of it PostgreSQL`, value: database, unit: 's' });
        rows.push({ figure: `${figure}: memory`, value: residentMb, unit: 'MB RSS' });
      }
      const [few = Number.NaN, many = Number.NaN] = costs.map(({ service, database }) => service + database);
      rows.push({ figure: `${names[engine]}: growth`, value: (many / few - 1) * 100, unit: '%', atMost: 15 });
    }
    return {
      rows,
      notes: [
        `${rate} checks a second in all: ${sizes.map((size) => `${size.toLocaleString('en')} every ${size / rate} s`).join(', ')} (the first interval is shorter than users may set);`,
        'measured at the same age of the process, when every check has been run once',
      ],
      faults,
    };
  },
};

/** CPU seconds per 1,000 checks, memory, and how many they were. */
interface Cost {
  readonly service: number;
  readonly database: number;
  readonly residentMb: number;
  /** Checks that were run. */
  readonly perSecond: number;
}

async function measure(engine: Engine, size: number, { folder, isQuick, say }: BenchOptions): Promise<Cost> {
  const seconds = size / rate;
  const title = `${names[engine]}, ${size.toLocaleString('en')} checks every ${seconds} s`;
  say(`${title}: seeding`);
  const target = startPeer('target');
  const url = await target.ask<string>('listen');
  const dataDir = join(folder, `growth-${engine}-${size}`);
  mkdirSync(dataDir, { recursive: true });
  const checksOf = (accountId: string) =>
    Array.from({ length: size }, (_, index) =>
      apiCheck(accountId, `${url}/${index}`, { frequency: 0, frequencyOffset: seconds }),
    );
  await using database = engine === 'postgres' ? await openBenchDatabase() : null;
  if (database === null) {
    await seedChecks(dataDir, checksOf(await seedAccount(dataDir)));
  } else {
    const store = await database.openStore();
    const accountId = await seedFirstAccount(store);
    await store.close();
    await database.addChecks(checksOf(accountId));
  }
  const environment: Record<string, string> = database === null ? {} : { DATABASE_URL: database.url };
  const service = await startService({ dataDir, environment });
  say(`${title}: every one once`);
  // Both at the same age: in its first minutes a process compiles what it runs often, and a check costs a fifth more.
  await pause(isQuick ? 10_000 : measuredAfter * 1000);
  say(`${title}: measuring`);
  const requested = (): Promise<number> => target.ask<number>('requests');
  const startedAt = performance.now();
  const from = { requests: await requested(), service: service.cpuSeconds(), database: database?.cpuSeconds() ?? 0 };
  const residentMb = await mostResident(service, isQuick ? 10_000 : 60_000);
  const to = { requests: await requested(), service: service.cpuSeconds(), database: database?.cpuSeconds() ?? 0 };
  const tookMs = performance.now() - startedAt;
  await service.stop();
  await target.stop();
  const thousands = (to.requests - from.requests) / 1000;
  return {
    service: (to.service - from.service) / thousands,
    database: (to.database - from.database) / thousands,
    residentMb,
    perSecond: (thousands * 1_000_000) / tookMs,
  };
}

async function mostResident(service: Service, forMs: number): Promise<number> {
  const until = performance.now() + forMs;
  let most = 0;
  while (performance.now() < until) {
    most = Math.max(most, service.residentMb());
    await pause(500);
  }
  return most;
}
